/* Sums of frames multiplied by weights in Fourier space: each sum is padded, transformed, multiplied by its row of
 * weights and added; the weighted spectrum is transformed back and cropped. The transforms are the caller's.
 *
 * Shapes: sums are [sums][height][width], padded grids [padded height][padded width], half spectra [padded
 * height][padded width / 2 + 1] complex numbers as <quern/fft.h> packs them, weights [rows][bins]. Padding is 0: sums
 * are without their mean. */
#ifndef QN_MOVIE_WEIGH_SUMS_H
#define QN_MOVIE_WEIGH_SUMS_H

#include <quern/family.h>
#include <stdbool.h>

extern const qn_family qn_movie_weigh_sums_family;

typedef struct qn_weigh_problem {
    int size[2];                /* width, height of a sum */
    int padded[2];              /* of the grid that is transformed, at least `size` */
    int sums;                   /* number of sums */
    int rows, bins;             /* of weights; at least 2 bins */
    double bins_a_frequency[2]; /* along each axis of the padded grid; weights beyond the last bin are extrapolated */
    bool first;                 /* for the work of weigh_sum; set by qn_weigh_sum */
} qn_weigh_problem;

/* padded = sum `index`, and 0 beyond. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_pad_sum(qn_queue *queue, const qn_configuration *configuration,
                                   const qn_weigh_problem *problem, int index, qn_buffer *sums, qn_buffer *padded,
                                   qn_event **event);

/* weighted = weight row `row` · spectrum if `first`, else weighted += that. Errors likewise. */
QN_MUST_CHECK qn_status qn_weigh_sum(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_weigh_problem *problem, int row, bool first, qn_buffer *spectrum,
                                     qn_buffer *weights, qn_buffer *weighted, qn_event **event);

/* sum `index` = the corner of `padded` · scale. Errors likewise. */
QN_MUST_CHECK qn_status qn_crop_sum(qn_queue *queue, const qn_configuration *configuration,
                                    const qn_weigh_problem *problem, int index, double scale, qn_buffer *padded,
                                    qn_buffer *sums, qn_event **event);

/* sum `index` += offset. Errors likewise. */
QN_MUST_CHECK qn_status qn_raise_sum(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_weigh_problem *problem, int index, double offset, qn_buffer *sums,
                                     qn_event **event);

/* Reference: factor of each frequency of a half spectrum in double precision. */
double qn_weigh_reference(const qn_weigh_problem *problem, const float *row, int x, int y);

#endif
