/* Workloads: problems of kernel families, made to tune and to time them.
 *
 * A workload makes inputs of a given size, runs its family on them and compares the outputs with the family's
 * reference. `quern tune run NAME` and <quern/tune.h> use workloads. The library's own are in files
 * src/<folder>/workloads/<name>.c, each defining one constant qn_<folder>_<name>_workload; a program's own are
 * constants like them.
 *
 * Life cycle: create → (clear → run → check)… → destroy. Thread rule: one thread at a time per state.
 *
 *     const qn_workload *workload;
 *     double seconds, error;
 *     void *state;
 *     if (qn_workload_find("transpose", &workload) != QN_OK) return 1;
 *     if (workload->create(queue, (const int[QN_WORKLOAD_SIZES]){256, 256}, 1, &state) != QN_OK) return 1;
 *     if (workload->run(state, queue, NULL, &seconds) == QN_OK && workload->check(state, queue, &error) == QN_OK)
 *         printf("%g s, error %g of the tolerance\n", seconds, error), workload->destroy(&state);
 */
#ifndef QUERN_WORKLOAD_H
#define QUERN_WORKLOAD_H

#include <quern/family.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { QN_WORKLOAD_SIZES = 5 };

/* A default size that stands for the number of compute units of the device, because programs give each core of a CPU
 * a piece of work;
 * 3 * QN_SIZE_COMPUTE_UNITS for three pieces. */
enum { QN_SIZE_COMPUTE_UNITS = -1 };

typedef struct qn_workload {
    const char *name;    /* that of its family, "benchmark/gemm" */
    const char *summary; /* one line: "C = A·B, single precision" */
    const qn_family *family;
    const char *size_names[QN_WORKLOAD_SIZES]; /* "rows", "columns", "inner"; NULL after the last */
    int gpu_sizes[QN_WORKLOAD_SIZES]; /* defaults: a GPU is full, a run takes milliseconds; or QN_SIZE_COMPUTE_UNITS */
    int cpu_sizes[QN_WORKLOAD_SIZES];

    /* Buffers with inputs made from `seed`, on the queue's device. Errors: QN_INVALID_ARGUMENT naming an invalid size;
     * QN_OUT_OF_MEMORY. */
    qn_status (*create)(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **state);
    /* Fill every output with 0xFF bytes, so that check cannot pass with the outputs of an earlier run. */
    qn_status (*clear)(void *state, qn_queue *queue);
    /* Run every kernel of the family's work once and wait; *seconds (may be NULL) is the sum of their device times.
     * configuration NULL: chosen as for any family, online tuning included. */
    qn_status (*run)(void *state, qn_queue *queue, const qn_configuration *configuration, double *seconds);
    /* Compare the outputs of the last run with the reference; for large problems with a sample of them.
     * *largest_error is in units of the tolerance: a result is right when it is at most 1. NaN counts as infinite. */
    qn_status (*check)(void *state, qn_queue *queue, double *largest_error);
    void (*work)(const void *state, qn_work *work); /* of one run */
    /* The key under which results of such a size are kept: "n=256", or size classes that have the same best
     * configuration. */
    void (*problem_class)(const int sizes[QN_WORKLOAD_SIZES], char text[64]);
    void (*destroy)(void **state);
    /* The family's own problem struct, as its kernels' geometry and work take it: what the searcher `profile` predicts
     * from. May be NULL: the searcher then has no model. */
    const void *(*problem)(const void *state);
} qn_workload;

/* Every workload of the library. */
const qn_workload *const *qn_workload_list(size_t *count);

/* By full name or by what follows the slash. Errors: QN_NOT_FOUND, with the known names. */
QN_MUST_CHECK qn_status qn_workload_find(const char *name, const qn_workload **workload);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
