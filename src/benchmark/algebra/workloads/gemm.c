#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/algebra/kernels/gemm.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 400, TESTED_SIZE_MAX = 1 << 15 };

typedef struct gemm_state {
    qn_gemm_problem problem;
    uint64_t seed;
    qn_buffer *a, *b, *c;
} gemm_state;

static void destroy(void **pointer)
{
    gemm_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->a);
    qn_buffer_release(&state->b);
    qn_buffer_release(&state->c);
    qn_release(pointer);
}

static qn_status make_matrix(qn_queue *queue, uint64_t seed, int lines, int length, qn_buffer **buffer)
{
    size_t count = (size_t)lines * (size_t)length;
    QN_TRY(qn_buffer_create(qn_queue_device(queue), count * sizeof(float), buffer));
    return qn_workload_write_inputs(queue, *buffer, seed, 0, count);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/gemm", "rows", sizes[0], 1, TESTED_SIZE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/gemm", "columns", sizes[1], 1, TESTED_SIZE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/gemm", "inner", sizes[2], 1, TESTED_SIZE_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(gemm_state), &memory));
    gemm_state *state = memory;
    const size_t results = (size_t)sizes[0] * (size_t)sizes[1];
    state->problem = (qn_gemm_problem){sizes[0], sizes[1], sizes[2]};
    state->seed = seed;
    qn_status status = make_matrix(queue, seed, sizes[2], sizes[0], &state->a);
    if (status == QN_OK) status = make_matrix(queue, seed + 1, sizes[2], sizes[1], &state->b);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), results * sizeof(float), &state->c);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((gemm_state *)pointer)->c, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    gemm_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_gemm(queue, configuration, &state->problem, state->a, state->b, state->c, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Compute an element of C in double; the row of A and the column of B are generated again instead of kept. */
static double expected_element(const gemm_state *state, int row, int column)
{
    const qn_gemm_problem *problem = &state->problem;
    double sum = 0;
    for (int k = 0; k < problem->inner; k++) {
        const uint64_t line = (uint64_t)k;
        const float a = qn_workload_input(state->seed, line * (uint64_t)problem->rows + (uint64_t)row);
        const float b = qn_workload_input(state->seed + 1, line * (uint64_t)problem->columns + (uint64_t)column);
        sum += (double)a * b;
    }
    return sum;
}

static int draw(uint64_t seed, uint64_t index, int end)
{
    return (int)((0.5 + 0.5 * (double)qn_workload_input(seed, index)) * end);
}

/* Check random elements and the four corners. Rounding errors of sums of products of numbers from [-1, 1) are about
 * inner · 2^-27, and ten times as large if a sum happens to be large; the tolerance is above both. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const gemm_state *state = pointer;
    const qn_gemm_problem *problem = &state->problem;
    const double tolerance = (problem->inner + 16) * 0x1p-22;
    *largest_error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int row = draw(state->seed + 2, 2 * (uint64_t)i, problem->rows);
        int column = draw(state->seed + 2, 2 * (uint64_t)i + 1, problem->columns);
        if (i < 4) row = i % 2 * (problem->rows - 1), column = i / 2 * (problem->columns - 1);
        const size_t place = (size_t)row * (size_t)problem->columns + (size_t)column;
        float value;
        QN_TRY(qn_workload_read(queue, state->c, place * sizeof(float), &value, sizeof value));
        const double error = fabs(value - expected_element(state, row, column));
        *largest_error = qn_workload_larger_error(*largest_error, error / tolerance);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const gemm_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_gemm_family.kernels[0].work(&((const gemm_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_gemm_class(&(qn_gemm_problem){sizes[0], sizes[1], sizes[2]}, text);
}

extern const qn_workload qn_benchmark_gemm_workload;
const qn_workload qn_benchmark_gemm_workload = {
    .name = "benchmark/gemm",
    .summary = "C = A·B, single precision",
    .family = &qn_benchmark_gemm_family,
    .size_names = {"rows", "columns", "inner"},
    .gpu_sizes = {8192, 8192, 8192},
    .cpu_sizes = {1024, 1024, 1024},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
