/* Correlations of the frames of patches with the sum of the patch's other frames. The whole frame is a single patch.
 *
 * Patches are taken some at a time, so that products and correlations fit into a given memory. Shifts are displacements
 * in coarse pixels, [patch][frame][2]. A pass waits for the device once, at its end. A correlator uses the rooms of its
 * stack, so there is one at a time. */
#ifndef QN_MOVIE_ALIGN_CORRELATOR_H
#define QN_MOVIE_ALIGN_CORRELATOR_H

#include "movie/align/coarse_stack.h"
#include "movie/align/rings.h"

typedef struct qn_correlator {
    qn_coarse_stack *stack;
    qn_queue *queue;
    qn_buffer *spectra; /* [patches][frames] half spectra; not owned, like all buffers */
    int size[2], frames, patches, chunk;
    double coarse_px[2];
    const qn_coarse_rings *rings;
    qn_fft_plan *inverse;
    qn_buffer *turns, *weights, *filter, *products, *maps, *halves, *ring_sums, *results, *centre_sums;
    uint32_t *turn_values;
    float *ring_values;   /* [patches][ring][3] */
    float *centre_values; /* [patches][3] */
    float weight_values[QN_ALIGN_RINGS + 1];
} qn_correlator;

/* Most patches at once for which products and correlations fit into `scratch_bytes`; at least 1. */
int qn_correlator_chunk(const int size[2], int frames, int patches, size_t scratch_bytes);
/* Raise `rooms` to the bytes that a correlator needs. */
void qn_correlator_rooms(const int size[2], int frames, int patches, size_t scratch_bytes, size_t rooms[QN_ROOMS]);

QN_MUST_CHECK qn_status qn_correlator_create(qn_coarse_stack *stack, qn_buffer *spectra, const int size[2], int patches,
                                             size_t scratch_bytes, qn_correlator **correlator);
void qn_correlator_destroy(qn_correlator **correlator);

/* Waits for the device. */
QN_MUST_CHECK qn_status qn_correlator_set_filter(qn_correlator *correlator, const qn_ring_filter *filter);

/* The results of a pass over all patches; NULL: not wanted. Either peaks or windows. */
typedef struct qn_correlator_pass {
    qn_ring_sums *rings; /* sums over rings of the halves of all patches */
    double *centres;     /* [patch][2]: the place, in coarse pixels from the middle of the patch's first pixel, whose
                          * displacement the patch shows. A peak is the mean of the displacements of all places of the
                          * patch, weighted with what they add to the curvature of the correlation: the squared gradient
                          * of the image, filtered by √W. It is taken from products of the sums of even and of odd
                          * frames, to which noise adds nothing on average. */
    float *peaks;        /* [patch][frame][4] as of qn_find_peaks, relative to the shifts */
    qn_buffer **windows; /* [patch][frame][2 reach + 1][2 reach + 1], the shift in the middle; on the device, until the
                          * next pass */
    int reach[2];        /* of the search for peaks; of windows, at most 8 and both the same */
} qn_correlator_pass;

/* Correlate at these shifts. Errors: QN_INVALID_ARGUMENT for windows that are too large. */
QN_MUST_CHECK qn_status qn_correlator_run(qn_correlator *correlator, const double *shifts,
                                          const qn_correlator_pass *pass);

#endif
