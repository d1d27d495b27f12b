#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/coulomb3d.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 512 };

static const double tolerance =
    1e-5; /* relative to Σ |charge| / distance: a thousand additions, roots with errors of 5e-7 */

typedef struct coulomb_state {
    qn_coulomb3d_problem problem;
    uint64_t seed;
    float *atoms;
    qn_buffer *atom_buffer, *component_buffer, *potential;
} coulomb_state;

static void destroy(void **pointer)
{
    coulomb_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->atom_buffer);
    qn_buffer_release(&state->component_buffer);
    qn_buffer_release(&state->potential);
    qn_release(&state->atoms);
    qn_release(pointer);
}

/* Make random atoms in the grid's box, with charges of both signs. */
static qn_status make_atoms(coulomb_state *state, qn_queue *queue)
{
    const size_t count = (size_t)state->problem.atoms;
    void *memory, *other;
    QN_TRY(qn_allocate(4 * count, sizeof(float), &memory));
    state->atoms = memory;
    QN_TRY(qn_allocate(4 * count, sizeof(float), &other));
    float *components = other;
    for (size_t i = 0; i < 4 * count; i++) {
        const size_t component = i % 4;
        const float number = qn_workload_input(state->seed, i);
        state->atoms[i] = number;
        if (component < 3)
            state->atoms[i] = 0.5f * (number + 1.0f) * (float)state->problem.points[component] * state->problem.spacing;
        components[component * count + i / 4] = state->atoms[i];
    }
    qn_status status = qn_workload_make_buffer(queue, state->atoms, 4 * count * sizeof(float), &state->atom_buffer);
    if (status == QN_OK)
        status = qn_workload_make_buffer(queue, components, 4 * count * sizeof(float), &state->component_buffer);
    qn_release(&components);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("benchmark/coulomb3d", "points", sizes[0], QN_COULOMB3D_POINTS_STEP, 1280,
                                  QN_COULOMB3D_POINTS_STEP));
    QN_TRY(qn_workload_check_size("benchmark/coulomb3d", "atoms", sizes[1], 1, 1 << 24, 1));
    QN_TRY(qn_allocate(1, sizeof(coulomb_state), &memory));
    coulomb_state *state = memory;
    state->problem = (qn_coulomb3d_problem){{sizes[0], sizes[0], sizes[0]}, sizes[1], 0.5f};
    state->seed = seed;
    const size_t points = (size_t)sizes[0] * (size_t)sizes[0] * (size_t)sizes[0];
    qn_status status = make_atoms(state, queue);
    if (status == QN_OK) status = qn_buffer_create(qn_queue_device(queue), points * sizeof(float), &state->potential);
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
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status = qn_coulomb3d(queue, configuration, &state->problem, state->atom_buffer, state->component_buffer,
                                    state->potential, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check random points and the last one. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const coulomb_state *state = pointer;
    const int side = state->problem.points[0];
    *largest_error = 0;
    for (uint64_t i = 0; i <= SAMPLES; i++) {
        int point[3];
        float potential;
        double scale;
        for (uint64_t axis = 0; axis < 3; axis++)
            point[axis] = (int)(0.5f * (qn_workload_input(state->seed + 1, 3 * i + axis) + 1.0f) * (float)side) % side;
        if (i == SAMPLES) point[0] = point[1] = point[2] = side - 1;
        const size_t place = ((size_t)point[2] * (size_t)side + (size_t)point[1]) * (size_t)side + (size_t)point[0];
        QN_TRY(qn_workload_read(queue, state->potential, place * sizeof(float), &potential, sizeof potential));
        const double expected = qn_coulomb3d_reference(&state->problem, state->atoms, point, &scale);
        const double error = potential > expected ? potential - expected : expected - potential;
        *largest_error = qn_workload_larger_error(*largest_error, error / (tolerance * scale));
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const coulomb_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_benchmark_coulomb3d_family.kernels[0].work(&((const coulomb_state *)pointer)->problem, least);
}

/* Classes by the number of points, and by whether the atoms fit constant memory. */
static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    snprintf(text, 64, "points=%d atoms%s%d",
             sizes[0] < 128   ? 64
             : sizes[0] < 256 ? 128
                              : 256,
             sizes[1] <= QN_COULOMB3D_CONSTANT_ATOMS ? "<=" : ">", QN_COULOMB3D_CONSTANT_ATOMS);
}

extern const qn_workload qn_benchmark_coulomb3d_workload;
const qn_workload qn_benchmark_coulomb3d_workload = {
    .name = "benchmark/coulomb3d",
    .summary = "potential of point charges on a cubic grid, all pairs",
    .family = &qn_benchmark_coulomb3d_family,
    .size_names = {"points", "atoms"},
    .gpu_sizes = {384, 1024},
    .cpu_sizes = {64, 512},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
