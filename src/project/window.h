/* How a Fourier transform is read between its samples: a weighted sum of the nearest samples along each axis, after
 * what the weights do to the map was divided out of it.
 *
 * Weights are a Kaiser-Bessel window I₀(β √(1 − (2 t / taps)²)) / I₀(β) of each axis' distance t, with the β of Beatty,
 * Nishimura and Pauly 2005 (doi 10.1109/TMI.2005.848376, equation 5) for the padding there is; or 1 − |t|, trilinear
 * interpolation. The blob that reconstruction spreads slices with (cryoem/blob.h) is too narrow in Fourier space for
 * this: at a padding of 2 it lets in 3 % of the map's images in the neighbouring periods, six taps 1e-5.
 *
 * Thread rule: any thread. */
#ifndef QN_PROJECT_WINDOW_H
#define QN_PROJECT_WINDOW_H

enum { QN_WINDOW_MOST_TAPS = 6, QN_WINDOW_INTERVALS = 1024, QN_WINDOW_ROWS = QN_WINDOW_INTERVALS + 1 };

typedef struct qn_window {
    int taps;    /* samples along an axis: 2 (trilinear), 4 or 6 */
    double beta; /* of Kaiser-Bessel windows */
} qn_window;

/* `padding`: the padded side over the map's. */
qn_window qn_window_make(int taps, double padding);

/* Weight at a distance in samples; 0 beyond taps / 2. */
double qn_window_at(const qn_window *window, double distance);

/* ∫ weight(t) exp(−2πi f t) dt at `frequency` in cycles per sample. A voxel at x, of a transform of side P, is
 * multiplied with this at x / P, along each axis. */
double qn_window_transform(const qn_window *window, double frequency);

/* The weights of all taps, [QN_WINDOW_ROWS][taps]: of a place between samples 0 and 1, i / QN_WINDOW_INTERVALS behind
 * the first, row i has those of samples 1 − taps / 2 … taps / 2. To be interpolated between rows, within 3e-7. */
void qn_window_table(const qn_window *window, float *table);

#endif
