#include "movie/correct/kernels/correct_frames.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"

#include "movie/correct/kernels/correct_frames.dev.h"

extern const char qn_movie_correct_frames_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_correct_frames_host);

enum { BLOCKS, UNROLLED, TUNABLES };
enum { KERNEL_SUM, KERNEL_CORRECT, KERNEL_MEAN, KERNEL_FILL, KERNEL_SET, KERNELS };

_Static_assert((int)QN_SAMPLE_UINT8 == SAMPLES_UINT8 && (int)QN_SAMPLE_INT8 == SAMPLES_INT8 &&
                   (int)QN_SAMPLE_UINT16 == SAMPLES_UINT16 && (int)QN_SAMPLE_INT16 == SAMPLES_INT16 &&
                   (int)QN_SAMPLE_FLOAT32 == SAMPLES_FLOAT32,
               "the kernels number kinds of samples as their readers do");
_Static_assert(sizeof(correct_scalars) == 12 * 4, "no padding");

static const qn_tunable tunables[TUNABLES] = {
    [BLOCKS] = {"BLOCKS", {1, 2, 4, 8}, 4, 2, "blocks of pixels a group takes"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4, 8, 16}, 5, 4, "pixels, or frames of a pixel, that a work-item takes at once"},
};

static const char *const constraints[] = {
    "64 * BLOCKS <= device.largest_group",
    "!device.is_host || (BLOCKS == 2 && UNROLLED == 4)", /* the host's kernel uses neither */
};

static size_t pixels_of(const qn_correct_problem *problem)
{
    return (size_t)problem->width * (size_t)problem->height;
}

static size_t padding_of(const qn_correct_problem *problem)
{
    return (size_t)problem->padded[0] * (size_t)problem->padded[1] - pixels_of(problem);
}

static size_t blocks_x(const qn_correct_problem *problem)
{
    return ((size_t)problem->width + CORRECT_COLUMNS - 1) / CORRECT_COLUMNS;
}

static size_t blocks_y(const qn_correct_problem *problem)
{
    return ((size_t)problem->height + CORRECT_ROWS - 1) / CORRECT_ROWS;
}

static size_t sample_bytes(qn_sample_kind kind)
{
    return kind == QN_SAMPLE_FLOAT32 ? 4 : kind == QN_SAMPLE_UINT16 || kind == QN_SAMPLE_INT16 ? 2 : 1;
}

size_t qn_correct_sums(const qn_correct_problem *problem)
{
    return blocks_x(problem) * blocks_y(problem);
}

size_t qn_correct_samples_bytes(const qn_correct_problem *problem)
{
    return (pixels_of(problem) * sample_bytes(problem->kind) + 3) / 4 * 4;
}

static qn_geometry geometry_of_blocks(const qn_configuration *configuration, const void *user)
{
    const size_t blocks = (size_t)configuration->value[BLOCKS], rows = (blocks_y(user) + blocks - 1) / blocks * blocks;
    return (qn_geometry){{blocks_x(user) * CORRECT_LANES, rows, 1}, {CORRECT_LANES, blocks, 1}};
}

static qn_geometry geometry_of_mean(const qn_configuration *configuration, const void *user)
{
    (void)configuration;
    (void)user;
    return (qn_geometry){{CORRECT_LANES, 1, 1}, {CORRECT_LANES, 1, 1}};
}

static qn_geometry geometry_of_fill(const qn_configuration *configuration, const void *user)
{
    const qn_correct_problem *problem = user;
    const size_t group = CORRECT_LANES * (size_t)configuration->value[BLOCKS];
    const size_t items = padding_of(problem) + (size_t)problem->bad_count;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry geometry_of_set(const qn_configuration *configuration, const void *user)
{
    const size_t group = CORRECT_LANES * (size_t)configuration->value[BLOCKS];
    const size_t items = (size_t)((const qn_correct_problem *)user)->bad_count;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

/* Least work: samples are read once, the sums are read and written once. */
static void work_of_sum(const void *user, qn_work *least)
{
    const qn_correct_problem *problem = user;
    const double pixels = (double)pixels_of(problem), frames = problem->frames;
    *least = (qn_work){.bytes_read = frames * (double)qn_correct_samples_bytes(problem) + 4 * pixels,
                       .bytes_written = 4 * pixels,
                       .multiply_adds = frames * pixels};
}

static void work_of_correct(const void *user, qn_work *least)
{
    const qn_correct_problem *problem = user;
    const double pixels = (double)pixels_of(problem);
    *least = (qn_work){.bytes_read = (double)qn_correct_samples_bytes(problem) + (problem->dark ? 8 : 4) * pixels,
                       .bytes_written = 4 * pixels,
                       .multiply_adds = (problem->dark ? 3 : 2) * pixels};
}

static void work_of_mean(const void *user, qn_work *least)
{
    const double sums = (double)qn_correct_sums(user);
    *least = (qn_work){.bytes_read = 4 * sums, .bytes_written = 4, .multiply_adds = sums};
}

static void work_of_fill(const void *user, qn_work *least)
{
    const qn_correct_problem *problem = user;
    *least = (qn_work){.bytes_read = 12.0 * problem->bad_count,
                       .bytes_written = 4 * ((double)padding_of(problem) + problem->bad_count)};
}

static void work_of_set(const void *user, qn_work *least)
{
    const double count = ((const qn_correct_problem *)user)->bad_count;
    *least = (qn_work){.bytes_read = 8 * count, .bytes_written = 4 * count};
}

void qn_correct_work(const qn_correct_problem *problem, qn_work *work)
{
    qn_work mean, fill;
    work_of_correct(problem, work);
    work_of_mean(problem, &mean);
    work_of_fill(problem, &fill);
    work->bytes_read += mean.bytes_read + fill.bytes_read;
    work->bytes_written += mean.bytes_written + fill.bytes_written;
    work->multiply_adds += mean.multiply_adds;
}

#define HOST_KERNEL(number, name)                                            \
    static qn_status name(const qn_host_launch *launch)                      \
    {                                                                        \
        return QN_HOST_SELECT(qn_movie_correct_frames_host)[number](launch); \
    }
HOST_KERNEL(KERNEL_SUM, host_sum)
HOST_KERNEL(KERNEL_CORRECT, host_correct)
HOST_KERNEL(KERNEL_MEAN, host_mean)
HOST_KERNEL(KERNEL_FILL, host_fill)
HOST_KERNEL(KERNEL_SET, host_set)

static const qn_argument_declaration arguments_of_sum[SUM_ARGUMENTS] = {
    [SUM_SAMPLES] = {"samples", QN_IN, QN_UINT32},
    [SUM_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [SUM_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correct_scalars)},
};
static const qn_argument_declaration arguments_of_correct[CORRECT_ARGUMENTS] = {
    [CORRECT_SAMPLES] = {"samples", QN_IN, QN_UINT32},
    [CORRECT_GAIN] = {"gain", QN_IN, QN_FLOAT32},
    [CORRECT_DARK] = {"dark", QN_IN, QN_FLOAT32},
    [CORRECT_FRAME] = {"frame", QN_INOUT, QN_FLOAT32}, /* without the padding */
    [CORRECT_SUMS] = {"sums", QN_OUT, QN_FLOAT32},
    [CORRECT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correct_scalars)},
};
static const qn_argument_declaration arguments_of_mean[MEAN_ARGUMENTS] = {
    [MEAN_SUMS] = {"sums", QN_IN, QN_FLOAT32},
    [MEAN_MEAN] = {"mean", QN_OUT, QN_FLOAT32},
    [MEAN_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correct_scalars)},
};
static const qn_argument_declaration arguments_of_fill[FILL_ARGUMENTS] = {
    [FILL_MOVES] = {"moves", QN_IN, QN_INT32},
    [FILL_MEAN] = {"mean", QN_IN, QN_FLOAT32},
    [FILL_FRAME] = {"frame", QN_INOUT, QN_FLOAT32},
    [FILL_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correct_scalars)},
};

static const qn_argument_declaration arguments_of_set[SET_ARGUMENTS] = {
    [SET_PIXELS] = {"pixels", QN_IN, QN_INT32},
    [SET_VALUES] = {"values", QN_IN, QN_FLOAT32},
    [SET_GAIN] = {"gain", QN_INOUT, QN_FLOAT32},
    [SET_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correct_scalars)},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [KERNEL_SUM] = {"sum_frames", arguments_of_sum, SUM_ARGUMENTS, geometry_of_blocks, host_sum, work_of_sum},
    [KERNEL_CORRECT] = {"correct_frame", arguments_of_correct, CORRECT_ARGUMENTS, geometry_of_blocks, host_correct,
                        work_of_correct},
    [KERNEL_MEAN] = {"frame_mean", arguments_of_mean, MEAN_ARGUMENTS, geometry_of_mean, host_mean, work_of_mean},
    [KERNEL_FILL] = {"fill_frame", arguments_of_fill, FILL_ARGUMENTS, geometry_of_fill, host_fill, work_of_fill},
    [KERNEL_SET] = {"set_gain", arguments_of_set, SET_ARGUMENTS, geometry_of_set, host_set, work_of_set},
};

const qn_family qn_movie_correct_frames_family = {
    .name = "movie/correct_frames",
    .source = qn_movie_correct_frames_source,
    .source_path = "movie/correct/kernels/correct_frames.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "SAMPLES=3",
};

/* ---- launches ---- */

static qn_status check_problem(const qn_correct_problem *problem)
{
    const char *name = qn_movie_correct_frames_family.name;
    if (problem->width < 1 || problem->height < 1 || problem->width > QN_CORRECT_SIDE_MAX ||
        problem->height > QN_CORRECT_SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: frames of %d x %d pixels; expected 1 to %d a side", name,
                       problem->width, problem->height, QN_CORRECT_SIDE_MAX);
    if (problem->padded[0] < problem->width || problem->padded[1] < problem->height ||
        (int64_t)problem->padded[0] * problem->padded[1] > INT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: frames of %d x %d pixels padded to %d x %d; expected as many or more, at "
                       "most %d in all",
                       name, problem->width, problem->height, problem->padded[0], problem->padded[1], INT32_MAX);
    if (problem->bad_count < 0 || (size_t)problem->bad_count >= pixels_of(problem))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d bad pixels of %zu; expected less than all", name,
                       problem->bad_count, pixels_of(problem));
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t offset, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < offset || qn_buffer_bytes(buffer) - offset < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s: %zu bytes from byte %zu on; expected %zu",
                       qn_movie_correct_frames_family.name, name, qn_buffer_bytes(buffer), offset, bytes);
    return QN_OK;
}

static correct_scalars scalars_of(const qn_correct_problem *problem)
{
    return (correct_scalars){
        .kind = (int)problem->kind,
        .has_dark = problem->dark,
        .width = problem->width,
        .height = problem->height,
        .padded_width = problem->padded[0],
        .padded_height = problem->padded[1],
        .blocks_x = (int)blocks_x(problem),
        .blocks_y = (int)blocks_y(problem),
        .move_count = problem->bad_count,
        .mean_of_sum = (float)(1 / ((double)pixels_of(problem) - problem->bad_count)),
    };
}

void qn_correct_problem_class(const qn_correct_problem *problem, char text[64])
{
    const double pixels = (double)pixels_of(problem);
    snprintf(text, 64, "%zu bytes%s pixels<=%s", sample_bytes(problem->kind), problem->dark ? " dark" : "",
             pixels <= 0x1p22   ? "2^22"
             : pixels <= 0x1p24 ? "2^24"
                                : "2^31");
}

static qn_status launch(qn_queue *queue, const qn_configuration *configuration, const qn_correct_problem *problem,
                        int kernel, const qn_argument *arguments, qn_event **event)
{
    char problem_class[64], definitions[64];
    qn_correct_problem_class(problem, problem_class);
    snprintf(definitions, sizeof definitions, "SAMPLES=%d", (int)problem->kind);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_correct_frames_family, queue, &call, event);
}

static qn_status check_frames(const qn_correct_problem *problem, const qn_stored_frames *frames)
{
    const size_t bytes = qn_correct_samples_bytes(problem), step = frames->step_bytes;
    if (frames->first < 0 || frames->count < 1 || step < bytes || step % 256 != 0 || step / 4 > INT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: %d frames from %d on, %zu bytes apart; expected a frame or more, and a multiple of 256 "
                       "bytes, at least %zu",
                       qn_movie_correct_frames_family.name, frames->count, frames->first, step, bytes);
    return check_buffer("samples", frames->samples, step * (size_t)frames->first,
                        step * (size_t)(frames->count - 1) + bytes);
}

qn_status qn_sum_frames(qn_queue *queue, const qn_configuration *configuration, const qn_correct_problem *problem,
                        const qn_stored_frames *frames, qn_buffer *sums, qn_event **event)
{
    const size_t bytes = qn_correct_samples_bytes(problem), sums_bytes = pixels_of(problem) * sizeof(float);
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_frames(problem, frames));
    QN_TRY(check_buffer("sums", sums, 0, sums_bytes));
    qn_correct_problem own = *problem; /* for the least work */
    own.frames = frames->count;
    correct_scalars scalars = scalars_of(problem);
    scalars.frame_count = frames->count;
    scalars.frame_words = (int)(frames->step_bytes / 4);
    const size_t step = frames->step_bytes;
    const qn_argument arguments[SUM_ARGUMENTS] = {
        [SUM_SAMPLES] = qn_argument_range(frames->samples, step * (size_t)frames->first,
                                          step * (size_t)(frames->count - 1) + bytes),
        [SUM_SUMS] = qn_argument_range(sums, 0, sums_bytes),
        [SUM_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, configuration, &own, KERNEL_SUM, arguments, event);
}

static qn_status check_buffers(const qn_correct_problem *problem, const qn_correct_buffers *b)
{
    const size_t word = sizeof(float), pixels = pixels_of(problem);
    QN_TRY(check_problem(problem));
    QN_TRY(check_buffer("samples", b->samples, b->samples_offset, qn_correct_samples_bytes(problem)));
    QN_TRY(check_buffer("gain", b->gain, 0, pixels * word));
    if (problem->dark) QN_TRY(check_buffer("dark", b->dark, 0, pixels * word));
    if (problem->bad_count > 0)
        QN_TRY(check_buffer("moves", b->moves, 0, 2 * (size_t)problem->bad_count * sizeof(int32_t)));
    QN_TRY(check_buffer("block sums", b->block_sums, 0, qn_correct_sums(problem) * word));
    QN_TRY(check_buffer("mean", b->mean, b->mean_offset, word));
    return check_buffer("frame", b->frame, 0, (pixels + padding_of(problem)) * word);
}

qn_status qn_correct_frame(qn_queue *queue, const qn_configuration *configuration, const qn_correct_problem *problem,
                           const qn_correct_buffers *b, qn_event **events)
{
    for (int i = 0; events && i < 3; i++) events[i] = NULL;
    QN_TRY(check_buffers(problem, b));
    const correct_scalars scalars = scalars_of(problem);
    const size_t word = sizeof(float), pixels = pixels_of(problem), sums = qn_correct_sums(problem) * word;
    const qn_argument frame = qn_argument_range(b->frame, 0, (pixels + padding_of(problem)) * word);
    const qn_argument gain = qn_argument_range(b->gain, 0, pixels * word);
    const qn_argument of_correct[CORRECT_ARGUMENTS] = {
        [CORRECT_SAMPLES] = qn_argument_range(b->samples, b->samples_offset, qn_correct_samples_bytes(problem)),
        [CORRECT_GAIN] = gain,
        [CORRECT_DARK] = problem->dark ? qn_argument_range(b->dark, 0, pixels * word) : gain,
        [CORRECT_FRAME] = frame,
        [CORRECT_SUMS] = qn_argument_range(b->block_sums, 0, sums),
        [CORRECT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_argument of_mean[MEAN_ARGUMENTS] = {
        [MEAN_SUMS] = qn_argument_range(b->block_sums, 0, sums),
        [MEAN_MEAN] = qn_argument_range(b->mean, b->mean_offset, word),
        [MEAN_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const size_t moves = 2 * (size_t)problem->bad_count * sizeof(int32_t);
    const qn_argument of_fill[FILL_ARGUMENTS] = {
        [FILL_MOVES] = moves > 0 ? qn_argument_range(b->moves, 0, moves) : gain,
        [FILL_MEAN] = qn_argument_range(b->mean, b->mean_offset, word),
        [FILL_FRAME] = frame,
        [FILL_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    QN_TRY(launch(queue, configuration, problem, KERNEL_CORRECT, of_correct, events ? &events[0] : NULL));
    QN_TRY(launch(queue, configuration, problem, KERNEL_MEAN, of_mean, events ? &events[1] : NULL));
    if (moves == 0 && padding_of(problem) == 0) return QN_OK;
    return launch(queue, configuration, problem, KERNEL_FILL, of_fill, events ? &events[2] : NULL);
}

qn_status qn_set_gain(qn_queue *queue, const qn_configuration *configuration, const qn_correct_problem *problem,
                      qn_buffer *pixels, qn_buffer *values, qn_buffer *gain, qn_event **event)
{
    const size_t bytes = (size_t)problem->bad_count * sizeof(float), gain_bytes = pixels_of(problem) * sizeof(float);
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    if (problem->bad_count == 0) return QN_OK;
    QN_TRY(check_buffer("pixels", pixels, 0, bytes));
    QN_TRY(check_buffer("values", values, 0, bytes));
    QN_TRY(check_buffer("gain", gain, 0, gain_bytes));
    const correct_scalars scalars = scalars_of(problem);
    const qn_argument arguments[SET_ARGUMENTS] = {
        [SET_PIXELS] = qn_argument_range(pixels, 0, bytes),
        [SET_VALUES] = qn_argument_range(values, 0, bytes),
        [SET_GAIN] = qn_argument_range(gain, 0, gain_bytes),
        [SET_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, configuration, problem, KERNEL_SET, arguments, event);
}
