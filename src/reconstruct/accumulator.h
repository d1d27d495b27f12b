/* Fourier volumes of a device, to which batches of images are added.
 *
 * A batch is written, transformed, prepared and inserted on one queue while the host reads the next batch. The sums
 * stay on the device; every 2^13 slices they settle into compensated totals. Sums that are too large for the device
 * stay on the host, and each batch is inserted into one slab after another.
 *
 * Life cycle: create → insert, again and again → read → destroy. Thread rule: one thread at a time. */
#ifndef QN_RECONSTRUCT_ACCUMULATOR_H
#define QN_RECONSTRUCT_ACCUMULATOR_H

#include "model/particle_set.h"
#include "reconstruct/fourier_sums.h"
#include "runtime/device.h"

typedef struct qn_accumulator qn_accumulator;

typedef struct qn_accumulator_options {
    int side;                  /* P, side of the padded volume */
    double reference_angstrom; /* P voxels of the Fourier volume span 1 / reference_angstrom */
    double most;               /* largest |f| of a voxel that is computed, in voxels */
    double radius;             /* radius of the blob in voxels */
    bool fast, ctf, deterministic;
    int halves;                   /* number of halves: 1 or 2 */
    const double (*operators)[9]; /* matrices of the symmetry group; they outlive the accumulator */
    int operator_count;
    int largest_image_side, batch; /* side of the largest images; number of images of a batch, at most */
    uint64_t slices_expected;      /* slices of one half; many slices need totals */
    uint64_t device_memory_bytes;  /* limit of device memory; 0: the device's memory */
} qn_accumulator_options;

/* Estimate the bytes on the device and the number of slabs that keep within the limit. */
void qn_accumulator_estimate(qn_device *device, const qn_accumulator_options *options, uint64_t *bytes, int *slabs);

QN_MUST_CHECK qn_status qn_accumulator_create(qn_device *device, const qn_accumulator_options *options,
                                              qn_accumulator **accumulator);
void qn_accumulator_destroy(qn_accumulator **accumulator);

/* Buffer for the next batch's images, [batch][side][side] floats: one of two that alternate. Waits until the batch
 * before the last one has been copied. */
QN_MUST_CHECK qn_status qn_accumulator_staging(qn_accumulator *accumulator, float **images);

/* Insert the images of the last staging buffer: `count` images of `optics`, side n, into half 0 or 1. Asynchronous. */
QN_MUST_CHECK qn_status qn_accumulator_insert(qn_accumulator *accumulator, int half, const qn_optics_group *optics,
                                              int image_side, const qn_particle *const *particles, size_t count);

typedef enum qn_sum { QN_SUM_NUMERATOR, QN_SUM_WEIGHT } qn_sum;

/* Copy `count` floats of a half's sums, from float `first` of the whole volume on. Waits for all insertions. */
QN_MUST_CHECK qn_status qn_accumulator_read(qn_accumulator *accumulator, int half, qn_sum sum, size_t first,
                                            size_t count, float *values);

/* Wait for all insertions. */
QN_MUST_CHECK qn_status qn_accumulator_finish(qn_accumulator *accumulator);

/* Seconds of kernels and transforms by the device's clock, and multiply-adds and bytes of the insertions. */
typedef struct qn_accumulator_times {
    double transform_s, prepare_s, insert_s;
    double insert_multiply_adds, insert_bytes;
} qn_accumulator_times;
void qn_accumulator_get_times(const qn_accumulator *accumulator, qn_accumulator_times *times);

#endif
