#include "reconstruct/kernels/insert_slices.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cryoem/blob.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "reconstruct/kernels/insert_slices.dev.h"

extern const char qn_reconstruct_insert_slices_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_reconstruct_insert_slices_host);

enum {
    BLOCK_DIM_X,
    BLOCK_DIM_Y,
    GRID_DIM_Z,
    BRICK,
    BRICK_DEPTH,
    PRECOMPUTE_BLOB,
    SHARED_BLOB,
    UNROLL_ROWS,
    SKIP_PIXELS,
    SHARED_IMAGE,
    TUNABLES
};
enum { SETTLE_GROUP = 256, SETTLE_GROUPS_MAX = 4096 };

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_DIM_X] = {"BLOCK_DIM_X", {8, 16, 32}, 3, 16, "work-items of a group along the plane's first axis"},
    [BLOCK_DIM_Y] = {"BLOCK_DIM_Y", {4, 8, 16, 32}, 4, 8, "work-items of a group along its second axis"},
    [GRID_DIM_Z] = {"GRID_DIM_Z", {1, 2, 4, 8, 16, 32}, 6, 8, "groups that share the slices, at most"},
    [BRICK] = {"BRICK", {0, 8, 16}, 3, 16, "voxels of a group's brick along x and y; 0: atomics in global memory"},
    [BRICK_DEPTH] = {"BRICK_DEPTH", {4, 8, 12}, 3, 8, "voxels of a brick along z"},
    [PRECOMPUTE_BLOB] = {"PRECOMPUTE_BLOB", {0, 1}, 2, 0, "whether the blob is read from a table"},
    [SHARED_BLOB] = {"SHARED_BLOB", {0, 1}, 2, 0, "whether that table is in local memory"},
    [UNROLL_ROWS] = {"UNROLL_ROWS", {1, 2, 4}, 3, 4, "rows of pixels unrolled"},
    [SKIP_PIXELS] = {"SKIP_PIXELS", {0, 1}, 2, 0, "whether pixels beyond the radius are not read"},
    [SHARED_IMAGE] = {"SHARED_IMAGE", {0, 1}, 2, 0, "whether the pixels around a brick are copied to local memory"},
};

static const char *const constraints[] = {
    "BLOCK_DIM_X * BLOCK_DIM_Y <= device.largest_group",
    "BLOCK_DIM_X * BLOCK_DIM_Y <= 256 || !device.is_opencl", /* NVIDIA's OpenCL cannot run larger groups of this kernel
                                                              */
    "BLOCK_DIM_X * BLOCK_DIM_Y >= device.subgroup_size",
    "12 * BRICK_DEPTH * (BRICK * BRICK + 1) + 512 + 16400 * SHARED_BLOB + 733 * BRICK * SHARED_IMAGE <= "
    "device.local_memory_bytes",
    "BRICK > 0 || SHARED_IMAGE == 0",
    "PRECOMPUTE_BLOB == 1 || SHARED_BLOB == 0",
    "BRICK > 0 || BRICK_DEPTH == 8",
    "BRICK == 0 || BLOCK_DIM_X * BLOCK_DIM_Y <= BRICK * BRICK", /* otherwise some work-items would have no column */
    /* the host's kernel uses none of the tunables */
    "!device.is_host || (BLOCK_DIM_X == 16 && BLOCK_DIM_Y == 8 && GRID_DIM_Z == 8 && BRICK == 16)",
    "!device.is_host || (BRICK_DEPTH == 8 && PRECOMPUTE_BLOB == 0 && SHARED_BLOB == 0 && UNROLL_ROWS == 4 && "
    "SKIP_PIXELS == 0 && SHARED_IMAGE == 0)",
};

static size_t pieces(int length, int piece)
{
    return ((size_t)length + (size_t)piece - 1) / (size_t)piece;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_insert_problem *problem = user;
    const int *value = configuration->value, side = problem->side, brick = value[BRICK];
    const size_t x = (size_t)value[BLOCK_DIM_X], y = (size_t)value[BLOCK_DIM_Y], z = (size_t)value[GRID_DIM_Z];
    const int planes = qn_insert_shape_of(problem).planes;
    if (brick == 0) return (qn_geometry){{pieces(side, (int)x) * x, pieces(side, (int)y) * y, z}, {x, y, 1}};
    return (qn_geometry){
        {pieces(side / 2 + 1, brick) * x, pieces(side, brick) * y, pieces(planes, value[BRICK_DEPTH]) * z}, {x, y, 1}};
}

qn_insert_shape qn_insert_shape_of(const qn_insert_problem *problem)
{
    const int side = problem->side, n = problem->image_side > 0 ? problem->image_side : side;
    const double spacing = problem->spacing > 0 ? (double)problem->spacing : 1.0;
    const double most = fmin(fmin((double)problem->most, n / 2.0 * spacing), side); /* no voxel is beyond `side` */
    return (qn_insert_shape){.image_side = n,
                             .first_plane = problem->first_plane,
                             .planes = problem->planes > 0 ? problem->planes : side,
                             .spacing = spacing,
                             .most = most,
                             .most_squared = (int)(most * most),
                             .kept = (n - 1) / 2,
                             .reach = (int)ceil(2 * (double)problem->radius / spacing),
                             .image_pixels = (size_t)n * (size_t)(n / 2 + 1),
                             .plane_voxels = (size_t)side * (size_t)(side / 2 + 1)};
}

/* The least work, in multiply-adds. Each voxel within the radius r of a slice (a half disc, 2 r thick) needs three
 * coordinates: 9. On average it has 2/3 π r² pixels (r in pixels) within r, and each of them needs a distance, eight
 * steps of a polynomial for the blob, and three sums: 12. Each pixel is read once; each voxel is read and written once.
 * A slab has the share of the work that its planes are of the volume's. */
static void work_of(const void *user, qn_work *work)
{
    const double pi = 3.14159265358979;
    const qn_insert_problem *problem = user;
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const double radius = problem->fast ? 0.5 : (double)problem->radius, share = (double)shape.planes / problem->side;
    const double slices = (double)problem->images * problem->operators;
    const double reach = fmin(shape.most, problem->side / 2.0), kept = fmin(reach / shape.spacing, shape.kept);
    const double voxels = share * slices * pi * reach * reach / 2 * 2 * radius;
    const double pixels = problem->fast ? 1 : pi * radius * radius * 2 / 3 / (shape.spacing * shape.spacing);
    const double volume = share * 12 * 2.0 / 3 * pi * reach * reach * reach;
    *work = (qn_work){.bytes_read = 12 * problem->images * pi * kept * kept / 2 + 36 * slices + volume,
                      .bytes_written = volume,
                      .multiply_adds = voxels * (9 + (problem->fast ? 3 : 12) * pixels)};
}

static qn_geometry settle_geometry(const qn_configuration *configuration, const void *user)
{
    size_t groups = (*(const size_t *)user + SETTLE_GROUP - 1) / SETTLE_GROUP;
    (void)configuration;
    if (groups > SETTLE_GROUPS_MAX) groups = SETTLE_GROUPS_MAX;
    return (qn_geometry){{groups * SETTLE_GROUP, 1, 1}, {SETTLE_GROUP, 1, 1}};
}

static void settle_work(const void *user, qn_work *work)
{
    const double count = (double)*(const size_t *)user;
    *work = (qn_work){.bytes_read = 12 * count, .bytes_written = 12 * count, .multiply_adds = 7 * count};
}

static qn_status host_insert(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_reconstruct_insert_slices_host)[0](launch);
}

static qn_status host_settle(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_reconstruct_insert_slices_host)[1](launch);
}

_Static_assert(sizeof(insert_scalars) == 12 * 4, "no padding");

static const qn_argument_declaration insert_arguments[INSERT_ARGUMENTS] = {
    [INSERT_IMAGES] = {"images", QN_IN, QN_FLOAT32},
    [INSERT_IMAGE_WEIGHTS] = {"image_weights", QN_IN, QN_FLOAT32},
    [INSERT_MATRICES] = {"matrices", QN_IN, QN_FLOAT32},
    [INSERT_BLOB_TABLE] = {"blob_table", QN_IN, QN_FLOAT32},
    [INSERT_NUMERATOR] = {"numerator", QN_INOUT, QN_FLOAT32},
    [INSERT_WEIGHT] = {"weight", QN_INOUT, QN_FLOAT32},
    [INSERT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(insert_scalars)},
};

static const qn_argument_declaration settle_arguments[SETTLE_ARGUMENTS] = {
    [SETTLE_PARTIAL] = {"partial", QN_INOUT, QN_FLOAT32},
    [SETTLE_TOTAL] = {"total", QN_INOUT, QN_FLOAT32},
    [SETTLE_LOW_PART] = {"low_part", QN_INOUT, QN_FLOAT32},
    [SETTLE_COUNT] = {"count", QN_VALUE, QN_INT64},
};

static const qn_kernel_declaration kernels[] = {
    {"insert_slices", insert_arguments, INSERT_ARGUMENTS, geometry, host_insert, work_of},
    {"settle", settle_arguments, SETTLE_ARGUMENTS, settle_geometry, host_settle, settle_work},
};

const qn_family qn_reconstruct_insert_slices_family = {
    .name = "reconstruct/insert_slices",
    .source = qn_reconstruct_insert_slices_source,
    .source_path = "reconstruct/kernels/insert_slices.cl",
    .kernels = kernels,
    .kernel_count = 2,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "REACH=2 SPACING_HALVES=4",
};

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t numbers)
{
    if (qn_buffer_bytes(buffer) < numbers * sizeof(float))
        return QN_FAIL(QN_INVALID_ARGUMENT, "reconstruct/insert_slices: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), numbers * sizeof(float));
    return QN_OK;
}

qn_status qn_insert_problem_check(const qn_insert_problem *problem, const char *family)
{
    if (problem->side < 4 || problem->side > QN_INSERT_SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: side %d; expected 4 to %d", family, problem->side, QN_INSERT_SIDE_MAX);
    if (problem->images < 0 || problem->operators < 1 || problem->images > (1 << 24) / problem->operators)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d images and %d operators; expected a product of at most %d", family,
                       problem->images, problem->operators, 1 << 24);
    if (!(problem->radius >= 0.5f && problem->radius <= 1.99f))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a blob of radius %g; expected 0.5 to 1.99 voxels", family,
                       (double)problem->radius);
    if (problem->image_side != 0 && (problem->image_side < 4 || problem->image_side > QN_INSERT_SIDE_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: images of side %d; expected 4 to %d, or 0 for the volume's", family,
                       problem->image_side, QN_INSERT_SIDE_MAX);
    if (!(problem->spacing == 0 || (problem->spacing >= 0.5f && problem->spacing <= 4.0f)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: pixels %g voxels apart; expected 0.5 to 4, or 0 for 1", family,
                       (double)problem->spacing);
    if (problem->first_plane < 0 || problem->planes < 0 || problem->first_plane > problem->side - problem->planes ||
        (problem->planes == 0 && problem->first_plane != 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d planes from plane %d on; expected a part of the volume's %d",
                       family, problem->planes, problem->first_plane, problem->side);
    if (!(problem->most >= 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: images kept up to %g; expected a frequency of at least 0 voxels",
                       family, (double)problem->most);
    return QN_OK;
}

qn_status qn_insert_check_buffers(const qn_insert_problem *problem, const qn_buffer *images,
                                  const qn_buffer *image_weights, const qn_buffer *matrices,
                                  const qn_buffer *blob_table, const qn_buffer *numerator, const qn_buffer *weight)
{
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const size_t pixels = shape.image_pixels * (size_t)problem->images;
    const size_t voxels = shape.plane_voxels * (size_t)shape.planes;
    QN_TRY(check_buffer("images", images, 2 * pixels));
    QN_TRY(check_buffer("image weights", image_weights, pixels));
    QN_TRY(check_buffer("matrices", matrices, 9 * (size_t)problem->images * (size_t)problem->operators));
    QN_TRY(check_buffer("blob table", blob_table, QN_BLOB_ENTRIES));
    QN_TRY(check_buffer("numerator", numerator, 2 * voxels));
    return check_buffer("weight", weight, voxels);
}

/* The best configuration depends on the side and on the number of pixels that a voxel gathers. The number of slices
 * does not matter if it is large enough. */
void qn_insert_problem_class(const qn_insert_problem *problem, char text[64])
{
    const int slices = problem->images * problem->operators;
    int side = 64;
    while (side < problem->side) side *= 2;
    snprintf(text, 64, "side<=%d reach=%d %s", side, qn_insert_shape_of(problem).reach, slices > 64 ? "many" : "few");
}

qn_status qn_insert_slices(qn_queue *queue, const qn_configuration *configuration, const qn_insert_problem *problem,
                           qn_buffer *images, qn_buffer *image_weights, qn_buffer *matrices, qn_buffer *blob_table,
                           qn_buffer *numerator, qn_buffer *weight, qn_event **event)
{
    char problem_class[64], definitions[64];
    QN_TRY(qn_insert_problem_check(problem, "reconstruct/insert_slices"));
    if (event) *event = NULL;
    if (problem->images == 0) return QN_OK;
    QN_TRY(qn_insert_check_buffers(problem, images, image_weights, matrices, blob_table, numerator, weight));
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    snprintf(definitions, sizeof definitions, "REACH=%d SPACING_HALVES=%d", shape.reach, (int)(2 * shape.spacing));
    qn_insert_problem_class(problem, problem_class);
    const insert_scalars scalars = {
        .side = problem->side,
        .image_side = shape.image_side,
        .first_plane = shape.first_plane,
        .planes = shape.planes,
        .operators = problem->operators,
        .slices = problem->images * problem->operators,
        .spacing = (float)shape.spacing,
        .radius = problem->radius,
        .most = (float)shape.most,
        .most_squared = shape.most_squared,
        .kept = shape.kept,
        .fast = problem->fast,
    };
    const qn_argument arguments[INSERT_ARGUMENTS] = {
        [INSERT_IMAGES] = qn_argument_buffer(images),
        [INSERT_IMAGE_WEIGHTS] = qn_argument_buffer(image_weights),
        [INSERT_MATRICES] = qn_argument_buffer(matrices),
        [INSERT_BLOB_TABLE] = qn_argument_buffer(blob_table),
        [INSERT_NUMERATOR] = qn_argument_buffer(numerator),
        [INSERT_WEIGHT] = qn_argument_buffer(weight),
        [INSERT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = INSERT_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_reconstruct_insert_slices_family, queue, &call, event);
}

qn_status qn_insert_settle(qn_queue *queue, size_t count, qn_buffer *partial, qn_buffer *total, qn_buffer *low_part,
                           qn_event **event)
{
    const qn_configuration fallback = qn_family_fallback(&qn_reconstruct_insert_slices_family);
    if (event) *event = NULL;
    if (count == 0) return QN_OK;
    QN_TRY(check_buffer("partial sums", partial, count));
    QN_TRY(check_buffer("totals", total, count));
    QN_TRY(check_buffer("low parts", low_part, count));
    const qn_argument arguments[SETTLE_ARGUMENTS] = {
        [SETTLE_PARTIAL] = qn_argument_buffer(partial),
        [SETTLE_TOTAL] = qn_argument_buffer(total),
        [SETTLE_LOW_PART] = qn_argument_buffer(low_part),
        [SETTLE_COUNT] = qn_argument_int64((int64_t)count),
    };
    const qn_family_call call = {.kernel = 1,
                                 .arguments = arguments,
                                 .argument_count = SETTLE_ARGUMENTS,
                                 .problem = &count,
                                 .configuration = &fallback};
    return qn_family_run(&qn_reconstruct_insert_slices_family, queue, &call, event);
}
