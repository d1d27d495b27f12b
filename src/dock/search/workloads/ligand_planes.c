#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/kernels/ligand_planes.h"
#include "dock/search/ligand.h"
#include "dock/search/workloads/rotation_inputs.h"
#include "math/rotation.h"

/* The second grid, of charges, is spread trilinearly. SAMPLES: number of planes that are checked. */
enum { CELLS, BOX, GRIDS, ATOMS, ROTATIONS, TRILINEAR = 1, SAMPLES = 8, GRIDS_MAX = 64, ATOMS_MAX = 1 << 22 };
enum { SCALE = 1048576, KERNELS = 2 }; /* SCALE: for a spacing of 1 Å */

static const char name[] = "dock/ligand_planes";

extern const qn_workload qn_dock_ligand_planes_workload;

typedef struct ligand_planes_state {
    qn_ligand_planes_problem problem;
    uint64_t seed;
    int32_t *atoms_here, *weights_here, *rotations_here, *positions_here;
    double tolerance;
    double *expected; /* [SAMPLES][columns] complex */
    float *found;     /* [columns] complex */
    qn_buffer *atoms, *weights, *rotations, *roots, *positions, *planes;
} ligand_planes_state;

static qn_ligand_planes_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    return (qn_ligand_planes_problem){.grid = rotation_inputs_grid(sizes[CELLS], sizes[BOX]),
                                      .atoms = sizes[ATOMS],
                                      .grids = sizes[GRIDS],
                                      .trilinear_grid = TRILINEAR,
                                      .rotations = sizes[ROTATIONS],
                                      .batch = sizes[ROTATIONS],
                                      .box_centre = sizes[BOX] / 2,
                                      .scale = SCALE};
}

static void destroy(void **pointer)
{
    ligand_planes_state *state = *pointer;
    if (!state) return;
    qn_release(&state->atoms_here);
    qn_release(&state->weights_here);
    qn_release(&state->rotations_here);
    qn_release(&state->positions_here);
    qn_release(&state->expected);
    qn_release(&state->found);
    qn_buffer_release(&state->atoms);
    qn_buffer_release(&state->weights);
    qn_buffer_release(&state->rotations);
    qn_buffer_release(&state->roots);
    qn_buffer_release(&state->positions);
    qn_buffer_release(&state->planes);
    qn_release(pointer);
}

/* Draw atoms at random places in a ball that fits into the box in each rotation. */
static void draw_atoms(ligand_planes_state *state)
{
    const qn_ligand_planes_problem *problem = &state->problem;
    const double radius = problem->grid.box / 2 - 1.5;
    uint64_t draw = 0;
    for (int i = 0; i < problem->atoms;) {
        int32_t *atom = state->atoms_here + (size_t)QN_LIGAND_ATOM_INTS * (size_t)i;
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double place = radius * (double)qn_workload_input(state->seed, draw++);
            atom[axis] = (int32_t)(place * QN_LIGAND_UNITS_PER_ANGSTROM);
            square += place * place;
        }
        if (square <= radius * radius) i++;
    }
    for (size_t i = 0; i < (size_t)problem->grids * (size_t)problem->atoms; i++) {
        const float share = qn_workload_input(state->seed + 1, i);
        const double weight = i / (size_t)problem->atoms == TRILINEAR ? (double)share : share < 0 ? 0 : 1;
        state->weights_here[i] = (int32_t)(QN_LIGAND_WEIGHT_UNITS * weight);
    }
}

static qn_status make_inputs(ligand_planes_state *state)
{
    const size_t atoms = (size_t)state->problem.atoms, rotations = (size_t)state->problem.rotations;
    void *memory;
    QN_TRY(qn_allocate(atoms * QN_LIGAND_ATOM_INTS, sizeof(int32_t), &memory));
    state->atoms_here = memory;
    QN_TRY(qn_allocate(atoms * (size_t)state->problem.grids, sizeof(int32_t), &memory));
    state->weights_here = memory;
    QN_TRY(qn_allocate(rotations * QN_ROTATION_INTS, sizeof(int32_t), &memory));
    state->rotations_here = memory;
    for (size_t r = 0; r < rotations; r++) {
        double matrix[9];
        qn_rotation_from_seed(state->seed + r + 1, matrix);
        qn_dock_rotation_to_integers(matrix, state->rotations_here + QN_ROTATION_INTS * r);
    }
    draw_atoms(state);
    return QN_OK;
}

static qn_status make_buffers(ligand_planes_state *state, qn_queue *queue)
{
    const qn_ligand_planes_problem *problem = &state->problem;
    const size_t atoms = (size_t)problem->atoms, rotations = (size_t)problem->rotations, grids = (size_t)problem->grids;
    const size_t box = (size_t)problem->grid.box, columns = (size_t)qn_rotation_columns(&problem->grid);
    QN_TRY(rotation_inputs_start(queue, &state->problem.grid, &state->roots));
    QN_TRY(qn_workload_make_buffer(queue, state->atoms_here, atoms * QN_LIGAND_ATOM_INTS * 4, &state->atoms));
    QN_TRY(qn_workload_make_buffer(queue, state->weights_here, atoms * grids * 4, &state->weights));
    QN_TRY(qn_workload_make_buffer(queue, state->rotations_here, rotations * QN_ROTATION_INTS * 4, &state->rotations));
    QN_TRY(qn_workload_make_buffer(queue, NULL, rotations * 3 * atoms * 4, &state->positions));
    return qn_workload_make_buffer(queue, NULL, rotations * grids * box * columns * 8, &state->planes);
}

/* Choose a plane to check: one at the lower end of the ligand, one at the upper end, and others. */
static void place_of(const ligand_planes_state *state, int sample, int *rotation, int *grid, int *z)
{
    const qn_ligand_planes_problem *problem = &state->problem;
    const double share = 0.5 + 0.5 * (double)qn_workload_input(state->seed + 2, (uint64_t)sample);
    *rotation = sample == 1 ? problem->rotations - 1 : sample % problem->rotations;
    *grid = sample == 1 ? problem->grids - 1 : sample % problem->grids;
    *z = sample == 0 ? 1 : sample == 1 ? problem->grid.box - 2 : (int)(share * (problem->grid.box - 1));
}

/* Compute the expected planes from the positions that the fallback configuration computes: they are integers, the same
 * in all configurations, and check() compares them with the places of the atoms. The tolerance is proportional to the
 * largest sum of the weights of a pair of grids, because both are transformed together. */
static qn_status compute_expected(ligand_planes_state *state, qn_queue *queue)
{
    const qn_ligand_planes_problem *problem = &state->problem;
    const qn_configuration fallback = qn_family_fallback(&qn_dock_ligand_planes_family);
    const size_t columns = (size_t)qn_rotation_columns(&problem->grid), atoms = (size_t)problem->atoms;
    const size_t bytes = (size_t)problem->rotations * 3 * atoms * 4;
    void *memory;
    QN_TRY(qn_allocate(bytes, 1, &memory));
    state->positions_here = memory;
    QN_TRY(qn_allocate(columns, 2 * sizeof(float), &memory));
    state->found = memory;
    QN_TRY(qn_allocate(SAMPLES * columns, 2 * sizeof(double), &memory));
    state->expected = memory;
    QN_TRY(
        qn_ligand_planes_place(queue, &fallback, problem, state->atoms, state->rotations, 0, state->positions, NULL));
    QN_TRY(qn_workload_read(queue, state->positions, 0, state->positions_here, bytes));
    state->tolerance = 8 * (double)FLT_EPSILON * 2 * problem->atoms;
    for (int sample = 0; sample < SAMPLES; sample++) {
        int rotation, grid, z;
        place_of(state, sample, &rotation, &grid, &z);
        QN_TRY(qn_ligand_planes_reference_plane(problem, state->positions_here + 3 * atoms * (size_t)rotation,
                                                state->weights_here, grid, z,
                                                state->expected + 2 * columns * (size_t)sample));
    }
    return QN_OK;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    enum { LEAST_BOX = 8 };
    void *memory;
    QN_TRY(rotation_inputs_check(name, sizes[CELLS], sizes[BOX], sizes[ROTATIONS]));
    QN_TRY(qn_workload_check_size(name, "box", sizes[BOX], LEAST_BOX, sizes[CELLS], 1));
    QN_TRY(qn_workload_check_size(name, "grids", sizes[GRIDS], 1, GRIDS_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "atoms", sizes[ATOMS], 1, ATOMS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(ligand_planes_state), &memory));
    ligand_planes_state *state = memory;
    state->problem = problem_of(sizes);
    state->seed = seed;
    qn_status status = make_inputs(state);
    if (status == QN_OK) status = make_buffers(state, queue);
    if (status == QN_OK) status = compute_expected(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    ligand_planes_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->positions, 0xff));
    return qn_workload_fill(queue, state->planes, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    ligand_planes_state *state = pointer;
    qn_event *events[KERNELS] = {NULL, NULL};
    if (seconds) *seconds = 0;
    qn_status status = qn_ligand_planes_place(queue, configuration, &state->problem, state->atoms, state->rotations, 0,
                                              state->positions, &events[0]);
    if (status == QN_OK)
        status = qn_ligand_planes(queue, configuration, &state->problem, state->positions, state->weights, state->roots,
                                  state->planes, &events[1]);
    return qn_workload_take_seconds(status, events, KERNELS, seconds);
}

/* Check the positions, in units of 1/4096 voxel. They are rounded twice, each time by at most 1/2. */
static void check_positions(const ligand_planes_state *state, double *largest_error)
{
    const qn_ligand_planes_problem *problem = &state->problem;
    for (int i = 0; i < problem->batch * 3 * problem->atoms; i++) {
        const int32_t *atom = state->atoms_here + (ptrdiff_t)QN_LIGAND_ATOM_INTS * (i % problem->atoms);
        const int32_t *row = state->rotations_here + (ptrdiff_t)3 * (i / problem->atoms);
        double at = 4096.0 * problem->box_centre;
        for (int k = 0; k < 3; k++) at += row[k] / QN_ROTATION_UNITS * atom[k];
        *largest_error = qn_workload_larger_error(*largest_error, fabs(at - state->positions_here[i]) / 1.01);
    }
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    ligand_planes_state *state = pointer;
    const qn_ligand_planes_problem *problem = &state->problem;
    const size_t columns = (size_t)qn_rotation_columns(&problem->grid);
    *largest_error = 0;
    QN_TRY(qn_workload_read(queue, state->positions, 0, state->positions_here,
                            (size_t)problem->batch * 3 * (size_t)problem->atoms * 4));
    check_positions(state, largest_error);
    for (int sample = 0; sample < SAMPLES; sample++) {
        const double *expected = state->expected + 2 * columns * (size_t)sample;
        int rotation, grid, z;
        place_of(state, sample, &rotation, &grid, &z);
        const size_t plane = ((size_t)rotation * (size_t)problem->grids + (size_t)grid) * (size_t)problem->grid.box;
        QN_TRY(qn_workload_read(queue, state->planes, 8 * columns * (plane + (size_t)z), state->found, 8 * columns));
        for (size_t i = 0; i < 2 * columns; i++)
            *largest_error = qn_workload_larger_error(*largest_error,
                                                      fabs((double)state->found[i] - expected[i]) / state->tolerance);
    }
    return QN_OK;
}

static void work(const void *pointer, qn_work *least)
{
    *least = (qn_work){0};
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        qn_work part;
        qn_dock_ligand_planes_family.kernels[kernel].work(&((const ligand_planes_state *)pointer)->problem, &part);
        least->bytes_read += part.bytes_read;
        least->bytes_written += part.bytes_written;
        least->multiply_adds += part.multiply_adds;
    }
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_ligand_planes_problem problem = problem_of(sizes);
    qn_ligand_planes_problem_class(&problem, text);
}

const qn_workload qn_dock_ligand_planes_workload = {
    .name = "dock/ligand_planes",
    .summary = "rotating a ligand and transforming planes of its grids",
    .family = &qn_dock_ligand_planes_family,
    .size_names = {"cells", "box", "grids", "atoms", "rotations"},
    .gpu_sizes = {160, 84, 8, 2048, 16},
    .cpu_sizes = {96, 48, 8, 2048, 8},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
