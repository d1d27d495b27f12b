#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/drmsd_products.h"
#include "cluster/measure/workloads/drmsd_samples.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

/* Rows and columns are different structures at random places, so that no pair is near. The centre is 0: distances of
 * about 15 Å cancel less than those minus a mean, and the tolerance allows for it. Distances are measured once, by the
 * family drmsd; a run copies and multiplies them. */
enum { STRUCTURES, ATOMS };
static const double tolerance_angstrom = 2e-4;

typedef struct products_state {
    qn_drmsd_problem problem; /* with one slice of the pairs of atoms */
    float *positions[2];
    qn_drmsd_tile tile;
    qn_buffer *panels[2], *measured[2], *weights, *centre;
} products_state;

static void destroy(void **pointer)
{
    products_state *state = *pointer;
    if (!state) return;
    for (int side = 0; side < 2; side++) {
        qn_release(&state->positions[side]);
        qn_buffer_release(&state->panels[side]);
        qn_buffer_release(&state->measured[side]);
        qn_buffer_release(&state->tile.positions[side]);
        qn_buffer_release(&state->tile.distances[side]);
        qn_buffer_release(&state->tile.norms[side]);
    }
    qn_buffer_release(&state->tile.values);
    qn_buffer_release(&state->tile.near);
    qn_buffer_release(&state->weights);
    qn_buffer_release(&state->centre);
    qn_release(pointer);
}

static qn_status make_side(products_state *state, qn_queue *queue, uint64_t seed, int side)
{
    const int atoms = state->problem.atoms, structures = state->problem.row_count;
    const size_t count = (size_t)structures, floats = 3 * (size_t)atoms, bytes = qn_drmsd_distance_bytes(atoms, count);
    qn_device *device = qn_queue_device(queue);
    void *memory;
    QN_TRY(qn_allocate(count * floats, sizeof(float), &memory));
    float *positions = state->positions[side] = memory;
    for (size_t i = 0; i < count * floats; i++) positions[i] = 15 * qn_workload_input(seed + 1 + (uint64_t)side, i);
    QN_TRY(qn_workload_make_buffer(queue, positions, count * floats * sizeof(float), &state->tile.positions[side]));
    QN_TRY(qn_buffer_create(device, qn_drmsd_panel_bytes(atoms, count), &state->panels[side]));
    QN_TRY(qn_buffer_create(device, bytes, &state->measured[side]));
    QN_TRY(qn_buffer_create(device, bytes, &state->tile.distances[side]));
    QN_TRY(qn_buffer_create(device, qn_drmsd_norm_bytes(count), &state->tile.norms[side]));
    QN_TRY(qn_drmsd_pack(queue, NULL, atoms, structures, state->tile.positions[side], state->panels[side], NULL));
    return qn_drmsd_measure(queue, NULL, atoms, structures, 0, state->panels[side], state->weights,
                            state->measured[side], NULL);
}

static qn_status make_all(products_state *state, qn_queue *queue, uint64_t seed)
{
    const size_t count = (size_t)state->problem.row_count, atoms = (size_t)state->problem.atoms;
    void *memory;
    QN_TRY(qn_allocate(atoms, sizeof(float), &memory));
    float *ones = memory;
    for (size_t i = 0; i < atoms; i++) ones[i] = 1;
    qn_status status = qn_workload_make_buffer(queue, ones, atoms * sizeof(float), &state->weights);
    qn_release(&memory);
    for (int side = 0; side < 2 && status == QN_OK; side++) status = make_side(state, queue, seed, side);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, NULL, qn_drmsd_centre_bytes(state->problem.atoms), &state->centre);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, NULL, count * count * sizeof(float), &state->tile.values);
    state->tile.near_room = 1;
    if (status == QN_OK) status = qn_workload_make_buffer(queue, NULL, 2 * sizeof(int32_t), &state->tile.near);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("cluster/drmsd_products", "structures", sizes[STRUCTURES], 1, 8192, 1));
    QN_TRY(qn_workload_check_size("cluster/drmsd_products", "atoms", sizes[ATOMS], 8, 64, 1)); /* one slice */
    QN_TRY(qn_allocate(1, sizeof(products_state), &memory));
    products_state *state = *out = memory;
    state->problem = (qn_drmsd_problem){.atoms = sizes[ATOMS],
                                        .row_count = sizes[STRUCTURES],
                                        .column_count = sizes[STRUCTURES],
                                        .weight = 0.5 * sizes[ATOMS] * (sizes[ATOMS] - 1)};
    const qn_status status = make_all(state, queue, seed);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((products_state *)pointer)->tile.values, 0xff);
}

static qn_status launch(products_state *state, qn_queue *queue, const qn_configuration *configuration,
                        qn_event *events[3])
{
    const int atoms = state->problem.atoms, count = state->problem.row_count;
    QN_TRY(qn_workload_fill(queue, state->tile.near, 0));
    for (int side = 0; side < 2; side++) {
        QN_TRY(qn_queue_copy(queue, state->measured[side], 0, state->tile.distances[side], 0,
                             qn_buffer_bytes(state->measured[side]), NULL));
        QN_TRY(qn_drmsd_centre(queue, configuration, atoms, count, 0, state->tile.distances[side], state->centre,
                               state->tile.norms[side], &events[side]));
    }
    return qn_drmsd_multiply(queue, configuration, &state->problem, &state->tile, &events[2]);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_event *events[3] = {NULL};
    if (seconds) *seconds = 0;
    const qn_status status = launch(pointer, queue, configuration, events);
    return qn_workload_take_seconds(status, events, 3, seconds);
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const products_state *state = pointer;
    return drmsd_check_samples(queue, &state->problem, state->positions, state->tile.values, tolerance_angstrom,
                               largest_error);
}

static void work(const void *pointer, qn_work *least)
{
    const products_state *state = pointer;
    qn_cluster_drmsd_products_family.kernels[QN_DRMSD_MULTIPLY].work(&state->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "%s", qn_drmsd_problem_class(sizes[STRUCTURES]));
}

extern const qn_workload qn_cluster_drmsd_products_workload;
const qn_workload qn_cluster_drmsd_products_workload = {
    .name = "cluster/drmsd_products",
    .summary = "products of the distance vectors of two sets of structures",
    .family = &qn_cluster_drmsd_products_family,
    .size_names = {"structures", "atoms"},
    .gpu_sizes = {2048, 64},
    .cpu_sizes = {512, 64},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
