/* The filter of correlations, by rings of |k|, and what the data say about it. */
#ifndef QN_MOVIE_ALIGN_RINGS_H
#define QN_MOVIE_ALIGN_RINGS_H

#include <stdbool.h>

#include "movie/align/align.h"

/* Sums over rings of spectra of two halves of the frames. Ring i has |k| ≈ i · width; width in 1 / unbinned px. */
typedef struct qn_ring_sums {
    double width;
    double product[QN_ALIGN_RINGS + 1], even[QN_ALIGN_RINGS + 1], odd[QN_ALIGN_RINGS + 1], count[QN_ALIGN_RINGS + 1];
} qn_ring_sums;

/* Rings up to the Nyquist frequency of coarse pixels of these sizes (unbinned px). */
void qn_ring_sums_clear(const double coarse_px[2], qn_ring_sums *rings);

/* Add half spectra of the sum of the even frames and of the odd frames, `size` coarse pixels wide and high. */
void qn_ring_sums_add(qn_ring_sums *rings, const int size[2], const double coarse_px[2], const float *even,
                      const float *odd);

typedef struct qn_ring_filter {
    double width;                           /* of a ring, 1 / unbinned px */
    double weight[QN_ALIGN_RINGS + 1];      /* at |k| = i · width */
    double correlation[QN_ALIGN_RINGS + 1]; /* of the halves, smoothed; all 0 for the other filters */
    bool by_data;
} qn_ring_filter;

/* W = S / (1 + T S) / N, S = 2 f / ((1 − f) T): f the smoothed correlation of the halves of T frames, S the ratio of
 * signal to noise of a frame, N the noise. If the halves agree nowhere, `otherwise` is copied. */
void qn_ring_filter_from_data(const qn_ring_sums *rings, int frames, const qn_ring_filter *otherwise,
                              qn_ring_filter *filter);
/* exp(−2 B k²) */
void qn_ring_filter_gaussian(double b_px2, double width, qn_ring_filter *filter);

/* The filter on a half spectrum of `size` coarse pixels, [height][width / 2 + 1]. Beyond the last ring, at the origin
 * and at the Nyquist row and column it is 0. */
void qn_ring_filter_plane(const qn_ring_filter *filter, const int size[2], const double coarse_px[2], float *plane);

#endif
