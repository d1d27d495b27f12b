#include "project/kernels/project_slices.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "project/window.h"
#include "runtime/host_variant.h"

extern const char qn_project_project_slices_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_project_project_slices_host);

enum { LAY_OUT, PROJECT };
enum { BLOCK_DIM_X, BLOCK_DIM_Y, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_DIM_X] = {"BLOCK_DIM_X", {4, 8, 16, 32, 64}, 5, 16, "pixels of a group along x"},
    [BLOCK_DIM_Y] = {"BLOCK_DIM_Y", {1, 2, 4, 8, 16, 32}, 6, 8, "pixels of a group along y"},
};

static const char *const constraints[] = {
    "BLOCK_DIM_X * BLOCK_DIM_Y <= device.largest_group",
    "BLOCK_DIM_X * BLOCK_DIM_Y <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of it */
    "BLOCK_DIM_X * BLOCK_DIM_Y >= device.subgroup_size",
    "!device.is_host || (BLOCK_DIM_X == 16 && BLOCK_DIM_Y == 8)", /* the host's kernel has none of these */
};

static size_t rounded(int length, size_t piece)
{
    return ((size_t)length + piece - 1) / piece * piece;
}

/* Samples that a slice reaches along an axis: up to half the taps beyond its last pixel. */
static int reach_of(const qn_slices_problem *problem)
{
    return (int)floor((double)problem->most * problem->side / problem->image_side) + problem->taps / 2 + 2;
}

void qn_slices_volume_size(const qn_slices_problem *problem, int *columns, int *rows)
{
    *columns = reach_of(problem) + problem->taps / 2 + 1;
    *rows = 2 * reach_of(problem) + 1;
}

static qn_geometry lay_out_geometry(const qn_configuration *configuration, const void *problem)
{
    int columns, rows;
    (void)configuration;
    qn_slices_volume_size(problem, &columns, &rows);
    return (qn_geometry){{rounded(columns, 32), rounded(rows, 4), (size_t)rows}, {32, 4, 1}};
}

static void lay_out_work(const void *problem, qn_work *work)
{
    int columns, rows;
    qn_slices_volume_size(problem, &columns, &rows);
    const double samples = (double)columns * rows * rows;
    *work = (qn_work){.bytes_read = 8 * samples, .bytes_written = 8 * samples, .multiply_adds = 2 * samples};
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_slices_problem *problem = user;
    const size_t x = (size_t)configuration->value[BLOCK_DIM_X], y = (size_t)configuration->value[BLOCK_DIM_Y];
    return (qn_geometry){
        {rounded(problem->image_side / 2 + 1, x), rounded(problem->image_side, y), (size_t)problem->images}, {x, y, 1}};
}

/* A pixel cannot do without its samples: two sums for each, and of the volume no more than there is. */
static void work_of(const void *user, qn_work *work)
{
    const qn_slices_problem *problem = user;
    int columns, rows;
    qn_slices_volume_size(problem, &columns, &rows);
    const double most = (double)problem->most, pixels = 3.14159265358979 / 2 * most * most * problem->images;
    const double volume = 8.0 * columns * rows * rows, taps = problem->taps;
    *work = (qn_work){.bytes_read = fmin(volume, 8 * taps * pixels),
                      .bytes_written = 8.0 * problem->images * problem->image_side * (problem->image_side / 2 + 1),
                      .multiply_adds = pixels * (2 * taps * taps * taps + 3 * taps * taps + (problem->ctf ? 40 : 20))};
}

static qn_status host_lay_out(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_project_project_slices_host)[0](launch);
}

static qn_status host_project(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_project_project_slices_host)[1](launch);
}

static const qn_argument_declaration lay_out_arguments[] = {
    {"spectrum", QN_IN, QN_FLOAT32}, {"volume", QN_OUT, QN_FLOAT32},  {"side", QN_VALUE, QN_INT32},
    {"reach", QN_VALUE, QN_INT32},   {"columns", QN_VALUE, QN_INT32}, {"scale", QN_VALUE, QN_FLOAT32},
};
enum { LAY_OUT_ARGUMENTS = sizeof lay_out_arguments / sizeof *lay_out_arguments };

static const qn_argument_declaration project_arguments[] = {
    {"volume", QN_IN, QN_FLOAT32},    {"window", QN_IN, QN_FLOAT32},          {"steps", QN_IN, QN_FLOAT32},
    {"parameters", QN_IN, QN_UINT32}, {"slices", QN_OUT, QN_FLOAT32},         {"image_side", QN_VALUE, QN_INT32},
    {"reach", QN_VALUE, QN_INT32},    {"volume_columns", QN_VALUE, QN_INT32}, {"most_squared", QN_VALUE, QN_INT32},
    {"ctf", QN_VALUE, QN_INT32},
};
enum { PROJECT_ARGUMENTS = sizeof project_arguments / sizeof *project_arguments };

static const qn_kernel_declaration kernels[] = {
    [LAY_OUT] = {"lay_out", lay_out_arguments, LAY_OUT_ARGUMENTS, lay_out_geometry, host_lay_out, lay_out_work},
    [PROJECT] = {"project_slices", project_arguments, PROJECT_ARGUMENTS, geometry, host_project, work_of},
};

const qn_family qn_project_project_slices_family = {
    .name = "project/project_slices",
    .source = qn_project_project_slices_source,
    .source_path = "project/kernels/project_slices.cl",
    .kernels = kernels,
    .kernel_count = 2,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "TAPS=4",
};

static qn_status check_problem(const qn_slices_problem *problem)
{
    if (problem->side < 4 || problem->side > QN_PROJECT_LARGEST_SIDE)
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: a padded side of %d; expected 4 to %d", problem->side,
                QN_PROJECT_LARGEST_SIDE);
    if (problem->image_side < 4 || problem->image_side > problem->side)
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: images of side %d; expected 4 to %d", problem->image_side,
                problem->side);
    if (problem->images < 0 || problem->images > 65535)
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %d images; expected 0 to 65535", problem->images);
    if (problem->taps != 2 && problem->taps != 4 && problem->taps != 6)
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %d taps; expected 2, 4 or 6", problem->taps);
    if (!(problem->most >= 0 && 2 * problem->most <= (float)(problem->image_side - 1)))
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: slices up to %g pixels; expected 0 to %g",
                (double)problem->most, (problem->image_side - 1) / 2.0);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %s: %zu bytes; expected %zu", name,
                qn_buffer_bytes(buffer), bytes);
    return QN_OK;
}

static size_t volume_bytes(const qn_slices_problem *problem)
{
    int columns, rows;
    qn_slices_volume_size(problem, &columns, &rows);
    return 8 * (size_t)columns * (size_t)rows * (size_t)rows;
}

static const char *definitions_of(const qn_slices_problem *problem)
{
    return problem->taps == 2 ? "TAPS=2" : problem->taps == 4 ? "TAPS=4" : "TAPS=6";
}

qn_status qn_slices_lay_out(qn_queue *queue, const qn_slices_problem *problem, float scale, qn_buffer *spectrum,
                            qn_buffer *volume, qn_event **event)
{
    const qn_configuration fallback = qn_family_fallback(&qn_project_project_slices_family);
    const size_t side = (size_t)problem->side;
    int columns, rows;
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    qn_slices_volume_size(problem, &columns, &rows);
    QN_TRY(check_buffer("spectrum", spectrum, 8 * side * side * (side / 2 + 1)));
    QN_TRY(check_buffer("volume", volume, volume_bytes(problem)));
    const qn_argument arguments[LAY_OUT_ARGUMENTS] = {
        qn_argument_buffer(spectrum),     qn_argument_range(volume, 0, volume_bytes(problem)),
        qn_argument_int32(problem->side), qn_argument_int32(reach_of(problem)),
        qn_argument_int32(columns),       qn_argument_float32(scale),
    };
    const qn_family_call call = {.kernel = LAY_OUT,
                                 .arguments = arguments,
                                 .argument_count = LAY_OUT_ARGUMENTS,
                                 .problem = problem,
                                 .definitions = definitions_of(problem),
                                 .configuration = &fallback};
    return qn_family_run(&qn_project_project_slices_family, queue, &call, event);
}

/* What is best depends on how much of the volume caches hold. */
void qn_slices_problem_class(const qn_slices_problem *problem, char text[64])
{
    int side = 64;
    while (side < problem->side) side *= 2;
    snprintf(text, 64, "side<=%d taps=%d", side, problem->taps);
}

qn_status qn_project_slices(qn_queue *queue, const qn_configuration *configuration, const qn_slices_problem *problem,
                            qn_buffer *volume, qn_buffer *window, qn_buffer *steps, qn_buffer *parameters,
                            qn_buffer *slices, qn_event **event)
{
    char class_name[64];
    int columns, rows;
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    if (problem->images == 0) return QN_OK;
    const size_t images = (size_t)problem->images, side = (size_t)problem->image_side;
    const size_t slice_bytes = 8 * images * side * (side / 2 + 1);
    QN_TRY(check_buffer("volume", volume, volume_bytes(problem)));
    QN_TRY(check_buffer("window", window, 4 * (size_t)QN_WINDOW_ROWS * (size_t)problem->taps));
    QN_TRY(check_buffer("steps", steps, 24 * images));
    QN_TRY(check_buffer("parameters", parameters, 4 * QN_IMAGE_PARAMETERS * images));
    QN_TRY(check_buffer("slices", slices, slice_bytes));
    qn_slices_problem_class(problem, class_name);
    qn_slices_volume_size(problem, &columns, &rows);
    const double most = (double)problem->most;
    const qn_argument arguments[PROJECT_ARGUMENTS] = {
        qn_argument_buffer(volume),
        qn_argument_buffer(window),
        qn_argument_buffer(steps),
        qn_argument_buffer(parameters),
        qn_argument_range(slices, 0, slice_bytes),
        qn_argument_int32(problem->image_side),
        qn_argument_int32(reach_of(problem)),
        qn_argument_int32(columns),
        qn_argument_int32((int32_t)(most * most)), /* here, so that no device rounds it otherwise */
        qn_argument_int32(problem->ctf),
    };
    const qn_family_call call = {.kernel = PROJECT,
                                 .arguments = arguments,
                                 .argument_count = PROJECT_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = class_name,
                                 .definitions = definitions_of(problem),
                                 .configuration = configuration};
    return qn_family_run(&qn_project_project_slices_family, queue, &call, event);
}
