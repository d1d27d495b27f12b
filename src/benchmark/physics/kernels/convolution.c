#include "benchmark/physics/kernels/convolution.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/physics/kernels/convolution.dev.h"

extern const char qn_benchmark_convolution_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_convolution_host);

enum { BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, SLIDING, LOCAL_IMAGE, PADDING, FILTER_MEMORY, UNROLL_ROWS, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_X] = {"BLOCK_X",
                 {1, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
                 16,
                 32,
                 "work-items of a group along x"},
    [BLOCK_Y] = {"BLOCK_Y", {1, 2, 4, 8, 16}, 5, 2, "work-items of a group along y"},
    [TILE_X] = {"TILE_X", {1, 2, 3, 4, 8}, 5, 4, "outputs of an item along x"},
    [TILE_Y] = {"TILE_Y", {1, 2, 3, 4, 8}, 5, 2, "outputs of an item along y"},
    [SLIDING] = {"SLIDING", {0, 1}, 2, 1, "whether an item's outputs are adjacent"},
    [LOCAL_IMAGE] = {"LOCAL_IMAGE", {0, 1}, 2, 1, "whether inputs go through local memory"},
    [PADDING] = {"PADDING", {0, 1}, 2, 0, "whether 4 unused floats follow each 32 in local memory"},
    [FILTER_MEMORY] =
        {"FILTER_MEMORY", {0, 1, 2}, 3, 0, "the filter is read from 0 global, 1 constant, 2 local memory"},
    [UNROLL_ROWS] = {"UNROLL_ROWS", {1, 3, 5, 15}, 4, 1, "rows of the filter unrolled"},
};

/* The constraint on local memory allows filters up to 17 x 17, with padding and the last vector that is read. */
static const char *const constraints[] = {
    "BLOCK_X * BLOCK_Y <= device.largest_group",
    "BLOCK_X * BLOCK_Y >= device.subgroup_size",
    "LOCAL_IMAGE == 1 || PADDING == 0",
    "FILTER_MEMORY != 1 || device.is_opencl",
    "TILE_X > 1 || SLIDING == 0",
    /* sums must fit registers, and multiply-adds an instruction cache */
    "TILE_X * TILE_Y <= 32 && TILE_X * TILE_Y * UNROLL_ROWS <= 120",
    "LOCAL_IMAGE * 4 * (BLOCK_Y * TILE_Y + 16) * ((BLOCK_X * TILE_X + 16) * (8 + PADDING) / 8 + 8) + 1280 <= "
    "device.local_memory_bytes",
    /* the host's kernel uses none of these tunables */
    "!device.is_host || (BLOCK_X == 32 && BLOCK_Y == 2 && TILE_X == 4 && TILE_Y == 2)",
    "!device.is_host || (SLIDING == 1 && LOCAL_IMAGE == 1 && PADDING == 0 && FILTER_MEMORY == 0 && UNROLL_ROWS == 1)",
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_convolution_problem *problem = user;
    const int *value = configuration->value;
    const size_t block_x = (size_t)value[BLOCK_X], block_y = (size_t)value[BLOCK_Y];
    const size_t group_width = block_x * (size_t)value[TILE_X], group_height = block_y * (size_t)value[TILE_Y];
    return (qn_geometry){{((size_t)problem->width + group_width - 1) / group_width * block_x,
                          ((size_t)problem->height + group_height - 1) / group_height * block_y, 1},
                         {block_x, block_y, 1}};
}

static void work_of(const void *user, qn_work *work)
{
    const qn_convolution_problem *problem = user;
    const double outputs = (double)problem->width * problem->height;
    const double inputs =
        (double)(problem->width + problem->filter_width - 1) * (problem->height + problem->filter_height - 1);
    const double weights = (double)problem->filter_width * problem->filter_height;
    *work = (qn_work){
        .bytes_read = 4 * (inputs + weights), .bytes_written = 4 * outputs, .multiply_adds = outputs * weights};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_convolution_host)[0](launch);
}

_Static_assert(sizeof(convolution_scalars) == 4 * 4, "no padding");

/* The filter's sizes in the scalars are for the host's kernel; other devices' text has them as definitions. */
static const qn_argument_declaration arguments_of_convolution[CONVOLUTION_ARGUMENTS] = {
    [CONVOLUTION_IN] = {"in", QN_IN, QN_FLOAT32},
    [CONVOLUTION_FILTER] = {"filter", QN_IN, QN_FLOAT32},
    [CONVOLUTION_OUT] = {"out", QN_OUT, QN_FLOAT32},
    [CONVOLUTION_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(convolution_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"convolution", arguments_of_convolution, CONVOLUTION_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_benchmark_convolution_family = {
    .name = "benchmark/convolution",
    .source = qn_benchmark_convolution_source,
    .source_path = "benchmark/physics/kernels/convolution.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "FILTER_WIDTH=15 FILTER_HEIGHT=15",
};

static qn_status check_buffer(const char *name, const qn_buffer *buffer, int width, int height)
{
    const size_t needed = (size_t)width * (size_t)height * sizeof(float);
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/convolution: %s has %zu bytes; expected %zu for %d x %d numbers",
                       name, qn_buffer_bytes(buffer), needed, width, height);
    return QN_OK;
}

static bool is_filter_size(int size)
{
    return size >= 1 && size <= QN_CONVOLUTION_FILTER_MAX;
}

qn_status qn_convolution(qn_queue *queue, const qn_configuration *configuration, const qn_convolution_problem *problem,
                         qn_buffer *in, qn_buffer *filter, qn_buffer *out, qn_event **event)
{
    const int width = problem->width, height = problem->height;
    const int filter_width = problem->filter_width, filter_height = problem->filter_height;
    char definitions[64], problem_class[64];
    if (width < 1 || height < 1 || !is_filter_size(filter_width) || !is_filter_size(filter_height))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "benchmark/convolution: an image of %d x %d, a filter of %d x %d; expected at least one number and a "
            "filter up to %d x %d",
            width, height, filter_width, filter_height, QN_CONVOLUTION_FILTER_MAX, QN_CONVOLUTION_FILTER_MAX);
    QN_TRY(check_buffer("the image", in, width + filter_width - 1, height + filter_height - 1));
    QN_TRY(check_buffer("the filter", filter, filter_width, filter_height));
    QN_TRY(check_buffer("the result", out, width, height));
    const convolution_scalars scalars = {
        .width = width,
        .height = height,
        .filter_width = filter_width,
        .filter_height = filter_height,
    };
    const qn_argument arguments[CONVOLUTION_ARGUMENTS] = {
        [CONVOLUTION_IN] = qn_argument_buffer(in),
        [CONVOLUTION_FILTER] = qn_argument_buffer(filter),
        [CONVOLUTION_OUT] = qn_argument_range(out, 0, (size_t)width * (size_t)height * sizeof(float)),
        [CONVOLUTION_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    snprintf(definitions, sizeof definitions, "FILTER_WIDTH=%d FILTER_HEIGHT=%d", filter_width, filter_height);
    /* The number of outputs does not matter, because there are enough for every unit. */
    snprintf(problem_class, sizeof problem_class, "filter=%dx%d", filter_width, filter_height);
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = CONVOLUTION_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    return qn_family_run(&qn_benchmark_convolution_family, queue, &call, event);
}
