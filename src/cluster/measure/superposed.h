/* Structures superposed on a common reference, in the form that the kernels of rmsd read.
 *
 * The reference is the mean of a sample of the structures, superposed on each other. It may be any; the nearer to the
 * structures it is, the less rounding matters. kernels/rmsd.dev.h has the equations.
 */
#ifndef QN_CLUSTER_MEASURE_SUPERPOSED_H
#define QN_CLUSTER_MEASURE_SUPERPOSED_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/status.h>

#include "base/thread_pool.h"
#include "cluster/measure/structures.h"

typedef struct qn_superposed {
    const qn_structures *structures;
    float *positions;     /* u: panels [⌈count / 64⌉][3 · atom_count][64]; zeros after the last structure */
    float *terms;         /* panels [⌈count / 64⌉][RMSD_TERMS][64] */
    double *means;        /* count × 3, weighted, in Å */
    double *half_squares; /* count: ½ Σ w |x|² about the mean */
    double weight_sum;
} qn_superposed;

/* Superpose all structures, on the threads of the pool. `structures` must live as long as the result; release with
 * clear. QN_INVALID_ARGUMENT (no structures or atoms; a position is not finite; a weight is negative or not finite, or
 * all are 0), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_superposed_make(const qn_structures *structures, qn_pool *pool, qn_superposed *set);
void qn_superposed_clear(qn_superposed *set);

/* The checks of qn_superposed_make. `pool` may be NULL. */
QN_MUST_CHECK qn_status qn_superposed_check(const qn_structures *structures, qn_pool *pool);

/* Bytes of positions and of terms of `count` structures in panels. */
size_t qn_superposed_position_bytes(size_t atom_count, size_t count);
size_t qn_superposed_term_bytes(size_t count);

/* Copy the structures indices[0] … indices[count − 1] into panels of their own, on the threads of the pool. */
QN_MUST_CHECK qn_status qn_superposed_gather(const qn_superposed *set, const uint32_t *indices, size_t count,
                                             qn_pool *pool, float *positions, float *terms);

/* RMSD of a pair in double, from the positions as read: where the kernels are in doubt. */
double qn_superposed_rmsd(const qn_superposed *set, size_t i, size_t j);

/* The same without a set. */
double qn_structures_rmsd(const qn_structures *structures, size_t i, size_t j);

#endif
