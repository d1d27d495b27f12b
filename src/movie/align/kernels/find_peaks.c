#include "movie/align/kernels/find_peaks.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/find_peaks.dev.h"
#include "movie/align/kernels/side_class.h"

extern const char qn_movie_find_peaks_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_find_peaks_host);

enum { GROUP_SIZE, TUNABLES };
enum { PEAKS, WINDOWS, KERNELS };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "8 * GROUP_SIZE <= device.local_memory_bytes",
    "!device.is_host || GROUP_SIZE == 64", /* the host's kernels do not use it */
};

static size_t searched(const qn_peaks_problem *problem)
{
    return (size_t)(2 * problem->reach[0] + 1) * (size_t)(2 * problem->reach[1] + 1);
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{group * (size_t)((const qn_peaks_problem *)user)->maps, 1, 1}, {group, 1, 1}};
}

/* Least work: every value that is searched is read once and compared once. */
static void peaks_work(const void *user, qn_work *work)
{
    const qn_peaks_problem *problem = user;
    const double all = (double)searched(problem) * problem->maps;
    *work = (qn_work){.bytes_read = 4 * all, .bytes_written = 16.0 * problem->maps, .multiply_adds = all};
}

static void windows_work(const void *user, qn_work *work)
{
    const qn_peaks_problem *problem = user;
    const double all = (double)searched(problem) * problem->maps;
    *work = (qn_work){.bytes_read = 4 * all, .bytes_written = 4 * all};
}

static qn_status peaks_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_find_peaks_host)[PEAKS](launch);
}

static qn_status windows_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_find_peaks_host)[WINDOWS](launch);
}

static const qn_argument_declaration arguments_of_peaks[PEAKS_ARGUMENTS] = {
    [PEAKS_MAPS] = {"maps", QN_IN, QN_FLOAT32},
    [PEAKS_PEAKS] = {"peaks", QN_INOUT, QN_FLOAT32},
    [PEAKS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(peaks_scalars)},
};
static const qn_argument_declaration arguments_of_windows[PEAKS_ARGUMENTS] = {
    [PEAKS_MAPS] = {"maps", QN_IN, QN_FLOAT32},
    [PEAKS_PEAKS] = {"windows", QN_INOUT, QN_FLOAT32},
    [PEAKS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(peaks_scalars)},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    {"find_peaks", arguments_of_peaks, PEAKS_ARGUMENTS, geometry, peaks_host, peaks_work},
    {"cut_windows", arguments_of_windows, PEAKS_ARGUMENTS, geometry, windows_host, windows_work},
};

const qn_family qn_movie_find_peaks_family = {
    .name = "movie/find_peaks",
    .source = qn_movie_find_peaks_source,
    .source_path = "movie/align/kernels/find_peaks.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

void qn_peaks_problem_class(const qn_peaks_problem *problem, char text[64])
{
    qn_align_side_class(problem->size, text);
}

static qn_status check(const qn_peaks_problem *problem, int least)
{
    for (int d = 0; d < 2; d++)
        if (problem->reach[d] < least || problem->size[d] > 1 << 20 || problem->reach[d] > problem->size[d] ||
            2 * problem->reach[d] + 3 > problem->size[d])
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/find_peaks: reach %d in maps of %d pixels; expected %d to %d",
                           problem->reach[d], problem->size[d], least, (problem->size[d] - 3) / 2);
    if (problem->maps < 1 || problem->maps > 1 << 22 || problem->first < 0 || problem->first > 1 << 22)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/find_peaks: %d maps from %d on; expected 1 to %d", problem->maps,
                       problem->first, 1 << 22);
    return QN_OK;
}

static qn_status launch_kernel(qn_queue *queue, int kernel, const qn_configuration *configuration,
                               const qn_peaks_problem *problem, qn_buffer *maps, qn_buffer *results,
                               size_t result_bytes, qn_event **event)
{
    const size_t map_bytes = 4 * (size_t)problem->size[0] * (size_t)problem->size[1] * (size_t)problem->maps;
    const size_t all_bytes = result_bytes * ((size_t)problem->first + (size_t)problem->maps);
    const peaks_scalars scalars = {.width = problem->size[0],
                                   .height = problem->size[1],
                                   .reach_x = problem->reach[0],
                                   .reach_y = problem->reach[1],
                                   .first = problem->first};
    const qn_argument arguments[PEAKS_ARGUMENTS] = {
        [PEAKS_MAPS] = qn_argument_range(maps, 0, map_bytes),
        [PEAKS_PEAKS] = qn_argument_range(results, 0, all_bytes),
        [PEAKS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    char problem_class[64];
    qn_peaks_problem_class(problem, problem_class);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = PEAKS_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_find_peaks_family, queue, &call, event);
}

qn_status qn_find_peaks(qn_queue *queue, const qn_configuration *configuration, const qn_peaks_problem *problem,
                        qn_buffer *maps, qn_buffer *peaks, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem, 1));
    return launch_kernel(queue, PEAKS, configuration, problem, maps, peaks, 16, event);
}

qn_status qn_cut_windows(qn_queue *queue, const qn_configuration *configuration, const qn_peaks_problem *problem,
                         qn_buffer *maps, qn_buffer *windows, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem, 0));
    return launch_kernel(queue, WINDOWS, configuration, problem, maps, windows, 4 * searched(problem), event);
}
