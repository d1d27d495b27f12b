#include "movie/warp/kernels/weigh_sums.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/weigh_sums.dev.h"

extern const char qn_movie_weigh_sums_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_weigh_sums_host);

enum { PAD, WEIGH, CROP, RAISE };
enum { GROUP_SIZE, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256, 512}, 5, 128, "work-items per group, along a row"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernel does not use it */
};

static double pixels_of(const int size[2])
{
    return (double)size[0] * size[1];
}

static double frequencies_of(const qn_weigh_problem *problem)
{
    return (problem->padded[0] / 2 + 1.0) * problem->padded[1];
}

static qn_geometry rows(const qn_configuration *configuration, int width, int height)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{((size_t)width + group - 1) / group * group, (size_t)height, 1}, {group, 1, 1}};
}

static qn_geometry pad_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_weigh_problem *problem = user;
    return rows(configuration, problem->padded[0], problem->padded[1]);
}

static qn_geometry weigh_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_weigh_problem *problem = user;
    return rows(configuration, problem->padded[0] / 2 + 1, problem->padded[1]);
}

static qn_geometry crop_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_weigh_problem *problem = user;
    return rows(configuration, problem->size[0], problem->size[1]);
}

static void pad_work(const void *user, qn_work *work)
{
    const qn_weigh_problem *problem = user;
    *work = (qn_work){.bytes_read = 4 * pixels_of(problem->size), .bytes_written = 4 * pixels_of(problem->padded)};
}

/* Least work: the spectrum is read, the weighted spectrum is read (not for the first sum) and written. A weight takes
 * seven operations. */
static void weigh_work(const void *user, qn_work *work)
{
    const double numbers = frequencies_of(user);
    const bool first = ((const qn_weigh_problem *)user)->first;
    *work =
        (qn_work){.bytes_read = (first ? 8 : 16) * numbers, .bytes_written = 8 * numbers, .multiply_adds = 9 * numbers};
}

static void crop_work(const void *user, qn_work *work)
{
    const double pixels = pixels_of(((const qn_weigh_problem *)user)->size);
    *work = (qn_work){.bytes_read = 4 * pixels, .bytes_written = 4 * pixels, .multiply_adds = pixels};
}

static void raise_work(const void *user, qn_work *work)
{
    crop_work(user, work);
}

static qn_status host_pad(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_weigh_sums_host)[PAD](launch);
}

static qn_status host_weigh(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_weigh_sums_host)[WEIGH](launch);
}

static qn_status host_crop(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_weigh_sums_host)[CROP](launch);
}

static qn_status host_raise(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_weigh_sums_host)[RAISE](launch);
}

_Static_assert(sizeof(weigh_scalars) == 11 * 4, "no padding");

static const qn_argument_declaration pad_arguments[PAD_ARGUMENTS] = {
    [PAD_SUMS] = {"sums", QN_IN, QN_FLOAT32},
    [PAD_PADDED] = {"padded", QN_OUT, QN_FLOAT32},
    [PAD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(weigh_scalars)},
};

static const qn_argument_declaration weigh_arguments[WEIGH_ARGUMENTS] = {
    [WEIGH_SPECTRUM] = {"spectrum", QN_IN, QN_FLOAT32},
    [WEIGH_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [WEIGH_WEIGHTED] = {"weighted", QN_INOUT, QN_FLOAT32},
    [WEIGH_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(weigh_scalars)},
};

static const qn_argument_declaration crop_arguments[CROP_ARGUMENTS] = {
    [CROP_PADDED] = {"padded", QN_IN, QN_FLOAT32},
    [CROP_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [CROP_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(weigh_scalars)},
};

static const qn_argument_declaration raise_arguments[RAISE_ARGUMENTS] = {
    [RAISE_SUMS] = {"sums", QN_INOUT, QN_FLOAT32},
    [RAISE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(weigh_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [PAD] = {"pad_sum", pad_arguments, PAD_ARGUMENTS, pad_geometry, host_pad, pad_work},
    [WEIGH] = {"weigh_sum", weigh_arguments, WEIGH_ARGUMENTS, weigh_geometry, host_weigh, weigh_work},
    [CROP] = {"crop_sum", crop_arguments, CROP_ARGUMENTS, crop_geometry, host_crop, crop_work},
    [RAISE] = {"raise_sum", raise_arguments, RAISE_ARGUMENTS, crop_geometry, host_raise, raise_work},
};

const qn_family qn_movie_weigh_sums_family = {
    .name = "movie/weigh_sums",
    .source = qn_movie_weigh_sums_source,
    .source_path = "movie/warp/kernels/weigh_sums.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_problem(const qn_weigh_problem *problem)
{
    for (int d = 0; d < 2; d++)
        if (problem->size[d] < 1 || problem->padded[d] < problem->size[d] || !(problem->bins_a_frequency[d] >= 0))
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "movie/weigh_sums: %d pixels padded to %d, %g bins a frequency; expected at least 1 pixel, as "
                "many padded, and 0 bins",
                problem->size[d], problem->padded[d], problem->bins_a_frequency[d]);
    if (problem->sums < 1 || problem->rows < 1 || problem->bins < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/weigh_sums: %d sums, %d rows of %d bins; expected at least 1, 1, 2",
                       problem->sums, problem->rows, problem->bins);
    return QN_OK;
}

static qn_status check_index(const char *what, int index, int count)
{
    if (index < 0 || index >= count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/weigh_sums: %s %d; expected 0 to %d", what, index, count - 1);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t needed)
{
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/weigh_sums: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), needed);
    return QN_OK;
}

static weigh_scalars scalars_of(const qn_weigh_problem *problem, int index)
{
    return (weigh_scalars){.width = problem->size[0],
                           .height = problem->size[1],
                           .padded_width = problem->padded[0],
                           .padded_height = problem->padded[1],
                           .index = index,
                           .bins = problem->bins,
                           .bins_x = (float)problem->bins_a_frequency[0],
                           .bins_y = (float)problem->bins_a_frequency[1]};
}

static size_t sum_bytes(const qn_weigh_problem *problem)
{
    return sizeof(float) * (size_t)problem->sums * (size_t)problem->size[0] * (size_t)problem->size[1];
}

static size_t padded_bytes(const qn_weigh_problem *problem)
{
    return sizeof(float) * (size_t)problem->padded[0] * (size_t)problem->padded[1];
}

static size_t spectrum_bytes(const qn_weigh_problem *problem)
{
    return 8 * (size_t)(problem->padded[0] / 2 + 1) * (size_t)problem->padded[1];
}

static qn_status launch(qn_queue *queue, int kernel, const qn_argument *arguments, int count,
                        const qn_weigh_problem *problem, const qn_configuration *configuration, qn_event **event)
{
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = count,
                                 .problem = problem,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_weigh_sums_family, queue, &call, event);
}

qn_status qn_pad_sum(qn_queue *queue, const qn_configuration *configuration, const qn_weigh_problem *problem, int index,
                     qn_buffer *sums, qn_buffer *padded, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_index("sum", index, problem->sums));
    QN_TRY(check_buffer("sums", sums, sum_bytes(problem)));
    QN_TRY(check_buffer("padded", padded, padded_bytes(problem)));
    const weigh_scalars scalars = scalars_of(problem, index);
    const qn_argument arguments[PAD_ARGUMENTS] = {
        [PAD_SUMS] = qn_argument_range(sums, 0, sum_bytes(problem)),
        [PAD_PADDED] = qn_argument_range(padded, 0, padded_bytes(problem)),
        [PAD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, PAD, arguments, PAD_ARGUMENTS, problem, configuration, event);
}

qn_status qn_weigh_sum(qn_queue *queue, const qn_configuration *configuration, const qn_weigh_problem *problem, int row,
                       bool first, qn_buffer *spectrum, qn_buffer *weights, qn_buffer *weighted, qn_event **event)
{
    if (event) *event = NULL;
    const size_t weight_bytes = sizeof(float) * (size_t)problem->rows * (size_t)problem->bins;
    QN_TRY(check_problem(problem));
    QN_TRY(check_index("row of weights", row, problem->rows));
    QN_TRY(check_buffer("spectrum", spectrum, spectrum_bytes(problem)));
    QN_TRY(check_buffer("weights", weights, weight_bytes));
    QN_TRY(check_buffer("weighted", weighted, spectrum_bytes(problem)));
    qn_weigh_problem own = *problem;
    own.first = first;
    weigh_scalars scalars = scalars_of(problem, row);
    scalars.first = first;
    const qn_argument arguments[WEIGH_ARGUMENTS] = {
        [WEIGH_SPECTRUM] = qn_argument_range(spectrum, 0, spectrum_bytes(problem)),
        [WEIGH_WEIGHTS] = qn_argument_range(weights, 0, weight_bytes),
        [WEIGH_WEIGHTED] = qn_argument_range(weighted, 0, spectrum_bytes(problem)),
        [WEIGH_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, WEIGH, arguments, WEIGH_ARGUMENTS, &own, configuration, event);
}

qn_status qn_crop_sum(qn_queue *queue, const qn_configuration *configuration, const qn_weigh_problem *problem,
                      int index, double scale, qn_buffer *padded, qn_buffer *sums, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_index("sum", index, problem->sums));
    QN_TRY(check_buffer("padded", padded, padded_bytes(problem)));
    QN_TRY(check_buffer("sums", sums, sum_bytes(problem)));
    weigh_scalars scalars = scalars_of(problem, index);
    scalars.scale = (float)scale;
    const qn_argument arguments[CROP_ARGUMENTS] = {
        [CROP_PADDED] = qn_argument_range(padded, 0, padded_bytes(problem)),
        [CROP_SUMS] = qn_argument_range(sums, 0, sum_bytes(problem)),
        [CROP_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, CROP, arguments, CROP_ARGUMENTS, problem, configuration, event);
}

qn_status qn_raise_sum(qn_queue *queue, const qn_configuration *configuration, const qn_weigh_problem *problem,
                       int index, double offset, qn_buffer *sums, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    QN_TRY(check_index("sum", index, problem->sums));
    QN_TRY(check_buffer("sums", sums, sum_bytes(problem)));
    weigh_scalars scalars = scalars_of(problem, index);
    scalars.offset = (float)offset;
    const qn_argument arguments[RAISE_ARGUMENTS] = {
        [RAISE_SUMS] = qn_argument_range(sums, 0, sum_bytes(problem)),
        [RAISE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(queue, RAISE, arguments, RAISE_ARGUMENTS, problem, configuration, event);
}
