/* The spectrum of a frame, shifted by a displacement, for the grid from which the frame is interpolated; and the
 * amplitudes of groups of shifted frames.
 *
 * Shapes: half spectra are [height][width / 2 + 1] complex numbers as <quern/fft.h> packs them. `limit` is the largest
 * frequency that is kept along each axis. The other grid is at least twice that wide; where it is exactly so, a
 * frequency at the limit is the sum of both signs. The mean is left out, so that interpolation is of small numbers. */
#ifndef QN_MOVIE_SHIFT_FRAME_H
#define QN_MOVIE_SHIFT_FRAME_H

#include <quern/family.h>
#include <stdbool.h>

extern const qn_family qn_movie_shift_frame_family;

typedef struct qn_shift_problem {
    int from[2];        /* width, height of the padded frame */
    int to[2];          /* width, height of the other grid; not used by qn_add_power */
    int limit[2];       /* at most from / 2 and to / 2 */
    double shift_px[2]; /* displacement of the content of the frame, pixels, which is undone */
    bool first, last;   /* of a group, for qn_add_power */
} qn_shift_problem;

/* to = frame · exp(2πi k · shift / size) · factor(x) · factor(y) within the limits, 0 elsewhere and at the mean.
 * `factors`: [limit[0] + 1] floats for |kx| and then [limit[1] + 1] for |ky|. QN_INVALID_ARGUMENT for impossible
 * problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_shift_frame(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_shift_problem *problem, qn_buffer *spectrum, qn_buffer *factors,
                                       qn_buffer *to, qn_event **event);

/* group = shifted frame if it is the first of a group, group += shifted frame if not; power += |group| if it is the
 * last one. Both are [2 · limit[1] + 1][limit[0] + 1], ky = −limit[1] … limit[1]. Errors likewise. */
QN_MUST_CHECK qn_status qn_add_power(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_shift_problem *problem, qn_buffer *spectrum, qn_buffer *group,
                                     qn_buffer *power, qn_event **event);

/* References in double precision: value += `factor` times a number of the frame, shifted, at frequency (x, y) of any
 * sign; the numbers of `to`; the shifted frame alone, in the shape of a group. */
void qn_shift_reference(const qn_shift_problem *problem, const double number[2], int x, int y, double factor,
                        double value[2]);
void qn_shift_frame_reference(const qn_shift_problem *problem, const float *spectrum, const float *factors, double *to);
void qn_add_power_reference(const qn_shift_problem *problem, const float *spectrum, double *shifted);

#endif
