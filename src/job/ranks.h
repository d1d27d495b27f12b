/* Ranks: the processes of a run under mpirun or srun, with the operations that they share. Without MPI there is one
 * rank.
 *
 * MPI is called through a library of its own, libquern_mpi.so. It is loaded only if environment variables show that a
 * launcher started this process (OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK, …). It is searched for beside libquern or
 * beside the program. QUERN_MPI_LIBRARY names another file; if it is "off", every process is a run of its own.
 *
 * Life cycle: open → fetch_add, barrier, broadcast, … → close. Thread rule: one thread at a time.
 */
#ifndef QN_JOB_RANKS_H
#define QN_JOB_RANKS_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_ranks qn_ranks;

/* QN_NOT_FOUND if a launcher started several processes and libquern_mpi.so cannot be loaded: each process would do the
 * whole work. The message says what to do. */
QN_MUST_CHECK qn_status qn_ranks_open(qn_ranks **ranks);
void qn_ranks_close(qn_ranks **ranks);

int qn_ranks_rank(const qn_ranks *ranks);
int qn_ranks_count(const qn_ranks *ranks);
int qn_ranks_local_rank(const qn_ranks *ranks);  /* among the ranks of this machine; selects a GPU */
int qn_ranks_local_count(const qn_ranks *ranks); /* number of ranks of this machine, which share its processors */

/* Seconds that this rank has spent in the operations below, most of them waiting for other ranks. */
double qn_ranks_waited_s(const qn_ranks *ranks);

/* Add `count` to the common counter of the ranks, and return its former value in *first: fetch-and-add. The counter
 * begins at 0. It lies in the memory of rank 0, which need not take part. */
QN_MUST_CHECK qn_status qn_ranks_fetch_add(qn_ranks *ranks, uint64_t count, uint64_t *first);

QN_MUST_CHECK qn_status qn_ranks_barrier(qn_ranks *ranks);

/* *any is 1 on all ranks if the value of at least one rank is not 0. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_any(qn_ranks *ranks, int value, int *any);

/* *most is the largest value of all ranks; values are at least 0. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_max(qn_ranks *ranks, int value, int *most);

/* Broadcast up to 1 GiB from rank 0 to all ranks. Every rank must call, with the same size. */
QN_MUST_CHECK qn_status qn_ranks_broadcast(qn_ranks *ranks, void *data, size_t size);

/* Reduce: the values of rank 0 become the sums of the values of all ranks, always added in the same order. The values
 * of the other ranks are undefined afterwards. Every rank must call, with the same count. */
QN_MUST_CHECK qn_status qn_ranks_sum(qn_ranks *ranks, float *values, size_t count);

/* Give every rank the bytes of all ranks, at most 1 GiB. `all` has sizes[r] bytes for each rank r in turn; before the
 * call, each rank has written its own bytes to their place. Every rank must call, with the same sizes. */
QN_MUST_CHECK qn_status qn_ranks_gather(qn_ranks *ranks, void *all, const size_t *sizes);

#endif
