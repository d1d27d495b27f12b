#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/motion/kernels/field_value.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

/* Windows of 17 × 17 coefficients. The places are within six samples of the middle. */
enum { SIDE = 17, AREA = SIDE * SIDE, WINDOWS_MAX = 1 << 20 };

typedef struct field_state {
    qn_field_problem problem;
    uint64_t seed;
    float *found; /* [window][3] */
    qn_buffer *coefficients, *places, *values;
} field_state;

static void destroy(void **pointer)
{
    field_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->coefficients);
    qn_buffer_release(&state->places);
    qn_buffer_release(&state->values);
    qn_release(&state->found);
    qn_release(pointer);
}

static float place_of(const field_state *state, size_t index)
{
    return 6 * qn_workload_input(state->seed + 1, index);
}

static qn_status make_buffers(field_state *state, qn_queue *queue)
{
    const size_t windows = (size_t)state->problem.windows;
    void *memory;
    QN_TRY(qn_allocate(3 * windows, sizeof(float), &memory));
    state->found = memory;
    for (size_t i = 0; i < 2 * windows; i++) state->found[i] = place_of(state, i);
    QN_TRY(qn_workload_make_buffer(queue, state->found, 8 * windows, &state->places));
    QN_TRY(qn_workload_make_inputs(queue, state->seed, windows * AREA, &state->coefficients));
    return qn_buffer_create(qn_queue_device(queue), 12 * windows, &state->values);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("movie/field_value", "windows", sizes[0], 1, WINDOWS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(field_state), &memory));
    field_state *state = memory;
    state->problem = (qn_field_problem){sizes[0], SIDE};
    state->seed = seed;
    const qn_status status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((const field_state *)pointer)->values, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    field_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_field_value(queue, configuration, &state->problem, state->coefficients, state->places,
                                            state->values, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Some 300 windows, the first and the last among them. Coefficients are within ±1 and weights add up to 1. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const field_state *state = pointer;
    const size_t windows = (size_t)state->problem.windows, checked = windows < 300 ? windows : 300;
    *largest_error = 0;
    QN_TRY(qn_workload_read(queue, state->values, 0, state->found, 12 * windows));
    for (size_t i = 0; i < checked; i++) {
        const size_t w = checked > 1 ? i * (windows - 1) / (checked - 1) : 0;
        double coefficients[AREA], expected[3];
        for (size_t k = 0; k < AREA; k++) coefficients[k] = (double)qn_workload_input(state->seed, w * AREA + k);
        qn_field_value_reference(SIDE, coefficients, (double)place_of(state, 2 * w), (double)place_of(state, 2 * w + 1),
                                 expected);
        for (size_t k = 0; k < 3; k++)
            *largest_error =
                qn_workload_larger_error(*largest_error, fabs((double)state->found[3 * w + k] - expected[k]) / 3e-6);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const field_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_movie_field_value_family.kernels[1].work(&((const field_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_field_problem_class(&(qn_field_problem){sizes[0], SIDE}, text);
}

extern const qn_workload qn_movie_field_value_workload;
const qn_workload qn_movie_field_value_workload = {
    .name = "movie/field_value",
    .summary = "correlations of patches at places between their samples",
    .family = &qn_movie_field_value_family,
    .size_names = {"windows"},
    .gpu_sizes = {3240},
    .cpu_sizes = {3240},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
