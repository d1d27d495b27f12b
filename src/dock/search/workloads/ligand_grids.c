#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/ligand.h"
#include "math/rotation.h"
#include "tune/workload_inputs.h"

/* Six grids, as in a search with default options; the second grid, of charges, is spread trilinearly. */
enum { ATOMS, ROTATIONS, BOX, GRIDS = 6, TRILINEAR = 1, CHECKED = 3, BOX_MAX = 512, ATOMS_MAX = 1 << 22 };
enum { SCALE = 1048576, ROTATIONS_MAX = 4096, KERNELS = 2 }; /* SCALE: for a spacing of 1 Å */

extern const qn_workload qn_dock_ligand_grids_workload;

typedef struct ligand_grids_state {
    qn_ligand_grids_problem problem;
    int32_t *atoms_here, *weights_here, *rotations_here;
    qn_buffer *atoms, *weights, *rotations, *boxes, *grids;
} ligand_grids_state;

/* The side of the grid is 1.5 times that of the ligand's box. */
static qn_ligand_grids_problem problem_of(const int sizes[QN_WORKLOAD_SIZES])
{
    const int box = sizes[BOX], cells = box + box / 2;
    return (qn_ligand_grids_problem){.atoms = sizes[ATOMS],
                                     .grids = GRIDS,
                                     .trilinear_grid = TRILINEAR,
                                     .rotations = sizes[ROTATIONS],
                                     .batch = sizes[ROTATIONS],
                                     .box = box,
                                     .box_centre = box / 2,
                                     .scale = SCALE,
                                     .cells = {cells, cells, cells}};
}

static void destroy(void **pointer)
{
    ligand_grids_state *state = *pointer;
    if (!state) return;
    qn_release(&state->atoms_here);
    qn_release(&state->weights_here);
    qn_release(&state->rotations_here);
    qn_buffer_release(&state->atoms);
    qn_buffer_release(&state->weights);
    qn_buffer_release(&state->rotations);
    qn_buffer_release(&state->boxes);
    qn_buffer_release(&state->grids);
    qn_release(pointer);
}

/* Index of a rotation whose grids are checked: the first, the last, and one in the middle. */
static int checked_rotation(const ligand_grids_state *state, int number)
{
    const int last = state->problem.rotations - 1;
    return number == 0 ? 0 : number == 1 ? last : last / 2;
}

/* Whether a checked rotation puts an atom so close to a boundary between voxels that kernels and reference may choose
 * different voxels. */
static bool is_on_edge(const ligand_grids_state *state, const int32_t *atom)
{
    for (int number = 0; number < CHECKED; number++) {
        const int32_t *matrix = state->rotations_here + (size_t)QN_ROTATION_INTS * checked_rotation(state, number);
        for (int row = 0; row < 3; row++) {
            double voxel = 0;
            for (int k = 0; k < 3; k++)
                voxel += matrix[3 * row + k] / QN_ROTATION_UNITS * (atom[k] / QN_LIGAND_UNITS_PER_ANGSTROM);
            if (fabs(voxel - floor(voxel) - 0.5) < 1e-3) return true;
        }
    }
    return false;
}

/* Draw atoms at random places in a ball that fits into the box in each rotation. */
static void draw_atoms(ligand_grids_state *state, uint64_t seed)
{
    const qn_ligand_grids_problem *problem = &state->problem;
    const double radius = problem->box / 2 - 2;
    uint64_t draw = 0;
    for (int i = 0; i < problem->atoms;) {
        int32_t *atom = state->atoms_here + (size_t)QN_LIGAND_ATOM_INTS * i;
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double place = radius * (double)qn_workload_input(seed, draw++);
            atom[axis] = (int32_t)(place * QN_LIGAND_UNITS_PER_ANGSTROM);
            square += place * place;
        }
        if (square > radius * radius || is_on_edge(state, atom)) continue;
        for (int grid = 0; grid < GRIDS; grid++) {
            const float share = qn_workload_input(seed + 1, (uint64_t)i * GRIDS + (uint64_t)grid);
            const double weight = grid == TRILINEAR ? (double)share : share < 0 ? 0 : 1;
            state->weights_here[(size_t)grid * problem->atoms + i] = (int32_t)(QN_LIGAND_WEIGHT_UNITS * weight);
        }
        i++;
    }
}

static qn_status make_inputs(ligand_grids_state *state, uint64_t seed)
{
    const size_t atoms = (size_t)state->problem.atoms, rotations = (size_t)state->problem.rotations;
    void *memory;
    QN_TRY(qn_allocate(atoms * QN_LIGAND_ATOM_INTS, sizeof(int32_t), &memory));
    state->atoms_here = memory;
    QN_TRY(qn_allocate(atoms * GRIDS, sizeof(int32_t), &memory));
    state->weights_here = memory;
    QN_TRY(qn_allocate(rotations * QN_ROTATION_INTS, sizeof(int32_t), &memory));
    state->rotations_here = memory;
    for (size_t r = 0; r < rotations; r++) {
        double matrix[9];
        qn_rotation_from_seed(seed + r + 1, matrix);
        qn_dock_rotation_to_integers(matrix, state->rotations_here + QN_ROTATION_INTS * r);
    }
    draw_atoms(state, seed);
    return QN_OK;
}

static qn_status make_buffers(ligand_grids_state *state, qn_queue *queue)
{
    const qn_ligand_grids_problem *problem = &state->problem;
    const size_t atoms = (size_t)problem->atoms, rotations = (size_t)problem->rotations, box = (size_t)problem->box;
    const size_t cells = (size_t)problem->cells[0];
    QN_TRY(qn_workload_make_buffer(queue, state->atoms_here, atoms * QN_LIGAND_ATOM_INTS * 4, &state->atoms));
    QN_TRY(qn_workload_make_buffer(queue, state->weights_here, atoms * GRIDS * 4, &state->weights));
    QN_TRY(qn_workload_make_buffer(queue, state->rotations_here, rotations * QN_ROTATION_INTS * 4, &state->rotations));
    QN_TRY(qn_workload_make_buffer(queue, NULL, rotations * GRIDS * box * box * box * 4, &state->boxes));
    return qn_workload_make_buffer(queue, NULL, rotations * GRIDS * cells * cells * cells * 4, &state->grids);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size("dock/ligand_grids", "atoms", sizes[ATOMS], 1, ATOMS_MAX, 1));
    QN_TRY(qn_workload_check_size("dock/ligand_grids", "rotations", sizes[ROTATIONS], 1, ROTATIONS_MAX, 1));
    QN_TRY(qn_workload_check_size("dock/ligand_grids", "box", sizes[BOX], 8, BOX_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(ligand_grids_state), &memory));
    ligand_grids_state *state = memory;
    state->problem = problem_of(sizes);
    qn_status status = make_inputs(state, seed);
    if (status == QN_OK) status = make_buffers(state, queue);
    *out = state;
    if (status != QN_OK) destroy(out);
    return status;
}

/* Boxes must be 0 before a batch, even if a wrong kernel has left other values. */
static qn_status clear(void *pointer, qn_queue *queue)
{
    ligand_grids_state *state = pointer;
    QN_TRY(qn_workload_fill(queue, state->boxes, 0));
    return qn_workload_fill(queue, state->grids, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    ligand_grids_state *state = pointer;
    qn_event *events[KERNELS] = {NULL, NULL};
    if (seconds) *seconds = 0;
    qn_status status = qn_ligand_grids_spread(queue, configuration, &state->problem, state->atoms, state->weights,
                                              state->rotations, 0, state->boxes, &events[0]);
    if (status == QN_OK)
        status = qn_ligand_grids_settle(queue, configuration, &state->problem, state->boxes, state->grids, &events[1]);
    return qn_workload_take_seconds(status, events, KERNELS, seconds);
}

/* Largest error, relative to the tolerance, in the corner of one rotation's grids that the box covers. Voxels of
 * nearest-voxel grids are whole numbers. The position of an atom is rounded to 1/4096 voxel, so that the error of a
 * charge is at most 3/8192; several charges contribute to a voxel. */
static double compare_corner(const qn_ligand_grids_problem *problem, const float *grids, const double *expected)
{
    const size_t n = (size_t)problem->cells[0], box = (size_t)problem->box;
    const double shared = 8 + 16.0 * problem->atoms / pow(problem->box / 2 - 2, 3);
    double largest = 0;
    for (size_t grid = 0; grid < GRIDS; grid++)
        for (size_t z = 0; z < box; z++)
            for (size_t y = 0; y < box; y++)
                for (size_t x = 0; x < box; x++) {
                    const size_t at = x + n * (y + n * (z + n * grid));
                    const double tolerance = grid == TRILINEAR ? shared * 3 / 8192 : 1e-6;
                    largest = qn_workload_larger_error(largest, fabs(grids[at] - expected[at]) / tolerance);
                }
    return largest;
}

static qn_status check_rotation(const ligand_grids_state *state, qn_queue *queue, int rotation, float *grids,
                                double *expected, double *largest_error)
{
    const size_t n = (size_t)state->problem.cells[0], box = (size_t)state->problem.box;
    const size_t bytes = GRIDS * n * n * n * 4, box_bytes = GRIDS * box * box * box * 4;
    qn_ligand_grids_problem one = state->problem;
    one.batch = 1;
    qn_ligand_grids_reference(&one, state->atoms_here, state->weights_here, state->rotations_here, rotation, expected);
    QN_TRY(qn_workload_read(queue, state->grids, (size_t)rotation * bytes, grids, bytes));
    *largest_error = qn_workload_larger_error(*largest_error, compare_corner(&one, grids, expected));
    QN_TRY(qn_workload_read(queue, state->boxes, (size_t)rotation * box_bytes, grids, box_bytes));
    for (size_t i = 0; i < box_bytes / 4; i++) /* the kernels must leave boxes 0 for the next batch */
        if (grids[i] != 0) *largest_error = INFINITY;
    return QN_OK;
}

static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const ligand_grids_state *state = pointer;
    const size_t n = (size_t)state->problem.cells[0];
    void *grids, *expected;
    *largest_error = 0;
    QN_TRY(qn_allocate(GRIDS * n * n * n, sizeof(float), &grids));
    qn_status status = qn_allocate(GRIDS * n * n * n, sizeof(double), &expected);
    for (int number = 0; number < CHECKED && status == QN_OK; number++)
        status = check_rotation(state, queue, checked_rotation(state, number), grids, expected, largest_error);
    qn_release(&expected);
    qn_release(&grids);
    return status;
}

static void work(const void *pointer, qn_work *least)
{
    *least = (qn_work){0};
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        qn_work part;
        qn_dock_ligand_grids_family.kernels[kernel].work(&((const ligand_grids_state *)pointer)->problem, &part);
        least->bytes_read += part.bytes_read;
        least->bytes_written += part.bytes_written;
        least->multiply_adds += part.multiply_adds;
    }
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_ligand_grids_problem problem = problem_of(sizes);
    qn_ligand_grids_problem_class(&problem, text);
}

const qn_workload qn_dock_ligand_grids_workload = {
    .name = "dock/ligand_grids",
    .summary = "rotating a ligand and binning its atoms",
    .family = &qn_dock_ligand_grids_family,
    .size_names = {"atoms", "rotations", "box"},
    .gpu_sizes = {2048, 16, 64},
    .cpu_sizes = {2048, QN_SIZE_COMPUTE_UNITS, 64},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
