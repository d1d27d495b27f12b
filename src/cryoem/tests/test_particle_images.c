/* Compare simulated particles (exact projections of a sum of Gaussians, with CTF and noise) with their map. Images are
 * prepared from the STAR file alone, and no other reading of the file's conventions may fit better. */
#include "check.h"

#include <math.h>
#include <quern/particles.h>
#include <stddef.h>

#include <quern/fft.h>
#include <quern/volume.h>

#include "base/memory.h"
#include "cryoem/kernels/prepare_images.h"
#include "cryoem/view.h"
#include "format/image/image_stack.h"
#include "tune/workload_inputs.h"

enum { SIDE = 48, COLUMNS = SIDE / 2 + 1, PIXELS = SIDE * COLUMNS, IMAGES = 100, MAX = 20 };

static const double PI = 3.14159265358979323846;

static qn_device *device;
static qn_queue *queue;
static qn_particle_set *set;
static qn_buffer *spectra;
static double view_of_map[IMAGES][PIXELS][2]; /* the map's transform on each particle's slice, at sampled pixels */

/* Whether a pixel is one of the sampled fifth. Frequencies below 3 are left out, since they are nearly the same in all
 * images. */
static bool is_sampled(int x, int y)
{
    const int squared = x * x + y * y;
    return squared <= MAX * MAX && squared >= 9 && (x + 2 * y + 100) % 5 == 0;
}

/* Σ v(p) exp(−2πi k·(p − N/2) / N), axis by axis. */
static void transform_at(const qn_volume *map, const double k[3], double value[2])
{
    double turn[3][SIDE][2];
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < SIDE; i++) {
            const double angle = -2 * PI * k[axis] * (i - SIDE / 2) / SIDE;
            turn[axis][i][0] = cos(angle);
            turn[axis][i][1] = sin(angle);
        }
    value[0] = value[1] = 0;
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++) {
            const float *row = map->values + (ptrdiff_t)(z * SIDE + y) * SIDE;
            const double re = turn[1][y][0] * turn[2][z][0] - turn[1][y][1] * turn[2][z][1];
            const double im = turn[1][y][0] * turn[2][z][1] + turn[1][y][1] * turn[2][z][0];
            double sum[2] = {0, 0};
            for (int x = 0; x < SIDE; x++) {
                sum[0] += (double)row[x] * turn[0][x][0];
                sum[1] += (double)row[x] * turn[0][x][1];
            }
            value[0] += sum[0] * re - sum[1] * im;
            value[1] += sum[0] * im + sum[1] * re;
        }
}

/* The image is A · map: its transform at f is that of the map at Aᵀ f. */
static void view_map(const qn_volume *map)
{
    for (int i = 0; i < IMAGES; i++) {
        const qn_particle *particle = &set->particles[i];
        double view[9];
        qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, view);
        for (int row = 0; row < SIDE; row++)
            for (int x = 0; x < COLUMNS; x++) {
                double k[3];
                const int y = row - SIDE / 2;
                for (int axis = 0; axis < 3; axis++) k[axis] = x * view[axis] + y * view[3 + axis];
                if (is_sampled(x, y)) transform_at(map, k, view_of_map[i][row * COLUMNS + x]);
            }
    }
}

static void transform_images(void)
{
    static float images[IMAGES * SIDE * SIDE];
    const qn_fft_options options = {
        .size_bytes = sizeof options, .size = {SIDE, SIDE}, .batch = IMAGES, .kind = QN_FFT_REAL_FORWARD};
    qn_image_stack *stack = NULL;
    qn_fft_plan *plan = NULL;
    qn_buffer *pixels = NULL;
    void *scratch = NULL;
    size_t scratch_bytes = 0;
    if (!CHECK_OK(qn_image_stack_open(set->stacks[set->particles[0].stack], &stack))) return;
    for (int i = 0; i < IMAGES; i++)
        CHECK_OK(qn_image_stack_read(stack, set->particles[i].image, &scratch, &scratch_bytes,
                                     images + (ptrdiff_t)i * SIDE * SIDE));
    CHECK_OK(qn_workload_make_buffer(queue, images, sizeof images, &pixels));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, (size_t)IMAGES * PIXELS * 2 * sizeof(float), &spectra));
    CHECK_OK(qn_fft_plan_create(device, &options, &plan));
    CHECK_OK(qn_fft_execute(plan, queue, pixels, spectra, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&pixels);
    qn_image_stack_close(&stack);
    qn_release(&scratch);
}

/* A wrong reading of a file's convention, which must not fit the images. */
typedef struct mistake {
    const char *name;
    double defocus, angle_degrees, origin[2]; /* factors; angle_degrees is added */
    double contrast, aberration;              /* factors */
} mistake;

/* Factor of the map that fits the images best, Σ CTF Re(V* F) / Σ CTF² |V|². *fit: square root of the part of the
 * images' sum of squares that the fit explains, with the sign of the factor. */
static double scale_of_map(const mistake *wrong, double *fit)
{
    static float words[IMAGES * QN_IMAGE_PARAMETERS], images[IMAGES][PIXELS][2], weights[IMAGES][PIXELS];
    const qn_prepare_problem problem = {.side = SIDE, .images = IMAGES, .most = MAX, .ctf = true};
    qn_buffer *parameters = NULL, *prepared = NULL, *weight = NULL;
    double product = 0, square = 0;
    for (int i = 0; i < IMAGES; i++) {
        const qn_particle *particle = &set->particles[i];
        const qn_optics_group *optics = &set->optics[particle->optics];
        double origin[2];
        qn_ctf ctf;
        for (int axis = 0; axis < 2; axis++)
            origin[axis] = wrong->origin[axis] * particle->origin_angstrom[axis] / optics->pixel_angstrom;
        CHECK_OK(qn_ctf_of(particle, optics, &ctf));
        ctf.defocus_mean_angstrom *= wrong->defocus;
        ctf.astigmatism_angle_radians += wrong->angle_degrees * PI / 180;
        ctf.amplitude_contrast *= wrong->contrast;
        ctf.spherical_aberration_angstrom *= wrong->aberration;
        qn_image_parameters(SIDE, optics->pixel_angstrom, origin, 1, &ctf, words + (ptrdiff_t)i * QN_IMAGE_PARAMETERS);
    }
    CHECK_OK(qn_workload_make_buffer(queue, words, sizeof words, &parameters));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof images, &prepared));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof weights, &weight));
    CHECK_OK(qn_prepare_images(queue, NULL, &problem, spectra, parameters, prepared, weight, NULL));
    CHECK_OK(qn_workload_read(queue, prepared, 0, images, sizeof images));
    CHECK_OK(qn_workload_read(queue, weight, 0, weights, sizeof weights));
    for (int i = 0; i < IMAGES; i++)
        for (int pixel = 0; pixel < PIXELS; pixel++) {
            const double *value = view_of_map[i][pixel]; /* 0 if the pixel is not sampled */
            product += value[0] * (double)images[i][pixel][0] + value[1] * (double)images[i][pixel][1];
            square += (value[0] * value[0] + value[1] * value[1]) * (double)weights[i][pixel];
        }
    qn_buffer_release(&parameters);
    qn_buffer_release(&prepared);
    qn_buffer_release(&weight);
    *fit = product / sqrt(square);
    return product / square;
}

/* The images show the map, with noise of five times their variance, so the factor is 1. This number of images suffices
 * to see even the spherical aberration, 0.1 of a radian at the highest sampled frequency. */
static void images_agree_with_their_map(void)
{
    const mistake none = {"none", 1, 0, {1, 1}, 1, 1};
    const mistake mistakes[] = {
        {"overfocus", -1, 0, {1, 1}, 1, 1},
        {"5 % more defocus", 1.05, 0, {1, 1}, 1, 1},
        {"5 % less defocus", 0.95, 0, {1, 1}, 1, 1},
        {"U for V", 1, 90, {1, 1}, 1, 1},
        {"negative amplitude contrast", 1, 0, {1, 1}, -1, 1},
        {"negative spherical aberration", 1, 0, {1, 1}, 1, -1},
        {"origins negated along x", 1, 0, {-1, 1}, 1, 1},
        {"origins negated along y", 1, 0, {1, -1}, 1, 1},
    };
    double best, fit;
    CHECK_NEAR(scale_of_map(&none, &best), 1, 0.02);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        scale_of_map(&mistakes[i], &fit);
        check_that(fit < best, __FILE__, __LINE__, mistakes[i].name);
    }
}

int main(void)
{
    const char *particles = check_reference_data("cryoem/synthetic/d4_48_300_ctf/particles.star");
    qn_context *context = NULL;
    qn_volume *map = NULL;
    if (!particles) check_skip("reference", "no reference data");
    CHECK_OK(qn_particle_set_read(particles, &set));
    CHECK_OK(qn_volume_read(check_reference_data("cryoem/synthetic/d4_48_300_ctf/truth.mrc"), &map));
    CHECK_OK(qn_context_create(NULL, &context));
    CHECK_OK(qn_device_open(context, "host", &device));
    CHECK_OK(qn_queue_create(device, &queue));
    if (set && map && queue && CHECK(map->counts[0] == SIDE && set->particle_count >= IMAGES)) {
        view_map(map);
        transform_images();
        RUN(images_agree_with_their_map);
    }
    qn_buffer_release(&spectra);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    qn_volume_destroy(&map);
    qn_particle_set_destroy(&set);
    return check_finish();
}
