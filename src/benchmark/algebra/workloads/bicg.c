#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/algebra/kernels/bicg.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 64 };

static const double tolerance = 1e-5; /* relative to the sum of the terms' magnitudes: 10^5 additions in blocks */

typedef struct bicg_state {
    qn_bicg_problem problem;
    uint64_t seed; /* of the matrix; seed + 1 is that of p, seed + 2 that of r */
    float *p_values, *r_values;
    qn_buffer *matrix, *p, *r, *q, *s, *scratch;
} bicg_state;

static void destroy(void **pointer)
{
    bicg_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->matrix);
    qn_buffer_release(&state->p);
    qn_buffer_release(&state->r);
    qn_buffer_release(&state->q);
    qn_buffer_release(&state->s);
    qn_buffer_release(&state->scratch);
    qn_release(&state->p_values);
    qn_release(&state->r_values);
    qn_release(pointer);
}

static qn_status make_vector(qn_queue *queue, uint64_t seed, int count, float **values, qn_buffer **input,
                             qn_buffer **output)
{
    void *memory;
    QN_TRY(qn_allocate((size_t)count, sizeof(float), &memory));
    *values = memory;
    for (int i = 0; i < count; i++) (*values)[i] = qn_workload_input(seed, (uint64_t)i);
    QN_TRY(qn_workload_make_buffer(queue, *values, (size_t)count * sizeof(float), input));
    return qn_buffer_create(qn_queue_device(queue), (size_t)count * sizeof(float), output);
}

static qn_status make(bicg_state *state, qn_queue *queue)
{
    const size_t elements = (size_t)state->problem.rows * (size_t)state->problem.columns;
    qn_device *device = qn_queue_device(queue);
    QN_TRY(qn_buffer_create(device, elements * sizeof(float), &state->matrix));
    QN_TRY(qn_workload_write_inputs(queue, state->matrix, state->seed, 0, elements));
    QN_TRY(qn_buffer_create(device, qn_bicg_scratch_bytes(&state->problem), &state->scratch));
    QN_TRY(make_vector(queue, state->seed + 1, state->problem.columns, &state->p_values, &state->p, &state->s));
    return make_vector(queue, state->seed + 2, state->problem.rows, &state->r_values, &state->r, &state->q);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/bicg", "rows", sizes[0], 1, 1 << 18, 1));
    QN_TRY(qn_workload_check_size("benchmark/bicg", "columns", sizes[1], QN_BICG_STEP, 1 << 18, QN_BICG_STEP));
    QN_TRY(qn_allocate(1, sizeof(bicg_state), &memory));
    bicg_state *state = memory;
    state->problem = (qn_bicg_problem){sizes[0], sizes[1]};
    state->seed = seed;
    qn_status status = make(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    bicg_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->q, 0xff));
    return qn_workload_fill(queue, state->s, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    bicg_state *state = pointer;
    return qn_bicg(queue, configuration, &state->problem, state->matrix, state->p, state->r, state->scratch, state->q,
                   state->s, seconds);
}

/* Check SAMPLES + 1 evenly spaced results, including the first and the last. The row or column of the matrix of each is
 * generated again. */
static qn_status check_results(const bicg_state *state, qn_queue *queue, qn_buffer *results, bool is_q, float *line,
                               double *largest_error)
{
    const int count = is_q ? state->problem.rows : state->problem.columns;
    const int length = is_q ? state->problem.columns : state->problem.rows;
    const uint64_t pitch = (uint64_t)state->problem.columns;
    for (int sample = 0; sample <= SAMPLES; sample++) {
        const uint64_t place = (uint64_t)(count - 1) * (uint64_t)sample / SAMPLES;
        double scale;
        float value;
        for (uint64_t i = 0; i < (uint64_t)length; i++)
            line[i] = qn_workload_input(state->seed, is_q ? place * pitch + i : i * pitch + place);
        const double expected = qn_bicg_reference(line, 1, is_q ? state->p_values : state->r_values, length, &scale);
        QN_TRY(qn_workload_read(queue, results, place * sizeof(float), &value, sizeof value));
        *largest_error = qn_workload_larger_error(*largest_error, fabs(value - expected) / (tolerance * scale));
    }
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const bicg_state *state = pointer;
    const int rows = state->problem.rows, columns = state->problem.columns;
    void *line;
    *largest_error = 0;
    QN_TRY(qn_allocate((size_t)(rows > columns ? rows : columns), sizeof(float), &line));
    qn_status status = check_results(state, queue, state->q, true, line, largest_error);
    if (status == QN_OK) status = check_results(state, queue, state->s, false, line, largest_error);
    qn_release(&line);
    return status;
}

static const void *problem_of(const void *pointer)
{
    return &((const bicg_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_bicg_family.kernels[0].work(&((const bicg_state *)pointer)->problem, least);
}

/* Classes by powers of four of the number of elements, which decides whether they fit a cache and how many groups there
 * are. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const double elements = (double)sizes[0] * sizes[1];
    int bits = 20;
    while (ldexp(1, bits) < elements && bits < 30) bits += 2;
    snprintf(text, 64, "elements<=2^%d", bits);
}

extern const qn_workload qn_benchmark_bicg_workload;
const qn_workload qn_benchmark_bicg_workload = {
    .name = "benchmark/bicg",
    .summary = "q = A p and s = A^T r, single precision, A read once at best",
    .family = &qn_benchmark_bicg_family,
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
