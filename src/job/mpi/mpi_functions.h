/* What libquern_mpi.so offers to job/ranks.c: the only way between the library and an MPI. Plain C types, so that the
 * library itself is built and runs without one.
 *
 * Every function returns 0, or another number after writing a sentence into `message`. Thread rule: one at a time.
 */
#ifndef QN_JOB_MPI_FUNCTIONS_H
#define QN_JOB_MPI_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

enum { QN_MPI_FUNCTIONS_VERSION = 4, QN_MPI_MESSAGE_BYTES = 256 };

typedef struct qn_mpi_place {
    int rank, count, local_rank, local_count;
} qn_mpi_place;

typedef struct qn_mpi_functions {
    int version; /* QN_MPI_FUNCTIONS_VERSION of the header that it was built with */
    int (*open)(void **state, qn_mpi_place *place, char message[QN_MPI_MESSAGE_BYTES]);
    int (*next)(void *state, uint64_t count, uint64_t *first, char message[QN_MPI_MESSAGE_BYTES]);
    /* The largest of all ranks' values; waits for all of them. */
    int (*most)(void *state, int value, int *most, char message[QN_MPI_MESSAGE_BYTES]);
    /* Rank 0's bytes go to all; waits for them. Fewer than 2^31. */
    int (*tell)(void *state, void *data, size_t size, char message[QN_MPI_MESSAGE_BYTES]);
    /* The sums of all ranks' values go to rank 0; the others' stay. Fewer than 2^31 values; waits for all ranks. */
    int (*sum)(void *state, float *values, size_t count, char message[QN_MPI_MESSAGE_BYTES]);
    void (*close)(void *state); /* waits for all ranks */
} qn_mpi_functions;

/* The one symbol that is looked up, "qn_mpi_functions_get". */
const qn_mpi_functions *qn_mpi_functions_get(void);

#endif
