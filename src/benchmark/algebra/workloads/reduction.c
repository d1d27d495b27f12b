#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/algebra/kernels/reduction.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

typedef struct reduction_state {
    qn_reduction_problem problem;
    double expected;
    qn_buffer *from, *scratch, *result;
} reduction_state;

static void destroy(void **pointer)
{
    reduction_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->from);
    qn_buffer_release(&state->scratch);
    qn_buffer_release(&state->result);
    qn_release(pointer);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    qn_device *device = qn_queue_device(queue);
    const int units = qn_device_get_info(device)->compute_units;
    void *memory;
    /* Sums of more than 2^30 numbers could exceed the integers that floats hold exactly. */
    QN_TRY(qn_workload_check_size("benchmark/reduction", "floats", sizes[0], QN_REDUCTION_STEP, 1 << 30,
                                  QN_REDUCTION_STEP));
    QN_TRY(qn_allocate(1, sizeof(reduction_state), &memory));
    reduction_state *state = memory;
    const size_t count = (size_t)sizes[0];
    state->problem = (qn_reduction_problem){sizes[0], units > 0 ? units : 1};
    qn_status status = qn_buffer_create(device, count * sizeof(float), &state->from);
    if (status == QN_OK)
        status = qn_buffer_create(device, qn_reduction_scratch_bytes(&state->problem), &state->scratch);
    if (status == QN_OK) status = qn_buffer_create(device, sizeof(float), &state->result);
    if (status == QN_OK) status = qn_workload_write_whole_numbers(queue, state->from, seed, count, &state->expected);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((reduction_state *)pointer)->result, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    reduction_state *state = pointer;
    return qn_reduction(queue, configuration, &state->problem, state->from, state->scratch, state->result, seconds);
}

/* The sum of small integers is exact in any order, and no number is 0, so that a missing number is detected. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const reduction_state *state = pointer;
    float sum;
    QN_TRY(qn_workload_read(queue, state->result, 0, &sum, sizeof sum));
    *largest_error = (double)sum == state->expected ? 0 : INFINITY;
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const reduction_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_reduction_family.kernels[0].work(&((const reduction_state *)pointer)->problem, least);
}

/* Classes by powers of four of the number of floats, which decides whether they fit a cache and how much the start of a
 * kernel costs compared with the reads. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    int bits = 16;
    while (ldexp(1, bits) < sizes[0] && bits < 30) bits += 2;
    snprintf(text, 64, "floats<=2^%d", bits);
}

extern const qn_workload qn_benchmark_reduction_workload;
const qn_workload qn_benchmark_reduction_workload = {
    .name = "benchmark/reduction",
    .summary = "sum of single precision numbers",
    .family = &qn_benchmark_reduction_family,
    .size_names = {"floats"},
    .gpu_sizes = {1 << 30},
    .cpu_sizes = {1 << 26},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
