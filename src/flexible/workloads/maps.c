#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "flexible/workloads/scene.h"

#include <quern/workload.h>

enum { SAMPLES = 256 };
static const double tolerance = 1e-4; /* relative to the value, or in kcal/mol */

typedef struct maps_state {
    qn_score_receptor receptor;
    qn_flexible_grid grid;
    size_t points;
    uint64_t seed;
    qn_buffer *maps;
} maps_state;

static void destroy(void **pointer)
{
    maps_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->maps);
    qn_score_receptor_clear(&state->receptor);
    qn_release(pointer);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    static const double centre[3] = {0, 0, 0};
    const double side = QN_FLEXIBLE_SPACING_ANGSTROM * (sizes[0] - 1), sides[3] = {side, side, side};
    QN_TRY(qn_workload_check_size("flexible/maps", "points", sizes[0], 8, 256, 1));
    QN_TRY(qn_allocate(1, sizeof(maps_state), out));
    maps_state *state = *out;
    state->seed = seed;
    state->points = (size_t)sizes[0] * (size_t)sizes[0] * (size_t)sizes[0];
    qn_status status = scene_receptor(side + 16, seed, &state->receptor);
    if (status == QN_OK) status = qn_flexible_grid_of(centre, sides, &state->grid);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, NULL, state->points * SCENE_TYPES * sizeof(float), &state->maps);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((maps_state *)pointer)->maps, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    maps_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_flexible_maps(queue, configuration, &state->receptor, &state->grid, scene_types, SCENE_TYPES,
                                        state->maps, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    maps_state *state = pointer;
    const size_t nx = (size_t)state->grid.points[0], all = state->points * SCENE_TYPES;
    *largest_error = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t index = i * (all / SAMPLES) + i % 7, point = index % state->points;
        const size_t at[3] = {point % nx, point / nx % nx, point / nx / nx};
        double place[3];
        float value;
        for (int d = 0; d < 3; d++) place[d] = QN_FLEXIBLE_SPACING_ANGSTROM * ((double)at[d] - 0.5 * (double)(nx - 1));
        const double expected = qn_flexible_maps_reference(&state->receptor, place, scene_types[index / state->points]);
        QN_TRY(qn_workload_read(queue, state->maps, index * sizeof value, &value, sizeof value));
        *largest_error = qn_workload_larger_error(*largest_error, fabs((double)value - expected) /
                                                                      (tolerance * fmax(1, fabs(expected))));
    }
    return QN_OK;
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "points=2^%ld types=%d", lround(3 * log2(sizes[0])), SCENE_TYPES);
}

static void work(const void *pointer, qn_work *least)
{
    const maps_state *state = pointer;
    const double values = (double)state->points * SCENE_TYPES;
    const double near = scene_atoms_per_cubic_angstrom * 4.0 / 3 * 3.14159265 * 512;
    *least = (qn_work){.bytes_read = 16 * (double)state->receptor.atom_count,
                       .bytes_written = 4 * values,
                       .multiply_adds = (double)state->points * near * 12 + values * near * 30};
}

extern const qn_workload qn_flexible_maps_workload;
const qn_workload qn_flexible_maps_workload = {
    .name = "flexible/maps",
    .summary = "maps of Vina's energy for five types of atoms on a cube of points",
    .family = &qn_flexible_maps_family,
    .size_names = {"points"},
    .gpu_sizes = {96},
    .cpu_sizes = {48},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
