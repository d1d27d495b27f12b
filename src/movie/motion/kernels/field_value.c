#include "movie/motion/kernels/field_value.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/motion/kernels/field_value.dev.h"

extern const char qn_movie_field_value_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_field_value_host);

enum { FILTER, VALUE, SUM, KERNELS };

_Static_assert(FIELD_PARTS == QN_FIELD_PARTS, "parts of the sums of windows");

enum { GROUP_SIZE, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || GROUP_SIZE == 64", /* the host's kernel has no tunables */
};

static qn_geometry geometry_of(const qn_configuration *configuration, size_t items)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry filter_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_field_problem *problem = user;
    return geometry_of(configuration, (size_t)problem->windows * (size_t)problem->side);
}

static qn_geometry value_geometry(const qn_configuration *configuration, const void *user)
{
    return geometry_of(configuration, (size_t)((const qn_field_problem *)user)->windows);
}

static qn_geometry sum_geometry(const qn_configuration *configuration, const void *user)
{
    const int side = ((const qn_field_problem *)user)->side;
    return geometry_of(configuration, (size_t)FIELD_PARTS * (size_t)(side * side));
}

/* Least work of a sample and pass: two steps of the recursion and the two sums that start it, read and written once. */
static void filter_work(const void *user, qn_work *least)
{
    const qn_field_problem *problem = user;
    const double samples = (double)problem->windows * problem->side * problem->side;
    *least = (qn_work){.bytes_read = 4 * samples, .bytes_written = 4 * samples, .multiply_adds = 6 * samples};
}

/* Least work of a window: 16 coefficients, two numbers of its place, three results; two products with each coefficient
 * and three with each of four rows. */
static void value_work(const void *user, qn_work *least)
{
    const double windows = ((const qn_field_problem *)user)->windows;
    *least = (qn_work){.bytes_read = (64 + 8) * windows, .bytes_written = 12 * windows, .multiply_adds = 80 * windows};
}

static void sum_work(const void *user, qn_work *least)
{
    const qn_field_problem *problem = user;
    const double samples = (double)problem->windows * problem->side * problem->side;
    *least = (qn_work){.bytes_read = 4 * samples,
                       .bytes_written = 4.0 * FIELD_PARTS * problem->side * problem->side,
                       .multiply_adds = samples};
}

static qn_status host_sum(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_field_value_host)[SUM](launch);
}

static qn_status host_filter(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_field_value_host)[FILTER](launch);
}

static qn_status host_value(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_field_value_host)[VALUE](launch);
}

_Static_assert(sizeof(filter_scalars) == 3 * 4 && sizeof(field_scalars) == 2 * 4, "no padding");

static const qn_argument_declaration sum_arguments[SUM_ARGUMENTS] = {
    [SUM_WINDOWS] = {"windows", QN_IN, QN_FLOAT32},
    [SUM_SUMS] = {"sums", QN_OUT, QN_FLOAT32},
    [SUM_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(field_scalars)},
};

static const qn_argument_declaration filter_arguments[FILTER_ARGUMENTS] = {
    [FILTER_WINDOWS] = {"windows", QN_INOUT, QN_FLOAT32},
    [FILTER_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(filter_scalars)},
};

static const qn_argument_declaration value_arguments[FIELD_ARGUMENTS] = {
    [FIELD_COEFFICIENTS] = {"coefficients", QN_IN, QN_FLOAT32},
    [FIELD_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [FIELD_VALUES] = {"values", QN_OUT, QN_FLOAT32},
    [FIELD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(field_scalars)},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [FILTER] = {"filter_windows", filter_arguments, FILTER_ARGUMENTS, filter_geometry, host_filter, filter_work},
    [VALUE] = {"field_value", value_arguments, FIELD_ARGUMENTS, value_geometry, host_value, value_work},
    [SUM] = {"sum_windows", sum_arguments, SUM_ARGUMENTS, sum_geometry, host_sum, sum_work},
};

const qn_family qn_movie_field_value_family = {
    .name = "movie/field_value",
    .source = qn_movie_field_value_source,
    .source_path = "movie/motion/kernels/field_value.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_problem(const qn_field_problem *problem)
{
    if (problem->windows < 1 || problem->windows > 1 << 24)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/field_value: %d windows; expected 1 to %d", problem->windows,
                       1 << 24);
    if (problem->side < QN_FIELD_SIDE_MIN || problem->side > QN_FIELD_SIDE_MAX || problem->side % 2 == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/field_value: windows of side %d; expected an odd side, %d to %d",
                       problem->side, QN_FIELD_SIDE_MIN, QN_FIELD_SIDE_MAX);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/field_value: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), bytes);
    return QN_OK;
}

static size_t window_bytes(const qn_field_problem *problem)
{
    return (size_t)problem->windows * (size_t)(problem->side * problem->side) * sizeof(float);
}

void qn_field_problem_class(const qn_field_problem *problem, char text[64])
{
    int windows = 256;
    while (windows < problem->windows) windows *= 4;
    snprintf(text, 64, "windows<=%d", windows);
}

qn_status qn_field_sum(qn_queue *queue, const qn_configuration *configuration, const qn_field_problem *problem,
                       qn_buffer *windows, qn_buffer *sums)
{
    const qn_configuration fallback = qn_family_fallback(&qn_movie_field_value_family);
    const size_t bytes = (size_t)FIELD_PARTS * (size_t)(problem->side * problem->side) * sizeof(float);
    QN_TRY(check_problem(problem));
    QN_TRY(check_buffer("windows", windows, window_bytes(problem)));
    QN_TRY(check_buffer("sums", sums, bytes));
    const field_scalars scalars = {problem->windows, problem->side};
    const qn_argument arguments[SUM_ARGUMENTS] = {
        [SUM_WINDOWS] = qn_argument_range(windows, 0, window_bytes(problem)),
        [SUM_SUMS] = qn_argument_range(sums, 0, bytes),
        [SUM_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = SUM,
                                 .arguments = arguments,
                                 .argument_count = SUM_ARGUMENTS,
                                 .problem = problem,
                                 .configuration = configuration ? configuration : &fallback};
    return qn_family_run(&qn_movie_field_value_family, queue, &call, NULL);
}

qn_status qn_field_filter(qn_queue *queue, const qn_configuration *configuration, const qn_field_problem *problem,
                          qn_buffer *windows)
{
    const qn_configuration fallback = qn_family_fallback(&qn_movie_field_value_family);
    QN_TRY(check_problem(problem));
    QN_TRY(check_buffer("windows", windows, window_bytes(problem)));
    for (int columns = 0; columns < 2; columns++) {
        const filter_scalars scalars = {problem->windows * problem->side, problem->side, columns};
        const qn_argument arguments[FILTER_ARGUMENTS] = {
            [FILTER_WINDOWS] = qn_argument_range(windows, 0, window_bytes(problem)),
            [FILTER_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
        };
        const qn_family_call call = {.kernel = FILTER,
                                     .arguments = arguments,
                                     .argument_count = FILTER_ARGUMENTS,
                                     .problem = problem,
                                     .configuration = configuration ? configuration : &fallback};
        QN_TRY(qn_family_run(&qn_movie_field_value_family, queue, &call, NULL));
    }
    return QN_OK;
}

qn_status qn_field_value(qn_queue *queue, const qn_configuration *configuration, const qn_field_problem *problem,
                         qn_buffer *coefficients, qn_buffer *places, qn_buffer *values, qn_event **event)
{
    char class_name[64];
    const size_t numbers = (size_t)(problem->windows > 0 ? problem->windows : 0) * sizeof(float);
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_buffer("coefficients", coefficients, window_bytes(problem)));
    QN_TRY(check_buffer("places", places, 2 * numbers));
    QN_TRY(check_buffer("values", values, 3 * numbers));
    qn_field_problem_class(problem, class_name);
    const field_scalars scalars = {problem->windows, problem->side};
    const qn_argument arguments[FIELD_ARGUMENTS] = {
        [FIELD_COEFFICIENTS] = qn_argument_range(coefficients, 0, window_bytes(problem)),
        [FIELD_PLACES] = qn_argument_range(places, 0, 2 * numbers),
        [FIELD_VALUES] = qn_argument_range(values, 0, 3 * numbers),
        [FIELD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = VALUE,
                                 .arguments = arguments,
                                 .argument_count = FIELD_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = class_name,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_field_value_family, queue, &call, event);
}
