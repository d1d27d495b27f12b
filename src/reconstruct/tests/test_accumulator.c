/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 */
/* labels: threads@host sanitized@host */
/* Compare the sums of a device's accumulator with discrete Fourier transforms and the reference of insertion, in double
 * precision. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cryoem/ctf.h"
#include "cryoem/view.h"
#include "math/rotation.h"
#include "math/symmetry_group.h"
#include "reconstruct/accumulator.h"
#include "reconstruct/kernels/insert_slices.h"
#include "tune/workload_inputs.h"

enum { IMAGES = 20, SIDE = 15, PADDED = 24, COLUMNS = SIDE / 2 + 1, OPERATORS_MAX = 4, BATCH = 8 };
enum { VOXELS = PADDED * PADDED * (PADDED / 2 + 1), PIXELS = SIDE * SIDE };

static qn_context *context;
static qn_device *device;
static qn_particle particles[IMAGES];
static float images[IMAGES][PIXELS];
static const qn_optics_group optics = {.number = 1,
                                       .pixel_angstrom = 2,
                                       .image_size = SIDE,
                                       .voltage_kv = 300,
                                       .spherical_aberration_mm = 2.7,
                                       .amplitude_contrast = 0.1};
static double (*operators)[9];
static int operator_count;
static double expected_numerator[2][2 * VOXELS], expected_weight[2][VOXELS];
static float sums[2 * VOXELS];

static double draw(uint64_t index)
{
    return (double)qn_workload_input(11, index);
}

static void make_particles(void)
{
    for (int i = 0; i < IMAGES; i++) {
        const uint64_t first = 16 * (uint64_t)i;
        particles[i] = (qn_particle){.rot_degrees = 180 * draw(first),
                                     .tilt_degrees = 90 + 90 * draw(first + 1),
                                     .psi_degrees = 180 * draw(first + 2),
                                     .origin_angstrom = {7 * draw(first + 3), 7 * draw(first + 4)},
                                     .weight = 1 + 0.5 * draw(first + 5),
                                     .defocus_u_angstrom = 12000 + 4000 * draw(first + 6),
                                     .defocus_v_angstrom = 11000 + 4000 * draw(first + 7),
                                     .defocus_angle_degrees = 90 * draw(first + 8)};
        for (int p = 0; p < PIXELS; p++) images[i][p] = qn_workload_input(12 + (uint64_t)i, (uint64_t)p);
    }
}

/* Compute the transform of an image with its particle's centre at index 0, times CTF · w |f|, and CTF² · w |f|. */
static void make_spectrum(const qn_particle *particle, const float *image, float *spectrum, float *weights)
{
    const double pi = 3.14159265358979323846;
    qn_ctf ctf;
    CHECK_OK(qn_ctf_of(particle, &optics, &ctf));
    for (int row = 0; row < SIDE; row++)
        for (int kx = 0; kx < COLUMNS; kx++) {
            const int ky = row - SIDE / 2;
            double sum[2] = {0, 0};
            for (int p = 0; p < PIXELS; p++) {
                const double x = p % SIDE - SIDE / 2 + particle->origin_angstrom[0] / optics.pixel_angstrom;
                const double y = p / SIDE - SIDE / 2 + particle->origin_angstrom[1] / optics.pixel_angstrom;
                const double angle = -2 * pi * (kx * x + ky * y) / SIDE;
                sum[0] += image[p] * cos(angle);
                sum[1] += image[p] * sin(angle);
            }
            const double pixel = SIDE * optics.pixel_angstrom, c = qn_ctf_at(&ctf, kx / pixel, ky / pixel);
            const int at = row * COLUMNS + kx;
            const double weight = particle->weight * (at == SIDE / 2 * COLUMNS ? 2 / (3 * sqrt(pi)) : hypot(kx, ky));
            spectrum[2 * at] = (float)(sum[0] * c * weight);
            spectrum[2 * at + 1] = (float)(sum[1] * c * weight);
            weights[at] = (float)(c * c * weight);
        }
}

static int half_of(int image)
{
    return image / BATCH % 2; /* whole batches */
}

static void make_expected(void)
{
    static float spectrum[2 * SIDE * COLUMNS], weights[SIDE * COLUMNS], matrices[9 * OPERATORS_MAX];
    for (int i = 0; i < IMAGES; i++) {
        double view[9], back[9], turned[9];
        const qn_insert_problem problem = {.side = PADDED,
                                           .image_side = SIDE,
                                           .spacing = (float)PADDED / SIDE,
                                           .images = 1,
                                           .operators = operator_count,
                                           .radius = 1.9f,
                                           .most = 9};
        make_spectrum(&particles[i], images[i], spectrum, weights);
        qn_view_matrix(particles[i].rot_degrees, particles[i].tilt_degrees, particles[i].psi_degrees, view);
        for (int k = 0; k < 9; k++) back[k] = view[3 * (k % 3) + k / 3];
        for (int o = 0; o < operator_count; o++) {
            qn_rotation_multiply(operators[o], back, turned);
            for (int k = 0; k < 9; k++) matrices[9 * o + k] = (float)turned[k];
        }
        qn_insert_slices_reference(&problem, spectrum, weights, matrices, expected_numerator[half_of(i)],
                                   expected_weight[half_of(i)]);
    }
}

static qn_accumulator_options accumulation(void)
{
    return (qn_accumulator_options){.side = PADDED,
                                    .reference_angstrom = optics.pixel_angstrom,
                                    .most = 9,
                                    .radius = 1.9,
                                    .ctf = true,
                                    .halves = 2,
                                    .operators = (const double(*)[9])operators,
                                    .operator_count = operator_count,
                                    .largest_image_side = SIDE,
                                    .batch = BATCH,
                                    .slices_expected = IMAGES * OPERATORS_MAX};
}

static void insert_all(qn_accumulator *accumulator)
{
    for (int first = 0; first < IMAGES; first += BATCH) {
        const qn_particle *batch[BATCH];
        float *staging = NULL;
        const int count = IMAGES - first < BATCH ? IMAGES - first : BATCH;
        CHECK_OK(qn_accumulator_staging(accumulator, &staging));
        memcpy(staging, images[first], sizeof images[0] * (size_t)count);
        for (int i = 0; i < count; i++) batch[i] = &particles[first + i];
        CHECK_OK(qn_accumulator_insert(accumulator, half_of(first), &optics, SIDE, batch, (size_t)count));
    }
}

static double relative_error(const float *values, const double *expected, size_t count, double times)
{
    double difference = 0, whole = 1e-300;
    for (size_t i = 0; i < count; i++) {
        const double wanted = times * expected[i];
        difference += (values[i] - wanted) * (values[i] - wanted);
        whole += wanted * wanted;
    }
    return isfinite(difference) ? sqrt(difference / whole) : INFINITY;
}

/* Numerators are read in two parts, as large sums are. */
static void check_sums(qn_accumulator *accumulator, double times)
{
    for (int half = 0; half < 2; half++) {
        const size_t middle = VOXELS / 3;
        CHECK_OK(qn_accumulator_read(accumulator, half, QN_SUM_NUMERATOR, 0, middle, sums));
        CHECK_OK(qn_accumulator_read(accumulator, half, QN_SUM_NUMERATOR, middle, 2 * VOXELS - middle, sums + middle));
        CHECK_NEAR(relative_error(sums, expected_numerator[half], 2 * VOXELS, times), 0, 1e-5);
        CHECK_OK(qn_accumulator_read(accumulator, half, QN_SUM_WEIGHT, 0, VOXELS, sums));
        CHECK_NEAR(relative_error(sums, expected_weight[half], VOXELS, times), 0, 1e-5);
    }
}

static void sums_of_batches_agree_with_the_reference(void)
{
    qn_accumulator *accumulator = NULL;
    const qn_accumulator_options options = accumulation();
    CHECK_OK(qn_accumulator_create(device, &options, &accumulator));
    insert_all(accumulator);
    check_sums(accumulator, 1);
    qn_accumulator_destroy(&accumulator);
}

static void sums_in_slabs_agree_with_the_reference(void)
{
    uint64_t bytes, whole;
    int slabs;
    qn_accumulator *accumulator = NULL;
    qn_accumulator_options options = accumulation();
    qn_accumulator_estimate(device, &options, &whole, &slabs);
    CHECK(slabs == 1);
    options.device_memory_bytes = whole / 2;
    qn_accumulator_estimate(device, &options, &bytes, &slabs);
    CHECK(slabs > 1 && bytes <= whole / 2);
    CHECK_OK(qn_accumulator_create(device, &options, &accumulator));
    insert_all(accumulator);
    check_sums(accumulator, 1);
    qn_accumulator_destroy(&accumulator);
}

/* Insert all images so often that the sums settle. */
static void settled_sums_agree_with_the_reference(void)
{
    const int times = 3 * QN_INSERT_BEFORE_SETTLING_MAX / (2 * OPERATORS_MAX * BATCH);
    qn_accumulator *accumulator = NULL;
    qn_accumulator_options options = accumulation();
    options.slices_expected = 1 << 16;
    CHECK_OK(qn_accumulator_create(device, &options, &accumulator));
    for (int i = 0; i < times; i++) insert_all(accumulator);
    check_sums(accumulator, times);
    qn_accumulator_destroy(&accumulator);
}

static void deterministic_sums_have_the_same_bits(void)
{
    static float first[2 * VOXELS];
    qn_accumulator_options options = accumulation();
    options.deterministic = true;
    for (int round = 0; round < 2; round++) {
        qn_accumulator *accumulator = NULL;
        CHECK_OK(qn_accumulator_create(device, &options, &accumulator));
        insert_all(accumulator);
        if (round == 0) check_sums(accumulator, 1);
        CHECK_OK(qn_accumulator_read(accumulator, 0, QN_SUM_NUMERATOR, 0, 2 * VOXELS, round == 0 ? first : sums));
        qn_accumulator_destroy(&accumulator);
    }
    CHECK(memcmp(first, sums, sizeof first) == 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, name, &device) != QN_OK) {
        check_skip(name, qn_error_message());
        qn_context_destroy(&context);
        return check_finish();
    }
    CHECK_OK(qn_symmetry_group("D2", &operators, &operator_count));
    CHECK(operator_count == OPERATORS_MAX);
    make_particles();
    make_expected();
    RUN(sums_of_batches_agree_with_the_reference);
    RUN(sums_in_slabs_agree_with_the_reference);
    if (strncmp(name, "checking", 8) != 0) RUN(settled_sums_agree_with_the_reference); /* it would take minutes there */
    RUN(deterministic_sums_have_the_same_bits);
    qn_release(&operators);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
