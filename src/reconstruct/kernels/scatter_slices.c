#include "reconstruct/kernels/scatter_slices.h"

#include <math.h>

#include "base/error.h"
#include "cryoem/blob.h"

extern const char qn_reconstruct_scatter_slices_source[];

enum { BLOCK_DIM_X, BLOCK_DIM_Y, PRECOMPUTE_BLOB, TUNABLES };
enum { MOST_SLICES = 65535 };

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_DIM_X] = {"BLOCK_DIM_X", {8, 16, 32}, 3, 16, "pixels of a group along x"},
    [BLOCK_DIM_Y] = {"BLOCK_DIM_Y", {4, 8, 16, 32}, 4, 8, "pixels of a group along y"},
    [PRECOMPUTE_BLOB] = {"PRECOMPUTE_BLOB", {0, 1}, 2, 0, "whether the blob is read from a table"},
};

static const char *const constraints[] = {
    "BLOCK_DIM_X * BLOCK_DIM_Y <= device.largest_group",
    "BLOCK_DIM_X * BLOCK_DIM_Y <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of it */
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

/* As gathering does it, but for the additions to the volume: of each pixel 4/3 π r³ voxels, 24 bytes there and back. */
static void work_of(const void *user, qn_work *work)
{
    const double pi = 3.14159265358979;
    const qn_insert_problem *problem = user;
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const double slices = (double)problem->images * problem->operators;
    const double pixels = slices * pi * shape.kept * shape.kept / 2;
    const double voxels = (double)shape.planes / problem->side * pixels * 4 / 3 * pi * pow((double)problem->radius, 3);
    *work = (qn_work){.bytes_read = 12 * pixels / problem->operators + 12 * voxels,
                      .bytes_written = 12 * voxels,
                      .multiply_adds = 12 * voxels};
}

static const qn_argument_declaration arguments_of_scatter[] = {
    {"images", QN_IN, QN_FLOAT32},     {"image_weights", QN_IN, QN_FLOAT32}, {"matrices", QN_IN, QN_FLOAT32},
    {"blob_table", QN_IN, QN_FLOAT32}, {"numerator", QN_INOUT, QN_FLOAT32},  {"weight", QN_INOUT, QN_FLOAT32},
    {"side", QN_VALUE, QN_INT32},      {"image_side", QN_VALUE, QN_INT32},   {"first_plane", QN_VALUE, QN_INT32},
    {"planes", QN_VALUE, QN_INT32},    {"operators", QN_VALUE, QN_INT32},    {"spacing", QN_VALUE, QN_FLOAT32},
    {"radius", QN_VALUE, QN_FLOAT32},  {"most_squared", QN_VALUE, QN_INT32},
};
enum { ARGUMENTS = sizeof arguments_of_scatter / sizeof *arguments_of_scatter };

static const qn_kernel_declaration kernels[] = {
    {"scatter_slices", arguments_of_scatter, ARGUMENTS, geometry, NULL, work_of}};

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
    if (problem->fast || problem->images * problem->operators > MOST_SLICES)
        QN_FAIL(QN_INVALID_ARGUMENT, "reconstruct/scatter_slices: %d slices%s; expected at most %d, and the blob",
                problem->images * problem->operators, problem->fast ? " to nearest voxels" : "", MOST_SLICES);
    if (problem->images == 0) return QN_OK;
    QN_TRY(qn_insert_check_buffers(problem, images, image_weights, matrices, blob_table, numerator, weight));
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const qn_argument arguments[ARGUMENTS] = {
        qn_argument_buffer(images),
        qn_argument_buffer(image_weights),
        qn_argument_buffer(matrices),
        qn_argument_buffer(blob_table),
        qn_argument_buffer(numerator),
        qn_argument_buffer(weight),
        qn_argument_int32(problem->side),
        qn_argument_int32(shape.image_side),
        qn_argument_int32(shape.first_plane),
        qn_argument_int32(shape.planes),
        qn_argument_int32(problem->operators),
        qn_argument_float32((float)shape.spacing),
        qn_argument_float32(problem->radius),
        qn_argument_int32((int32_t)(shape.kept * shape.kept)),
    };
    qn_insert_problem_class(problem, problem_class);
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_reconstruct_scatter_slices_family, queue, &call, event);
}
