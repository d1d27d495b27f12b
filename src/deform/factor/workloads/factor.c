#include <math.h>

#include <quern/workload.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/box.h"
#include "deform/factor/kernels/factor.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 64, STATES_MAX = 4096, SAMPLES = 3 };

/* Of numbers of size 1 to 6 in single precision. */
static const double tolerance = 1e-4;

typedef struct factor_state {
    qn_factor_box box;
    qn_factor_plan *plan;
    qn_factor_schedule *schedule; /* of the last run's configuration */
    qn_factor_lists lists;
    qn_factor_arrays arrays;
} factor_state;

static void release_schedule(factor_state *state)
{
    qn_factor_lists_release(&state->lists);
    qn_factor_schedule_destroy(&state->schedule);
    qn_buffer_release(&state->arrays.tiles);
    qn_buffer_release(&state->arrays.diagonals);
}

static void destroy(void **pointer)
{
    factor_state *state = *pointer;
    if (!state) return;
    release_schedule(state);
    qn_buffer_release(&state->arrays.values);
    qn_buffer_release(&state->arrays.wrong);
    qn_factor_plan_destroy(&state->plan);
    qn_factor_box_release(&state->box);
    qn_release(pointer);
}

/* K of a state: the box's, its diagonal raised by a factor of the state's own. */
static float value_of(const factor_state *state, size_t value, size_t of)
{
    const double own = state->box.values[value];
    return isnan(own) ? 0 : (float)(fabs(own) > 1 ? own * (1 + 0.01 * (double)(of % 16)) : own);
}

static qn_status make_values(factor_state *state, qn_queue *queue)
{
    const size_t states = (size_t)state->arrays.states, count = state->box.value_count * states;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *values = memory;
    for (size_t v = 0; v < state->box.value_count; v++)
        for (size_t s = 0; s < states; s++) values[v * states + s] = value_of(state, v, s);
    const qn_status status = qn_workload_make_buffer(queue, values, count * sizeof(float), &state->arrays.values);
    qn_release(&values);
    return status;
}

/* Schedule, lists and arrays for a configuration, unless they are there. */
static qn_status prepare(factor_state *state, qn_queue *queue, const qn_configuration *configuration)
{
    const int block = configuration->value[QN_FACTOR_BLOCK], panel = configuration->value[QN_FACTOR_PANEL] / block;
    qn_device *device = qn_queue_device(queue);
    const qn_factor_schedule *s = state->schedule;
    if (s && s->block == block && s->panel_tiles == panel && s->levels == configuration->value[QN_FACTOR_LEVELS])
        return QN_OK;
    release_schedule(state);
    QN_TRY(qn_factor_schedule_for(state->plan, configuration, &state->schedule));
    QN_TRY(qn_factor_lists_create(queue, state->schedule, &state->lists));
    QN_TRY(
        qn_buffer_create(device, qn_factor_tiles_bytes(state->schedule, state->arrays.stride), &state->arrays.tiles));
    return qn_buffer_create(device, qn_factor_diagonals_bytes(state->schedule, state->arrays.stride),
                            &state->arrays.diagonals);
}

static qn_status build(factor_state *state, qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES])
{
    const qn_configuration fallback = qn_family_fallback(&qn_deform_factor_family);
    state->arrays.states = state->arrays.stride = sizes[1];
    QN_TRY(qn_factor_box_create((const int[]){sizes[0], sizes[0], sizes[0]}, sizes[2] == 1, (uint32_t)sizes[0],
                                &state->box));
    QN_TRY(qn_factor_plan_create(&state->box.pattern, state->box.is_free, state->box.sign, &state->plan));
    QN_TRY(make_values(state, queue));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), (size_t)sizes[1] * sizeof(int32_t), &state->arrays.wrong));
    return prepare(state, queue, &fallback);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    (void)seed;
    QN_TRY(qn_workload_check_size("deform/factor", "side", sizes[0], 2, SIDE_MAX, 1));
    QN_TRY(qn_workload_check_size("deform/factor", "states", sizes[1], 1, STATES_MAX, 1));
    QN_TRY(qn_workload_check_size("deform/factor", "mixed", sizes[2], 0, 1, 1));
    QN_TRY(qn_allocate(1, sizeof(factor_state), &memory));
    const qn_status status = build(memory, queue, sizes);
    *out = memory;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    factor_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->arrays.tiles, 0xff));
    return qn_workload_fill(queue, state->arrays.diagonals, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    factor_state *state = pointer;
    qn_configuration chosen;
    double device_seconds = 0;
    if (!configuration) qn_factor_configuration(queue, state->plan, state->arrays.states, &chosen);
    if (!configuration) configuration = &chosen;
    QN_TRY(prepare(state, queue, configuration));
    QN_TRY(qn_factor_states(queue, configuration, &state->lists, &state->arrays, &device_seconds));
    if (seconds) *seconds = device_seconds;
    return QN_OK;
}

typedef struct check_room {
    double *values, *tiles, *diagonals;
    float *found;
} check_room;

static void room_release(check_room *room)
{
    qn_release(&room->values);
    qn_release(&room->tiles);
    qn_release(&room->diagonals);
    qn_release(&room->found);
}

static qn_status room_allocate(const factor_state *state, check_room *room)
{
    const qn_factor_schedule *s = state->schedule;
    const size_t size = (size_t)(s->block * s->block), stored = (size_t)s->stored_count * size;
    QN_TRY(qn_allocate(state->box.value_count, sizeof(double), (void **)&room->values));
    QN_TRY(qn_allocate(stored, sizeof(double), (void **)&room->tiles));
    QN_TRY(qn_allocate((size_t)s->tile_count * size, sizeof(double), (void **)&room->diagonals));
    return qn_allocate(qn_factor_diagonals_bytes(s, state->arrays.stride) / sizeof(float), sizeof(float),
                       (void **)&room->found);
}

/* Every diagonal tile of some states: all others have gone into them. */
static qn_status check_states(factor_state *state, qn_queue *queue, check_room *room, double *largest_error)
{
    const qn_factor_schedule *s = state->schedule;
    const size_t block = (size_t)s->block, size = block * block, stride = (size_t)state->arrays.stride;
    QN_TRY(qn_workload_read(queue, state->arrays.diagonals, 0, room->found,
                            qn_factor_diagonals_bytes(s, state->arrays.stride)));
    for (size_t sample = 0; sample < SAMPLES && sample < (size_t)state->arrays.states; sample++) {
        const size_t of = sample * ((size_t)state->arrays.states - 1) / (SAMPLES - 1);
        for (size_t v = 0; v < state->box.value_count; v++) room->values[v] = (double)value_of(state, v, of);
        qn_factor_states_reference(s, room->values, room->tiles, room->diagonals);
        for (size_t v = 0; v < (size_t)s->tile_count * size; v++)
            if (v % size % block >= v % size / block)
                *largest_error = qn_workload_larger_error(
                    *largest_error, fabs((double)room->found[v * stride + of] - room->diagonals[v]) / tolerance);
    }
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    check_room room = {0};
    *largest_error = 0;
    qn_status status = room_allocate(pointer, &room);
    if (status == QN_OK) status = check_states(pointer, queue, &room, largest_error);
    room_release(&room);
    return status;
}

static void work(const void *pointer, qn_work *least)
{
    const factor_state *state = pointer;
    const double states = state->arrays.states;
    const qn_factor_facts facts = qn_factor_plan_facts(state->plan);
    *least = (qn_work){.bytes_read = 4 * states * (double)state->plan->entry_count,
                       .bytes_written = 4 * states * (double)facts.value_count,
                       .multiply_adds = states * facts.multiply_adds};
}

/* The work of a box of n³ nodes grows with the sixth power of n. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const double freedoms = sizes[2] == 1 ? 3.75 : 3;
    qn_factor_class(2 * pow(freedoms, 3) * pow(sizes[0], 6), sizes[1], text);
}

extern const qn_workload qn_deform_factor_workload;
const qn_workload qn_deform_factor_workload = {
    .name = "deform/factor",
    .summary = "sparse factors K = G S Gt of many states of a box of side^3 nodes",
    .family = &qn_deform_factor_family,
    .size_names = {"side", "states", "mixed"},
    .gpu_sizes = {10, 256, 0},
    .cpu_sizes = {7, 32, 0},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
