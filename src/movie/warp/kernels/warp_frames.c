#include "movie/warp/kernels/warp_frames.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/warp_frames.dev.h"

extern const char qn_movie_warp_frames_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_warp_frames_host);

enum { FIELD, WARP };
enum { BLOCK_DIM_X, BLOCK_DIM_Y, PIXELS, UNROLLED, TUNABLES };

_Static_assert((int)QN_WARP_FRAMES_MAX == (int)WARP_FRAMES_MAX && (int)QN_WARP_SUMS_MAX == (int)WARP_SUMS_MAX &&
                   (int)QN_WARP_ROW == (int)WARP_ROW && (int)QN_WARP_COEFFICIENTS == 2 * WARP_SIDE * WARP_SIDE,
               "the header and the kernel agree");
_Static_assert(sizeof(warp_scalars) % 8 == 0 && sizeof(warp_scalars) == 16 + 4 * (8 + 24 + 4 * 8 + 8 * 12),
               "no padding");
_Static_assert(sizeof(field_scalars) == 4 * 11, "no padding");

static const qn_tunable tunables[TUNABLES] = {
    [BLOCK_DIM_X] = {"BLOCK_DIM_X", {16, 32, 64, 128}, 4, 32, "output pixels of a group along x"},
    [BLOCK_DIM_Y] = {"BLOCK_DIM_Y", {1, 2, 4, 8, 16}, 5, 8, "work-items of a group along y"},
    [PIXELS] = {"PIXELS", {1, 2, 4}, 3, 1, "rows of a work-item"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4}, 3, 1, "frames of an iteration"},
};

static const char *const constraints[] = {
    "BLOCK_DIM_X * BLOCK_DIM_Y <= device.largest_group", "BLOCK_DIM_X * BLOCK_DIM_Y <= 512",
    "BLOCK_DIM_X * BLOCK_DIM_Y >= device.subgroup_size",
    "!device.is_host || (BLOCK_DIM_X == 32 && BLOCK_DIM_Y == 8 && PIXELS * UNROLLED == 1)", /* the host's kernel has no
                                                                                               tunables */
};

static size_t rounded(int length, size_t piece)
{
    return ((size_t)length + piece - 1) / piece * piece;
}

static qn_geometry field_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_warp_problem *problem = user;
    (void)configuration;
    return (qn_geometry){{WARP_ROW, rounded(problem->size[1], 4), (size_t)problem->frames}, {WARP_ROW, 4, 1}};
}

static void field_work(const void *user, qn_work *work)
{
    const qn_warp_problem *problem = user;
    const double numbers = (double)problem->frames * problem->size[1] * WARP_ROW;
    *work = (qn_work){.bytes_read = 4.0 * QN_WARP_COEFFICIENTS * problem->frames,
                      .bytes_written = 4 * numbers,
                      .multiply_adds = 7 * numbers}; /* 4 of them for a column, shared by the powers, and 3 */
}

static qn_geometry warp_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_warp_problem *problem = user;
    const int *value = configuration->value;
    const size_t x = (size_t)value[BLOCK_DIM_X], y = (size_t)value[BLOCK_DIM_Y];
    return (qn_geometry){
        {rounded(problem->size[0], x), rounded(problem->size[1], y * (size_t)value[PIXELS]) / (size_t)value[PIXELS], 1},
        {x, y, 1}};
}

/* Least work: the part of every fine grid below the output is read once, every sum is read and written once. A value
 * takes a multiply-add for each sample and for each row or column; weights of two taps take 8 operations, the field 6,
 * and each sum one. */
static void warp_work(const void *user, qn_work *work)
{
    const qn_warp_problem *problem = user;
    const double pixels = (double)problem->size[0] * problem->size[1], taps = problem->taps;
    const double values = pixels * problem->frames, samples = problem->step[0] * problem->step[1];
    const double of_value = problem->taps > 1 ? taps * taps + taps + 8 * taps + 6 : 0;
    *work = (qn_work){.bytes_read = 4 * (values * samples + pixels * problem->sums),
                      .bytes_written = 4 * pixels * problem->sums,
                      .multiply_adds = values * (of_value + problem->sums)};
}

static qn_status host_field(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_warp_frames_host)[FIELD](launch);
}

static qn_status host_warp(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_warp_frames_host)[WARP](launch);
}

static const qn_argument_declaration field_arguments[FIELD_ARGUMENTS] = {
    [FIELD_COEFFICIENTS] = {"coefficients", QN_IN, QN_FLOAT32},
    [FIELD_ROWS] = {"rows", QN_OUT, QN_FLOAT32},
    [FIELD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(field_scalars)},
};

static const qn_argument_declaration warp_arguments[WARP_ARGUMENTS] = {
    [WARP_GRID] = {"grid0", QN_IN, QN_FLOAT32},
    [WARP_GRID + 1] = {"grid1", QN_IN, QN_FLOAT32},
    [WARP_GRID + 2] = {"grid2", QN_IN, QN_FLOAT32},
    [WARP_GRID + 3] = {"grid3", QN_IN, QN_FLOAT32},
    [WARP_GRID + 4] = {"grid4", QN_IN, QN_FLOAT32},
    [WARP_GRID + 5] = {"grid5", QN_IN, QN_FLOAT32},
    [WARP_GRID + 6] = {"grid6", QN_IN, QN_FLOAT32},
    [WARP_GRID + 7] = {"grid7", QN_IN, QN_FLOAT32},
    [WARP_ROWS] = {"rows", QN_IN, QN_FLOAT32},
    [WARP_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [WARP_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(warp_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [FIELD] = {"field_rows", field_arguments, FIELD_ARGUMENTS, field_geometry, host_field, field_work},
    [WARP] = {"warp_frames", warp_arguments, WARP_ARGUMENTS, warp_geometry, host_warp, warp_work},
};

const qn_family qn_movie_warp_frames_family = {
    .name = "movie/warp_frames",
    .source = qn_movie_warp_frames_source,
    .source_path = "movie/warp/kernels/warp_frames.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "TAPS=4 SUMS=7",
};

static qn_status check_problem(const qn_warp_problem *problem)
{
    if (problem->frames < 1 || problem->frames > QN_WARP_FRAMES_MAX || problem->sums < 1 ||
        problem->sums > QN_WARP_SUMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: %d frames, %d sums; expected 1 to %d and 1 to %d",
                       problem->frames, problem->sums, QN_WARP_FRAMES_MAX, QN_WARP_SUMS_MAX);
    if (problem->taps != 1 && problem->taps != 4 && problem->taps != 6)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: %d taps; expected 1, 4 or 6", problem->taps);
    for (int d = 0; d < 2; d++) {
        const double step = problem->step[d];
        if (problem->size[d] < 1 || problem->fine[d] < problem->taps || !(step > 0) ||
            step * (problem->size[d] - 1) >= problem->fine[d] || !(problem->intervals[d] >= 0))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "movie/warp_frames: %d pixels in steps of %g samples on a grid of %d; expected a grid that "
                           "holds them",
                           problem->size[d], step, problem->fine[d]);
        if (problem->taps == 1 && step != floor(step))
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: steps of %g samples; 1 tap needs whole steps",
                           step);
    }
    if ((int64_t)problem->fine[0] * problem->fine[1] > INT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: a grid of %d by %d; expected fewer than 2^31 samples",
                       problem->fine[0], problem->fine[1]);
    return QN_OK;
}

static qn_status check_pass(const qn_warp_problem *problem, const qn_warp_pass *pass)
{
    if (pass->frames < 1 || pass->frames > problem->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: a launch of %d frames; expected 1 to %d", pass->frames,
                       problem->frames);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t needed)
{
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), needed);
    return QN_OK;
}

static void definitions_of(const qn_warp_problem *problem, char text[64])
{
    snprintf(text, 64, "TAPS=%d SUMS=%d", problem->taps, problem->sums);
}

size_t qn_warp_rows_bytes(const qn_warp_problem *problem)
{
    return sizeof(float) * QN_WARP_ROW * (size_t)problem->size[1] * (size_t)problem->frames;
}

qn_status qn_warp_field_rows(qn_queue *queue, const qn_warp_problem *problem, const qn_warp_pass *pass,
                             qn_buffer *coefficients, qn_buffer *rows, qn_event **event)
{
    char definitions[64];
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_pass(problem, pass));
    qn_warp_problem part = *problem;
    part.frames = pass->frames;
    field_scalars scalars = {
        .frames = pass->frames, .height = problem->size[1], .intervals_a_row = (float)problem->intervals[1]};
    for (int f = 0; f < pass->frames; f++) {
        scalars.frame[f] = pass->frame[f];
        if (pass->frame[f] < 0) return QN_FAIL(QN_INVALID_ARGUMENT, "movie/warp_frames: frame %d", pass->frame[f]);
        QN_TRY(check_buffer("coefficients", coefficients,
                            sizeof(float) * QN_WARP_COEFFICIENTS * ((size_t)pass->frame[f] + 1)));
    }
    QN_TRY(check_buffer("rows", rows, qn_warp_rows_bytes(&part)));
    const qn_argument arguments[FIELD_ARGUMENTS] = {
        [FIELD_COEFFICIENTS] = qn_argument_buffer(coefficients),
        [FIELD_ROWS] = qn_argument_range(rows, 0, qn_warp_rows_bytes(&part)),
        [FIELD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    definitions_of(problem, definitions);
    const qn_configuration fallback = qn_family_fallback(&qn_movie_warp_frames_family);
    const qn_family_call call = {.kernel = FIELD,
                                 .arguments = arguments,
                                 .argument_count = FIELD_ARGUMENTS,
                                 .problem = &part,
                                 .definitions = definitions,
                                 .configuration = &fallback};
    return qn_family_run(&qn_movie_warp_frames_family, queue, &call, event);
}

/* The best configuration depends on the number of registers, and so on frames, sums and taps. */
void qn_warp_problem_class(const qn_warp_problem *problem, char text[64])
{
    int side = 512;
    while (side < problem->size[0]) side *= 2;
    snprintf(text, 64, "side<=%d taps=%d frames=%d sums=%d", side, problem->taps, problem->frames, problem->sums);
}

static void fill_scalars(const qn_warp_problem *problem, const qn_warp_pass *pass, warp_scalars *scalars)
{
    *scalars = (warp_scalars){.step_x = (int64_t)rint(problem->step[0] * 4294967296.0),
                              .step_y = (int64_t)rint(problem->step[1] * 4294967296.0),
                              .width = problem->size[0],
                              .height = problem->size[1],
                              .fine_x = problem->fine[0],
                              .fine_y = problem->fine[1],
                              .frames = pass->frames,
                              .taps = problem->taps,
                              .intervals_a_pixel = (float)problem->intervals[0]};
    if (problem->taps > 1) qn_window_polynomials(&problem->window, scalars->terms);
    for (int f = 0; f < pass->frames; f++) {
        scalars->low_x[f] = pass->low[f][0], scalars->low_y[f] = pass->low[f][1];
        scalars->high_x[f] = pass->high[f][0], scalars->high_y[f] = pass->high[f][1];
        for (int i = 0; i < problem->sums; i++) scalars->shares[f * WARP_SUMS_MAX + i] = pass->share[f][i];
    }
}

qn_status qn_warp_frames(qn_queue *queue, const qn_configuration *configuration, const qn_warp_problem *problem,
                         const qn_warp_pass *pass, qn_buffer *const *grids, qn_buffer *rows, qn_buffer *sums,
                         qn_event **event)
{
    char class_name[64], definitions[64];
    warp_scalars scalars;
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_pass(problem, pass));
    qn_warp_problem part = *problem;
    part.frames = pass->frames;
    const size_t grid_bytes = sizeof(float) * (size_t)problem->fine[0] * (size_t)problem->fine[1];
    const size_t row_bytes = problem->taps > 1 ? qn_warp_rows_bytes(&part) : sizeof(float);
    const size_t sum_bytes =
        sizeof(float) * (size_t)problem->sums * (size_t)problem->size[0] * (size_t)problem->size[1];
    for (int f = 0; f < pass->frames; f++) QN_TRY(check_buffer("a grid", grids[f], grid_bytes));
    QN_TRY(check_buffer("rows", rows, row_bytes));
    QN_TRY(check_buffer("sums", sums, sum_bytes));
    fill_scalars(problem, pass, &scalars);
    qn_argument arguments[WARP_ARGUMENTS] = {
        [WARP_ROWS] = qn_argument_range(rows, 0, row_bytes),
        [WARP_SUMS] = qn_argument_range(sums, 0, sum_bytes),
        [WARP_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    for (int f = 0; f < WARP_FRAMES_MAX; f++) /* a grid beyond the last one is not read */
        arguments[WARP_GRID + f] = qn_argument_range(grids[f < pass->frames ? f : 0], 0, grid_bytes);
    qn_warp_problem_class(problem, class_name);
    definitions_of(problem, definitions);
    const qn_family_call call = {.kernel = WARP,
                                 .arguments = arguments,
                                 .argument_count = WARP_ARGUMENTS,
                                 .problem = &part,
                                 .problem_class = class_name,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_warp_frames_family, queue, &call, event);
}
