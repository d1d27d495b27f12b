/* labels: threads */
/* Without a launcher, every piece is dealt to this process. Under a launcher (tests/job/check_mpi.sh), "deal FOLDER
 * COUNT" takes pieces until all COUNT are taken, and writes their numbers into FOLDER/<round>.<rank>. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job/ranks.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",         "PMIX_RANK", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_NUM_TASKS", "QUERN_MPI_LIBRARY"};

static void forget_launchers(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
}

static void check_alone(void)
{
    qn_ranks *ranks;
    uint64_t first;
    int any;
    if (!CHECK_OK(qn_ranks_open(&ranks))) return;
    CHECK(qn_ranks_rank(ranks) == 0 && qn_ranks_count(ranks) == 1);
    CHECK(qn_ranks_local_rank(ranks) == 0 && qn_ranks_local_count(ranks) == 1);
    CHECK_OK(qn_ranks_fetch_add(ranks, 3, &first));
    CHECK(first == 0);
    CHECK_OK(qn_ranks_fetch_add(ranks, 1, &first));
    CHECK(first == 3);
    CHECK_OK(qn_ranks_fetch_add(ranks, 1, &first));
    CHECK(first == 4);
    CHECK_OK(qn_ranks_any(ranks, 0, &any));
    CHECK(any == 0);
    CHECK_OK(qn_ranks_any(ranks, -5, &any));
    CHECK(any == 1);
    CHECK_OK(qn_ranks_max(ranks, 17, &any));
    CHECK(any == 17);
    CHECK_OK(qn_ranks_fetch_add(ranks, 0, &first));
    CHECK(first == 5);
    CHECK_OK(qn_ranks_fetch_add(ranks, 0, &first));
    CHECK(first == 5);
    CHECK_OK(qn_ranks_barrier(ranks));
    first = 12345;
    CHECK_OK(qn_ranks_broadcast(ranks, &first, sizeof first));
    CHECK(first == 12345);
    CHECK_OK(qn_ranks_gather(ranks, &first, (const size_t[]){sizeof first}));
    CHECK(first == 12345);
    CHECK_FAILS(qn_ranks_gather(ranks, &first, (const size_t[]){(size_t)2 << 30}), QN_INVALID_ARGUMENT);
    qn_ranks_close(&ranks);
    CHECK(ranks == NULL);
    qn_ranks_close(&ranks);
}

static void without_a_launcher_a_process_is_alone(void)
{
    forget_launchers();
    check_alone();
}

static void a_launcher_of_one_process_needs_no_mpi(void)
{
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("QUERN_MPI_LIBRARY", "/nowhere/libquern_mpi.so", 1);
    check_alone();
    forget_launchers();
}

/* Otherwise four processes would do the same work and overwrite each other's files. */
static void several_processes_without_the_library_are_refused(void)
{
    qn_ranks *ranks;
    setenv("PMI_SIZE", "4", 1);
    setenv("QUERN_MPI_LIBRARY", "/nowhere/libquern_mpi.so", 1);
    CHECK_FAILS(qn_ranks_open(&ranks), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("PMI_SIZE says that a launcher started several processes");
    CHECK(ranks == NULL);
    setenv("QUERN_MPI_LIBRARY", "off", 1);
    check_alone();
    forget_launchers();
}

static void deal_round(qn_ranks *ranks, const char *folder, int round, uint64_t count)
{
    const struct timespec work = {.tv_nsec = 500000};
    char path[700];
    uint64_t piece = 0;
    snprintf(path, sizeof path, "%s/%d.%d", folder, round, qn_ranks_rank(ranks));
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    for (;;) {
        if (!CHECK_OK(qn_ranks_fetch_add(ranks, 1, &piece)) || piece >= count) break;
        fprintf(file, "%llu\n", (unsigned long long)piece);
        nanosleep(&work, NULL);
    }
    CHECK(fclose(file) == 0);
}

static unsigned char byte_of(size_t rank, size_t i)
{
    return (unsigned char)(31 * rank + i / 7 + i);
}

/* Rank r gives r times `unit` bytes, so that the first gives none. */
static void gather(qn_ranks *ranks, size_t unit)
{
    const size_t count = (size_t)qn_ranks_count(ranks), rank = (size_t)qn_ranks_rank(ranks);
    size_t *sizes = calloc(count, sizeof *sizes), at = 0, wrong = 0;
    unsigned char *all = calloc(count * count, unit);
    if (!CHECK(sizes != NULL && all != NULL)) return;
    for (size_t r = 0; r < count; r++) sizes[r] = r * unit;
    for (size_t r = 0; r < rank; r++) at += sizes[r];
    for (size_t i = 0; i < sizes[rank]; i++) all[at + i] = byte_of(rank, i);
    CHECK_OK(qn_ranks_gather(ranks, all, sizes));
    const unsigned char *next = all;
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < sizes[r]; i++) wrong += *next++ != byte_of(r, i);
    CHECK(wrong == 0);
    free(sizes);
    free(all);
}

/* Small messages, and large ones, before which ranks wait for each other. */
static void exchange(qn_ranks *ranks)
{
    enum { MANY = 100000 };
    const int count = qn_ranks_count(ranks), rank = qn_ranks_rank(ranks);
    float *values = calloc(MANY, sizeof *values);
    size_t wrong = 0;
    gather(ranks, 1);
    gather(ranks, 100000);
    if (!CHECK(values != NULL)) return;
    for (int i = 0; i < MANY; i++) values[i] = (float)(i % 1000 + rank);
    CHECK_OK(qn_ranks_sum(ranks, values, MANY));
    for (int i = 0; i < MANY && rank == 0; i++)
        wrong += values[i] != (float)(count * (i % 1000) + count * (count - 1) / 2);
    CHECK(wrong == 0);
    CHECK_OK(qn_ranks_broadcast(ranks, values, MANY * sizeof *values));
    for (int i = 0; i < MANY; i++) wrong += values[i] != (float)(count * (i % 1000) + count * (count - 1) / 2);
    CHECK(wrong == 0);
    free(values);
}

static void deal(const char *folder, uint64_t count)
{
    for (int round = 0; round < 2; round++) { /* the counter of the second round begins at 0 again */
        qn_ranks *ranks;
        uint64_t first;
        int any;
        if (!CHECK_OK(qn_ranks_open(&ranks))) return;
        CHECK(qn_ranks_local_rank(ranks) == qn_ranks_rank(ranks));
        CHECK(qn_ranks_local_count(ranks) == qn_ranks_count(ranks));
        deal_round(ranks, folder, round, count);
        CHECK_OK(qn_ranks_any(ranks, 0, &any));
        CHECK(any == 0);
        CHECK_OK(qn_ranks_any(ranks, qn_ranks_rank(ranks) == qn_ranks_count(ranks) - 1, &any));
        CHECK(any == 1);
        CHECK_OK(qn_ranks_max(ranks, 10 + qn_ranks_rank(ranks), &any));
        CHECK(any == 9 + qn_ranks_count(ranks));
        CHECK_OK(qn_ranks_fetch_add(ranks, 0, &first));
        CHECK(first >= count && first < (uint64_t)1 << 32);
        CHECK_OK(qn_ranks_barrier(ranks));
        /* rank 0 takes all pieces that are left, so the others get none */
        if (qn_ranks_rank(ranks) == 0) CHECK_OK(qn_ranks_fetch_add(ranks, (uint64_t)1 << 56, &first));
        CHECK_OK(qn_ranks_barrier(ranks));
        CHECK_OK(qn_ranks_fetch_add(ranks, 1, &first));
        CHECK(first >= (uint64_t)1 << 56);
        uint64_t told = 1000 + (uint64_t)qn_ranks_rank(ranks);
        CHECK_OK(qn_ranks_broadcast(ranks, &told, sizeof told));
        CHECK(told == 1000);
        exchange(ranks);
        qn_ranks_close(&ranks);
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "deal") == 0) {
        deal(argv[2], strtoull(argv[3], NULL, 10));
        return check_finish();
    }
    RUN(without_a_launcher_a_process_is_alone);
    RUN(a_launcher_of_one_process_needs_no_mpi);
    RUN(several_processes_without_the_library_are_refused);
    return check_finish();
}
