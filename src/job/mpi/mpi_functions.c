/* libquern_mpi.so: ranks through MPI. Built where an MPI is found, loaded under its launcher only. */
#define _POSIX_C_SOURCE 200809L
#include "job/mpi/mpi_functions.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ARRIVAL_TAG = 1 };

/* The common counter is a window of 8 bytes in the memory of rank 0. */
typedef struct mpi_state {
    MPI_Comm everyone; /* a communicator of our own, so that our messages do not mix with those of the program */
    MPI_Win window;
    int rank, count;
    MPI_Request *arrivals; /* [count], of the messages that tell rank 0 who has come; NULL on other ranks */
    char (*machines)[MPI_MAX_PROCESSOR_NAME]; /* [count]; NULL on other ranks */
    double first_s;                           /* 0: nobody is told of waiting */
    qn_mpi_late late;
    void *user;
} mpi_state;

static int failed(int code, const char *what, char *message)
{
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS) return 0;
    MPI_Error_string(code, reason, &length);
    snprintf(message, QN_MPI_MESSAGE_BYTES, "%s failed: %s", what, reason);
    return 1;
}

/* Called at the end of the process, because MPI cannot be initialised again after it was finalised. */
static void finalise(void)
{
    int over;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over) MPI_Finalize();
}

/* Initialise MPI unless the program has done so. */
static int begin(char *message)
{
    int begun, over, level;
    MPI_Finalized(&over);
    if (over) {
        snprintf(message, QN_MPI_MESSAGE_BYTES, "MPI has been finalised in this process");
        return 1;
    }
    MPI_Initialized(&begun);
    if (begun) {
        MPI_Query_thread(&level);
    } else {
        if (failed(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread", message)) return 1;
        atexit(finalise);
    }
    if (level >= MPI_THREAD_SERIALIZED) return 0;
    snprintf(message, QN_MPI_MESSAGE_BYTES, "MPI supports no calls from several threads in turn (level serialized)");
    return 1;
}

static int find_place(MPI_Comm everyone, qn_mpi_place *place, char *message)
{
    MPI_Comm here;
    if (failed(MPI_Comm_rank(everyone, &place->rank), "MPI_Comm_rank", message)) return 1;
    if (failed(MPI_Comm_size(everyone, &place->count), "MPI_Comm_size", message)) return 1;
    int code = MPI_Comm_split_type(everyone, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    if (failed(code, "MPI_Comm_split_type", message)) return 1;
    MPI_Comm_rank(here, &place->local_rank);
    MPI_Comm_size(here, &place->local_count);
    MPI_Comm_free(&here);
    return 0;
}

/* Rank 0 gets the names of all machines. */
static int make_arrivals(mpi_state *state, char *message)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(name, &length);
    if (state->rank == 0) {
        state->arrivals = calloc((size_t)state->count, sizeof *state->arrivals);
        state->machines = calloc((size_t)state->count, sizeof *state->machines);
        if (!state->arrivals || !state->machines) {
            snprintf(message, QN_MPI_MESSAGE_BYTES, "memory is exhausted");
            return 1;
        }
    }
    return failed(MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, state->machines, MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                             0, state->everyone),
                  "MPI_Gather", message);
}

static int make_counter(mpi_state *state, int rank, char *message)
{
    uint64_t *counter;
    int code = MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, state->everyone,
                                &counter, &state->window);
    if (failed(code, "MPI_Win_allocate", message)) return 1;
    MPI_Win_set_errhandler(state->window, MPI_ERRORS_RETURN);
    if (failed(MPI_Win_lock_all(0, state->window), "MPI_Win_lock_all", message)) return 1;
    if (rank == 0) *counter = 0;
    if (failed(MPI_Win_sync(state->window), "MPI_Win_sync", message)) return 1;
    return failed(MPI_Barrier(state->everyone), "MPI_Barrier", message);
}

static int ranks_open(void **out, qn_mpi_place *place, char message[QN_MPI_MESSAGE_BYTES])
{
    if (begin(message)) return 1;
    mpi_state *state = calloc(1, sizeof *state);
    if (!state) {
        snprintf(message, QN_MPI_MESSAGE_BYTES, "memory is exhausted");
        return 1;
    }
    if (failed(MPI_Comm_dup(MPI_COMM_WORLD, &state->everyone), "MPI_Comm_dup", message)) {
        free(state);
        return 1;
    }
    MPI_Comm_set_errhandler(state->everyone, MPI_ERRORS_RETURN);
    int bad = find_place(state->everyone, place, message);
    state->rank = place->rank;
    state->count = place->count;
    if (bad || make_arrivals(state, message) || make_counter(state, place->rank, message)) {
        free(state->arrivals);
        free(state->machines);
        free(state);
        return 1;
    }
    *out = state;
    return 0;
}

static int ranks_next(void *memory, uint64_t count, uint64_t *first, char message[QN_MPI_MESSAGE_BYTES])
{
    mpi_state *state = memory;
    int code = MPI_Fetch_and_op(&count, first, MPI_UINT64_T, 0, 0, MPI_SUM, state->window);
    if (failed(code, "MPI_Fetch_and_op", message)) return 1;
    return failed(MPI_Win_flush(0, state->window), "MPI_Win_flush", message);
}

/* ---- waiting ---- */

/* Tell rank 0 that this rank has come; rank 0 prepares to hear of the others. */
static int begin_wait(mpi_state *state, MPI_Request *own, char *message)
{
    int bad = 0;
    *own = MPI_REQUEST_NULL;
    if (state->rank != 0)
        return failed(MPI_Isend(NULL, 0, MPI_INT, 0, ARRIVAL_TAG, state->everyone, own), "MPI_Isend", message);
    state->arrivals[0] = MPI_REQUEST_NULL;
    for (int rank = 1; rank < state->count && !bad; rank++)
        bad = failed(MPI_Irecv(NULL, 0, MPI_INT, rank, ARRIVAL_TAG, state->everyone, &state->arrivals[rank]),
                     "MPI_Irecv", message);
    return bad;
}

/* After everybody has come. */
static int end_wait(mpi_state *state, MPI_Request *own, char *message)
{
    if (state->rank != 0) return failed(MPI_Wait(own, MPI_STATUS_IGNORE), "MPI_Wait", message);
    return failed(MPI_Waitall(state->count, state->arrivals, MPI_STATUSES_IGNORE), "MPI_Waitall", message);
}

static void tell_of_late(mpi_state *state, double seconds)
{
    int missing = 0, first = 0;
    for (int rank = 1; rank < state->count; rank++) {
        int here = 1;
        if (MPI_Test(&state->arrivals[rank], &here, MPI_STATUS_IGNORE) != MPI_SUCCESS || here) continue;
        if (missing++ == 0) first = rank;
    }
    if (missing > 0) state->late(state->user, seconds, missing, first, state->machines[first]);
}

/* Wait for a request that ends when every rank has come. MPI waits by polling at full speed. The first rank that
 * finishes may wait for hours, so this polls with pauses, which get longer up to a millisecond. */
static int poll(mpi_state *state, MPI_Request *request, const char *what, char *message)
{
    const long LEAST_NS = 10000, MOST_NS = 1000000;
    const double began = MPI_Wtime();
    double tell_s = state->first_s;
    struct timespec pause = {.tv_nsec = LEAST_NS};
    for (int done = 0;;) {
        if (failed(MPI_Test(request, &done, MPI_STATUS_IGNORE), what, message)) return 1;
        if (done) return 0;
        if (tell_s > 0 && state->rank == 0 && MPI_Wtime() - began >= tell_s) {
            tell_of_late(state, MPI_Wtime() - began);
            tell_s *= 10;
        }
        nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < MOST_NS ? 2 * pause.tv_nsec : MOST_NS;
    }
}

/* Wait for all ranks before a large message. A message moves on only while MPI is called, so pauses would make it slow,
 * and MPI may wait in its own way once every rank is there. */
static int wait_for_all(mpi_state *state, size_t bytes, char *message)
{
    const size_t LARGE_BYTES = 16384;
    MPI_Request request, own;
    if (bytes < LARGE_BYTES) return 0;
    return begin_wait(state, &own, message) ||
           failed(MPI_Ibarrier(state->everyone, &request), "MPI_Ibarrier", message) ||
           poll(state, &request, "MPI_Ibarrier", message) || end_wait(state, &own, message);
}

static int ranks_most(void *memory, int value, int *most, char message[QN_MPI_MESSAGE_BYTES])
{
    mpi_state *state = memory;
    MPI_Request request, own;
    if (begin_wait(state, &own, message)) return 1;
    int code = MPI_Iallreduce(&value, most, 1, MPI_INT, MPI_MAX, state->everyone, &request);
    return failed(code, "MPI_Iallreduce", message) || poll(state, &request, "MPI_Iallreduce", message) ||
           end_wait(state, &own, message);
}

static int ranks_tell(void *memory, void *data, size_t size, char message[QN_MPI_MESSAGE_BYTES])
{
    mpi_state *state = memory;
    return wait_for_all(state, size, message) ||
           failed(MPI_Bcast(data, (int)size, MPI_BYTE, 0, state->everyone), "MPI_Bcast", message);
}

static int ranks_sum(void *memory, float *values, size_t count, char message[QN_MPI_MESSAGE_BYTES])
{
    mpi_state *state = memory;
    const int rank = state->rank;
    if (wait_for_all(state, count * sizeof *values, message)) return 1;
    const int code = MPI_Reduce(rank == 0 ? MPI_IN_PLACE : values, rank == 0 ? values : NULL, (int)count, MPI_FLOAT,
                                MPI_SUM, 0, state->everyone);
    return failed(code, "MPI_Reduce", message);
}

static int ranks_gather(void *memory, void *all, const size_t *sizes, char message[QN_MPI_MESSAGE_BYTES])
{
    mpi_state *state = memory;
    const int count = state->count;
    int *places = calloc(2 * (size_t)count, sizeof *places);
    if (!places) {
        snprintf(message, QN_MPI_MESSAGE_BYTES, "memory is exhausted");
        return 1;
    }
    size_t sum = 0;
    for (int rank = 0; rank < count; rank++) {
        places[rank] = (int)sizes[rank];
        places[count + rank] = (int)sum;
        sum += sizes[rank];
    }
    int bad = wait_for_all(state, sum, message);
    if (!bad)
        bad = failed(
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, places, places + count, MPI_BYTE, state->everyone),
            "MPI_Allgatherv", message);
    free(places);
    return bad;
}

static void ranks_watch(void *memory, double first_s, qn_mpi_late late, void *user)
{
    mpi_state *state = memory;
    state->first_s = first_s;
    state->late = late;
    state->user = user;
}

static void ranks_close(void *memory)
{
    mpi_state *state = memory;
    MPI_Win_unlock_all(state->window);
    MPI_Win_free(&state->window);
    MPI_Comm_free(&state->everyone);
    free(state->arrivals);
    free(state->machines);
    free(state);
}

const qn_mpi_functions *qn_mpi_functions_get(void)
{
    static const qn_mpi_functions functions = {QN_MPI_FUNCTIONS_VERSION,
                                               ranks_open,
                                               ranks_next,
                                               ranks_most,
                                               ranks_tell,
                                               ranks_sum,
                                               ranks_gather,
                                               ranks_watch,
                                               ranks_close};
    return &functions;
}
