/* A sequence of BLAS calls on a device.
 *
 * Life cycle: create → (restore → run)… → read → destroy. Thread rule: one thread at a time. */
#ifndef QN_FUSE_BLAS_RUNNER_H
#define QN_FUSE_BLAS_RUNNER_H

#include "fuse/blas/library.h"

typedef enum qn_blas_way {
    QN_BLAS_BY_LEGACY, /* calls of level 1 and 2 */
    QN_BLAS_BY_BEST,   /* also those that only this library has */
    QN_BLAS_BY_GRAPH   /* the best ones, recorded once */
} qn_blas_way;

/* Numbers of given values, by value; csr matrices have starts and columns, too. */
typedef struct qn_blas_given {
    float *const *floats;
    int32_t *const *starts, *const *columns;
} qn_blas_given;

typedef struct qn_blas_runner qn_blas_runner;

/* Make the steps of a graph without rings, find the library, and write the given values. Errors: QN_UNSUPPORTED with
 * the reason: there is no library, a call has no BLAS call, or the way gains nothing. */
QN_MUST_CHECK qn_status qn_blas_runner_create(const qn_graph *graph, qn_device *device, qn_blas_way way,
                                              const qn_sizes *sizes, const double *stored, const qn_blas_given *given,
                                              qn_blas_runner **runner);
void qn_blas_runner_destroy(qn_blas_runner **runner);

/* Write the given values that a run replaces. */
QN_MUST_CHECK qn_status qn_blas_runner_restore(qn_blas_runner *runner, const qn_blas_given *given);

/* Run all of it, and wait. Loops end after `most_rounds`; 0: where they say. */
QN_MUST_CHECK qn_status qn_blas_runner_run(qn_blas_runner *runner, int64_t most_rounds, int64_t *rounds);

/* Read a value that is in memory. Scalars of a recorded sequence stay on the device: QN_UNSUPPORTED. */
QN_MUST_CHECK qn_status qn_blas_runner_read(qn_blas_runner *runner, int value, float *numbers);

/* Calls of the library, and bytes that they move, with `rounds` rounds of loops. */
void qn_blas_runner_count(const qn_blas_runner *runner, int64_t rounds, int64_t *calls, double *bytes);

#endif
