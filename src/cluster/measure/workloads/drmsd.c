#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/kernels/drmsd.h"
#include "cluster/measure/workloads/drmsd_samples.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

/* Rows and columns are different structures: one shape, displaced at random by up to 2 Å. */
enum { STRUCTURES, ATOMS, EVENTS_MAX = 1024 };
static const double tolerance_angstrom = 2e-5;

typedef struct drmsd_state {
    qn_drmsd_problem problem;
    float *positions[2]; /* of rows, of columns */
    qn_buffer *position_buffers[2], *panels[2], *distances[2], *weights, *values;
} drmsd_state;

static void destroy(void **pointer)
{
    drmsd_state *state = *pointer;
    if (!state) return;
    for (int side = 0; side < 2; side++) {
        qn_release(&state->positions[side]);
        qn_buffer_release(&state->position_buffers[side]);
        qn_buffer_release(&state->panels[side]);
        qn_buffer_release(&state->distances[side]);
    }
    qn_buffer_release(&state->weights);
    qn_buffer_release(&state->values);
    qn_release(pointer);
}

static qn_status make_side(drmsd_state *state, qn_queue *queue, uint64_t seed, int side)
{
    const size_t count = (size_t)state->problem.row_count, floats = 3 * (size_t)state->problem.atoms;
    qn_device *device = qn_queue_device(queue);
    void *memory;
    QN_TRY(qn_allocate(count * floats, sizeof(float), &memory));
    float *positions = state->positions[side] = memory;
    for (size_t i = 0; i < count * floats; i++)
        positions[i] = 25 * qn_workload_input(seed, i % floats) + 2 * qn_workload_input(seed + 1 + (uint64_t)side, i);
    QN_TRY(qn_workload_make_buffer(queue, positions, count * floats * sizeof(float), &state->position_buffers[side]));
    QN_TRY(qn_buffer_create(device, qn_drmsd_panel_bytes(state->problem.atoms, count), &state->panels[side]));
    return qn_buffer_create(device, qn_drmsd_distance_bytes(state->problem.atoms, count), &state->distances[side]);
}

static qn_status make_all(drmsd_state *state, qn_queue *queue, uint64_t seed)
{
    const size_t count = (size_t)state->problem.row_count, atoms = (size_t)state->problem.atoms;
    void *memory;
    QN_TRY(qn_allocate(atoms, sizeof(float), &memory));
    float *ones = memory;
    for (size_t i = 0; i < atoms; i++) ones[i] = 1;
    qn_status status = qn_workload_make_buffer(queue, ones, atoms * sizeof(float), &state->weights);
    qn_release(&memory);
    for (int side = 0; side < 2 && status == QN_OK; side++) status = make_side(state, queue, seed, side);
    if (status == QN_OK) status = qn_workload_make_buffer(queue, NULL, count * count * sizeof(float), &state->values);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("cluster/drmsd", "structures", sizes[STRUCTURES], 1, 8192, 1));
    QN_TRY(qn_workload_check_size("cluster/drmsd", "atoms", sizes[ATOMS], 2, 512, 1));
    QN_TRY(qn_allocate(1, sizeof(drmsd_state), &memory));
    drmsd_state *state = *out = memory;
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
    return qn_workload_fill(queue, ((drmsd_state *)pointer)->values, 0xff);
}

/* Launch all kernels of a tile; *count gets the number of events. */
static qn_status launch(drmsd_state *state, qn_queue *queue, const qn_configuration *configuration,
                        qn_event *events[EVENTS_MAX], int *count)
{
    qn_drmsd_problem problem = state->problem;
    const int atoms = problem.atoms, structures = problem.row_count;
    for (int side = 0; side < 2; side++)
        QN_TRY(qn_drmsd_pack(queue, configuration, atoms, structures, state->position_buffers[side],
                             state->panels[side], &events[(*count)++]));
    for (; problem.slice < qn_drmsd_slices(atoms); problem.slice++) {
        for (int side = 0; side < 2; side++)
            QN_TRY(qn_drmsd_measure(queue, configuration, atoms, structures, problem.slice, state->panels[side],
                                    state->weights, state->distances[side], &events[(*count)++]));
        QN_TRY(qn_drmsd_compare(queue, configuration, &problem, state->distances[0], state->distances[1], state->values,
                                &events[(*count)++]));
    }
    return QN_OK;
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_event *events[EVENTS_MAX] = {NULL};
    int count = 0;
    if (seconds) *seconds = 0;
    const qn_status status = launch(pointer, queue, configuration, events, &count);
    return qn_workload_take_seconds(status, events, count, seconds);
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const drmsd_state *state = pointer;
    return drmsd_check_samples(queue, &state->problem, state->positions, state->values, tolerance_angstrom,
                               largest_error);
}

/* The least work of all launches but `pack`, whose share is small. */
static void work(const void *pointer, qn_work *least)
{
    const drmsd_state *state = pointer;
    qn_drmsd_problem problem = state->problem;
    *least = (qn_work){0};
    for (; problem.slice < qn_drmsd_slices(problem.atoms); problem.slice++) {
        qn_work one;
        qn_cluster_drmsd_family.kernels[QN_DRMSD_COMPARE].work(&problem, &one);
        least->bytes_read += one.bytes_read;
        least->bytes_written += one.bytes_written;
        least->multiply_adds += one.multiply_adds;
    }
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "%s", qn_drmsd_problem_class(sizes[STRUCTURES]));
}

extern const qn_workload qn_cluster_drmsd_workload;
const qn_workload qn_cluster_drmsd_workload = {
    .name = "cluster/drmsd",
    .summary = "dRMSD between two sets of structures",
    .family = &qn_cluster_drmsd_family,
    .size_names = {"structures", "atoms"},
    .gpu_sizes = {2048, 214},
    .cpu_sizes = {512, 128},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
