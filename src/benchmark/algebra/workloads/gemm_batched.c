#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/algebra/kernels/gemm_batched.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 400, MATRICES_MAX = 1 << 24 };

typedef struct batch_state {
    qn_gemm_batched_problem problem;
    uint64_t seed;
    qn_buffer *a, *b, *c;
} batch_state;

static void destroy(void **pointer)
{
    batch_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->a);
    qn_buffer_release(&state->b);
    qn_buffer_release(&state->c);
    qn_release(pointer);
}

static qn_status make_matrices(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), count * sizeof(float), buffer));
    return qn_workload_write_inputs(queue, *buffer, seed, 0, count);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/gemm_batched", "matrices", sizes[0], 1, MATRICES_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/gemm_batched", "size", sizes[1], 1, QN_GEMM_BATCHED_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(batch_state), &memory));
    batch_state *state = memory;
    const size_t numbers = (size_t)sizes[0] * (size_t)(sizes[1] * sizes[1]);
    state->problem = (qn_gemm_batched_problem){sizes[0], sizes[1], sizes[1], sizes[1]};
    state->seed = seed;
    qn_status status = make_matrices(queue, seed, numbers, &state->a);
    if (status == QN_OK) status = make_matrices(queue, seed + 1, numbers, &state->b);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), numbers * sizeof(float), &state->c);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((batch_state *)pointer)->c, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    batch_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_gemm_batched(queue, configuration, &state->problem, state->a, state->b, state->c, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Generate the inputs of one pair of matrices again; they are not kept. */
static void make_pair(const batch_state *state, int matrix, float *a, float *b)
{
    const int numbers = state->problem.rows * state->problem.columns;
    for (int i = 0; i < numbers; i++) {
        const uint64_t index = (uint64_t)matrix * (uint64_t)numbers + (uint64_t)i;
        a[i] = qn_workload_input(state->seed, index);
        b[i] = qn_workload_input(state->seed + 1, index);
    }
}

/* Check random whole matrices, the first and the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    enum { NUMBERS = QN_GEMM_BATCHED_MAX * QN_GEMM_BATCHED_MAX };
    const batch_state *state = pointer;
    const qn_gemm_batched_problem *problem = &state->problem;
    const double tolerance =
        (problem->inner + 16) * 0x1p-22; /* rounding error of a sum of products of numbers from [-1, 1) */
    const size_t numbers = (size_t)(problem->rows * problem->columns);
    float a[NUMBERS], b[NUMBERS], c[NUMBERS];
    *largest_error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double place = 0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, (uint64_t)i);
        const int matrix = i == 0 ? 0 : i == 1 ? problem->matrices - 1 : (int)(place * problem->matrices);
        QN_TRY(
            qn_queue_read(queue, state->c, (size_t)matrix * numbers * sizeof(float), c, numbers * sizeof(float), NULL));
        QN_TRY(qn_queue_finish(queue));
        make_pair(state, matrix, a, b);
        for (int row = 0; row < problem->rows; row++)
            for (int column = 0; column < problem->columns; column++) {
                const double expected = qn_gemm_batched_reference(problem, a, b, row, column);
                const double error = fabs(c[row * problem->columns + column] - expected);
                *largest_error = qn_workload_larger_error(*largest_error, error / tolerance);
            }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const batch_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_gemm_batched_family.kernels[0].work(&((const batch_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_gemm_batched_class(&(qn_gemm_batched_problem){sizes[0], sizes[1], sizes[1], sizes[1]}, text);
}

extern const qn_workload qn_benchmark_gemm_batched_workload;
const qn_workload qn_benchmark_gemm_batched_workload = {
    .name = "benchmark/gemm_batched",
    .summary = "C = A·B for many small square matrices",
    .family = &qn_benchmark_gemm_batched_family,
    .size_names = {"matrices", "size"},
    .gpu_sizes = {1 << 21, 16},
    .cpu_sizes = {1 << 14, 16},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
