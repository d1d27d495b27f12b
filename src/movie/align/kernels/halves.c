#include "movie/align/kernels/halves.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/halves.dev.h"
#include "movie/align/kernels/side_class.h"

extern const char qn_movie_halves_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_halves_host);

enum { GROUP_SIZE, TUNABLES };
enum { RINGS, FILTER, WEIGH, CENTRES, KERNELS };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group, where a work-item has a number"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE >= device.subgroup_size",
    "128 <= device.largest_group", /* groups that add up */
    "12 * 128 <= device.local_memory_bytes",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernels do not use it */
};

static size_t pixels_of(const qn_halves_problem *problem)
{
    return (size_t)problem->size[1] * (size_t)(problem->size[0] / 2 + 1);
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{(pixels_of(user) + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry rings_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_halves_problem *problem = user;
    (void)configuration;
    return (qn_geometry){{HALVES_LANES * (size_t)problem->rings, (size_t)problem->count, 1}, {HALVES_LANES, 1, 1}};
}

static qn_geometry centres_geometry(const qn_configuration *configuration, const void *user)
{
    (void)configuration;
    return (qn_geometry){{HALVES_LANES * (size_t)((const qn_halves_problem *)user)->count, 1, 1}, {HALVES_LANES, 1, 1}};
}

/* Least work: both halves of a number are read once, the list of pixels once for all patches; three products of two
 * parts, scaled and added. */
static void rings_work(const void *user, qn_work *work)
{
    const qn_halves_problem *problem = user;
    const double all = (double)problem->pixels * problem->count;
    *work = (qn_work){.bytes_read = 16 * all + 4.0 * problem->pixels,
                      .bytes_written = 12.0 * problem->rings * problem->count,
                      .multiply_adds = 9 * all};
}

/* A radius and a linear interpolation for each number. */
static void filter_work(const void *user, qn_work *work)
{
    const double pixels = (double)pixels_of(user);
    *work = (qn_work){.bytes_read = 4.0 * ((const qn_halves_problem *)user)->rings,
                      .bytes_written = 4 * pixels,
                      .multiply_adds = 5 * pixels};
}

static void weigh_work(const void *user, qn_work *work)
{
    const double pixels = (double)pixels_of(user), all = 2 * pixels * ((const qn_halves_problem *)user)->count;
    *work =
        (qn_work){.bytes_read = 8 * all + 4 * pixels, .bytes_written = 8 * all, .multiply_adds = 2 * all + 5 * pixels};
}

static void centres_work(const void *user, qn_work *work)
{
    const qn_halves_problem *problem = user;
    const double all = (double)problem->size[0] * problem->size[1] * problem->count;
    *work = (qn_work){.bytes_read = 8 * all, .bytes_written = 12.0 * problem->count, .multiply_adds = 4 * all};
}

static qn_status rings_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_halves_host)[RINGS](launch);
}

static qn_status filter_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_halves_host)[FILTER](launch);
}

static qn_status weigh_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_halves_host)[WEIGH](launch);
}

static qn_status centres_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_halves_host)[CENTRES](launch);
}

static const qn_argument_declaration arguments_of_rings[RINGS_ARGUMENTS] = {
    [RINGS_HALVES] = {"halves", QN_IN, QN_FLOAT32},
    [RINGS_PIXELS] = {"pixels", QN_IN, QN_INT32},
    [RINGS_STARTS] = {"starts", QN_IN, QN_INT32},
    [RINGS_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [RINGS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(halves_scalars)},
};
static const qn_argument_declaration arguments_of_filter[FILTER_ARGUMENTS] = {
    [FILTER_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [FILTER_PLANE] = {"plane", QN_OUT, QN_FLOAT32},
    [FILTER_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(halves_scalars)},
};
static const qn_argument_declaration arguments_of_weigh[WEIGH_ARGUMENTS] = {
    [WEIGH_HALVES] = {"halves", QN_INOUT, QN_FLOAT32},
    [WEIGH_PLANE] = {"plane", QN_IN, QN_FLOAT32},
    [WEIGH_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(halves_scalars)},
};
static const qn_argument_declaration arguments_of_centres[CENTRES_ARGUMENTS] = {
    [CENTRES_MAPS] = {"maps", QN_IN, QN_FLOAT32},
    [CENTRES_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [CENTRES_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(halves_scalars)},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    {"sum_rings", arguments_of_rings, RINGS_ARGUMENTS, rings_geometry, rings_host, rings_work},
    {"fill_filter", arguments_of_filter, FILTER_ARGUMENTS, geometry, filter_host, filter_work},
    {"weigh_halves", arguments_of_weigh, WEIGH_ARGUMENTS, geometry, weigh_host, weigh_work},
    {"find_centres", arguments_of_centres, CENTRES_ARGUMENTS, centres_geometry, centres_host, centres_work},
};

const qn_family qn_movie_halves_family = {
    .name = "movie/halves",
    .source = qn_movie_halves_source,
    .source_path = "movie/align/kernels/halves.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

/* ---- launches ---- */

void qn_halves_problem_class(const qn_halves_problem *problem, char text[64])
{
    qn_align_side_class(problem->size, text);
}

static qn_status check(const qn_halves_problem *problem)
{
    for (int d = 0; d < 2; d++)
        if (problem->size[d] < 4 || problem->size[d] % 2 != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/halves: side %d; expected an even number from 4",
                           problem->size[d]);
    if (problem->rings < 2 || problem->rings > QN_HALVES_RINGS_MAX || problem->pixels < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/halves: %d rings of %d pixels; expected 2 to %d rings",
                       problem->rings, problem->pixels, QN_HALVES_RINGS_MAX);
    if (problem->first < 0 || problem->count < 1 || problem->count > QN_HALVES_COUNT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/halves: %d patches from %d on; expected 1 to %d", problem->count,
                       problem->first, QN_HALVES_COUNT_MAX);
    return QN_OK;
}

static qn_status launch_kernel(qn_queue *queue, int kernel, const qn_configuration *configuration,
                               const qn_halves_problem *problem, const qn_argument *arguments, qn_event **event)
{
    char problem_class[64];
    qn_halves_problem_class(problem, problem_class);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_halves_family, queue, &call, event);
}

static halves_scalars scalars_of(const qn_halves_problem *problem)
{
    return (halves_scalars){.rows = problem->size[1],
                            .columns = problem->size[0] / 2 + 1,
                            .width = problem->size[0],
                            .rings = problem->rings,
                            .first = problem->first,
                            .halves = 2 * problem->count,
                            .ring_x = (float)problem->ring_px[0],
                            .ring_y = (float)problem->ring_px[1]};
}

qn_status qn_sum_rings(qn_queue *queue, const qn_configuration *configuration, const qn_halves_problem *problem,
                       qn_buffer *halves, qn_buffer *pixels, qn_buffer *starts, qn_buffer *sums, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const halves_scalars scalars = scalars_of(problem);
    const size_t count = (size_t)problem->count, rings = (size_t)problem->rings;
    const qn_argument arguments[RINGS_ARGUMENTS] = {
        [RINGS_HALVES] = qn_argument_range(halves, 0, 16 * pixels_of(problem) * count),
        [RINGS_PIXELS] = qn_argument_range(pixels, 0, 4 * (size_t)problem->pixels),
        [RINGS_STARTS] = qn_argument_range(starts, 0, 4 * (rings + 1)),
        [RINGS_SUMS] = qn_argument_range(sums, 0, 12 * rings * ((size_t)problem->first + count)),
        [RINGS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, RINGS, configuration, problem, arguments, event);
}

qn_status qn_fill_filter(qn_queue *queue, const qn_configuration *configuration, const qn_halves_problem *problem,
                         qn_buffer *weights, qn_buffer *plane, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const halves_scalars scalars = scalars_of(problem);
    const qn_argument arguments[FILTER_ARGUMENTS] = {
        [FILTER_WEIGHTS] = qn_argument_range(weights, 0, 4 * (size_t)problem->rings),
        [FILTER_PLANE] = qn_argument_range(plane, 0, 4 * pixels_of(problem)),
        [FILTER_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, FILTER, configuration, problem, arguments, event);
}

qn_status qn_weigh_halves(qn_queue *queue, const qn_configuration *configuration, const qn_halves_problem *problem,
                          qn_buffer *halves, qn_buffer *plane, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const halves_scalars scalars = scalars_of(problem);
    const qn_argument arguments[WEIGH_ARGUMENTS] = {
        [WEIGH_HALVES] = qn_argument_range(halves, 0, 16 * pixels_of(problem) * (size_t)problem->count),
        [WEIGH_PLANE] = qn_argument_range(plane, 0, 4 * pixels_of(problem)),
        [WEIGH_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, WEIGH, configuration, problem, arguments, event);
}

qn_status qn_find_centres(qn_queue *queue, const qn_configuration *configuration, const qn_halves_problem *problem,
                          qn_buffer *maps, qn_buffer *sums, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const halves_scalars scalars = scalars_of(problem);
    const size_t pixels = (size_t)problem->size[0] * (size_t)problem->size[1], count = (size_t)problem->count;
    const qn_argument arguments[CENTRES_ARGUMENTS] = {
        [CENTRES_MAPS] = qn_argument_range(maps, 0, 8 * pixels * count),
        [CENTRES_SUMS] = qn_argument_range(sums, 0, 12 * ((size_t)problem->first + count)),
        [CENTRES_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch_kernel(queue, CENTRES, configuration, problem, arguments, event);
}
