/* devices: host opencl:0 cuda:0 checking:host */
/* Compare prepare_images with its reference on one device, and with transforms of images that were made at the shifted
 * place. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "cryoem/kernels/prepare_images.h"
#include "runtime/configuration.h"
#include "runtime/prelude/prelude_host.h"
#include "tune/workload_inputs.h"

#include "cryoem/kernels/prepare_images.dev.h"

enum { CORNERS_MAX = 16, IMAGES = 21, IMAGES_MAX = 65535 + 150, PIXELS_MAX = 1 << 20, BEYOND = 64 };

static const double PI = 3.14159265358979323846;
static const double TOLERANCE = 2e-6; /* of the largest value */

static qn_device *device;
static qn_queue *queue;
static float spectra[2 * PIXELS_MAX], prepared[2 * PIXELS_MAX + BEYOND], weights[PIXELS_MAX + BEYOND];
static double expected[2 * PIXELS_MAX], expected_weights[PIXELS_MAX];
static qn_reference_image parameters[IMAGES_MAX];
static qn_ctf contrasts[IMAGES];

static size_t pixels_of(const qn_prepare_problem *problem)
{
    return (size_t)problem->side * (size_t)(problem->side / 2 + 1);
}

static double draw(uint64_t index, double low, double high)
{
    return low + (high - low) * (0.5 + 0.5 * (double)qn_workload_input(3, index));
}

/* Make parameters with difficult optics: resolutions up to 1.5 Å at 5 µm, a B-factor for every second image, one image
 * without CTF. */
static void make_parameters(int side)
{
    for (int i = 0; i < IMAGES; i++) {
        const uint64_t first = 16 * (uint64_t)i;
        contrasts[i] = (qn_ctf){.wavelength_angstrom = i % 3 == 1 ? 0.02508 : 0.0196875,
                                .spherical_aberration_angstrom = draw(first, 0, 2.7e7),
                                .amplitude_contrast = draw(first + 1, 0.05, 0.15),
                                .defocus_mean_angstrom = draw(first + 2, -2000, 50000),
                                .defocus_half_difference_angstrom = draw(first + 3, -1000, 1000),
                                .astigmatism_angle_radians = draw(first + 4, -4, 4),
                                .phase_shift_radians = draw(first + 5, 0, 3),
                                .b_factor_angstrom2 = i % 2 ? draw(first + 6, -5, 100) : 0};
        parameters[i] = (qn_reference_image){.pixel_angstrom = i % 5 == 4 ? 2.2 : 0.75,
                                             .origin_pixels = {draw(first + 7, -side, side), draw(first + 8, -9, 9)},
                                             .weight = draw(first + 9, 0.1, 2),
                                             .ctf = i == 3 ? NULL : &contrasts[i]};
    }
    contrasts[0].defocus_mean_angstrom = 50000;
    contrasts[0].spherical_aberration_angstrom = 2.7e7;
    parameters[1].origin_pixels[0] = 3; /* whole numbers of pixels */
    parameters[1].origin_pixels[1] = -side;
    parameters[2].origin_pixels[0] = parameters[2].origin_pixels[1] = 0;
    for (int i = IMAGES; i < IMAGES_MAX; i++) parameters[i] = parameters[i % IMAGES];
}

/* Make spectra with NaN in the pixels that are not kept; it must not reach the results. */
static void make_spectra(const qn_prepare_problem *problem)
{
    const int side = problem->side, columns = side / 2 + 1;
    const double most = (double)problem->most;
    for (size_t i = 0; i < pixels_of(problem) * (size_t)problem->images; i++) {
        const double x = (double)(i % (size_t)columns), row = (double)(i / (size_t)columns % (size_t)side);
        const double y = row < (side + 1) / 2 ? row : row - side;
        const bool kept = x * x + y * y <= most * most;
        spectra[2 * i] = kept ? qn_workload_input(5, 2 * i) : NAN;
        spectra[2 * i + 1] = kept ? qn_workload_input(5, 2 * i + 1) : NAN;
    }
}

static void prepare_on_device(const qn_configuration *configuration, const qn_prepare_problem *problem)
{
    static float words[QN_IMAGE_PARAMETERS * IMAGES_MAX];
    qn_buffer *buffers[4] = {NULL};
    const size_t pixels = pixels_of(problem) * (size_t)problem->images, word = sizeof(float);
    const size_t image_bytes = (2 * pixels + BEYOND) * word, weight_bytes = (pixels + BEYOND) * word;
    for (int i = 0; i < problem->images; i++) {
        const qn_reference_image *image = &parameters[i];
        qn_image_parameters(problem->side, image->pixel_angstrom, image->origin_pixels, image->weight, image->ctf,
                            words + (ptrdiff_t)QN_IMAGE_PARAMETERS * i);
    }
    for (size_t i = 0; i < 2 * pixels + BEYOND; i++) prepared[i] = 7;
    for (size_t i = 0; i < pixels + BEYOND; i++) weights[i] = 7;
    CHECK_OK(qn_workload_make_buffer(queue, spectra, 2 * pixels * word, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, words, sizeof words, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, prepared, image_bytes, &buffers[2]));
    CHECK_OK(qn_workload_make_buffer(queue, weights, weight_bytes, &buffers[3]));
    CHECK_OK(qn_prepare_images(queue, configuration, problem, buffers[0], buffers[1], buffers[2], buffers[3], NULL));
    CHECK_OK(qn_queue_read(queue, buffers[2], 0, prepared, image_bytes, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[3], 0, weights, weight_bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < BEYOND; i++) CHECK(prepared[2 * pixels + (size_t)i] == 7 && weights[pixels + (size_t)i] == 7);
    for (int b = 0; b < 4; b++) qn_buffer_release(&buffers[b]);
}

/* Largest error relative to the largest value; infinite for NaN and for values that should be 0 and are not. */
static double relative_error(const float *values, const double *wanted, size_t count)
{
    double worst = 0, largest = 1e-300;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)values[i] - wanted[i]);
        if (wanted[i] == 0 && values[i] != 0) return INFINITY;
        worst = qn_workload_larger_error(worst, error);
        largest = fmax(largest, fabs(wanted[i]));
    }
    return worst / largest;
}

static double error_of(const qn_configuration *configuration, const qn_prepare_problem *problem)
{
    const size_t pixels = pixels_of(problem) * (size_t)problem->images;
    prepare_on_device(configuration, problem);
    return fmax(relative_error(prepared, expected, 2 * pixels), relative_error(weights, expected_weights, pixels));
}

static void make_problem(const qn_prepare_problem *problem)
{
    make_parameters(problem->side);
    make_spectra(problem);
    qn_prepare_images_reference(problem, spectra, parameters, expected, expected_weights);
}

static void check_problem(const qn_prepare_problem *problem)
{
    make_problem(problem);
    const double error = error_of(NULL, problem);
    if (!CHECK(error <= TOLERANCE))
        fprintf(stderr, "side %d, most %g, ctf %d: %g\n", problem->side, (double)problem->most, problem->ctf, error);
}

static void sides_and_limits_are_right(void)
{
    static const int sides[] = {4, 5, 21, 22, 48, 127};
    for (int i = 0; i < 6; i++) {
        const float half = 0.5f * (float)sides[i], mosts[] = {INFINITY, half, 0.61f * half, 1, 0};
        for (int j = 0; j < 5; j++) {
            check_problem(&(qn_prepare_problem){sides[i], 7, mosts[j], false, false});
            check_problem(&(qn_prepare_problem){sides[i], IMAGES, mosts[j], true, false});
            check_problem(&(qn_prepare_problem){sides[i], 5, mosts[j], j % 2 == 0, true});
        }
    }
}

/* A defocus of 5 µm at 300 kV with pixels of 0.75 Å gives 220 turns at the edge. */
static void errors_do_not_grow_with_the_side(void)
{
    check_problem(&(qn_prepare_problem){512, 3, 256, true, false});
    check_problem(&(qn_prepare_problem){511, 3, INFINITY, true, true});
    check_problem(&(qn_prepare_problem){1000, 1, 500, true, false});
}

/* An image of the largest side has eight million pixels, of which a sample is tested. */
static void angles_are_exact_in_the_largest_images(void)
{
    enum { SIDE = QN_PREPARE_SIDE_MAX };
    const qn_ctf ctf = {.wavelength_angstrom = 0.0196875,
                        .spherical_aberration_angstrom = 2.7e7,
                        .amplitude_contrast = 0.1,
                        .defocus_mean_angstrom = 50000,
                        .defocus_half_difference_angstrom = 700,
                        .astigmatism_angle_radians = 0.4};
    const double origin[2] = {-4095.3, 1777.77};
    uint32_t words[QN_IMAGE_PARAMETERS];
    double worst_contrast = 0, worst_ramp = 0;
    qn_image_parameters(SIDE, 0.75, origin, 1, &ctf, (float *)words);
    for (uint64_t i = 0; i < 20000; i++) {
        const int x = (int)draw(2 * i, 0, SIDE / 2 + 0.999), y = (int)draw(2 * i + 1, -SIDE / 2, SIDE / 2);
        const double turns = (x * (SIDE / 2 - origin[0]) + y * (SIDE / 2 - origin[1])) / SIDE;
        const qn_complex ramp = prepare_ramp(words, x, y);
        const double contrast = qn_ctf_at(&ctf, x / (0.75 * SIDE), y / (0.75 * SIDE));
        worst_contrast = fmax(worst_contrast, fabs((double)prepare_contrast(words, x, y) - contrast));
        worst_ramp = fmax(worst_ramp, fabs((double)ramp.x - cos(2 * PI * turns)));
        worst_ramp = fmax(worst_ramp, fabs((double)ramp.y - sin(2 * PI * turns)));
    }
    CHECK(worst_contrast < 2e-6);
    CHECK(worst_ramp < 1e-6);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_prepare_problem problem = {27, IMAGES, 12.5f, true, false};
    ++*(int *)user;
    if (!CHECK(error_of(configuration, &problem) <= TOLERANCE))
        name_configuration(&qn_cryoem_prepare_images_family, configuration);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    const bool host = strstr(info->identifier, "host") != NULL;
    int corners = 0;
    make_problem(&(qn_prepare_problem){27, IMAGES, 12.5f, true, false});
    CHECK_OK(qn_family_sample_corners(&qn_cryoem_prepare_images_family, info,
                                      host ? 1 : corners_to_visit(info, CORNERS_MAX), check_corner, &corners));
    CHECK(corners > 0);
}

/* There are more images than a CUDA grid may have groups along its second dimension. */
static void many_images_are_right(void)
{
    const qn_prepare_problem many = {5, IMAGES_MAX, 2.5f, true, false};
    const qn_family *family = &qn_cryoem_prepare_images_family;
    qn_configuration configuration = qn_family_fallback(family);
    bool allowed = false;
    check_problem(&many);
    for (int t = 0; t < family->tunable_count; t++)
        if (strcmp(family->tunables[t].name, "PER_ITEM") == 0) configuration.value[t] = 1;
    CHECK_OK(qn_family_allows(family, qn_device_get_info(device), &configuration, &allowed, NULL));
    if (allowed) CHECK(error_of(&configuration, &many) <= TOLERANCE);
}

/* Compute the transform of a rolled image: its pixel i is pixel (i + shift) mod side of `image`. */
static void transform_rolled(int side, const float *image, const int shift[2], double *spectrum)
{
    const int columns = side / 2 + 1;
    for (int row = 0; row < side; row++)
        for (int x = 0; x < columns; x++) {
            double re = 0, im = 0;
            for (int v = 0; v < side; v++)
                for (int u = 0; u < side; u++) {
                    const double angle = -2 * PI * ((row * v + x * u) % side) / side;
                    const int from_u = (u + shift[0] + 9 * side) % side, from_v = (v + shift[1] + 9 * side) % side;
                    re += (double)image[from_v * side + from_u] * cos(angle);
                    im += (double)image[from_v * side + from_u] * sin(angle);
                }
            spectrum[2 * (row * columns + x)] = re;
            spectrum[2 * (row * columns + x) + 1] = im;
        }
}

/* Relative error of `prepared`, whose rows begin with y = −⌊n/2⌋. */
static double error_against(int side, const double *spectrum)
{
    const int columns = side / 2 + 1;
    double worst = 0, largest = 0;
    for (int row = 0; row < side; row++)
        for (int i = 0; i < 2 * columns; i++) {
            const int to = (row < (side + 1) / 2 ? row : row - side) + side / 2;
            const double wanted = spectrum[2 * row * columns + i];
            worst = fmax(worst, fabs((double)prepared[2 * to * columns + i] - wanted));
            largest = fmax(largest, fabs(wanted));
        }
    return worst / largest;
}

static void prepare_alone(int side, const double origin[2])
{
    parameters[0] = (qn_reference_image){.pixel_angstrom = 1, .origin_pixels = {origin[0], origin[1]}, .weight = 1};
    prepare_on_device(NULL, &(qn_prepare_problem){side, 1, INFINITY, false, false});
}

/* The particle's centre is at n/2 − origin and is moved to 0. Columns and rows of the Nyquist frequency are compared
 * too.
 */
static void whole_shifts_are_rolled_images(void)
{
    static float image[16 * 16];
    static double spectrum[2 * 16 * 9];
    static const int sides[] = {8, 9, 12, 15}, origins[][2] = {{0, 0}, {1, 0}, {0, -2}, {-3, 5}, {12, -15}, {40, 31}};
    for (int i = 0; i < 256; i++) image[i] = qn_workload_input(8, (uint64_t)i);
    for (int s = 0; s < 4; s++)
        for (int o = 0; o < 6; o++) {
            const int side = sides[s], none[2] = {0, 0};
            const int shift[2] = {side / 2 - origins[o][0], side / 2 - origins[o][1]};
            transform_rolled(side, image, none, spectrum);
            for (int i = 0; i < 2 * side * (side / 2 + 1); i++) spectra[i] = (float)spectrum[i];
            prepare_alone(side, (const double[2]){origins[o][0], origins[o][1]});
            transform_rolled(side, image, shift, spectrum);
            CHECK(error_against(side, spectrum) < 1e-6);
        }
}

/* A Gaussian with its middle at n/2 − origin is moved to 0, where its transform is 2πσ² exp(−2π²σ² f² / n²). */
static void fractional_shifts_are_right(void)
{
    static float image[32 * 32];
    static double spectrum[2 * 32 * 17];
    const double origins[][2] = {{0.25, 0}, {0, -0.4}, {-2.7, 3.33}}, sigma = 1.9;
    for (int side = 31; side <= 32; side++)
        for (int o = 0; o < 3; o++) {
            const int columns = side / 2 + 1, none[2] = {0, 0};
            for (int v = 0; v < side; v++)
                for (int u = 0; u < side; u++) {
                    const double x = u - side / 2 + origins[o][0], y = v - side / 2 + origins[o][1];
                    image[v * side + u] = (float)exp(-(x * x + y * y) / (2 * sigma * sigma));
                }
            transform_rolled(side, image, none, spectrum);
            for (int i = 0; i < 2 * side * columns; i++) spectra[i] = (float)spectrum[i];
            prepare_alone(side, origins[o]);
            double worst = 0;
            for (int row = 0; row < side; row++)
                for (int x = 0; x < columns; x++) {
                    const double y = row - side / 2, squared = (x * x + y * y) / (side * side);
                    const double wanted = 2 * PI * sigma * sigma * exp(-2 * PI * PI * sigma * sigma * squared);
                    const float *value = prepared + (ptrdiff_t)2 * (row * columns + x);
                    worst = fmax(worst, hypot((double)value[0] - wanted, (double)value[1]));
                }
            CHECK(worst < 1e-6 * 2 * PI * sigma * sigma);
        }
}

/* Parameters that are not finite, or a pixel size of 0, give pixels that are not finite. */
static void invalid_parameters_give_invalid_pixels(void)
{
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    const qn_prepare_problem problem = {8, 1, 2, true, false};
    make_parameters(problem.side);
    make_spectra(&problem);
    for (int i = 0; i < 3; i++)
        for (int which = 0; which < 5; which++) {
            qn_reference_image *image = &parameters[0];
            qn_ctf ctf = contrasts[0];
            *image = (qn_reference_image){.pixel_angstrom = 1, .weight = 1, .ctf = &ctf};
            if (which == 0) image->origin_pixels[1] = wrong[i];
            if (which == 1) image->weight = wrong[i];
            if (which == 2) image->pixel_angstrom = i == 0 ? NAN : 0;
            if (which == 3) ctf.defocus_mean_angstrom = wrong[i];
            if (which == 4) ctf.defocus_mean_angstrom = i == 0 ? 1e300 : 1e-300;
            prepare_on_device(NULL, &problem);
            const float *value = prepared + (ptrdiff_t)2 * (3 * 5 + 1); /* pixel (1, −1) */
            if (which < 4) CHECK(!isfinite(value[0]) && !isfinite(value[1]));
            if (which == 4) CHECK(isfinite(value[0]) && isfinite(value[1]));
        }
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    const qn_prepare_problem wrong[] = {
        {3, 1, 1, false, false},   {4097, 1, 1, true, false},
        {16, -1, 1, true, false},  {16, QN_PREPARE_IMAGES_MAX + 1, 1, true, false},
        {16, 1, NAN, true, false}, {16, 1, -1, true, false},
        {64, 1, 1, true, false}, /* larger than the buffers */
    };
    CHECK_OK(qn_buffer_create(device, 4 * 2 * 16 * 9, &buffer));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_prepare_images(queue, NULL, &wrong[i], buffer, buffer, buffer, buffer, NULL),
                    QN_INVALID_ARGUMENT);
    CHECK_OK(qn_prepare_images(queue, NULL, &(qn_prepare_problem){16, 0, 1, true, false}, buffer, buffer, buffer,
                               buffer, NULL));
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "cryoem/prepare_images", (const int[]){33, 6, 2}, &work);
    CHECK(work.multiply_adds > 0);
    check_workload(queue, "cryoem/prepare_images", (const int[]){32, 6, 1}, &work);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(sides_and_limits_are_right);
    RUN(errors_do_not_grow_with_the_side);
    RUN(angles_are_exact_in_the_largest_images);
    RUN(sampled_corners_are_right);
    RUN(many_images_are_right);
    RUN(whole_shifts_are_rolled_images);
    RUN(fractional_shifts_are_right);
    RUN(invalid_parameters_give_invalid_pixels);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
