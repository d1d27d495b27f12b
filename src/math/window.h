/* Interpolation on a grid: a weighted sum of the nearest samples along each axis. Before the transform that makes the
 * grid, the other space is divided by the transform of the weights. The grid may be the Fourier transform of a map, as
 * in projection, or a frame of a movie on a finer grid, as in the correction of motion.
 *
 * The weights are a Kaiser-Bessel window I₀(β √(1 − (2 t / taps)²)) / I₀(β) of the distance t along each axis, with β
 * for the given padding from Beatty, Nishimura and Pauly 2005 (doi 10.1109/TMI.2005.848376, equation 5); or 1 − |t| for
 * trilinear interpolation. The blob of reconstruction (cryoem/blob.h) is too narrow in Fourier space for this purpose:
 * at a padding of 2, periodic images of the map contribute 3 % with it, and 1e-5 with six taps of the window.
 *
 * Thread rule: any thread. */
#ifndef QN_MATH_WINDOW_H
#define QN_MATH_WINDOW_H

enum { QN_WINDOW_TAPS_MAX = 6, QN_WINDOW_INTERVALS = 1024, QN_WINDOW_ROWS = QN_WINDOW_INTERVALS + 1 };
enum { QN_WINDOW_TERMS = 4 };

typedef struct qn_window {
    int taps;    /* samples along an axis: 2 (trilinear), 4 or 6 */
    double beta; /* shape of a Kaiser-Bessel window */
} qn_window;

/* Make a window. `padding` is the ratio of the padded side to the map's side, or of the finer grid's side to the
 * frame's. */
qn_window qn_window_make(int taps, double padding);

/* Weight at a distance in samples; 0 beyond taps / 2. */
double qn_window_at(const qn_window *window, double distance);

/* Transform of the window, ∫ weight(t) exp(−2πi f t) dt, at `frequency` in cycles per sample. Interpolation in a
 * transform of side P multiplies a voxel at x by the value at frequency x / P, along each axis. */
double qn_window_transform(const qn_window *window, double frequency);

/* Fill a table of the weights of all taps, [QN_WINDOW_ROWS][taps]. Row i is for a place i / QN_WINDOW_INTERVALS after
 * sample 0 and holds the weights of samples 1 − taps / 2 … taps / 2. Linear interpolation between rows is exact within
 * 3e-7. */
void qn_window_table(const qn_window *window, float *table);

/* Polynomials of the weights, for kernels to which arithmetic is cheaper than a table: [taps / 2][2][QN_WINDOW_TERMS].
 * A place has the distance z + 1/2, |z| ≤ 1/2, from sample 0. With e and o the values at z² of the two polynomials of
 * row i, powers ascending, tap i has the weight e + z o and tap taps − 1 − i the weight e − z o. Exact within 4e-7.
 * For Kaiser-Bessel windows: `taps` 4 or 6. */
void qn_window_polynomials(const qn_window *window, float *terms);

#endif
