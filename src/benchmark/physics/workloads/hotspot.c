#include <math.h>
#include <stdio.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/hotspot.h"
#include "tune/workload_inputs.h"

enum { SAMPLES = 400, SIDE_MAX = 1 << 15, STEPS_MAX = 100 };

typedef struct hotspot_state {
    qn_hotspot_problem problem;
    uint64_t seed;
    qn_buffer *power, *start, *temperature, *scratch, *done;
} hotspot_state;

static void destroy(void **pointer)
{
    hotspot_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->power);
    qn_buffer_release(&state->start);
    qn_buffer_release(&state->temperature);
    qn_buffer_release(&state->scratch);
    qn_buffer_release(&state->done);
    qn_release(pointer);
}

static qn_status make_buffers(hotspot_state *state, qn_queue *queue)
{
    const size_t cells = (size_t)state->problem.width * (size_t)state->problem.height, bytes = cells * sizeof(float);
    qn_device *device = qn_queue_device(queue);
    QN_TRY(qn_buffer_create(device, bytes, &state->power));
    QN_TRY(qn_buffer_create(device, bytes, &state->start));
    QN_TRY(qn_buffer_create(device, bytes, &state->temperature));
    QN_TRY(qn_buffer_create(device, bytes, &state->scratch));
    QN_TRY(qn_buffer_create(device, sizeof(int32_t), &state->done));
    QN_TRY(qn_workload_write_inputs(queue, state->power, state->seed, 0, cells));
    return qn_workload_write_inputs(queue, state->start, state->seed + 1, 0, cells);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/hotspot", "width", sizes[0], 1, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/hotspot", "height", sizes[1], 1, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("benchmark/hotspot", "steps", sizes[2], 1, STEPS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(hotspot_state), &memory));
    hotspot_state *state = memory;
    /* Unit and zero of temperature are such that all temperatures, also that of the air, are in [-1, 1). */
    state->problem = (qn_hotspot_problem){sizes[0], sizes[1], sizes[2], 0.11f, 0.07f, 0.01f, 0.05f, 0.5f};
    state->seed = seed;
    qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const hotspot_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->scratch, 0xff));
    return qn_workload_fill(queue, state->temperature, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    hotspot_state *state = pointer;
    QN_TRY(qn_queue_copy(queue, state->start, 0, state->temperature, 0, qn_buffer_bytes(state->start), NULL));
    return qn_hotspot(queue, configuration, &state->problem, state->power, &state->temperature, &state->scratch,
                      state->done, seconds);
}

static float input(int field, int x, int y, const void *user)
{
    const hotspot_state *state = user;
    return qn_workload_input(state->seed + (uint64_t)field, (uint64_t)y * (uint64_t)state->problem.width + (uint64_t)x);
}

static int draw(uint64_t seed, uint64_t index, int end)
{
    return (int)((0.5 + 0.5 * (double)qn_workload_input(seed, index)) * end);
}

/* Check random cells, the four corners, and cells along two edges. Steps do not amplify errors; each adds the rounding
 * errors of four operations on numbers of about 1. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const hotspot_state *state = pointer;
    const qn_hotspot_problem *problem = &state->problem;
    const double tolerance = (problem->steps + 2) * 0x1p-22;
    *largest_error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int x = draw(state->seed + 2, 2 * (uint64_t)i, problem->width);
        int y = draw(state->seed + 2, 2 * (uint64_t)i + 1, problem->height);
        if (i < 4) x = i % 2 * (problem->width - 1), y = i / 2 * (problem->height - 1);
        if (i >= 4 && i < 20) x = problem->width - 1;
        if (i >= 20 && i < 36) y = problem->height - 1;
        const size_t place = (size_t)y * (size_t)problem->width + (size_t)x;
        float value;
        double expected;
        QN_TRY(qn_workload_read(queue, state->temperature, place * sizeof(float), &value, sizeof value));
        QN_TRY(qn_hotspot_reference(problem, input, state, x, y, &expected));
        *largest_error = qn_workload_larger_error(*largest_error, fabs(value - expected) / tolerance);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const hotspot_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_hotspot_family.kernels[0].work(&((const hotspot_state *)pointer)->problem, least);
}

/* Classes by the number of steps, on which the best number of steps per launch depends. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "steps=%d", sizes[2]);
}

extern const qn_workload qn_benchmark_hotspot_workload;
const qn_workload qn_benchmark_hotspot_workload = {
    .name = "benchmark/hotspot",
    .summary = "heat on a chip, explicit steps of a five-point stencil",
    .family = &qn_benchmark_hotspot_family,
    .size_names = {"width", "height", "steps"},
    .gpu_sizes = {16384, 16384, 10},
    .cpu_sizes = {2048, 1024, 10},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
