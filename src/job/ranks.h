/* The processes of a run under mpirun or srun, and how work is dealt to them: pieces go out one after the other to
 * whoever asks next. Without MPI there is one rank.
 *
 * MPI is in a library of its own, libquern_mpi.so, loaded only where the environment says that a launcher started this
 * process (OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK, …). It is looked for beside the library or the program;
 * QUERN_MPI_LIBRARY names another file, or is "off": then every process is alone.
 *
 * Life cycle: open → next / barrier → close. Thread rule: one thread at a time.
 */
#ifndef QN_JOB_RANKS_H
#define QN_JOB_RANKS_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_ranks qn_ranks;

/* QN_NOT_FOUND, with what to do, when a launcher started several processes and the library cannot be loaded: they would
 * all do the same. */
QN_MUST_CHECK qn_status qn_ranks_open(qn_ranks **ranks);
void qn_ranks_close(qn_ranks **ranks);

int qn_ranks_rank(const qn_ranks *ranks);
int qn_ranks_count(const qn_ranks *ranks);
int qn_ranks_local_rank(const qn_ranks *ranks);  /* among those on this machine: picks the GPU */
int qn_ranks_local_count(const qn_ranks *ranks); /* threads default to processors / this */

/* The next `count` pieces that nobody has: *first is the number of the first. A counter in rank 0's memory, taken
 * without rank 0 doing anything. A rank that fails can take all that are left, by a large count; a count of 0 looks
 * without taking. */
QN_MUST_CHECK qn_status qn_ranks_next(qn_ranks *ranks, uint64_t count, uint64_t *first);

QN_MUST_CHECK qn_status qn_ranks_barrier(qn_ranks *ranks);

/* Whether any rank's value is not 0: how a failure or a Ctrl-C of one is heard by all. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_any(qn_ranks *ranks, int value, int *any);

/* The largest of all ranks' values, each 0 or more. Every rank must call. */
QN_MUST_CHECK qn_status qn_ranks_most(qn_ranks *ranks, int value, int *most);

/* Rank 0's bytes, up to 1 GiB, go to every rank. Every rank must call, with the same size. */
QN_MUST_CHECK qn_status qn_ranks_tell(qn_ranks *ranks, void *data, size_t size);

/* Rank 0's values become the sums of all ranks' values, added in the same order every time; the others' are lost. Every
 * rank must call, with the same count. */
QN_MUST_CHECK qn_status qn_ranks_sum(qn_ranks *ranks, float *values, size_t count);

#endif
