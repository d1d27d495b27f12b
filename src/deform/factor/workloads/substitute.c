#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/box.h"
#include "deform/factor/kernels/substitute.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 64, STATES_MAX = 4096, SAMPLES = 3 };

/* Of solutions of size 1 in single precision. */
static const double tolerance = 1e-4;

/* All states have the box's matrix, but right sides of their own. */
typedef struct substitute_state {
    qn_factor_box box;
    qn_factor_plan *plan;
    qn_factor_schedule *schedule; /* of the last run's configuration */
    qn_factor_lists lists;
    qn_factor_arrays arrays;
    int sides;
    size_t count; /* numbers of x */
    uint64_t seed;
    qn_buffer *right, *x;
} substitute_state;

static void release_schedule(substitute_state *state)
{
    qn_factor_lists_release(&state->lists);
    qn_factor_schedule_destroy(&state->schedule);
    qn_buffer_release(&state->arrays.tiles);
    qn_buffer_release(&state->arrays.diagonals);
}

static void destroy(void **pointer)
{
    substitute_state *state = *pointer;
    if (!state) return;
    release_schedule(state);
    qn_buffer_release(&state->arrays.values);
    qn_buffer_release(&state->arrays.wrong);
    qn_buffer_release(&state->right);
    qn_buffer_release(&state->x);
    qn_factor_plan_destroy(&state->plan);
    qn_factor_box_release(&state->box);
    qn_release(pointer);
}

static qn_status make_values(substitute_state *state, qn_queue *queue)
{
    const size_t states = (size_t)state->arrays.states, count = state->box.value_count * states;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *values = memory;
    for (size_t v = 0; v < state->box.value_count; v++)
        for (size_t s = 0; s < states; s++)
            values[v * states + s] = isnan(state->box.values[v]) ? 0 : (float)state->box.values[v];
    const qn_status status = qn_workload_make_buffer(queue, values, count * sizeof(float), &state->arrays.values);
    qn_release(&values);
    return status;
}

/* Schedule, lists and factors for a configuration, unless they are there. */
static qn_status prepare(substitute_state *state, qn_queue *queue, const qn_configuration *configuration)
{
    qn_configuration factor = qn_family_fallback(&qn_deform_factor_family);
    const int block = factor.value[QN_FACTOR_BLOCK] = configuration->value[QN_SUBSTITUTE_BLOCK];
    const int panel = factor.value[QN_FACTOR_PANEL] = configuration->value[QN_SUBSTITUTE_PANEL];
    qn_device *device = qn_queue_device(queue);
    if (state->schedule && state->schedule->block == block && state->schedule->panel_tiles == panel / block)
        return QN_OK;
    release_schedule(state);
    QN_TRY(qn_factor_schedule_for(state->plan, &factor, &state->schedule));
    QN_TRY(qn_factor_lists_create(queue, state->schedule, &state->lists));
    QN_TRY(
        qn_buffer_create(device, qn_factor_tiles_bytes(state->schedule, state->arrays.stride), &state->arrays.tiles));
    QN_TRY(qn_buffer_create(device, qn_factor_diagonals_bytes(state->schedule, state->arrays.stride),
                            &state->arrays.diagonals));
    return qn_factor_states(queue, &factor, &state->lists, &state->arrays, NULL);
}

static qn_status build(substitute_state *state, qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed)
{
    const qn_configuration fallback = qn_family_fallback(&qn_deform_substitute_family);
    state->arrays.states = state->arrays.stride = sizes[1];
    state->sides = sizes[2];
    state->seed = seed;
    QN_TRY(qn_factor_box_create((const int[]){sizes[0], sizes[0], sizes[0]}, false, (uint32_t)sizes[0], &state->box));
    QN_TRY(qn_factor_plan_create(&state->box.pattern, state->box.is_free, state->box.sign, &state->plan));
    QN_TRY(make_values(state, queue));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), (size_t)sizes[1] * sizeof(int32_t), &state->arrays.wrong));
    state->count = (size_t)sizes[1] * (size_t)sizes[2] * state->box.freedoms;
    QN_TRY(qn_workload_make_inputs(queue, seed, state->count, &state->right));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), state->count * sizeof(float), &state->x));
    return prepare(state, queue, &fallback);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("deform/substitute", "side", sizes[0], 2, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("deform/substitute", "states", sizes[1], 1, STATES_MAX, 1));
    QN_TRY(qn_workload_check_size("deform/substitute", "sides", sizes[2], 1, QN_SUBSTITUTE_SIDES_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(substitute_state), &memory));
    const qn_status status = build(memory, queue, sizes, seed);
    *out = memory;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((substitute_state *)pointer)->x, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    substitute_state *state = pointer;
    const qn_configuration fallback = qn_family_fallback(&qn_deform_substitute_family);
    double device_seconds = 0;
    if (!configuration) configuration = &fallback;
    QN_TRY(prepare(state, queue, configuration));
    QN_TRY(qn_queue_copy(queue, state->right, 0, state->x, 0, state->count * sizeof(float), NULL));
    QN_TRY(qn_substitute_states(queue, configuration, &state->lists, &state->arrays, state->sides, state->x,
                                &device_seconds));
    if (seconds) *seconds = device_seconds;
    return QN_OK;
}

/* The exact solution of side `side` of state `of`. */
static void solve_exactly(const substitute_state *state, qn_factor *factor, size_t side, size_t of, double *x)
{
    const size_t states = (size_t)state->arrays.states;
    for (size_t f = 0; f < state->box.freedoms; f++)
        x[f] = (double)qn_workload_input(state->seed, (side * state->box.freedoms + f) * states + of);
    qn_factor_solve(factor, x, 1, x);
}

static void compare(const substitute_state *state, qn_factor *factor, const float *found, double *x,
                    double *largest_error)
{
    const size_t states = (size_t)state->arrays.states;
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        const size_t of = sample * (states - 1) / (SAMPLES - 1), side = sample % (size_t)state->sides;
        solve_exactly(state, factor, side, of, x);
        for (size_t f = 0; f < state->box.freedoms; f++) {
            const double value = (double)found[(side * state->box.freedoms + f) * states + of];
            if (state->box.is_free[f])
                *largest_error = qn_workload_larger_error(*largest_error, fabs(value - x[f]) / tolerance);
        }
    }
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    substitute_state *state = pointer;
    qn_factor *factor = NULL;
    void *found = NULL, *x = NULL;
    size_t wrong = 0;
    *largest_error = 0;
    qn_status status = qn_factor_create(state->plan, &factor);
    if (status == QN_OK) status = qn_factor_compute(factor, state->box.values, &wrong);
    if (status == QN_OK) status = qn_allocate(state->count, sizeof(float), &found);
    if (status == QN_OK) status = qn_allocate(state->box.freedoms, sizeof(double), &x);
    if (status == QN_OK) status = qn_workload_read(queue, state->x, 0, found, state->count * sizeof(float));
    if (status == QN_OK) compare(state, factor, found, x, largest_error);
    qn_factor_destroy(&factor);
    qn_release(&found);
    qn_release(&x);
    return status;
}

static void work(const void *pointer, qn_work *least)
{
    const substitute_state *state = pointer;
    const double values = (double)qn_factor_plan_facts(state->plan).value_count, states = state->arrays.states;
    *least = (qn_work){.bytes_read = 4 * states * 2 * values,
                       .bytes_written = 4 * (double)state->count,
                       .multiply_adds = states * state->sides * 2 * values};
}

/* The values of a factor of a box of n³ nodes grow with the fourth power of n. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_factor_class(2 * pow(3, 3) * pow(sizes[0], 6), sizes[1], text);
}

extern const qn_workload qn_deform_substitute_workload;
const qn_workload qn_deform_substitute_workload = {
    .name = "deform/substitute",
    .summary = "solving with sparse factors of many states of a box of side^3 nodes",
    .family = &qn_deform_substitute_family,
    .size_names = {"side", "states", "sides"},
    .gpu_sizes = {10, 256, 1},
    .cpu_sizes = {7, 32, 1},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
