#include "reconstruct/kernels/scatter_slices.h"

#include <math.h>

#include "base/error.h"
#include "cryoem/blob.h"

#include "reconstruct/kernels/scatter_slices.dev.h"

extern const char qn_reconstruct_scatter_slices_source[];

enum { BLOCK_DIM_X, BLOCK_DIM_Y, PRECOMPUTE_BLOB, TUNABLES };
enum { SLICES_MAX = 65535 };

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_DIM_X] = {"BLOCK_DIM_X", {8, 16, 32}, 3, 16, "pixels of a group along x"},
    [BLOCK_DIM_Y] = {"BLOCK_DIM_Y", {4, 8, 16, 32}, 4, 8, "pixels of a group along y"},
    [PRECOMPUTE_BLOB] = {"PRECOMPUTE_BLOB", {0, 1}, 2, 0, "whether the blob is read from a table"},
};

static const char *const constraints[] = {
    "BLOCK_DIM_X * BLOCK_DIM_Y <= device.largest_group",
    "BLOCK_DIM_X * BLOCK_DIM_Y <= 256 || !device.is_opencl", /* NVIDIA's OpenCL cannot run larger groups of this kernel
                                                              */
    "BLOCK_DIM_X * BLOCK_DIM_Y >= device.subgroup_size",
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_insert_problem *problem = user;
    const size_t side = (size_t)qn_insert_shape_of(problem).image_side;
    const size_t x = (size_t)configuration->value[BLOCK_DIM_X], y = (size_t)configuration->value[BLOCK_DIM_Y];
    return (qn_geometry){
        {(side / 2 + x) / x * x, (side + y - 1) / y * y, (size_t)problem->images * (size_t)problem->operators},
        {x, y, 1}};
}

/* The least work: each pixel is read once, and is added to 4/3 π r³ voxels, with 12 multiply-adds and 12 bytes read and
 * written for each voxel. */
static void work_of(const void *user, qn_work *work)
{
    const double pi = 3.14159265358979;
    const qn_insert_problem *problem = user;
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const double slices = (double)problem->images * problem->operators;
    const double kept = fmin(shape.most / shape.spacing, shape.kept), pixels = slices * pi * kept * kept / 2;
    const double voxels = (double)shape.planes / problem->side * pixels * 4 / 3 * pi * pow((double)problem->radius, 3);
    *work = (qn_work){.bytes_read = 12 * pixels / problem->operators + 12 * voxels,
                      .bytes_written = 12 * voxels,
                      .multiply_adds = 12 * voxels};
}

_Static_assert(sizeof(scatter_scalars) == 10 * 4, "no padding");

static const qn_argument_declaration arguments_of_scatter[SCATTER_ARGUMENTS] = {
    [SCATTER_IMAGES] = {"images", QN_IN, QN_FLOAT32},
    [SCATTER_IMAGE_WEIGHTS] = {"image_weights", QN_IN, QN_FLOAT32},
    [SCATTER_MATRICES] = {"matrices", QN_IN, QN_FLOAT32},
    [SCATTER_BLOB_TABLE] = {"blob_table", QN_IN, QN_FLOAT32},
    [SCATTER_NUMERATOR] = {"numerator", QN_INOUT, QN_FLOAT32},
    [SCATTER_WEIGHT] = {"weight", QN_INOUT, QN_FLOAT32},
    [SCATTER_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(scatter_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"scatter_slices", arguments_of_scatter, SCATTER_ARGUMENTS, geometry, NULL, work_of}};

const qn_family qn_reconstruct_scatter_slices_family = {
    .name = "reconstruct/scatter_slices",
    .source = qn_reconstruct_scatter_slices_source,
    .source_path = "reconstruct/kernels/scatter_slices.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

qn_status qn_scatter_slices(qn_queue *queue, const qn_configuration *configuration, const qn_insert_problem *problem,
                            qn_buffer *images, qn_buffer *image_weights, qn_buffer *matrices, qn_buffer *blob_table,
                            qn_buffer *numerator, qn_buffer *weight, qn_event **event)
{
    char problem_class[64];
    QN_TRY(qn_insert_problem_check(problem, "reconstruct/scatter_slices"));
    if (event) *event = NULL;
    if (problem->fast)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "reconstruct/scatter_slices: cannot insert nearest pixels (fast); expected insertion with the blob");
    if (problem->images * problem->operators > SLICES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "reconstruct/scatter_slices: %d slices; expected at most %d",
                       problem->images * problem->operators, SLICES_MAX);
    if (problem->images == 0) return QN_OK;
    QN_TRY(qn_insert_check_buffers(problem, images, image_weights, matrices, blob_table, numerator, weight));
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const double farthest = (shape.most + (double)problem->radius) / shape.spacing + 0.01;
    const scatter_scalars scalars = {
        .side = problem->side,
        .image_side = shape.image_side,
        .first_plane = shape.first_plane,
        .planes = shape.planes,
        .operators = problem->operators,
        .spacing = (float)shape.spacing,
        .radius = problem->radius,
        .most_squared = shape.most_squared,
        .farthest = (int32_t)(farthest * farthest),
        .kept = shape.kept,
    };
    const qn_argument arguments[SCATTER_ARGUMENTS] = {
        [SCATTER_IMAGES] = qn_argument_buffer(images),
        [SCATTER_IMAGE_WEIGHTS] = qn_argument_buffer(image_weights),
        [SCATTER_MATRICES] = qn_argument_buffer(matrices),
        [SCATTER_BLOB_TABLE] = qn_argument_buffer(blob_table),
        [SCATTER_NUMERATOR] = qn_argument_buffer(numerator),
        [SCATTER_WEIGHT] = qn_argument_buffer(weight),
        [SCATTER_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_insert_problem_class(problem, problem_class);
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = SCATTER_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_reconstruct_scatter_slices_family, queue, &call, event);
}
