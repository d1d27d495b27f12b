#include "movie/align/kernels/correlate.h"

#include <math.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/correlate.dev.h"
#include "movie/align/kernels/side_class.h"

extern const char qn_movie_correlate_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_correlate_host);

enum { GROUP_SIZE, TUNABLES };
enum { CORRELATE, PAIRS, SHIFT, KERNELS };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernels do not use it */
};

static size_t pixels_of(const int size[2])
{
    return (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

static qn_geometry geometry_of(const qn_configuration *configuration, size_t pixels, int count)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{(pixels + group - 1) / group * group, (size_t)count, 1}, {group, 1, 1}};
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_frames_problem *problem = user;
    return geometry_of(configuration, pixels_of(problem->size), problem->count);
}

static qn_geometry pairs_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_frames_problem *problem = user;
    return geometry_of(configuration, pixels_of(problem->small), problem->count);
}

/* Least work: a frame's number is read once, its ramp computed once (two sines of 16 multiply-adds, 4 for the angle),
 * and its product written once; both halves are written, the filter is read. */
static void correlate_work(const void *user, qn_work *work)
{
    const qn_frames_problem *problem = user;
    const double pixels = (double)pixels_of(problem->size), patches = problem->count;
    const double all = pixels * patches * problem->frames;
    *work = (qn_work){.bytes_read = 8 * all + 4 * pixels + 8 * patches * problem->frames,
                      .bytes_written = 8 * all + 16 * pixels * patches,
                      .multiply_adds = all * (36 + 4 + 2 + 2 + 4 + 2)};
}

/* Least work: every pair's product is written once; a frame's low frequencies are read once for all pairs. */
static void pairs_work(const void *user, qn_work *work)
{
    const qn_frames_problem *problem = user;
    const double pixels = (double)pixels_of(problem->small), all = pixels * problem->count;
    *work = (qn_work){.bytes_read = 8 * pixels * fmin(problem->frames, 2.0 * problem->count) + 4 * pixels,
                      .bytes_written = 8 * all,
                      .multiply_adds = 6 * all};
}

static void shift_work(const void *user, qn_work *work)
{
    const qn_frames_problem *problem = user;
    const double all = (double)pixels_of(problem->size) * problem->count;
    *work = (qn_work){.bytes_read = 8 * all, .bytes_written = 8 * all, .multiply_adds = all * (36 + 4)};
}

static qn_status correlate_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_correlate_host)[CORRELATE](launch);
}

static qn_status pairs_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_correlate_host)[PAIRS](launch);
}

static qn_status shift_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_correlate_host)[SHIFT](launch);
}

static const qn_argument_declaration arguments_of_correlate[CORRELATE_ARGUMENTS] = {
    [CORRELATE_SPECTRA] = {"spectra", QN_IN, QN_FLOAT32},
    [CORRELATE_TURNS] = {"turns", QN_IN, QN_UINT32},
    [CORRELATE_FILTER] = {"filter", QN_IN, QN_FLOAT32},
    [CORRELATE_PRODUCTS] = {"products", QN_OUT, QN_FLOAT32},
    [CORRELATE_HALVES] = {"halves", QN_OUT, QN_FLOAT32},
    [CORRELATE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correlate_scalars)},
};
static const qn_argument_declaration arguments_of_pairs[PAIRS_ARGUMENTS] = {
    [PAIRS_SPECTRA] = {"spectra", QN_IN, QN_FLOAT32},
    [PAIRS_PAIRS] = {"pairs", QN_IN, QN_INT32},
    [PAIRS_FILTER] = {"filter", QN_IN, QN_FLOAT32},
    [PAIRS_PRODUCTS] = {"products", QN_OUT, QN_FLOAT32},
    [PAIRS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(pairs_scalars)},
};
static const qn_argument_declaration arguments_of_shift[SHIFT_ARGUMENTS] = {
    [SHIFT_SPECTRA] = {"spectra", QN_IN, QN_FLOAT32},
    [SHIFT_TURNS] = {"turns", QN_IN, QN_UINT32},
    [SHIFT_SHIFTED] = {"shifted", QN_OUT, QN_FLOAT32},
    [SHIFT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correlate_scalars)},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    {"correlate", arguments_of_correlate, CORRELATE_ARGUMENTS, geometry, correlate_host, correlate_work},
    {"correlate_pairs", arguments_of_pairs, PAIRS_ARGUMENTS, pairs_geometry, pairs_host, pairs_work},
    {"shift_spectra", arguments_of_shift, SHIFT_ARGUMENTS, geometry, shift_host, shift_work},
};

const qn_family qn_movie_correlate_family = {
    .name = "movie/correlate",
    .source = qn_movie_correlate_source,
    .source_path = "movie/align/kernels/correlate.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

/* ---- launches ---- */

uint32_t qn_shift_turns(double displacement_pixels, int size)
{
    const double turn = displacement_pixels / size, scaled = floor(4294967296.0 * (turn - floor(turn)) + 0.5);
    return scaled >= 4294967296.0 ? 0 : (uint32_t)scaled;
}

void qn_frames_problem_class(const qn_frames_problem *problem, char text[64])
{
    qn_align_side_class(problem->size, text);
}

static qn_status check_sizes(const qn_frames_problem *problem)
{
    for (int d = 0; d < 2; d++)
        if (problem->size[d] < 4 || problem->size[d] % 2 != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/correlate: side %d; expected an even number from 4",
                           problem->size[d]);
    if (problem->frames < 1 || problem->count < 1 || problem->count > QN_CORRELATE_COUNT_MAX || problem->first < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/correlate: %d frames, %d from %d on; expected 1 to %d",
                       problem->frames, problem->count, problem->first, QN_CORRELATE_COUNT_MAX);
    return QN_OK;
}

static qn_status launch_kernel(qn_queue *queue, int kernel, const qn_configuration *configuration,
                               const qn_frames_problem *problem, const qn_argument *arguments, qn_event **event)
{
    char problem_class[64];
    qn_frames_problem_class(problem, problem_class);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_correlate_family, queue, &call, event);
}

static correlate_scalars scalars_of(const qn_frames_problem *problem)
{
    return (correlate_scalars){.rows = problem->size[1],
                               .columns = problem->size[0] / 2 + 1,
                               .frames = problem->frames,
                               .first = problem->first};
}

qn_status qn_correlate_frames(qn_queue *queue, const qn_configuration *configuration, const qn_frames_problem *problem,
                              qn_buffer *spectra, qn_buffer *turns, qn_buffer *filter, qn_buffer *products,
                              qn_buffer *halves, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_sizes(problem));
    const correlate_scalars scalars = scalars_of(problem);
    const size_t pixels = pixels_of(problem->size), frames = (size_t)problem->frames, count = (size_t)problem->count;
    const size_t patches = (size_t)problem->first + count;
    const qn_argument arguments[CORRELATE_ARGUMENTS] = {
        [CORRELATE_SPECTRA] = qn_argument_range(spectra, 0, 8 * pixels * frames * patches),
        [CORRELATE_TURNS] = qn_argument_range(turns, 0, 8 * frames * patches),
        [CORRELATE_FILTER] = qn_argument_range(filter, 0, 4 * pixels),
        [CORRELATE_PRODUCTS] = qn_argument_range(products, 0, 8 * pixels * frames * count),
        [CORRELATE_HALVES] = qn_argument_range(halves, 0, 16 * pixels * count),
        [CORRELATE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, CORRELATE, configuration, problem, arguments, event);
}

qn_status qn_correlate_pairs(qn_queue *queue, const qn_configuration *configuration, const qn_frames_problem *problem,
                             qn_buffer *spectra, qn_buffer *pairs, qn_buffer *filter, qn_buffer *products,
                             qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_sizes(problem));
    for (int d = 0; d < 2; d++)
        if (problem->small[d] < 4 || problem->small[d] % 2 != 0 || problem->small[d] > problem->size[d])
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/correlate: small side %d of %d; expected an even number from 4",
                           problem->small[d], problem->size[d]);
    const pairs_scalars scalars = {.rows = problem->size[1],
                                   .columns = problem->size[0] / 2 + 1,
                                   .small_rows = problem->small[1],
                                   .small_columns = problem->small[0] / 2 + 1,
                                   .first = problem->first};
    const size_t pixels = pixels_of(problem->small), count = (size_t)problem->count;
    const qn_argument arguments[PAIRS_ARGUMENTS] = {
        [PAIRS_SPECTRA] = qn_argument_range(spectra, 0, 8 * pixels_of(problem->size) * (size_t)problem->frames),
        [PAIRS_PAIRS] = qn_argument_range(pairs, 0, 8 * ((size_t)problem->first + count)),
        [PAIRS_FILTER] = qn_argument_range(filter, 0, 4 * pixels),
        [PAIRS_PRODUCTS] = qn_argument_range(products, 0, 8 * pixels * count),
        [PAIRS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, PAIRS, configuration, problem, arguments, event);
}

qn_status qn_shift_spectra(qn_queue *queue, const qn_configuration *configuration, const qn_frames_problem *problem,
                           qn_buffer *spectra, qn_buffer *turns, qn_buffer *shifted, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_sizes(problem));
    const correlate_scalars scalars = scalars_of(problem);
    const size_t pixels = pixels_of(problem->size), frames = (size_t)problem->first + (size_t)problem->count;
    const qn_argument arguments[SHIFT_ARGUMENTS] = {
        [SHIFT_SPECTRA] = qn_argument_range(spectra, 0, 8 * pixels * frames),
        [SHIFT_TURNS] = qn_argument_range(turns, 0, 8 * frames),
        [SHIFT_SHIFTED] = qn_argument_range(shifted, 0, 8 * pixels * (size_t)problem->count),
        [SHIFT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, SHIFT, configuration, problem, arguments, event);
}
