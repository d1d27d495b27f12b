#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/convolution.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 1000, SIDE_MAX = 1 << 15 };

typedef struct convolution_state {
    qn_convolution_problem problem;
    uint64_t seed;
    qn_buffer *in, *filter, *out;
} convolution_state;

static void destroy(void **pointer)
{
    convolution_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->in);
    qn_buffer_release(&state->filter);
    qn_buffer_release(&state->out);
    qn_release(pointer);
}

static qn_status make_image(qn_queue *queue, uint64_t seed, int width, int height, qn_buffer **buffer)
{
    const size_t count = (size_t)width * (size_t)height;
    QN_TRY(qn_buffer_create(qn_queue_device(queue), count * sizeof(float), buffer));
    return qn_workload_write_inputs(queue, *buffer, seed, 0, count);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    const int width = sizes[0], height = sizes[1], filter = sizes[2];
    QN_TRY(qn_workload_check_size("benchmark/convolution", "width", width, 1, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/convolution", "height", height, 1, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/convolution", "filter", filter, 1, QN_CONVOLUTION_FILTER_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(convolution_state), &memory));
    convolution_state *state = memory;
    const size_t results = (size_t)width * (size_t)height;
    state->problem = (qn_convolution_problem){width, height, filter, filter};
    state->seed = seed;
    qn_status status = make_image(queue, seed, width + filter - 1, height + filter - 1, &state->in);
    if (status == QN_OK) status = make_image(queue, seed + 1, filter, filter, &state->filter);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), results * sizeof(float), &state->out);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((convolution_state *)pointer)->out, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    convolution_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status =
        qn_convolution(queue, configuration, &state->problem, state->in, state->filter, state->out, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Compute an output in double; the inputs are generated again instead of kept. */
static double expected_output(const convolution_state *state, int x, int y)
{
    const int size = state->problem.filter_width;
    const uint64_t in_width = (uint64_t)(state->problem.width + size - 1);
    double sum = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            sum += (double)qn_workload_input(state->seed, (uint64_t)(y + j) * in_width + (uint64_t)(x + i)) *
                   qn_workload_input(state->seed + 1, (uint64_t)(j * size + i));
    return sum;
}

static int draw(uint64_t seed, uint64_t index, int end)
{
    return (int)((0.5 + 0.5 * (double)qn_workload_input(seed, index)) * end);
}

/* Check random outputs and the four corners. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const convolution_state *state = pointer;
    const qn_convolution_problem *problem = &state->problem;
    /* rounding error of a sum of this many products of numbers from [-1, 1) */
    const double tolerance = (problem->filter_width * problem->filter_height + 16) * 0x1p-22;
    *largest_error = 0;
    for (int s = 0; s < SAMPLES; s++) {
        int x = draw(state->seed + 2, 2 * (uint64_t)s, problem->width);
        int y = draw(state->seed + 2, 2 * (uint64_t)s + 1, problem->height);
        if (s < 4) x = s % 2 * (problem->width - 1), y = s / 2 * (problem->height - 1);
        const size_t place = (size_t)y * (size_t)problem->width + (size_t)x;
        float value;
        QN_TRY(qn_workload_read(queue, state->out, place * sizeof(float), &value, sizeof value));
        const double error = fabs(value - expected_output(state, x, y));
        *largest_error = qn_workload_larger_error(*largest_error, error / tolerance);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const convolution_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_convolution_family.kernels[0].work(&((const convolution_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "filter=%dx%d", sizes[2], sizes[2]);
}

extern const qn_workload qn_benchmark_convolution_workload;
const qn_workload qn_benchmark_convolution_workload = {
    .name = "benchmark/convolution",
    .summary = "an image convolved with a small square filter",
    .family = &qn_benchmark_convolution_family,
    .size_names = {"width", "height", "filter"},
    .gpu_sizes = {16384, 16384, 15},
    .cpu_sizes = {2048, 1024, 15},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
