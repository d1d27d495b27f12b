#include "movie/align/kernels/cut_patches.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "movie/align/kernels/cut_patches.dev.h"
#include "movie/align/kernels/side_class.h"

extern const char qn_movie_cut_patches_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_movie_cut_patches_host);

enum { GROUP_SIZE, TUNABLES };
enum { COUNT_MAX = 65535 }; /* CUDA's limit of groups along y */

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "4 * GROUP_SIZE <= device.local_memory_bytes",
    "!device.is_host || GROUP_SIZE == 128", /* the host's kernel does not use it */
};

static size_t pixels_of(const int size[2])
{
    return (size_t)size[0] * (size_t)size[1];
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_cut_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{group * (size_t)problem->frames, (size_t)problem->count, 1}, {group, 1, 1}};
}

/* Least work: frames are read once for all patches, or the patches alone if they are less; patches are written once. */
static void work_of(const void *user, qn_work *work)
{
    const qn_cut_problem *problem = user;
    const double all = (double)pixels_of(problem->patch) * problem->count * problem->frames;
    const double frames = (double)pixels_of(problem->size) * problem->frames;
    *work =
        (qn_work){.bytes_read = 4 * (frames < all ? frames : all), .bytes_written = 4 * all, .multiply_adds = 4 * all};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_movie_cut_patches_host)[0](launch);
}

static const qn_argument_declaration arguments_of_cut[CUT_ARGUMENTS] = {
    [CUT_FRAMES] = {"frames", QN_IN, QN_FLOAT32},
    [CUT_CORNERS] = {"corners", QN_IN, QN_INT32},
    [CUT_TAPER] = {"taper", QN_IN, QN_FLOAT32},
    [CUT_PATCHES] = {"patches", QN_OUT, QN_FLOAT32},
    [CUT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(cut_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"cut_patches", arguments_of_cut, CUT_ARGUMENTS, geometry, host, work_of},
};

const qn_family qn_movie_cut_patches_family = {
    .name = "movie/cut_patches",
    .source = qn_movie_cut_patches_source,
    .source_path = "movie/align/kernels/cut_patches.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

void qn_cut_problem_class(const qn_cut_problem *problem, char text[64])
{
    qn_align_side_class(problem->patch, text);
}

static qn_status check(const qn_cut_problem *problem)
{
    for (int d = 0; d < 2; d++)
        if (problem->patch[d] < 1 || problem->patch[d] > problem->size[d])
            return QN_FAIL(QN_INVALID_ARGUMENT, "movie/cut_patches: patch side %d; expected 1 to %d", problem->patch[d],
                           problem->size[d]);
    if (problem->frames < 1 || problem->first < 0 || problem->count < 1 || problem->count > COUNT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "movie/cut_patches: %d patches of %d frames; expected 1 to %d patches",
                       problem->count, problem->frames, COUNT_MAX);
    return QN_OK;
}

qn_status qn_cut_patches(qn_queue *queue, const qn_configuration *configuration, const qn_cut_problem *problem,
                         qn_buffer *frames, qn_buffer *corners, qn_buffer *taper, qn_buffer *patches, qn_event **event)
{
    if (event) *event = NULL;
    QN_TRY(check(problem));
    const size_t count = (size_t)problem->count, stack = (size_t)problem->frames;
    const size_t sides = (size_t)problem->patch[0] + (size_t)problem->patch[1];
    const cut_scalars scalars = {.width = problem->size[0],
                                 .height = problem->size[1],
                                 .patch_width = problem->patch[0],
                                 .patch_height = problem->patch[1],
                                 .frames = problem->frames,
                                 .first = problem->first};
    const qn_argument arguments[CUT_ARGUMENTS] = {
        [CUT_FRAMES] = qn_argument_range(frames, 0, 4 * pixels_of(problem->size) * stack),
        [CUT_CORNERS] = qn_argument_range(corners, 0, 8 * ((size_t)problem->first + count)),
        [CUT_TAPER] = qn_argument_range(taper, 0, 4 * sides),
        [CUT_PATCHES] = qn_argument_range(patches, 0, 4 * pixels_of(problem->patch) * stack * count),
        [CUT_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    char problem_class[64];
    qn_cut_problem_class(problem, problem_class);
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = CUT_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_movie_cut_patches_family, queue, &call, event);
}
