/* Our own transform on the host: any size, single precision, layouts of <quern/fft.h>.
 *
 * A grid is transformed by rows (along x), then columns (y), then columns of planes (z), or the other way round for
 * half spectrum → real. Where a plane fits a cache, rows and columns of a plane go through a plane buffer of the
 * worker, so that the grid is read and written once for both. A line's result depends on that line's numbers alone,
 * so the same grid gives the same bits whatever the number of threads, its place in the batch or its neighbours.
 *
 * Life cycle: create → execute many times, from several threads if each brings its scratch → destroy.
 *
 *     qn_host_transform_create((int[3]){108, 108, 108}, (int[3]){27, 27, 27}, QN_FFT_REAL_FORWARD, &transform);
 *     qn_allocate(qn_host_transform_scratch_bytes(transform), 1, &scratch);
 *     qn_host_transform_execute(transform, grid, half_spectrum, scratch);
 */
#ifndef QN_FFT_HOST_TRANSFORM_H
#define QN_FFT_HOST_TRANSFORM_H

#include <quern/fft.h>

#include "base/thread_pool.h"

typedef struct qn_host_transform qn_host_transform;

/* Make a transform of sizes x, y, z ≥ 1. `filled` is as in qn_fft_options; forward transforms use it. */
QN_MUST_CHECK qn_status qn_host_transform_create(const int size[3], const int filled[3], qn_fft_kind kind,
                                                 qn_host_transform **transform);
void qn_host_transform_destroy(qn_host_transform **transform);

/* Bytes of scratch for one worker; the scratch must be aligned to 64 bytes. */
size_t qn_host_transform_scratch_bytes(const qn_host_transform *transform);

/* Number of floats of one grid of the batch, in the input and in the output. */
size_t qn_host_transform_input_floats(const qn_host_transform *transform);
size_t qn_host_transform_output_floats(const qn_host_transform *transform);

/* Transform one grid on the calling thread. Input and output must not overlap. QN_FFT_REAL_INVERSE destroys its input
 * if the grid has more than one dimension. */
void qn_host_transform_execute(const qn_host_transform *transform, float *input, float *output, void *scratch);

/* Transform a batch on a pool; `scratch` holds one worker's scratch for each thread of the pool. */
QN_MUST_CHECK qn_status qn_host_transform_run(const qn_host_transform *transform, qn_pool *pool, int batch,
                                              float *input, float *output, void *scratch);

#endif
