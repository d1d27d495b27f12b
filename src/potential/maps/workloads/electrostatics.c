#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/electrostatics.h"
#include "potential/maps/kernels/electrostatics.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 256, ENTRIES = 16384 };

static const double tolerance = 3e-4; /* kcal/mol/e: the steps of the table beyond 12 Å */

typedef struct electrostatics_state {
    qn_potential_grid grid;
    size_t atoms;
    uint64_t seed;
    double *positions, *charges, *screening;
    qn_electrostatics *electrostatics;
    qn_buffer *potential;
} electrostatics_state;

static void destroy(void **pointer)
{
    electrostatics_state *state = *pointer;
    if (!state) return;
    qn_electrostatics_destroy(&state->electrostatics);
    qn_buffer_release(&state->potential);
    qn_release(&state->positions);
    qn_release(&state->charges);
    qn_release(&state->screening);
    qn_release(pointer);
}

static qn_status allocate(size_t count, double **numbers)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(double), &memory));
    *numbers = memory;
    return QN_OK;
}

/* Random charges in a cube, as dense as a protein, with three decimals; Mehler and Solmajer's dielectric. */
static qn_status make_inputs(electrostatics_state *state)
{
    const double side = cbrt((double)state->atoms / 0.063);
    QN_TRY(allocate(3 * state->atoms, &state->positions));
    QN_TRY(allocate(state->atoms, &state->charges));
    QN_TRY(allocate(ENTRIES, &state->screening));
    for (size_t i = 0; i < 3 * state->atoms; i++)
        state->positions[i] = 1e-3 * (double)lround(500 * side * (double)qn_workload_input(state->seed, i));
    for (size_t i = 0; i < state->atoms; i++) state->charges[i] = 0.4 * (double)qn_workload_input(state->seed + 1, i);
    for (int i = 0; i < ENTRIES; i++)
        state->screening[i] = 0.1406 * 332 / (i ? -8.5525 + 86.9525 / (1 + 7.7839 * exp(-0.0031537671 * i)) : 1);
    return QN_OK;
}

static qn_status fill_in(electrostatics_state *state, qn_queue *queue)
{
    QN_TRY(make_inputs(state));
    const qn_electrostatics_input input = {.grid = state->grid,
                                           .atom_count = state->atoms,
                                           .positions_angstrom = state->positions,
                                           .charges_e = state->charges,
                                           .screening = state->screening,
                                           .entries = ENTRIES,
                                           .planes_max = state->grid.points[2],
                                           .counts_pairs = true};
    QN_TRY(qn_electrostatics_create(queue, &input, &state->electrostatics));
    const size_t bytes = qn_potential_grid_size(&state->grid) * sizeof(float);
    return qn_buffer_create(qn_queue_device(queue), bytes, &state->potential);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("potential/electrostatics", "points", sizes[0], 1, 511, 1));
    QN_TRY(qn_workload_check_size("potential/electrostatics", "points less 1", sizes[0] - 1, 0, 510, 2));
    QN_TRY(qn_workload_check_size("potential/electrostatics", "atoms", sizes[1], 1, 1 << 20, 1));
    QN_TRY(qn_allocate(1, sizeof(electrostatics_state), &memory));
    electrostatics_state *state = memory;
    state->grid = (qn_potential_grid){{sizes[0], sizes[0], sizes[0]}, 0.375, {0}};
    state->atoms = (size_t)sizes[1];
    state->seed = seed;
    qn_status status = fill_in(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((electrostatics_state *)pointer)->potential, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    electrostatics_state *state = pointer;
    qn_event *events[QN_ELECTROSTATICS_LAUNCHES] = {NULL};
    (void)queue; /* create has told it */
    if (seconds) *seconds = 0;
    qn_electrostatics_configure(state->electrostatics, configuration);
    qn_electrostatics_forget(state->electrostatics);
    qn_status status =
        qn_electrostatics_planes(state->electrostatics, 0, state->grid.points[2], state->potential, events);
    return qn_workload_take_seconds(status, events, QN_ELECTROSTATICS_LAUNCHES, seconds);
}

/* Check random points and the last one. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const electrostatics_state *state = pointer;
    const int side = state->grid.points[0];
    *largest_error = 0;
    for (uint64_t i = 0; i <= SAMPLES; i++) {
        int point[3];
        double at[3];
        float potential;
        for (int axis = 0; axis < 3; axis++) {
            const float number = qn_workload_input(state->seed + 2, 3 * i + (uint64_t)axis);
            point[axis] = i == SAMPLES ? side - 1 : (int)(0.5f * (number + 1.0f) * (float)side) % side;
            at[axis] = qn_potential_grid_offset(&state->grid, axis, point[axis]);
        }
        const size_t place = ((size_t)point[2] * (size_t)side + (size_t)point[1]) * (size_t)side + (size_t)point[0];
        QN_TRY(qn_workload_read(queue, state->potential, place * sizeof(float), &potential, sizeof potential));
        const double expected =
            qn_electrostatics_reference(state->atoms, state->positions, state->charges, state->screening, ENTRIES, at);
        const double error = potential > expected ? potential - expected : expected - potential;
        *largest_error = qn_workload_larger_error(*largest_error, error / tolerance);
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    const electrostatics_state *state = pointer;
    *least = (qn_work){0};
    for (int launch = 0; launch < QN_ELECTROSTATICS_LAUNCHES; launch++) {
        qn_work one;
        qn_electrostatics_work(state->electrostatics, launch, &one);
        least->bytes_read += one.bytes_read;
        least->multiply_adds += one.multiply_adds;
        least->reciprocal_roots += one.reciprocal_roots;
        least->bytes_written = one.bytes_written; /* of the last launch: values between launches can stay in a cache */
    }
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "%s", qn_electrostatics_problem_class(sizes[0]));
}

extern const qn_workload qn_potential_electrostatics_workload;
const qn_workload qn_potential_electrostatics_workload = {
    .name = "potential/electrostatics",
    .summary = "AutoGrid's electrostatic map of a receptor",
    .family = &qn_potential_electrostatics_family,
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
