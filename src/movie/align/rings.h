/* The filter of correlations, by rings of |k|, and what the data say about it. */
#ifndef QN_MOVIE_ALIGN_RINGS_H
#define QN_MOVIE_ALIGN_RINGS_H

#include <stdbool.h>

#include "movie/align/align.h"

/* The width of a ring, 1 / unbinned px: QN_ALIGN_RINGS of them reach the Nyquist frequency of coarse pixels of these
 * sizes (unbinned px). Ring i has |k| ≈ i · width. */
double qn_ring_width(const double coarse_px[2]);

/* The places of rings in a half spectrum of `size` coarse pixels, without its Nyquist row and column. */
typedef struct qn_ring_places {
    int size[2], count;
    int32_t *pixels;                    /* [count] row · (width / 2 + 1) + column, ring after ring */
    int32_t starts[QN_ALIGN_RINGS + 2]; /* ring i has starts[i] … starts[i + 1] − 1 */
    double numbers[QN_ALIGN_RINGS + 1]; /* of a ring in the whole spectrum */
} qn_ring_places;

QN_MUST_CHECK qn_status qn_ring_places_make(const int size[2], const double coarse_px[2], qn_ring_places *places);
void qn_ring_places_release(qn_ring_places *places);

/* Sums over rings of spectra of two halves of the frames. */
typedef struct qn_ring_sums {
    double width;
    double product[QN_ALIGN_RINGS + 1], even[QN_ALIGN_RINGS + 1], odd[QN_ALIGN_RINGS + 1], count[QN_ALIGN_RINGS + 1];
} qn_ring_sums;

void qn_ring_sums_clear(const double coarse_px[2], qn_ring_sums *rings);

/* Add the sums of patches, [patch][ring][3] as of qn_sum_rings. */
void qn_ring_sums_add(qn_ring_sums *rings, const qn_ring_places *places, int patches, const float *sums);

/* How clearly the halves agree: the correlation of all numbers up to a ring, in standard deviations of that of noise,
 * for the ring where it is largest. Frames of noise that were aligned to each other reach about 10. */
double qn_ring_sums_agreement(const qn_ring_sums *rings);

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

#endif
