/* The last step of a reconstruction: sums in Fourier space are divided by their weights, transformed back, cropped, and
 * corrected for the blob. */
#ifndef QN_RECONSTRUCT_FINISH_H
#define QN_RECONSTRUCT_FINISH_H

#include "reconstruct/fourier_sums.h"

#include <quern/reconstruct.h>
#include <quern/volume.h>

typedef struct qn_finish_options {
    int map_side; /* N, at most the sums' side P */
    double voxel_angstrom;
    double most;   /* |f|, in voxels of the padded volume, from which on the map's transform is 0 */
    double radius; /* radius of the blob in voxels; not used if `fast` */
    bool fast;
    double spacing; /* distance of the images' pixels in voxels, used if `fast`; 0: 1 */
    qn_reconstruct_weights weights;
    bool deterministic; /* the same bits every time: the engine of the transforms is not chosen by measuring */
} qn_finish_options;

typedef struct qn_finish_report {
    int iterations;         /* iterations of the gridding weights; 0: plain division */
    double unevenness;      /* unevenness of the weights, one of the two numbers by which AUTO decides */
    double untouched_share; /* share of the voxels up to `most` that no slice touched */
    double seconds;
} qn_finish_report;

/* Make a map of N³ voxels with its centre at index N/2, in the images' units: a sum of the map along a line is a pixel
 * of an image. In a shell of three voxels inside the sphere that touches its sides, the map fades to the mean of that
 * shell, since not all views see what lies beyond. `device` does the transforms. `sums` is overwritten. Voxels that no
 * slice touched are 0; weights below 1e-3 of their shell's mean are raised to this limit. `report` may be NULL.
 * QN_INVALID_ARGUMENT for an impossible map_side; QN_OUT_OF_MEMORY; errors of qn_fft_plan_create. */
QN_MUST_CHECK qn_status qn_reconstruct_finish(qn_device *device, qn_fourier_sums *sums,
                                              const qn_finish_options *options, qn_volume **map,
                                              qn_finish_report *report);

/* Bytes of host memory that qn_reconstruct_finish takes besides the sums. */
uint64_t qn_reconstruct_finish_bytes(int side, const qn_finish_options *options);

#endif
