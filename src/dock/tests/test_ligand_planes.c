/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl unsanitized@checking */
/* Planes of rotated ligands, transformed along x and y, compared with sums in double precision from the same integers,
 * on one device. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/kernels/ligand_planes.h"
#include "dock/search/ligand.h"
#include "fft/line_split.h"
#include "halves.h"
#include "math/random.h"
#include "math/rotation.h"
#include "runtime/configuration.h"
#include "runtime/device.h"
#include "slow_compiler.h"
#include "tune/workload_inputs.h"

enum {
    ATOMS = 150,
    MANY_ATOMS = 2100,
    GRIDS_MAX = 8,
    ROTATIONS = 4,
    BATCH_MAX = 3,
    CORNERS_MAX = 4,
    SPARE_BYTES = 256
};

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static int32_t atoms[MANY_ATOMS * QN_LIGAND_ATOM_INTS], weights[GRIDS_MAX * MANY_ATOMS], rotations[ROTATIONS * 9];
static int32_t positions[BATCH_MAX * 3 * MANY_ATOMS];

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(23, stream, index);
}

/* Make a ligand of atoms in the largest ball of which all cells, and the cells next to them, are in the box; many atoms
 * are at the surface of the ball. */
static void make_ligand(const qn_ligand_planes_problem *problem)
{
    const int box = problem->grid.box;
    const double most = (box - problem->box_centre - 1.001) * 1048576.0 / problem->scale;
    for (int atom = 0; atom < MANY_ATOMS; atom++) {
        double at[3], length = 0;
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = uniform(1, (uint64_t)(3 * atom + axis)) - 0.5;
            length += at[axis] * at[axis];
        }
        const double radius = most * fmin(1, 1.4 * uniform(2, (uint64_t)atom));
        for (int axis = 0; axis < 3; axis++)
            atoms[8 * atom + axis] = (int32_t)(4096 * radius * at[axis] / sqrt(length));
    }
    for (int i = 0; i < GRIDS_MAX * MANY_ATOMS; i++)
        weights[i] = i % 7 == 0 ? 0 : (int32_t)(1048576 * (2 * uniform(3, (uint64_t)i) - 0.7));
    for (int r = 0; r < ROTATIONS; r++) {
        double matrix[9];
        qn_rotation_from_seed(40 + (uint64_t)r, matrix);
        qn_dock_rotation_to_integers(matrix, rotations + 9 * r);
    }
}

/* Largest error of a placed coordinate, in 1/4096 voxel. */
static double placing_error(const qn_ligand_planes_problem *problem, int first_rotation)
{
    double worst = 0;
    for (int i = 0; i < problem->batch * 3 * problem->atoms; i++) {
        const int atom = i % problem->atoms, axis = i / problem->atoms % 3, slot = i / problem->atoms / 3;
        const int rotation = first_rotation + slot < ROTATIONS ? first_rotation + slot : ROTATIONS - 1;
        double at = 0;
        for (int k = 0; k < 3; k++)
            at += rotations[9 * rotation + 3 * axis + k] / QN_ROTATION_UNITS * atoms[8 * atom + k];
        at = at * problem->scale / 1048576.0 + 4096.0 * problem->box_centre;
        worst = fmax(worst, fabs(at - positions[i]));
    }
    return worst;
}

static bool is_host(void)
{
    return strcmp(qn_device_inner_driver(device), "host") == 0;
}

/* Number `i` of the planes that the device wrote. */
static double result(const qn_rotation_grid *grid, const void *planes, size_t i)
{
    if (!grid->halves) return (double)((const float *)planes)[i];
    return number_of_half(((const uint16_t *)planes)[i]) / (double)grid->plane_scale;
}

/* Count the numbers of one grid's planes whose errors are larger than rounding errors: those of a few roundings of
 * floats that are at most the sum of the weights of a pair of grids, and of one rounding to half precision. Padding
 * must be 0.
 */
static int count_wrong(const qn_ligand_planes_problem *problem, int slot, int grid_number, const void *planes,
                       double *expected)
{
    const qn_rotation_grid *grid = &problem->grid;
    const size_t columns = (size_t)qn_rotation_columns(grid), count = 2 * columns * (size_t)grid->box;
    const size_t used = 2 * (size_t)qn_rotation_width(grid) * (size_t)grid->cells[1];
    double sum = 0;
    int wrong = 0;
    for (int i = 0; i < 2 * problem->atoms; i++)
        sum += abs(weights[grid_number / 2 * 2 * problem->atoms + i]) / QN_LIGAND_WEIGHT_UNITS;
    CHECK_OK(
        qn_ligand_planes_reference(problem, positions + slot * 3 * problem->atoms, weights, grid_number, expected));
    for (size_t i = 0; i < count; i++) {
        const double value =
            result(grid, planes, count * ((size_t)slot * (size_t)problem->grids + (size_t)grid_number) + i);
        double tolerance = i % (2 * columns) < used ? 8 * (double)FLT_EPSILON * sum : 0;
        if (grid->halves && tolerance > 0)
            tolerance += ldexp(fabs(expected[i]), -11) + ldexp(1 / (double)grid->plane_scale, -25);
        if (!(fabs(value - expected[i]) <= tolerance)) wrong++;
    }
    return wrong;
}

static void make_roots(const qn_rotation_grid *grid, qn_buffer **buffer)
{
    float roots[2 * 3 * QN_LINE_SPLIT_LONGEST];
    size_t end = 0;
    for (int axis = 0; axis < 3; axis++) {
        qn_fft_line_roots(grid->cells[axis], roots + 2 * end);
        end += (size_t)grid->cells[axis];
    }
    CHECK_OK(qn_workload_make_buffer(queue, roots, end * 2 * sizeof *roots, buffer));
}

static void check_planes(const qn_configuration *configuration, const qn_ligand_planes_problem *problem,
                         int first_rotation)
{
    const qn_rotation_grid *grid = &problem->grid;
    const size_t one = (size_t)grid->box * (size_t)qn_rotation_columns(grid);
    const size_t bytes = one * qn_rotation_value_bytes(grid) * (size_t)problem->grids * (size_t)problem->batch;
    const size_t position_bytes = (size_t)problem->batch * 3 * (size_t)problem->atoms * 4;
    qn_buffer *buffers[6] = {NULL};
    void *planes = NULL, *expected = NULL;
    CHECK_OK(qn_allocate(bytes + SPARE_BYTES, 1, &planes));
    CHECK_OK(qn_allocate(2 * one, sizeof(double), &expected));
    memset(planes, 0xff, bytes + SPARE_BYTES);
    CHECK_OK(qn_workload_make_buffer(queue, atoms, (size_t)problem->atoms * 32, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, rotations, sizeof rotations, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, weights, sizeof weights, &buffers[2]));
    CHECK_OK(qn_workload_make_buffer(queue, positions, sizeof positions, &buffers[3]));
    CHECK_OK(qn_workload_make_buffer(queue, planes, bytes + SPARE_BYTES, &buffers[4]));
    make_roots(grid, &buffers[5]);
    CHECK_OK(qn_ligand_planes_place(queue, configuration, problem, buffers[0], buffers[1], first_rotation, buffers[3],
                                    NULL));
    CHECK_OK(qn_ligand_planes(queue, configuration, problem, buffers[3], buffers[2], buffers[5], buffers[4], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[3], 0, positions, position_bytes));
    CHECK_OK(qn_workload_read(queue, buffers[4], 0, planes, bytes + SPARE_BYTES));
    CHECK(placing_error(problem, first_rotation) <= 1.01); /* rounded twice, each time by at most 1/2 */
    int wrong = 0;
    for (int i = 0; i < problem->batch * problem->grids; i++)
        wrong += count_wrong(problem, i / problem->grids, i % problem->grids, planes, expected);
    for (size_t i = 0; i < SPARE_BYTES; i++) wrong += ((unsigned char *)planes)[bytes + i] != 0xff;
    if (!CHECK(wrong == 0))
        fprintf(stderr, "%d of %zu numbers: %d x %d, box %d, %d grids, batch %d, halves %d, room %llu\n", wrong,
                2 * one * (size_t)(problem->grids * problem->batch), grid->cells[0], grid->cells[1], grid->box,
                problem->grids, problem->batch, grid->halves, (unsigned long long)grid->local_room_bytes);
    for (int i = 0; i < 6; i++) qn_buffer_release(&buffers[i]);
    qn_release(&planes);
    qn_release(&expected);
}

static qn_ligand_planes_problem make_problem(int nx, int ny, int nz, int box)
{
    const qn_device_info *info = qn_device_get_info(device);
    const qn_ligand_planes_problem problem = {.grid = {.cells = {nx, ny, nz},
                                                       .box = box,
                                                       .plane_scale = 1.0f / 16,
                                                       .product_scale = 1,
                                                       .local_room_bytes = info->local_room_bytes,
                                                       .is_gpu = info->kind == QN_DEVICE_GPU},
                                              .atoms = ATOMS,
                                              .grids = 2,
                                              .trilinear_grid = 1,
                                              .rotations = ROTATIONS,
                                              .batch = 1,
                                              .box_centre = box / 2,
                                              .scale = 953250 /* 1.1 Å */};
    make_ligand(&problem);
    return problem;
}

static bool is_slow(void)
{
    return compiles_slowly(qn_device_get_info(device));
}

static void check_sides(const int sides[][4], int count)
{
    for (int i = 0; i < count; i++) {
        const qn_ligand_planes_problem problem = make_problem(sides[i][0], sides[i][1], sides[i][2], sides[i][3]);
        check_planes(NULL, &problem, 0);
    }
}

static void sides_are_right(void)
{
    static const int sides[][4] = {{20, 20, 20, 20}, {18, 15, 14, 13}, {16, 16, 16, 9}, {24, 30, 28, 17}};
    check_sides(sides, is_slow() ? 2 : 4);
}

static void other_radices_are_right(void)
{
    static const int sides[][4] = {{21, 49, 27, 20}, {32, 32, 32, 21}, {36, 28, 30, 22}};
    check_sides(sides, is_slow() ? 1 : 3);
}

static void grids_and_batches_are_right(void)
{
    static const int forms[][4] = {{1, -1, 1, 0}, {8, 1, 3, 3},  {1, 0, 3, 2},
                                   {3, 2, 3, 1},  {8, -1, 3, 3}, {8, 1, 1, 3}};
    qn_ligand_planes_problem problem = make_problem(24, 30, 28, 17);
    for (size_t i = 0; i < (is_slow() ? 2 : sizeof forms / sizeof *forms); i++) {
        problem.grids = forms[i][0];
        problem.trilinear_grid = forms[i][1];
        problem.batch = forms[i][2];
        check_planes(NULL, &problem, forms[i][3]);
    }
    problem.atoms = 1;
    check_planes(NULL, &problem, 0);
    problem.atoms = MANY_ATOMS; /* more than a group examines at once */
    problem.batch = 2;
    check_planes(NULL, &problem, 0);
}

static void halves_are_right(void)
{
    qn_ligand_planes_problem problem = make_problem(24, 20, 20, 15);
    problem.grid.halves = true;
    problem.grids = 3;
    problem.batch = 2;
    if (is_host()) {
        qn_buffer *buffer = NULL;
        CHECK_OK(qn_buffer_create(device, 4096, &buffer));
        CHECK_FAILS(qn_ligand_planes(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("half precision");
        qn_buffer_release(&buffer);
        return;
    }
    check_planes(NULL, &problem, 0);
    problem.grid.plane_scale = 1.0f / 4096; /* most numbers become subnormal */
    check_planes(NULL, &problem, 0);
}

/* Check groups with less and less local memory, down to one column at a time. */
static void check_rooms(bool folded)
{
    static const int rooms[] = {49152, 32768, 18000, 9000, 7000, 6000, 2500};
    const qn_family *family = &qn_dock_ligand_planes_family;
    qn_configuration fallback = qn_family_fallback(family);
    bool allowed = false;                 /* false on the host, whose kernel has no tunables */
    const size_t each = folded ? 93 : 62; /* planes of the box times grids, or pairs of grids */
    qn_ligand_planes_problem problem = make_problem(36, 32, 32, 31);
    problem.grids = 3;
    fallback.value[1] = 16;     /* LINES */
    fallback.value[2] = folded; /* FOLD_ROWS */
    CHECK_OK(qn_family_allows(family, qn_device_get_info(device), &fallback, &allowed, NULL));
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < 2 * sizeof rooms / sizeof *rooms; i++) {
        problem.grid.local_room_bytes = (uint64_t)rooms[i / 2] * (i % 2 ? 5 : 1);
        problem.grid.is_gpu = i % 2;
        const size_t groups = family->kernels[1].geometry(&fallback, &problem).items[0] / 256;
        const size_t room = family->local_room(1, &fallback, &problem), parts = groups / each;
        CHECK(room <= problem.grid.local_room_bytes / (i % 2 && problem.grid.local_room_bytes > 49152 ? 2 : 1));
        CHECK(groups == parts * each && parts >= 1 && parts <= 19);
        CHECK(family->local_room(0, &fallback, &problem) == 0);
        if (parts < fewest) fewest = parts;
        if (parts > most) most = parts;
        if (i % (is_slow() ? 12 : 6) == 0) /* not all: each has to be compiled */
            check_planes(allowed ? &fallback : NULL, &problem, 0);
    }
    CHECK(fewest == 1);
    CHECK(folded ? most > 5 : most == 19);
}

static void groups_fit_into_local_memory(void)
{
    check_rooms(false);
    check_rooms(true);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_family *family = &qn_dock_ligand_planes_family;
    qn_ligand_planes_problem problem = make_problem(24, 18, 20, 18);
    problem.grids = 3;
    problem.grid.halves = ++*(int *)user % 3 == 0 && !is_host();
    if (*(int *)user % 2) problem.grid.local_room_bytes = 9 * 1024;
    if (family->local_room(1, configuration, &problem) > problem.grid.local_room_bytes)
        problem.grid.local_room_bytes = qn_device_get_info(device)->local_room_bytes;
    check_planes(configuration, &problem, 1);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_OK(qn_family_sample_corners(&qn_dock_ligand_planes_family, info, corners_to_visit(info, CORNERS_MAX),
                                      check_corner, &corners));
    CHECK(corners > 0);
}

static void unsupported_sizes_are_refused(void)
{
    static const int sides[][2] = {{22, 20}, {20, 26}, {1024, 20}};
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 4096, &buffer));
    for (int i = 0; i < 3; i++) {
        const qn_ligand_planes_problem problem = make_problem(sides[i][0], sides[i][1], 20, 3);
        CHECK_FAILS(qn_ligand_planes(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("without prime factors above 7");
    }
    qn_ligand_planes_problem problem = make_problem(20, 16, 20, 17);
    CHECK_FAILS(qn_ligand_planes(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("box of 17");
    problem = make_problem(20, 16, 20, 16);
    problem.grids = 0;
    CHECK_FAILS(qn_ligand_planes(queue, NULL, &problem, buffer, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    RUN(sides_are_right);
    RUN_LONG(other_radices_are_right);
    RUN(grids_and_batches_are_right);
    RUN(halves_are_right);
    RUN(groups_fit_into_local_memory);
    RUN(sampled_corners_are_right);
    RUN(unsupported_sizes_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
