/* The correlation of each patch and frame, and its slope, at a place of its window: the terms of the sum that is
 * maximised to find the motion field. A window is interpolated by the cubic spline through its samples.
 *
 * Arrays: windows or coefficients [window][side][side]; places [window][2], x and y in samples from the middle of the
 * window; values [window][3], the value and its derivatives along x and y. Terms are added by the caller, in order and
 * in double precision, so that sums do not depend on the device. */
#ifndef QN_MOVIE_FIELD_VALUE_H
#define QN_MOVIE_FIELD_VALUE_H

#include <quern/family.h>

enum { QN_FIELD_SIDE_MIN = 9, QN_FIELD_SIDE_MAX = 63, QN_FIELD_PARTS = 64 };

extern const qn_family qn_movie_field_value_family;

typedef struct qn_field_problem {
    int windows;
    int side; /* odd, QN_FIELD_SIDE_MIN … QN_FIELD_SIDE_MAX */
} qn_field_problem;

/* sums [QN_FIELD_PARTS][side][side]: part i adds windows i, i + QN_FIELD_PARTS … in order. Errors as of
 * qn_field_filter.
 */
QN_MUST_CHECK qn_status qn_field_sum(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_field_problem *problem, qn_buffer *windows, qn_buffer *sums);

/* Replace the samples of all windows by coefficients of their splines. Errors: QN_INVALID_ARGUMENT for sizes out of
 * range and buffers that are too small. */
QN_MUST_CHECK qn_status qn_field_filter(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_field_problem *problem, qn_buffer *windows);

/* Compute `values` at `places`. Nearer than one sample to the edge of a window, and beyond, the value is constant.
 * configuration NULL: chosen as for any family. Errors as of qn_field_filter. */
QN_MUST_CHECK qn_status qn_field_value(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_field_problem *problem, qn_buffer *coefficients, qn_buffer *places,
                                       qn_buffer *values, qn_event **event);

/* The problem class of tuning results. */
void qn_field_problem_class(const qn_field_problem *problem, char text[64]);

/* References in double precision: the coefficients of one window, found by solving the equations of interpolation; and
 * its value by the definition of B-splines. */
void qn_field_filter_reference(int side, const double *window, double *coefficients);
void qn_field_value_reference(int side, const double *coefficients, double x, double y, double values[3]);

#endif
