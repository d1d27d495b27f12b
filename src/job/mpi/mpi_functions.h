/* Functions of libquern_mpi.so for job/ranks.c, the only code that calls MPI. They have plain C types, so that libquern
 * itself is built and runs without an MPI.
 *
 * Every function returns 0, or another number after writing a sentence into `message`. Thread rule: one at a time.
 */
#ifndef QN_JOB_MPI_FUNCTIONS_H
#define QN_JOB_MPI_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

enum { QN_MPI_FUNCTIONS_VERSION = 6, QN_MPI_MESSAGE_BYTES = 256 };

typedef struct qn_mpi_place {
    int rank, count, local_rank, local_count;
} qn_mpi_place;

/* Called on rank 0 while it waits: `missing` ranks have not come for `seconds`; the first of them is `rank`, on the
 * machine of that name. */
typedef void (*qn_mpi_late)(void *user, double seconds, int missing, int rank, const char *machine);

typedef struct qn_mpi_functions {
    int version; /* QN_MPI_FUNCTIONS_VERSION of the header that it was built with */
    int (*open)(void **state, qn_mpi_place *place, char message[QN_MPI_MESSAGE_BYTES]);
    int (*next)(void *state, uint64_t count, uint64_t *first, char message[QN_MPI_MESSAGE_BYTES]);
    /* Find the largest of all ranks' values; waits for all ranks. */
    int (*most)(void *state, int value, int *most, char message[QN_MPI_MESSAGE_BYTES]);
    /* Broadcast from rank 0; waits for all ranks. Fewer than 2^31 bytes. */
    int (*tell)(void *state, void *data, size_t size, char message[QN_MPI_MESSAGE_BYTES]);
    /* Sum the values of all ranks into those of rank 0; other ranks keep theirs. Fewer than 2^31 values; waits for all
     * ranks. */
    int (*sum)(void *state, float *values, size_t count, char message[QN_MPI_MESSAGE_BYTES]);
    /* Give every rank the bytes of all ranks. `all` has sizes[r] bytes for each rank r in turn; each rank has written
     * its own bytes to their place. Fewer than 2^31 bytes together; waits for all ranks. */
    int (*gather)(void *state, void *all, const size_t *sizes, char message[QN_MPI_MESSAGE_BYTES]);
    /* From now on, rank 0 calls `late` after each wait of `first_s`, 10 · first_s, 100 · first_s, … seconds in `most`,
     * or in `tell`, `sum` or `gather` of more than a few KiB. */
    void (*watch)(void *state, double first_s, qn_mpi_late late, void *user);
    void (*close)(void *state); /* waits for all ranks */
} qn_mpi_functions;

/* The only symbol that job/ranks.c looks up, "qn_mpi_functions_get". */
const qn_mpi_functions *qn_mpi_functions_get(void);

#endif
