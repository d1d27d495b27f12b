#include "cryoem/kernels/prepare_images.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cryoem/kernels/prepare_images.dev.h"

extern const char qn_cryoem_prepare_images_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cryoem_prepare_images_host);

enum { GROUP_SIZE, PER_ITEM, TUNABLES };
enum { GROUPS_ALONG_IMAGES_MAX = 65535 }; /* CUDA's limit for all dimensions except the first */

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
    [PER_ITEM] = {"PER_ITEM", {1, 2, 4, 8}, 4, 2, "images a work-item takes"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "!device.is_host || (GROUP_SIZE == 128 && PER_ITEM == 2)", /* the host's kernel uses neither */
};

static size_t pixels_of(const qn_prepare_problem *problem)
{
    return (size_t)problem->side * (size_t)(problem->side / 2 + 1);
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_prepare_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE], per_item = (size_t)configuration->value[PER_ITEM];
    size_t along_images = ((size_t)problem->images + per_item - 1) / per_item;
    if (along_images > GROUPS_ALONG_IMAGES_MAX) along_images = GROUPS_ALONG_IMAGES_MAX;
    return (qn_geometry){{(pixels_of(problem) + group - 1) / group * group, along_images, 1}, {group, 1, 1}};
}

/* Largest x² + y² of kept pixels, at most side² / 2. */
static int32_t most_squared(const qn_prepare_problem *problem)
{
    const double most = fmin((double)problem->most, problem->side);
    return (int32_t)(most * most);
}

/* Least work: kept pixels are read once, all pixels are written once. A sine takes 16 multiply-adds; its angle takes
 * 6 in a ramp and 24 in a CTF. */
static void work_of(const void *user, qn_work *work)
{
    const qn_prepare_problem *problem = user;
    const double all = (double)problem->images * (double)pixels_of(problem);
    const double kept = fmin(all, (double)problem->images * 3.14159265358979 / 2 * most_squared(problem));
    *work = (qn_work){.bytes_read = 8 * kept + sizeof(float) * QN_IMAGE_PARAMETERS * (double)problem->images,
                      .bytes_written = 12 * all,
                      .multiply_adds = kept * (2 * 16 + 6 + 7 + (problem->ctf ? 16 + 24 + 2 : 0))};
}

static qn_status host_prepare(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cryoem_prepare_images_host)[0](launch);
}

_Static_assert(sizeof(prepare_scalars) == 5 * 4, "no padding");

static const qn_argument_declaration arguments_of_prepare[PREPARE_IMAGES_ARGUMENTS] = {
    [PREPARE_IMAGES_SPECTRA] = {"spectra", QN_IN, QN_FLOAT32},
    [PREPARE_IMAGES_PARAMETERS] = {"parameters", QN_IN, QN_UINT32},
    [PREPARE_IMAGES_IMAGES] = {"images", QN_OUT, QN_FLOAT32},
    [PREPARE_IMAGES_WEIGHTS] = {"weights", QN_OUT, QN_FLOAT32},
    [PREPARE_IMAGES_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(prepare_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"prepare_images", arguments_of_prepare, PREPARE_IMAGES_ARGUMENTS, geometry, host_prepare, work_of},
};

const qn_family qn_cryoem_prepare_images_family = {
    .name = "cryoem/prepare_images",
    .source = qn_cryoem_prepare_images_source,
    .source_path = "cryoem/kernels/prepare_images.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

/* ---- parameters ---- */

/* ⌊scaled⌋ modulo 2^32; 0 if `scaled` is not finite. */
static uint32_t whole_part(double scaled)
{
    if (!isfinite(scaled)) return 0;
    const double turn = 4294967296.0, whole = floor(scaled);
    return (uint32_t)(whole - turn * floor(whole / turn));
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Store turns as the nearest fraction of 32 bits, and the remainder. If `turns` is not finite, the remainder is NaN, so
 * the image becomes NaN too. */
static void set_turns(double turns, float *fraction, float *rest)
{
    const double scaled = 4294967296.0 * (turns - floor(turns)), nearest = floor(scaled + 0.5);
    *fraction = of_bits(whole_part(nearest));
    if (rest) *rest = (float)((scaled - nearest) / 4294967296.0);
}

/* Store the aberration, ¼ C_s λ³ u⁴ turns. */
static void set_aberration(int side, double pixel_angstrom, const qn_ctf *ctf, float *parameters)
{
    const double length = side * pixel_angstrom, wavelength = ctf->wavelength_angstrom, turn = 4294967296.0;
    const uint32_t half = (uint32_t)side / 2, farthest = 2 * half * half;
    uint32_t scale = 1;
    while ((uint64_t)farthest * scale * 2 <= UINT32_MAX) scale *= 2;
    const double turns = 0.25 * ctf->spherical_aberration_angstrom * wavelength * wavelength * wavelength /
                         (length * length * length * length) * turn / scale * turn / scale;
    parameters[PREPARE_SCALE] = of_bits(scale);
    parameters[PREPARE_ABERRATION] = of_bits(whole_part(turns));
    parameters[PREPARE_ABERRATION_REST] = of_bits(whole_part(turn * (turns - floor(turns))));
}

static void set_contrast(int side, double pixel_angstrom, const qn_ctf *ctf, float *parameters)
{
    const double length = side * pixel_angstrom, twice = 2 * ctf->astigmatism_angle_radians;
    const double unit = 0.5 * ctf->wavelength_angstrom / (length * length);
    const double mean = unit * ctf->defocus_mean_angstrom, half = unit * ctf->defocus_half_difference_angstrom;
    const double pi = 3.14159265358979323846;
    set_turns(mean + half * cos(twice), parameters + PREPARE_DEFOCUS_XX, parameters + PREPARE_DEFOCUS_XX_REST);
    set_turns(2 * half * sin(twice), parameters + PREPARE_DEFOCUS_XY, parameters + PREPARE_DEFOCUS_XY_REST);
    set_turns(mean - half * cos(twice), parameters + PREPARE_DEFOCUS_YY, parameters + PREPARE_DEFOCUS_YY_REST);
    set_turns((ctf->phase_shift_radians + asin(ctf->amplitude_contrast)) / (2 * pi), parameters + PREPARE_PHASE, NULL);
    set_aberration(side, pixel_angstrom, ctf, parameters);
    parameters[PREPARE_DECAY] = (float)(0.25 * ctf->b_factor_angstrom2 / (length * length));
}

void qn_image_parameters(int side, double pixel_angstrom, const double origin_pixels[2], double weight,
                         const qn_ctf *ctf, float parameters[QN_IMAGE_PARAMETERS])
{
    const double centre = side / 2;
    memset(parameters, 0, QN_IMAGE_PARAMETERS * sizeof *parameters);
    set_turns((centre - origin_pixels[0]) / side, parameters + PREPARE_RAMP_X, parameters + PREPARE_RAMP_X_REST);
    set_turns((centre - origin_pixels[1]) / side, parameters + PREPARE_RAMP_Y, parameters + PREPARE_RAMP_Y_REST);
    parameters[PREPARE_WEIGHT] = (float)weight;
    set_turns(0.25, parameters + PREPARE_PHASE, NULL); /* CTF = 1 */
    if (ctf) set_contrast(side, pixel_angstrom, ctf, parameters);
}

/* ---- launch ---- */

static qn_status check_problem(const qn_prepare_problem *problem)
{
    if (problem->side < 4 || problem->side > QN_PREPARE_SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cryoem/prepare_images: side %d; expected 4 to %d", problem->side,
                       QN_PREPARE_SIDE_MAX);
    if (problem->images < 0 || problem->images > QN_PREPARE_IMAGES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cryoem/prepare_images: %d images; expected 0 to %d", problem->images,
                       QN_PREPARE_IMAGES_MAX);
    if (!(problem->most >= 0))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "cryoem/prepare_images: kept up to %g; expected a frequency of at least 0 pixels",
                       (double)problem->most);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cryoem/prepare_images: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), bytes);
    return QN_OK;
}

void qn_prepare_problem_class(const qn_prepare_problem *problem, char text[64])
{
    int side = 64;
    while (side < problem->side) side *= 2;
    snprintf(text, 64, "side<=%d%s", side, problem->ctf ? " ctf" : "");
}

qn_status qn_prepare_images(qn_queue *queue, const qn_configuration *configuration, const qn_prepare_problem *problem,
                            qn_buffer *spectra, qn_buffer *parameters, qn_buffer *images, qn_buffer *weights,
                            qn_event **event)
{
    char problem_class[64];
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    if (problem->images == 0) return QN_OK;
    const size_t count = (size_t)problem->images, pixels = pixels_of(problem) * count, word = sizeof(float);
    QN_TRY(check_buffer("spectra", spectra, 2 * pixels * word));
    QN_TRY(check_buffer("parameters", parameters, QN_IMAGE_PARAMETERS * count * word));
    QN_TRY(check_buffer("images", images, 2 * pixels * word));
    QN_TRY(check_buffer("weights", weights, pixels * word));
    qn_prepare_problem_class(problem, problem_class);
    const prepare_scalars scalars = {
        .side = problem->side,
        .image_count = problem->images,
        .most_squared = most_squared(problem),
        .contrast = problem->ctf,
        .ramp = problem->ramp,
    };
    const qn_argument arguments[PREPARE_IMAGES_ARGUMENTS] = {
        [PREPARE_IMAGES_SPECTRA] = qn_argument_buffer(spectra),
        [PREPARE_IMAGES_PARAMETERS] = qn_argument_buffer(parameters),
        [PREPARE_IMAGES_IMAGES] =
            qn_argument_range(images, 0, 2 * pixels * word), /* the buffer may be larger; the rest is not changed */
        [PREPARE_IMAGES_WEIGHTS] = qn_argument_range(weights, 0, pixels * word),
        [PREPARE_IMAGES_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = PREPARE_IMAGES_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_cryoem_prepare_images_family, queue, &call, event);
}
