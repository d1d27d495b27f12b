/* The Fourier volumes of a device: batches of images go in, sums come out.
 *
 * A batch is written, transformed, prepared and inserted on one queue while the host reads the next one. Sums stay on
 * the device, and every 2^13 slices settle into compensated totals. Where they are too large for the device they stay
 * on the host, and each batch goes through the device in slabs of planes.
 *
 * Life cycle: create → insert, again and again → read → destroy. Thread rule: one thread at a time.
 */
#ifndef QN_RECONSTRUCT_ACCUMULATOR_H
#define QN_RECONSTRUCT_ACCUMULATOR_H

#include "model/particle_set.h"
#include "reconstruct/fourier_sums.h"
#include "runtime/device.h"

typedef struct qn_accumulator qn_accumulator;

typedef struct qn_accumulator_options {
    int side;                  /* P of the padded volume */
    double reference_angstrom; /* P voxels of the transform span 1 / reference_angstrom */
    double most;               /* |f| in voxels that is kept */
    double radius;             /* of the blob */
    bool fast, ctf, deterministic;
    int halves;                   /* 1 or 2 */
    const double (*operators)[9]; /* of the symmetry group; live as long as the accumulator */
    int operator_count;
    int largest_image_side, batch; /* images of a batch, at most */
    uint64_t slices_expected;      /* of one half: decides whether totals are needed */
    uint64_t device_memory_bytes;  /* at most; 0: the device's */
} qn_accumulator_options;

/* Bytes on the device, and how many slabs it takes to stay within what is allowed. */
void qn_accumulator_estimate(qn_device *device, const qn_accumulator_options *options, uint64_t *bytes, int *slabs);

QN_MUST_CHECK qn_status qn_accumulator_create(qn_device *device, const qn_accumulator_options *options,
                                              qn_accumulator **accumulator);
void qn_accumulator_destroy(qn_accumulator **accumulator);

/* Where the next batch's images are to be put, [batch][side][side] floats: two buffers that take turns. Waits until the
 * batch before the last one has been copied. */
QN_MUST_CHECK qn_status qn_accumulator_staging(qn_accumulator *accumulator, float **images);

/* Insert what is in the last staging buffer: `count` images of `optics`, side n, into half 0 or 1. Asynchronous. */
QN_MUST_CHECK qn_status qn_accumulator_insert(qn_accumulator *accumulator, int half, const qn_optics_group *optics,
                                              int image_side, const qn_particle *const *particles, size_t count);

typedef enum qn_sum { QN_SUM_NUMERATOR, QN_SUM_WEIGHT } qn_sum;

/* `count` floats of a half's sums so far, from float `first` of the whole volume's. Waits for what was inserted. */
QN_MUST_CHECK qn_status qn_accumulator_read(qn_accumulator *accumulator, int half, qn_sum sum, size_t first,
                                            size_t count, float *values);

/* Wait for what was inserted. */
QN_MUST_CHECK qn_status qn_accumulator_finish(qn_accumulator *accumulator);

/* Seconds that kernels and transforms took by the device's clock, and multiply-adds and bytes of the insertions. */
typedef struct qn_accumulator_times {
    double transform_s, prepare_s, insert_s;
    double insert_multiply_adds, insert_bytes;
} qn_accumulator_times;
void qn_accumulator_get_times(const qn_accumulator *accumulator, qn_accumulator_times *times);

#endif
