#include "project/kernels/project_slices.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "math/window.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "project/kernels/project_slices.dev.h"

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
    "BLOCK_DIM_X * BLOCK_DIM_Y <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of this kernel */
    "BLOCK_DIM_X * BLOCK_DIM_Y >= device.subgroup_size",
    "!device.is_host || (BLOCK_DIM_X == 16 && BLOCK_DIM_Y == 8)", /* the host's kernel has no tunables */
};

static size_t rounded(int length, size_t piece)
{
    return ((size_t)length + piece - 1) / piece * piece;
}

/* Farthest sample along an axis that a slice needs: half the taps beyond its last pixel, and a margin. */
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

/* Least work: two multiply-adds for each sample of a pixel; each sample of the volume is read at most once. */
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

_Static_assert(sizeof(lay_out_scalars) == 4 * 4 && sizeof(project_scalars) == 5 * 4, "no padding");

static const qn_argument_declaration lay_out_arguments[LAY_OUT_ARGUMENTS] = {
    [LAY_OUT_SPECTRUM] = {"spectrum", QN_IN, QN_FLOAT32},
    [LAY_OUT_VOLUME] = {"volume", QN_OUT, QN_FLOAT32},
    [LAY_OUT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(lay_out_scalars)},
};

static const qn_argument_declaration project_arguments[PROJECT_ARGUMENTS] = {
    [PROJECT_VOLUME] = {"volume", QN_IN, QN_FLOAT32},
    [PROJECT_WINDOW] = {"window", QN_IN, QN_FLOAT32},
    [PROJECT_STEPS] = {"steps", QN_IN, QN_FLOAT32},
    [PROJECT_PARAMETERS] = {"parameters", QN_IN, QN_UINT32},
    [PROJECT_SLICES] = {"slices", QN_OUT, QN_FLOAT32},
    [PROJECT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(project_scalars)},
};

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
    if (problem->side < 4 || problem->side > QN_PROJECT_SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: a padded side of %d; expected 4 to %d",
                       problem->side, QN_PROJECT_SIDE_MAX);
    if (problem->image_side < 4 || problem->image_side > problem->side)
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: images of side %d; expected 4 to %d",
                       problem->image_side, problem->side);
    if (problem->images < 0 || problem->images > 65535)
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %d images; expected 0 to 65535", problem->images);
    if (problem->taps != 2 && problem->taps != 4 && problem->taps != 6)
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %d taps; expected 2, 4 or 6", problem->taps);
    if (!(problem->most >= 0 && 2 * problem->most <= (float)(problem->image_side - 1)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: slices up to %g pixels; expected 0 to %g",
                       (double)problem->most, (problem->image_side - 1) / 2.0);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "project/project_slices: %s: %zu bytes; expected %zu", name,
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
    const lay_out_scalars scalars = {
        .side = problem->side,
        .reach = reach_of(problem),
        .columns = columns,
        .scale = scale,
    };
    const qn_argument arguments[LAY_OUT_ARGUMENTS] = {
        [LAY_OUT_SPECTRUM] = qn_argument_buffer(spectrum),
        [LAY_OUT_VOLUME] = qn_argument_range(volume, 0, volume_bytes(problem)),
        [LAY_OUT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = LAY_OUT,
                                 .arguments = arguments,
                                 .argument_count = LAY_OUT_ARGUMENTS,
                                 .problem = problem,
                                 .definitions = definitions_of(problem),
                                 .configuration = &fallback};
    return qn_family_run(&qn_project_project_slices_family, queue, &call, event);
}

/* The best configuration depends on the share of the volume that caches hold. */
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
    const project_scalars scalars = {
        .image_side = problem->image_side,
        .reach = reach_of(problem),
        .volume_columns = columns,
        .most_squared = (int32_t)(most * most), /* computed here, so that all devices use the same rounded value */
        .ctf = problem->ctf,
    };
    const qn_argument arguments[PROJECT_ARGUMENTS] = {
        [PROJECT_VOLUME] = qn_argument_buffer(volume),
        [PROJECT_WINDOW] = qn_argument_buffer(window),
        [PROJECT_STEPS] = qn_argument_buffer(steps),
        [PROJECT_PARAMETERS] = qn_argument_buffer(parameters),
        [PROJECT_SLICES] = qn_argument_range(slices, 0, slice_bytes),
        [PROJECT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
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
