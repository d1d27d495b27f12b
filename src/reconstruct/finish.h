/* From sums in Fourier space to a map: divide by the weights, transform back, crop, take the blob out. */
#ifndef QN_RECONSTRUCT_FINISH_H
#define QN_RECONSTRUCT_FINISH_H

#include "reconstruct/fourier_sums.h"

#include <quern/reconstruct.h>
#include <quern/volume.h>

typedef struct qn_finish_options {
    int map_side; /* N, at most the sums' side P */
    double voxel_angstrom;
    double most;   /* |f| in voxels of the padded volume up to which images were kept */
    double radius; /* of the blob; samples of `fast` insertions are nearest ones */
    bool fast;
    double spacing; /* of the images' pixels in voxels, which `fast` asks for; 0: 1 */
    qn_reconstruct_weights weights;
    bool deterministic; /* the same bits every time: transforms by an engine that is not chosen by measuring */
} qn_finish_options;

typedef struct qn_finish_report {
    int iterations;         /* of the gridding weights; 0: plain division */
    double unevenness;      /* of the view distribution, as `auto` judged it */
    double untouched_share; /* of the voxels within `most` that no slice came near */
    double seconds;
} qn_finish_report;

/* A new map of N³ voxels with its centre at index N/2, in the images' units (a projection of it, a sum along a line, is
 * an image). Within the last three voxels of the sphere that touches its sides it fades to the mean of these voxels:
 * what lies beyond, not all views see. `device` does the transforms. `sums` is used up (overwritten). Untouched voxels
 * are 0; weights below 1e-3 of their shell's mean are taken as that. QN_OUT_OF_MEMORY; those of qn_fft_plan_create.
 * `report` may be NULL. */
QN_MUST_CHECK qn_status qn_reconstruct_finish(qn_device *device, qn_fourier_sums *sums,
                                              const qn_finish_options *options, qn_volume **map,
                                              qn_finish_report *report);

/* Bytes of host memory that it takes besides the sums. */
uint64_t qn_reconstruct_finish_bytes(int side, const qn_finish_options *options);

#endif
