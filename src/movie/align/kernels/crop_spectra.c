#include "movie/align/kernels/crop_spectra.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "movie/align/kernels/crop_spectra.dev.h"
#include "movie/align/kernels/side_class.h"

extern const char qn_movie_crop_spectra_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_crop_spectra_host);

enum { GROUP_SIZE, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernel does not use it */
};

static size_t pixels_of(const int size[2])
{
    return (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_crop_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{(pixels_of(problem->size) + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

/* Least work: every number of the coarse spectrum is read and written once. */
static void work_of(const void *user, qn_work *work)
{
    const double pixels = (double)pixels_of(((const qn_crop_problem *)user)->size);
    *work = (qn_work){.bytes_read = 8 * pixels, .bytes_written = 8 * pixels, .multiply_adds = 2 * pixels};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_crop_spectra_host)[0](launch);
}

static const qn_argument_declaration arguments_of_crop[CROP_ARGUMENTS] = {
    [CROP_SPECTRUM] = {"spectrum", QN_IN, QN_FLOAT32},
    [CROP_STACK] = {"stack", QN_INOUT, QN_FLOAT32},
    [CROP_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(crop_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"crop_spectra", arguments_of_crop, CROP_ARGUMENTS, geometry, host, work_of},
};

const qn_family qn_movie_crop_spectra_family = {
    .name = "movie/crop_spectra",
    .source = qn_movie_crop_spectra_source,
    .source_path = "movie/align/kernels/crop_spectra.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

void qn_crop_problem_class(const qn_crop_problem *problem, char text[64])
{
    qn_align_side_class(problem->size, text);
}

static qn_status check(const qn_crop_problem *problem)
{
    for (int d = 0; d < 2; d++)
        if (problem->size[d] < 4 || problem->size[d] % 2 != 0 || problem->size[d] > problem->from[d])
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "movie/crop_spectra: coarse side %d of a frame of %d pixels; expected an even number from 4",
                           problem->size[d], problem->from[d]);
    if (problem->frame < 0 || problem->frame >= problem->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/crop_spectra: frame %d; expected 0 to %d", problem->frame,
                       problem->frames - 1);
    return QN_OK;
}

qn_status qn_crop_spectra(qn_queue *queue, const qn_configuration *configuration, const qn_crop_problem *problem,
                          qn_buffer *spectrum, qn_buffer *stack, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const crop_scalars scalars = {.from_rows = problem->from[1],
                                  .from_columns = problem->from[0] / 2 + 1,
                                  .rows = problem->size[1],
                                  .columns = problem->size[0] / 2 + 1,
                                  .frame = problem->frame,
                                  .scale = problem->scale};
    const qn_argument arguments[CROP_ARGUMENTS] = {
        [CROP_SPECTRUM] = qn_argument_range(spectrum, 0, 8 * pixels_of(problem->from)),
        [CROP_STACK] = qn_argument_range(stack, 0, 8 * pixels_of(problem->size) * (size_t)problem->frames),
        [CROP_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    char problem_class[64];
    qn_crop_problem_class(problem, problem_class);
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = CROP_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_crop_spectra_family, queue, &call, event);
}
