#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/nbody.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 256 };

static const double tolerance =
    2e-5; /* relative to the sum of the terms' magnitudes: 10^5 additions, roots with errors of 5e-7 */

typedef struct nbody_state {
    qn_nbody_problem problem;
    uint64_t seed;
    float *bodies;
    qn_buffer *body_buffer, *component_buffer, *acceleration;
} nbody_state;

static void destroy(void **pointer)
{
    nbody_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->body_buffer);
    qn_buffer_release(&state->component_buffer);
    qn_buffer_release(&state->acceleration);
    qn_release(&state->bodies);
    qn_release(pointer);
}

/* Make random bodies in a cube of side 2, with masses from 0 to 1. */
static qn_status make_bodies(nbody_state *state, qn_queue *queue)
{
    const size_t count = (size_t)state->problem.bodies;
    void *memory, *other;
    QN_TRY(qn_allocate(4 * count, sizeof(float), &memory));
    state->bodies = memory;
    QN_TRY(qn_allocate(4 * count, sizeof(float), &other));
    float *components = other;
    for (size_t i = 0; i < 4 * count; i++) {
        const float number = qn_workload_input(state->seed, i);
        state->bodies[i] = i % 4 == 3 ? 0.5f * (number + 1.0f) : number;
        components[i % 4 * count + i / 4] = state->bodies[i];
    }
    qn_status status = qn_workload_make_buffer(queue, state->bodies, 4 * count * sizeof(float), &state->body_buffer);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, components, 4 * count * sizeof(float), &state->component_buffer);
    qn_release(&components);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/nbody", "bodies", sizes[0], QN_NBODY_STEP, 1 << 24, QN_NBODY_STEP));
    QN_TRY(qn_allocate(1, sizeof(nbody_state), &memory));
    nbody_state *state = memory;
    state->problem = (qn_nbody_problem){sizes[0], 0.01f};
    state->seed = seed;
    qn_status status = make_bodies(state, queue);
    if (status == QN_OK)
        status = qn_buffer_create(qn_queue_device(queue), 3 * (size_t)sizes[0] * sizeof(float), &state->acceleration);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((nbody_state *)pointer)->acceleration, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    nbody_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_nbody(queue, configuration, &state->problem, state->body_buffer, state->component_buffer,
                                state->acceleration, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check SAMPLES + 1 evenly spaced bodies, including the first and the last. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const nbody_state *state = pointer;
    const size_t count = (size_t)state->problem.bodies;
    *largest_error = 0;
    for (size_t i = 0; i <= SAMPLES; i++) {
        const size_t body = (count - 1) * i / SAMPLES;
        double expected[3];
        const double scale = qn_nbody_reference(&state->problem, state->bodies, (int)body, expected);
        for (size_t c = 0; c < 3; c++) {
            float value;
            QN_TRY(qn_queue_read(queue, state->acceleration, (c * count + body) * sizeof(float), &value, sizeof value,
                                 NULL));
            QN_TRY(qn_queue_finish(queue));
            *largest_error = qn_workload_larger_error(*largest_error, fabs(value - expected[c]) / (tolerance * scale));
        }
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const nbody_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_nbody_family.kernels[0].work(&((const nbody_state *)pointer)->problem, least);
}

/* Classes by powers of two of the number of bodies, up to a number that fills every unit. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    int bin = 1024;
    while (bin < sizes[0] && bin < 1 << 18) bin *= 2;
    snprintf(text, 64, "bodies<=%d", bin);
}

extern const qn_workload qn_benchmark_nbody_workload;
const qn_workload qn_benchmark_nbody_workload = {
    .name = "benchmark/nbody",
    .summary = "gravity of bodies on each other, all pairs",
    .family = &qn_benchmark_nbody_family,
    .size_names = {"bodies"},
    .gpu_sizes = {200000},
    .cpu_sizes = {8192},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
