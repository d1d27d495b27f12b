#include "benchmark/physics/kernels/fourier_reconstruction.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "benchmark/physics/kernels/fourier_reconstruction.dev.h"

extern const char qn_benchmark_fourier_reconstruction_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_fourier_reconstruction_host);

enum {
    BRICK_X,
    BRICK_Y,
    BRICK_Z,
    VOXELS_PER_ITEM,
    BRICK_TEST,
    PROJECTIONS_PER_PASS,
    BLOB_SOURCE,
    SKIP_ROWS,
    UNROLL_PIXELS,
    TUNABLES
};

static const qn_tunable tunables[TUNABLES] = {
    [BRICK_X] = {"BRICK_X", {1, 2, 4, 8, 16, 32}, 6, 8, "voxels of a group along x"},
    [BRICK_Y] = {"BRICK_Y", {1, 2, 4, 8, 16, 32}, 6, 4, "voxels of a group along y"},
    [BRICK_Z] = {"BRICK_Z", {1, 2, 4, 8, 16, 32}, 6, 2, "work-items of a group along z"},
    [VOXELS_PER_ITEM] = {"VOXELS_PER_ITEM", {1, 2, 4, 8}, 4, 1, "voxels of an item along z"},
    [BRICK_TEST] = {"BRICK_TEST", {0, 1}, 2, 1, "whether a group skips projections that miss its brick"},
    [PROJECTIONS_PER_PASS] = {"PROJECTIONS_PER_PASS",
                              {0, 16, 32, 64, 128, 256},
                              6,
                              0,
                              "matrices in local memory at a time; 0: they are read from global memory"},
    [BLOB_SOURCE] = {"BLOB_SOURCE",
                     {0, 1, 2, 3},
                     4,
                     1,
                     "the blob is 0 computed, read from a table in 1 global, 2 local, 3 constant memory"},
    [SKIP_ROWS] = {"SKIP_ROWS", {0, 1}, 2, 1, "whether rows of pixels beyond the radius are skipped"},
    [UNROLL_PIXELS] = {"UNROLL_PIXELS", {1, 2, 4}, 3, 1, "rows of pixels unrolled"},
};

static const char *const constraints[] = {
    "BRICK_X * BRICK_Y * BRICK_Z <= min(device.largest_group, 512)",
    "BRICK_X * BRICK_Y * BRICK_Z >= device.subgroup_size",
    "BRICK_Z * VOXELS_PER_ITEM <= 32",
    "VOXELS_PER_ITEM * UNROLL_PIXELS <= 16",
    "BLOB_SOURCE != 3 || device.is_opencl",
    "48 * PROJECTIONS_PER_PASS + (BLOB_SOURCE == 2) * 16400 <= device.local_memory_bytes",
    /* the host's kernel uses none of these tunables */
    "!device.is_host || (BRICK_X == 8 && BRICK_Y == 4 && BRICK_Z == 2 && VOXELS_PER_ITEM == 1)",
    "!device.is_host || (BRICK_TEST == 1 && PROJECTIONS_PER_PASS == 0 && BLOB_SOURCE == 1 && SKIP_ROWS == 1)",
    "!device.is_host || UNROLL_PIXELS == 1",
};

static size_t bricks(int length, int brick)
{
    return ((size_t)length + (size_t)brick - 1) / (size_t)brick;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_reconstruction_problem *problem = user;
    const int *value = configuration->value, side = problem->side;
    const size_t x = (size_t)value[BRICK_X], y = (size_t)value[BRICK_Y], z = (size_t)value[BRICK_Z];
    return (qn_geometry){{bricks(side / 2 + 1, value[BRICK_X]) * x, bricks(side, value[BRICK_Y]) * y,
                          bricks(side, value[BRICK_Z] * value[VOXELS_PER_ITEM]) * z},
                         {x, y, z}};
}

/* The least work. Voxels within the blob's radius r of a projection's plane form a half disc of radius side / 2 − 3 and
 * thickness 2 r; each needs its three coordinates, nine operations. On average 2/3 π r² pixels lie within r of such a
 * voxel; each needs the distance, an interpolation in the table and three sums, five operations. Each pixel is read
 * once and each voxel is written once. */
static void work_of(const void *user, qn_work *work)
{
    const double pi = 3.14159265358979, radius = 1.9;
    const qn_reconstruction_problem *problem = user;
    const double side = problem->side, farthest = side / 2 - 3, projections = problem->projections;
    const double voxels = projections * pi * farthest * farthest / 2 * 2 * radius;
    const double pixels = pi * radius * radius * 2 / 3, half_plane = side * (side / 2 + 1);
    *work = (qn_work){.bytes_read = projections * (8 * half_plane + 48),
                      .bytes_written = 12 * side * half_plane,
                      .multiply_adds = voxels * (9 + 5 * pixels)};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_fourier_reconstruction_host)[0](launch);
}

static const qn_argument_declaration arguments_of_reconstruct[RECONSTRUCT_ARGUMENTS] = {
    [RECONSTRUCT_IMAGES] = {"images", QN_IN, QN_FLOAT32},
    [RECONSTRUCT_MATRICES] = {"matrices", QN_IN, QN_FLOAT32},
    [RECONSTRUCT_BLOB] = {"blob", QN_IN, QN_FLOAT32},
    [RECONSTRUCT_SUMS] = {"sums", QN_OUT, QN_FLOAT32},
    [RECONSTRUCT_WEIGHTS] = {"weights", QN_OUT, QN_FLOAT32},
    [RECONSTRUCT_SIDE] = {"side", QN_VALUE, QN_INT32},
    [RECONSTRUCT_PROJECTIONS] = {"projections", QN_VALUE, QN_INT32},
};

static const qn_kernel_declaration kernels[] = {
    {"reconstruct", arguments_of_reconstruct, RECONSTRUCT_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_benchmark_fourier_reconstruction_family = {
    .name = "benchmark/fourier_reconstruction",
    .source = qn_benchmark_fourier_reconstruction_source,
    .source_path = "benchmark/physics/kernels/fourier_reconstruction.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t numbers)
{
    if (qn_buffer_bytes(buffer) < numbers * sizeof(float))
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/fourier_reconstruction: %s has %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), numbers * sizeof(float));
    return QN_OK;
}

qn_status qn_reconstruction(qn_queue *queue, const qn_configuration *configuration,
                            const qn_reconstruction_problem *problem, qn_buffer *images, qn_buffer *matrices,
                            qn_buffer *blob, qn_buffer *sums, qn_buffer *weights, qn_event **event)
{
    const size_t side = (size_t)problem->side, projections = (size_t)problem->projections;
    const size_t half_plane = side * (side / 2 + 1), voxels = side * half_plane;
    char problem_class[64];
    if (problem->side < 8 || problem->side > QN_RECONSTRUCTION_SIDE_MAX || problem->side % 2 != 0 ||
        problem->projections < 1)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "benchmark/fourier_reconstruction: side %d, %d projections; expected an even side of 8 to %d and at "
            "least one projection",
            problem->side, problem->projections, QN_RECONSTRUCTION_SIDE_MAX);
    QN_TRY(check_buffer("the image buffer", images, 2 * projections * half_plane));
    QN_TRY(check_buffer("the matrix buffer", matrices, 12 * projections));
    QN_TRY(check_buffer("the blob table", blob, QN_RECONSTRUCTION_BLOB_ENTRIES));
    QN_TRY(check_buffer("the sum buffer", sums, 2 * voxels));
    QN_TRY(check_buffer("the weight buffer", weights, voxels));
    const qn_argument arguments[RECONSTRUCT_ARGUMENTS] = {
        [RECONSTRUCT_IMAGES] = qn_argument_buffer(images),
        [RECONSTRUCT_MATRICES] = qn_argument_buffer(matrices),
        [RECONSTRUCT_BLOB] = qn_argument_buffer(blob),
        [RECONSTRUCT_SUMS] = qn_argument_range(sums, 0, 2 * voxels * sizeof(float)),
        [RECONSTRUCT_WEIGHTS] = qn_argument_range(weights, 0, voxels * sizeof(float)),
        [RECONSTRUCT_SIDE] = qn_argument_int32(problem->side),
        [RECONSTRUCT_PROJECTIONS] = qn_argument_int32(problem->projections),
    };
    snprintf(problem_class, sizeof problem_class, "side=%d", problem->side);
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = RECONSTRUCT_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .configuration = configuration};
    return qn_family_run(&qn_benchmark_fourier_reconstruction_family, queue, &call, event);
}
