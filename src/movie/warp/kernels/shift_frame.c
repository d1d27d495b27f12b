#include "movie/warp/kernels/shift_frame.h"

#include <math.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/shift_frame.dev.h"

extern const char qn_movie_shift_frame_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_shift_frame_host);

enum { SHIFT, POWER };
enum { GROUP_SIZE, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256, 512}, 5, 128, "work-items per group, along a row"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernel does not use it */
};

static size_t columns_of(const int size[2])
{
    return (size_t)(size[0] / 2 + 1);
}

static size_t spectrum_bytes(const int size[2])
{
    return 8 * (size_t)size[1] * columns_of(size);
}

static size_t factor_bytes(const qn_shift_problem *problem)
{
    return sizeof(float) * (size_t)(problem->limit[0] + problem->limit[1] + 2);
}

/* Numbers of a group's spectrum. */
static size_t group_numbers(const qn_shift_problem *problem)
{
    return (size_t)(2 * problem->limit[1] + 1) * (size_t)(problem->limit[0] + 1);
}

static qn_geometry rows(const qn_configuration *configuration, size_t width, size_t height)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{(width + group - 1) / group * group, height, 1}, {group, 1, 1}};
}

static qn_geometry shift_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_shift_problem *problem = user;
    return rows(configuration, columns_of(problem->to), (size_t)problem->to[1]);
}

static qn_geometry power_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_shift_problem *problem = user;
    return rows(configuration, (size_t)problem->limit[0] + 1, 2 * (size_t)problem->limit[1] + 1);
}

/* Least work: the frequencies that are kept are read once, all of the grid are written once. A product of complex
 * numbers takes four operations; ramps along an axis are shared. */
static void shift_work(const void *user, qn_work *work)
{
    const qn_shift_problem *problem = user;
    const double kept = (double)group_numbers(problem), all = (double)spectrum_bytes(problem->to);
    *work = (qn_work){.bytes_read = 8 * kept, .bytes_written = all, .multiply_adds = 8 * kept};
}

/* Least work: a frame's frequencies are read once; the group is read unless this frame begins it, and written unless it
 * ends it. */
static void power_work(const void *user, qn_work *work)
{
    const qn_shift_problem *problem = user;
    const double kept = (double)group_numbers(problem);
    *work = (qn_work){.bytes_read = kept * (8 + (problem->first ? 0 : 8) + (problem->last ? 4 : 0)),
                      .bytes_written = kept * (problem->last ? 4 : 8),
                      .multiply_adds = kept * (problem->last ? 13 : 10)};
}

static qn_status host_shift(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_shift_frame_host)[SHIFT](launch);
}

static qn_status host_power(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_shift_frame_host)[POWER](launch);
}

_Static_assert(sizeof(shift_scalars) == 10 * 4, "no padding");

static const qn_argument_declaration shift_arguments[SHIFT_ARGUMENTS] = {
    [SHIFT_FROM] = {"from", QN_IN, QN_FLOAT32},
    [SHIFT_FACTORS] = {"factors", QN_IN, QN_FLOAT32},
    [SHIFT_TO] = {"to", QN_OUT, QN_FLOAT32},
    [SHIFT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(shift_scalars)},
};

static const qn_argument_declaration power_arguments[POWER_ARGUMENTS] = {
    [POWER_FROM] = {"from", QN_IN, QN_FLOAT32},
    [POWER_GROUP] = {"group", QN_INOUT, QN_FLOAT32},
    [POWER_POWER] = {"power", QN_INOUT, QN_FLOAT32},
    [POWER_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(shift_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [SHIFT] = {"shift_frame", shift_arguments, SHIFT_ARGUMENTS, shift_geometry, host_shift, shift_work},
    [POWER] = {"add_power", power_arguments, POWER_ARGUMENTS, power_geometry, host_power, power_work},
};

const qn_family qn_movie_shift_frame_family = {
    .name = "movie/shift_frame",
    .source = qn_movie_shift_frame_source,
    .source_path = "movie/warp/kernels/shift_frame.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_problem(const qn_shift_problem *problem, bool to)
{
    for (int d = 0; d < 2; d++) {
        if (problem->from[d] < 1 || (to && problem->to[d] < 1))
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/shift_frame: grids of %d and %d pixels; expected at least 1",
                           problem->from[d], problem->to[d]);
        const int most = to && problem->to[d] < problem->from[d] ? problem->to[d] / 2 : problem->from[d] / 2;
        if (problem->limit[d] < 0 || problem->limit[d] > most)
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/shift_frame: frequencies up to %d; expected 0 to %d",
                           problem->limit[d], most);
        if (!isfinite(problem->shift_px[d]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/shift_frame: the shift is %g; expected a number",
                           problem->shift_px[d]);
    }
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t needed)
{
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/shift_frame: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), needed);
    return QN_OK;
}

/* Bits of a fraction of a turn. */
static int turns_of(double turns)
{
    return (int)(uint32_t)(int64_t)rint((turns - floor(turns)) * 4294967296.0);
}

static shift_scalars scalars_of(const qn_shift_problem *problem)
{
    return (shift_scalars){.from_rows = problem->from[1],
                           .from_columns = problem->from[0] / 2 + 1,
                           .width = problem->to[0],
                           .height = problem->to[1],
                           .limit_x = problem->limit[0],
                           .limit_y = problem->limit[1],
                           .turn_x = turns_of(problem->shift_px[0] / problem->from[0]),
                           .turn_y = turns_of(problem->shift_px[1] / problem->from[1]),
                           .first = problem->first,
                           .last = problem->last};
}

qn_status qn_shift_frame(qn_queue *queue, const qn_configuration *configuration, const qn_shift_problem *problem,
                         qn_buffer *spectrum, qn_buffer *factors, qn_buffer *to, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_problem(problem, true));
    QN_TRY(check_buffer("from", spectrum, spectrum_bytes(problem->from)));
    QN_TRY(check_buffer("factors", factors, factor_bytes(problem)));
    QN_TRY(check_buffer("to", to, spectrum_bytes(problem->to)));
    const shift_scalars scalars = scalars_of(problem);
    const qn_argument arguments[SHIFT_ARGUMENTS] = {
        [SHIFT_FROM] = qn_argument_range(spectrum, 0, spectrum_bytes(problem->from)),
        [SHIFT_FACTORS] = qn_argument_range(factors, 0, factor_bytes(problem)),
        [SHIFT_TO] = qn_argument_range(to, 0, spectrum_bytes(problem->to)),
        [SHIFT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = SHIFT,
                                 .arguments = arguments,
                                 .argument_count = SHIFT_ARGUMENTS,
                                 .problem = problem,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_shift_frame_family, queue, &call, event);
}

qn_status qn_add_power(qn_queue *queue, const qn_configuration *configuration, const qn_shift_problem *problem,
                       qn_buffer *spectrum, qn_buffer *group, qn_buffer *power, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_problem(problem, false));
    const size_t numbers = group_numbers(problem);
    QN_TRY(check_buffer("from", spectrum, spectrum_bytes(problem->from)));
    QN_TRY(check_buffer("group", group, 8 * numbers));
    QN_TRY(check_buffer("power", power, 4 * numbers));
    const shift_scalars scalars = scalars_of(problem);
    const qn_argument arguments[POWER_ARGUMENTS] = {
        [POWER_FROM] = qn_argument_range(spectrum, 0, spectrum_bytes(problem->from)),
        [POWER_GROUP] = qn_argument_range(group, 0, 8 * numbers),
        [POWER_POWER] = qn_argument_range(power, 0, 4 * numbers),
        [POWER_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = POWER,
                                 .arguments = arguments,
                                 .argument_count = POWER_ARGUMENTS,
                                 .problem = problem,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_shift_frame_family, queue, &call, event);
}
