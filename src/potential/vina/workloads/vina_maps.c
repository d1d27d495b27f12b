#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/vina/kernels/vina_maps.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 256, KINDS = 8, SPACING_THOUSANDTHS = 375 };

/* A hundred additions in single precision; relative to the sum of magnitudes, which is at most a few hundred. */
static const double tolerance = 1e-3;

typedef struct maps_state {
    qn_vina_maps_problem problem;
    int32_t *atoms, *axes;
    float *tables;
    qn_vina_maps_bricks bricks;
    qn_buffer *atom_buffer, *list, *starts, *axis_buffer, *table_buffer, *result;
} maps_state;

static void destroy(void **pointer)
{
    maps_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->atom_buffer);
    qn_buffer_release(&state->list);
    qn_buffer_release(&state->starts);
    qn_buffer_release(&state->axis_buffer);
    qn_buffer_release(&state->table_buffer);
    qn_buffer_release(&state->result);
    qn_vina_maps_bricks_clear(&state->bricks);
    qn_release(&state->atoms);
    qn_release(&state->axes);
    qn_release(&state->tables);
    qn_release(pointer);
}

static size_t table_floats(const maps_state *state)
{
    return (size_t)KINDS * QN_VINA_MAPS_ENTRIES * (size_t)qn_vina_maps_row(state->problem.probes);
}

/* Atoms fill the box and 8 Å around it with the density of proteins' heavy atoms, one in 20 Å³. */
static qn_status make_inputs(maps_state *state, uint64_t seed)
{
    const int side = state->problem.points[0];
    const double box = SPACING_THOUSANDTHS * (side - 1) + 16000;
    state->problem.atoms = (int)(box * box * box / 20e9) + 1;
    const size_t atoms = (size_t)state->problem.atoms, floats = table_floats(state);
    QN_TRY(qn_allocate(4 * atoms, sizeof *state->atoms, (void **)&state->atoms));
    QN_TRY(qn_allocate(3 * (size_t)side, sizeof *state->axes, (void **)&state->axes));
    QN_TRY(qn_allocate(floats, sizeof *state->tables, (void **)&state->tables));
    for (size_t i = 0; i < 4 * atoms; i++) {
        const double number = 0.5 * ((double)qn_workload_input(seed, i) + 1);
        state->atoms[i] = i % 4 == 3 ? (int32_t)(number * KINDS) : (int32_t)(number * box) - 8000;
    }
    for (size_t i = 0; i < 3 * (size_t)side; i++) state->axes[i] = SPACING_THOUSANDTHS * (int32_t)(i % (size_t)side);
    for (size_t i = 0; i < floats; i++) state->tables[i] = qn_workload_input(seed + 1, i);
    return QN_OK;
}

static qn_status make_buffers(maps_state *state, qn_queue *queue)
{
    const qn_vina_maps_problem *p = &state->problem;
    const size_t side = (size_t)p->points[0];
    size_t bricks = 1;
    QN_TRY(qn_vina_maps_bricks_create(p->points, state->axes, state->atoms, (size_t)p->atoms, &state->bricks));
    for (int d = 0; d < 3; d++) bricks *= (size_t)state->bricks.bricks[d];
    const size_t listed = (size_t)state->bricks.starts[bricks];
    state->problem.pairs = 48.0 * (double)listed;
    QN_TRY(qn_workload_make_buffer(queue, state->atoms, 16 * (size_t)p->atoms, &state->atom_buffer));
    QN_TRY(qn_workload_make_buffer(queue, state->bricks.list, 4 * (listed + 1), &state->list));
    QN_TRY(qn_workload_make_buffer(queue, state->bricks.starts, 4 * (bricks + 1), &state->starts));
    QN_TRY(qn_workload_make_buffer(queue, state->axes, 4 * 3 * side, &state->axis_buffer));
    QN_TRY(qn_workload_make_buffer(queue, state->tables, 4 * table_floats(state), &state->table_buffer));
    return qn_buffer_create(qn_queue_device(queue), 4 * (size_t)p->probes * side * side * side, &state->result);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    maps_state *state = NULL;
    QN_TRY(qn_workload_check_size("potential/vina_maps", "points", sizes[0], 2, 512, 1));
    QN_TRY(qn_workload_check_size("potential/vina_maps", "maps", sizes[1], 1, 64, 1));
    QN_TRY(qn_allocate(1, sizeof *state, (void **)&state));
    state->problem =
        (qn_vina_maps_problem){.points = {sizes[0], sizes[0], sizes[0]}, .probes = sizes[1], .kinds = KINDS};
    qn_status status = make_inputs(state, seed);
    if (status == QN_OK) status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((maps_state *)pointer)->result, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    maps_state *s = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_vina_maps(queue, configuration, &s->problem, s->atom_buffer, s->list, s->starts,
                                          s->axis_buffer, s->table_buffer, s->result, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check points of all maps, the last point of the last one among them. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const maps_state *state = pointer;
    const size_t side = (size_t)state->problem.points[0], points = side * side * side;
    const size_t values = points * (size_t)state->problem.probes;
    *largest_error = 0;
    for (size_t i = 1; i <= SAMPLES; i++) {
        const size_t place = values * i / SAMPLES - 1, point = place % points;
        const int xyz[3] = {(int)(point % side), (int)(point / side % side), (int)(point / (side * side))};
        float value;
        QN_TRY(qn_workload_read(queue, state->result, 4 * place, &value, sizeof value));
        const double expected = qn_vina_maps_reference(&state->problem, state->atoms, state->axes, state->tables, xyz,
                                                       (int)(place / points));
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)value - expected) / tolerance);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const maps_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_potential_vina_maps_family.kernels[0].work(problem_of(pointer), least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_vina_maps_problem_class(sizes[1], text);
}

extern const qn_workload qn_potential_vina_maps_workload;
const qn_workload qn_potential_vina_maps_workload = {
    .name = "potential/vina_maps",
    .summary = "Vina's maps around a protein",
    .family = &qn_potential_vina_maps_family,
    .size_names = {"points", "maps"},
    .gpu_sizes = {127, 18},
    .cpu_sizes = {41, 6},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
