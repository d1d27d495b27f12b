/* A real grid and its half spectra on the host device, with the transforms between them: for programs that work on
 * whole volumes in this process's memory.
 *
 * Life cycle: create → fill, forward, use, inverse, … → destroy (safe on a zeroed struct). Thread rule: one thread.
 */
#ifndef QN_CRYOEM_GRID_TRANSFORM_H
#define QN_CRYOEM_GRID_TRANSFORM_H

#include <quern/fft.h>
#include <quern/volume.h>

#include "base/thread_pool.h"
#include "runtime/driver.h"

enum { QN_GRID_SPECTRA = 2 };

typedef struct qn_grid_transform {
    int counts[3];
    qn_device *device;
    qn_queue *queue;
    qn_buffer *grid;                     /* [z][y][x] floats */
    qn_buffer *spectra[QN_GRID_SPECTRA]; /* [z][y][x/2 + 1][2] floats; as many spectra as were requested */
    qn_fft_plan *forward, *inverse;
} qn_grid_transform;

/* Create a grid with 1 or 2 spectra. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_grid_transform_create(qn_context *context, const int counts[3], int spectra,
                                                 qn_grid_transform *transform);
void qn_grid_transform_destroy(qn_grid_transform *transform);

/* Set grid = values · mask; `mask` NULL: grid = values. */
QN_MUST_CHECK qn_status qn_grid_transform_fill(qn_grid_transform *transform, const float *values, const float *mask);

/* Set grid = grid · factor · mask. */
QN_MUST_CHECK qn_status qn_grid_transform_scale(qn_grid_transform *transform, const float *mask, float factor);

/* Transform grid → spectrum, or back, without scaling. The inverse destroys the spectrum. */
QN_MUST_CHECK qn_status qn_grid_transform_forward(qn_grid_transform *transform, int spectrum);
QN_MUST_CHECK qn_status qn_grid_transform_inverse(qn_grid_transform *transform, int spectrum);

/* Call `function` with the addresses of the grid and of the spectra. */
QN_MUST_CHECK qn_status qn_grid_transform_use(qn_grid_transform *transform, qn_host_function function, void *user);

#endif
