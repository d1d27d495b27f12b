#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/algebra/kernels/transpose.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { CHECKED_MAX = 1 << 24 }; /* elements */

typedef struct transpose_state {
    qn_transpose_problem problem;
    uint64_t seed;
    qn_buffer *from, *to;
} transpose_state;

static void destroy(void **pointer)
{
    transpose_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->from);
    qn_buffer_release(&state->to);
    qn_release(pointer);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(
        qn_workload_check_size("benchmark/transpose", "rows", sizes[0], QN_TRANSPOSE_STEP, 1 << 18, QN_TRANSPOSE_STEP));
    QN_TRY(qn_workload_check_size("benchmark/transpose", "columns", sizes[1], QN_TRANSPOSE_STEP, 1 << 18,
                                  QN_TRANSPOSE_STEP));
    QN_TRY(qn_allocate(1, sizeof(transpose_state), &memory));
    transpose_state *state = memory;
    const size_t elements = (size_t)sizes[0] * (size_t)sizes[1];
    state->problem = (qn_transpose_problem){sizes[0], sizes[1]};
    state->seed = seed;
    qn_status status = qn_buffer_create(qn_queue_device(queue), elements * sizeof(float), &state->from);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), elements * sizeof(float), &state->to);
    if (status == QN_OK) status = qn_workload_write_inputs(queue, state->from, seed, 0, elements);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((transpose_state *)pointer)->to, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    transpose_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_transpose(queue, configuration, &state->problem, state->from, state->to, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check whole rows of the result: all, or every n-th with n odd, so that every row of a tile is checked. Numbers are
 * only moved, so the error is 0 or infinite. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const transpose_state *state = pointer;
    const uint64_t rows = (uint64_t)state->problem.rows, columns = (uint64_t)state->problem.columns;
    const uint64_t step = rows * columns / CHECKED_MAX | 1;
    void *memory;
    *largest_error = 0;
    QN_TRY(qn_allocate(rows, sizeof(float), &memory));
    float *line = memory;
    qn_status status = QN_OK;
    for (uint64_t j = 0; j < columns && status == QN_OK; j += step) {
        status = qn_queue_read(queue, state->to, j * rows * sizeof(float), line, rows * sizeof(float), NULL);
        if (status == QN_OK) status = qn_queue_finish(queue);
        for (uint64_t i = 0; i < rows && status == QN_OK; i++)
            if (line[i] != qn_workload_input(state->seed, i * columns + j)) *largest_error = INFINITY;
    }
    qn_release(&line);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const transpose_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_transpose_family.kernels[0].work(&((const transpose_state *)pointer)->problem, least);
}

/* Classes by powers of four of the number of elements, and by whether rows of source or result map to the same cache
 * sets. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const double elements = (double)sizes[0] * sizes[1];
    int bits = 20;
    while (ldexp(1, bits) < elements && bits < 30) bits += 2;
    snprintf(text, 64, "elements<=2^%d%s", bits, sizes[0] % 1024 == 0 || sizes[1] % 1024 == 0 ? " aliasing" : "");
}

extern const qn_workload qn_benchmark_transpose_workload;
const qn_workload qn_benchmark_transpose_workload = {
    .name = "benchmark/transpose",
    .summary = "transposition of a matrix in memory, single precision",
    .family = &qn_benchmark_transpose_family,
    .size_names = {"rows", "columns"},
    .gpu_sizes = {32768, 32768},
    .cpu_sizes = {6000, 6160},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
