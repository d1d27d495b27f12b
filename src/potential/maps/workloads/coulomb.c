#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/coulomb.h"
#include "potential/maps/kernels/coulomb.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 512 };

/* relative to Σ |charge| / distance: a thousand additions, roots with errors of 5e-7 */
static const double tolerance = 1e-5;

typedef struct coulomb_state {
    qn_potential_grid grid;
    size_t atoms;
    uint64_t seed;
    double *positions, *charges;
    qn_coulomb *coulomb;
    qn_buffer *potential;
} coulomb_state;

static void destroy(void **pointer)
{
    coulomb_state *state = *pointer;
    if (!state) return;
    qn_coulomb_destroy(&state->coulomb);
    qn_buffer_release(&state->potential);
    qn_release(&state->positions);
    qn_release(&state->charges);
    qn_release(pointer);
}

/* Random atoms in the grid's box, with charges of both signs. */
static qn_status fill_in(coulomb_state *state, qn_queue *queue)
{
    void *memory;
    const double half = 0.5 * state->grid.points[0] * state->grid.spacing_angstrom;
    QN_TRY(qn_allocate(3 * state->atoms, sizeof(double), &memory));
    state->positions = memory;
    QN_TRY(qn_allocate(state->atoms, sizeof(double), &memory));
    state->charges = memory;
    for (size_t i = 0; i < 3 * state->atoms; i++)
        state->positions[i] = (float)(half * (double)qn_workload_input(state->seed, i));
    for (size_t i = 0; i < state->atoms; i++) state->charges[i] = (double)qn_workload_input(state->seed + 1, i);
    QN_TRY(qn_coulomb_create(queue, &state->grid, state->atoms, state->positions, state->charges, 1, &state->coulomb));
    return qn_buffer_create(qn_queue_device(queue), qn_potential_grid_size(&state->grid) * sizeof(float),
                            &state->potential);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("potential/coulomb", "points", sizes[0], 1, 1279, 1));
    QN_TRY(qn_workload_check_size("potential/coulomb", "atoms", sizes[1], 1, 1 << 24, 1));
    QN_TRY(qn_allocate(1, sizeof(coulomb_state), &memory));
    coulomb_state *state = memory;
    state->grid = (qn_potential_grid){{sizes[0], sizes[0], sizes[0]}, 0.5, {0}};
    state->atoms = (size_t)sizes[1];
    state->seed = seed;
    qn_status status = fill_in(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((coulomb_state *)pointer)->potential, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    coulomb_state *state = pointer;
    double time_s;
    (void)queue; /* create has told it */
    qn_coulomb_configure(state->coulomb, configuration);
    QN_TRY(qn_coulomb_planes(state->coulomb, 0, state->grid.points[2], state->potential, &time_s));
    if (seconds) *seconds = time_s;
    return QN_OK;
}

static double expected_at(const coulomb_state *state, const int point[3], double *scale)
{
    const qn_coulomb_problem problem = {.atoms = 1,
                                        .origin = {(float)qn_potential_grid_offset(&state->grid, 0, 0),
                                                   (float)qn_potential_grid_offset(&state->grid, 1, 0),
                                                   (float)qn_potential_grid_offset(&state->grid, 2, 0)},
                                        .spacing = (float)state->grid.spacing_angstrom,
                                        .least = (float)QN_COULOMB_LEAST_ANGSTROM,
                                        .factor = 1};
    double sum = 0;
    *scale = 0;
    for (size_t a = 0; a < state->atoms; a++) {
        const double *at = state->positions + 3 * a;
        const float atom[4] = {(float)at[0], (float)at[1], (float)at[2], (float)state->charges[a]};
        double one;
        sum += qn_coulomb_reference(&problem, atom, point, &one);
        *scale += one;
    }
    return sum;
}

/* Check random points and the last one. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const coulomb_state *state = pointer;
    const int side = state->grid.points[0];
    *largest_error = 0;
    for (uint64_t i = 0; i <= SAMPLES; i++) {
        int point[3];
        float potential;
        double scale;
        for (uint64_t axis = 0; axis < 3; axis++)
            point[axis] = (int)(0.5f * (qn_workload_input(state->seed + 2, 3 * i + axis) + 1.0f) * (float)side) % side;
        if (i == SAMPLES) point[0] = point[1] = point[2] = side - 1;
        const size_t place = ((size_t)point[2] * (size_t)side + (size_t)point[1]) * (size_t)side + (size_t)point[0];
        QN_TRY(qn_workload_read(queue, state->potential, place * sizeof(float), &potential, sizeof potential));
        const double expected = expected_at(state, point, &scale);
        const double error = potential > expected ? potential - expected : expected - potential;
        *largest_error = qn_workload_larger_error(*largest_error, error / (tolerance * scale));
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    const coulomb_state *state = pointer;
    const double points = (double)qn_potential_grid_size(&state->grid), pairs = points * (double)state->atoms;
    *least = (qn_work){.bytes_read = 16.0 * (double)state->atoms,
                       .bytes_written = 4 * points,
                       .multiply_adds = 3 * pairs,
                       .reciprocal_roots = pairs};
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "points=%d", sizes[0] < 128 ? 64 : sizes[0] < 256 ? 128 : 256);
}

extern const qn_workload qn_potential_coulomb_workload;
const qn_workload qn_potential_coulomb_workload = {
    .name = "potential/coulomb",
    .summary = "plain Coulomb potential of a receptor on a grid, all pairs",
    .family = &qn_potential_coulomb_family,
    .size_names = {"points", "atoms"},
    .gpu_sizes = {385, 1024},
    .cpu_sizes = {65, 512},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
