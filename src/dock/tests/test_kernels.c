/* devices: host opencl:0 cuda:0 checking:host */
/* The families of the library path compared with their references, on one device, in all corners of their spaces;
 * in a few where compilation is slow. */
#include "check.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dock/search/kernels/best_cells.h"
#include "dock/search/kernels/correlate.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/ligand.h"
#include "math/random.h"
#include "math/rotation.h"
#include "runtime/configuration.h"
#include "slow_compiler.h"

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_configuration corner;

static const char *use_corner(qn_family_launch *launch, void *user)
{
    if (launch->family != user) return NULL;
    launch->configuration = corner;
    return "test";
}

/* Run a test in one corner; `user` points to the test. */
static qn_status each_corner(const qn_configuration *configuration, void *user)
{
    corner = *configuration;
    (*(void (**)(void))user)();
    return QN_OK;
}

static void in_every_corner(const qn_family *family, void (*test)(void))
{
    qn_context_set_configuration_source(context,
                                        &(qn_configuration_source){.choose = use_corner, .user = (void *)family});
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_OK(qn_family_sample_corners(family, info, corners_to_visit(info, INT_MAX), each_corner, &test));
    qn_context_set_configuration_source(context, NULL);
}

static qn_buffer *upload(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(device, bytes, &buffer))) {
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    return buffer;
}

static void download(qn_buffer *buffer, void *data, size_t bytes)
{
    CHECK_OK(qn_queue_read(queue, buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(11, stream, index);
}

enum { ATOMS = 37, ROTATIONS = 5, BATCH = 3, GRIDS = 2, BOX = 22, NX = 25, NY = 24, NZ = 23, VOLUME = NX * NY * NZ };

static int32_t atoms[ATOMS * QN_LIGAND_ATOM_INTS], weights[GRIDS * ATOMS], rotations[ROTATIONS * 9];

static const qn_ligand_grids_problem ligand_problem = {.atoms = ATOMS,
                                                       .grids = GRIDS,
                                                       .trilinear_grid = 1,
                                                       .rotations = ROTATIONS,
                                                       .batch = BATCH,
                                                       .box = BOX,
                                                       .box_centre = 10,
                                                       .scale = 873813 /* 1.2 Å */,
                                                       .cells = {NX, NY, NZ}};

/* Make a ligand of atoms within 11 Å of the centre, none of which any rotation puts within 1/1000 voxel of a boundary
 * between nearest voxels. */
static void make_ligand(void)
{
    for (int r = 0; r < ROTATIONS; r++) {
        double matrix[9];
        qn_rotation_from_seed(100 + (uint64_t)r, matrix);
        qn_dock_rotation_to_integers(matrix, rotations + 9 * r);
    }
    uint64_t draw = 0;
    for (int atom = 0; atom < ATOMS;) {
        double position[3], length = 0;
        bool clear = true;
        for (int axis = 0; axis < 3; axis++) {
            atoms[8 * atom + axis] = (int32_t)(4096 * (22 * uniform(1, draw++) - 11));
            position[axis] = atoms[8 * atom + axis] / 4096.0;
            length += position[axis] * position[axis];
        }
        for (int row = 0; row < 3 * ROTATIONS; row++) {
            double voxel = 0;
            for (int k = 0; k < 3; k++) voxel += rotations[3 * row + k] / QN_ROTATION_UNITS * position[k];
            voxel *= 873813 / 1048576.0;
            if (fabs(voxel - floor(voxel) - 0.5) < 1e-3) clear = false;
        }
        if (length > 121 || !clear) continue;
        weights[atom] = atom % 5 ? 1048576 : 0;
        weights[ATOMS + atom] = (int32_t)(1048576 * (2 * uniform(2, (uint64_t)atom) - 1));
        atom++;
    }
}

static float first_grids[BATCH * GRIDS * VOLUME];
static bool have_first;

static void ligand_grids_match(void)
{
    static float grids[BATCH * GRIDS * VOLUME];
    static double expected[BATCH * GRIDS * VOLUME];
    static int32_t boxes[BATCH * GRIDS * BOX * BOX * BOX];
    memset(grids, 0, sizeof grids);
    memset(boxes, 0, sizeof boxes);
    qn_buffer *buffers[5] = {upload(atoms, sizeof atoms), upload(weights, sizeof weights),
                             upload(rotations, sizeof rotations), upload(boxes, sizeof boxes),
                             upload(grids, sizeof grids)};
    /* Two batches, the second of which goes past the end of the rotations: boxes must be 0 after each batch. */
    for (int first = 0; first <= 3; first += 3) {
        CHECK_OK(qn_ligand_grids_spread(queue, NULL, &ligand_problem, buffers[0], buffers[1], buffers[2], first,
                                        buffers[3], NULL));
        CHECK_OK(qn_ligand_grids_settle(queue, NULL, &ligand_problem, buffers[3], buffers[4], NULL));
        download(buffers[4], grids, sizeof grids);
        qn_ligand_grids_reference(&ligand_problem, atoms, weights, rotations, first, expected);
        double worst_shape = 0, worst_charge = 0, sum = 0;
        for (int i = 0; i < BATCH * GRIDS * VOLUME; i++) {
            double difference = fabs(grids[i] - expected[i]);
            bool charge = i / VOLUME % GRIDS == 1;
            if (charge)
                worst_charge = fmax(worst_charge, difference);
            else
                worst_shape = fmax(worst_shape, difference);
            sum += fabs(expected[i]);
        }
        CHECK(sum > BATCH * ATOMS);
        CHECK(worst_shape == 0);
        /* Positions are rounded to 1/4096 voxel: the error is up to 3/8192 of a unit charge for each of a few atoms. */
        CHECK(worst_charge < 2e-3);
        if (first == 0 && !have_first) memcpy(first_grids, grids, sizeof grids);
        if (first == 0) CHECK(memcmp(first_grids, grids, sizeof grids) == 0);
        have_first = true;
    }
    download(buffers[3], boxes, sizeof boxes);
    int left = 0;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) left += boxes[i] != 0;
    CHECK(left == 0);
    for (int i = 0; i < 5; i++) qn_buffer_release(&buffers[i]);
}

static void correlation_matches(void)
{
    enum { BINS = 1237, TERMS = 3, MANY = 5, SETS = 3 };
    static float receptor[2 * SETS * TERMS * BINS], ligand[2 * MANY * TERMS * BINS], product[2 * SETS * MANY * BINS];
    static double expected[2 * SETS * MANY * BINS];
    const qn_correlate_problem problem = {TERMS, BINS, MANY, SETS};
    for (size_t i = 0; i < sizeof receptor / sizeof *receptor; i++) receptor[i] = (float)(uniform(3, i) - 0.5);
    for (size_t i = 0; i < sizeof ligand / sizeof *ligand; i++) ligand[i] = (float)(uniform(4, i) - 0.5);
    memset(product, 0x7f, sizeof product);
    qn_buffer *buffers[3] = {upload(receptor, sizeof receptor), upload(ligand, sizeof ligand),
                             upload(product, sizeof product)};
    CHECK_OK(qn_correlate(queue, NULL, &problem, buffers[0], buffers[1], buffers[2], NULL));
    download(buffers[2], product, sizeof product);
    qn_correlate_reference(&problem, receptor, ligand, expected);
    double worst = 0;
    for (size_t i = 0; i < sizeof product / sizeof *product; i++) worst = fmax(worst, fabs(product[i] - expected[i]));
    CHECK(worst < 6 * 0.75 * 6e-8); /* six terms of at most 1/4, rounded once each */
    for (int i = 0; i < 3; i++) qn_buffer_release(&buffers[i]);
}

/* Check the best cells of scores with few different values, so that ties are common. */
static void check_best(const qn_best_cells_problem *problem, int levels)
{
    enum { MAX = 3 };
    static float scores[MAX * VOLUME], energies[MAX * QN_BEST_CELLS_MAX], expected_energies[QN_BEST_CELLS_MAX];
    static int32_t cells[MAX * QN_BEST_CELLS_MAX], expected_cells[QN_BEST_CELLS_MAX];
    size_t hits = (size_t)problem->rotations * (size_t)problem->keep;
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        scores[i] = (float)(floor(levels * uniform(5, i)) - levels / 2);
    qn_buffer *buffers[4] = {upload(scores, (size_t)problem->rotations * VOLUME * 4), NULL, upload(energies, hits * 4),
                             upload(cells, hits * 4)};
    CHECK_OK(qn_buffer_create(device, qn_best_cells_scratch_bytes(problem), &buffers[1]));
    CHECK_OK(qn_best_cells(queue, NULL, problem, buffers[0], buffers[1], buffers[2], buffers[3], NULL));
    download(buffers[2], energies, hits * 4);
    download(buffers[3], cells, hits * 4);
    for (int r = 0; r < problem->rotations; r++) {
        CHECK_OK(qn_best_cells_reference(problem, scores + r * VOLUME, expected_energies, expected_cells));
        CHECK(memcmp(energies + r * problem->keep, expected_energies, (size_t)problem->keep * 4) == 0);
        CHECK(memcmp(cells + r * problem->keep, expected_cells, (size_t)problem->keep * 4) == 0);
    }
    for (int i = 0; i < 4; i++) qn_buffer_release(&buffers[i]);
}

static void best_cells_match(void)
{
    qn_best_cells_problem problem = {.cells = {NX, NY, NZ},
                                     .first_shift = {-7, -11, -1},
                                     .last_shift = {11, 12, 15},
                                     .rotations = 3,
                                     .keep = 1,
                                     .radius = 2};
    check_best(&problem, 50);
    check_best(&problem, 100000);
    problem.keep = 5;
    check_best(&problem, 1000);
    problem.radius = 7; /* few cells are kept: the list is padded */
    problem.keep = QN_BEST_CELLS_MAX;
    problem.rotations = 1;
    check_best(&problem, 400);
}

static void kernels_match_in_corners(void)
{
    in_every_corner(&qn_dock_ligand_grids_family, ligand_grids_match);
    in_every_corner(&qn_dock_correlate_family, correlation_matches);
    in_every_corner(&qn_dock_best_cells_family, best_cells_match);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    make_ligand();
    RUN(kernels_match_in_corners);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
