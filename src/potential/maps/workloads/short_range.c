#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/kernels/short_range.h"
#include "potential/maps/short_range.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 256, PROBES = 6 };

static const double tolerance = 0.001; /* kcal/mol: the rounding of maps, twice */

typedef struct short_range_state {
    qn_potential_parameters parameters;
    qn_potential_receptor receptor;
    qn_potential_model *model;
    qn_short_range *short_range;
    qn_buffer *values, *charges; /* of short_range */
    uint64_t seed;
} short_range_state;

static void destroy(void **pointer)
{
    short_range_state *state = *pointer;
    if (!state) return;
    qn_short_range_destroy(&state->short_range);
    qn_potential_model_destroy(&state->model);
    qn_potential_receptor_clear(&state->receptor);
    qn_potential_parameters_clear(&state->parameters);
    qn_release(pointer);
}

/* Random atoms in a cube, as dense as a protein and with its types; two thirds of its side are the grid's. */
static qn_status make_receptor(short_range_state *state, size_t count)
{
    static const char *const types[] = {"C", "C", "OA", "C", "N", "HD", "C", "A", "OA", "C", "HD", "N", "C", "A", "SA"};
    const double side = cbrt((double)count / 0.063);
    QN_TRY(qn_allocate(count, sizeof *state->receptor.atoms, (void **)&state->receptor.atoms));
    state->receptor.atom_count = count;
    for (size_t i = 0; i < count; i++) {
        qn_potential_atom *atom = &state->receptor.atoms[i];
        for (size_t k = 0; k < 3; k++)
            atom->position_angstrom[k] =
                1e-3 * (double)lround(500 * side * (double)qn_workload_input(state->seed, 3 * i + k));
        atom->charge_e = 0.4 * (double)qn_workload_input(state->seed + 1, i);
        strcpy(atom->type, types[i % (sizeof types / sizeof *types)]);
    }
    return QN_OK;
}

static qn_status fill_in(short_range_state *state, qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES])
{
    static char probes[PROBES][QN_POTENTIAL_NAME_MAX] = {"A", "C", "HD", "N", "NA", "OA"};
    qn_potential_settings settings = qn_potential_settings_default();
    settings.probes = probes;
    settings.probe_count = PROBES;
    for (int k = 0; k < 3; k++) settings.grid.points[k] = sizes[0];
    QN_TRY(qn_potential_parameters_start(&state->parameters));
    QN_TRY(make_receptor(state, (size_t)sizes[1]));
    QN_TRY(qn_potential_model_create(&settings, &state->parameters, &state->receptor, &state->model));
    const qn_short_range_input input = {.model = state->model, .planes_max = sizes[0]};
    QN_TRY(qn_short_range_create(queue, &input, &state->short_range));
    QN_TRY(qn_short_range_prepare(state->short_range, 0, sizes[0]));
    qn_short_range_outputs(state->short_range, &state->values, &state->charges);
    return QN_OK;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    QN_TRY(qn_workload_check_size("potential/short_range", "points", sizes[0], 1, 511, 1));
    QN_TRY(qn_workload_check_size("potential/short_range", "points less 1", sizes[0] - 1, 0, 510, 2));
    QN_TRY(qn_workload_check_size("potential/short_range", "atoms", sizes[1], 1, 1 << 20, 1));
    short_range_state *state;
    QN_TRY(qn_allocate(1, sizeof *state, (void **)&state));
    state->seed = seed;
    const qn_status status = fill_in(state, queue, sizes);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    const short_range_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->values, 0xff));
    return qn_workload_fill(queue, state->charges, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    short_range_state *state = pointer;
    qn_event *event = NULL;
    (void)queue; /* create has told it */
    if (seconds) *seconds = 0;
    const qn_status status = qn_short_range_run(state->short_range, configuration, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check random points and the last one. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const short_range_state *state = pointer;
    const int side = state->model->settings.grid.points[0];
    const size_t points = qn_potential_grid_size(&state->model->settings.grid);
    *largest_error = 0;
    for (uint64_t i = 0; i <= SAMPLES; i++) {
        int point[3];
        double expected[PROBES + 3];
        for (int axis = 0; axis < 3; axis++) {
            const float number = qn_workload_input(state->seed + 2, 3 * i + (uint64_t)axis);
            point[axis] = i == SAMPLES ? side - 1 : (int)(0.5f * (number + 1.0f) * (float)side) % side;
        }
        const size_t place = ((size_t)point[2] * (size_t)side + (size_t)point[1]) * (size_t)side + (size_t)point[0];
        qn_potential_reference_point(state->model, point, expected);
        expected[PROBES] = expected[PROBES + 1]; /* desolvation follows electrostatics there */
        for (size_t map = 0; map <= PROBES; map++) {
            float value;
            QN_TRY(qn_workload_read(queue, map < PROBES ? state->values : state->charges,
                                    (map < PROBES ? map * points + place : place) * sizeof value, &value,
                                    sizeof value));
            const double error = fabs((double)value - expected[map]) / (tolerance + 1e-6 * fabs(expected[map]));
            *largest_error = qn_workload_larger_error(*largest_error, error);
        }
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    qn_short_range_work(((const short_range_state *)pointer)->short_range, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    (void)sizes;
    snprintf(text, 64, "%s", "lanes=8");
}

extern const qn_workload qn_potential_short_range_workload;
const qn_workload qn_potential_short_range_workload = {
    .name = "potential/short_range",
    .summary = "AutoGrid's maps of six probes around a receptor",
    .family = &qn_potential_short_range_family,
    .size_names = {"points", "atoms"},
    .gpu_sizes = {127, 2702},
    .cpu_sizes = {63, 2702},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
