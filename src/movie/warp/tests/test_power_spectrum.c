/* devices: host opencl:0 cuda:0 checking:host */
/* Power spectra of known numbers, and the defocus of a simulated movie from its spectrum. */
#include "check.h"

#include <math.h>
#include <quern/fft.h>
#include <string.h>

#include "math/random.h"
#include "movie/warp/power_spectrum.h"
#include "movie/warp/warp.h"

static const double PI = 3.14159265358979323846;

static qn_device *device;
static qn_queue *queue;

/* ---- known numbers ---- */

enum { LIMIT_X = 40, LIMIT_Y = 30, SMALL = 24 };

static float power[(LIMIT_X + 1) * (2 * LIMIT_Y + 1)], image[512 * 512];

static float *power_at(int x, int y)
{
    return power + (y + LIMIT_Y) * (LIMIT_X + 1) + x;
}

/* Numbers of 0.01 and 0.0125 1/Å, pixels of 0.03 1/Å: (x, y) of 9 numbers along x and 2 or 3 along y. */
static const qn_power_source source = {power, {LIMIT_X, LIMIT_Y}, {0.01, 0.0125}};

static void equal_numbers_give_equal_pixels(void)
{
    for (int i = 0; i < (LIMIT_X + 1) * (2 * LIMIT_Y + 1); i++) power[i] = 7;
    *power_at(0, 0) = 1e9f; /* the mean is not used */
    CHECK_OK(qn_power_spectrum_make(&source, SMALL, 0.03, 1, NULL, image));
    int wrong = 0;
    for (int row = 0; row < SMALL; row++)
        for (int column = 0; column < SMALL; column++) {
            const double x = fabs(0.03 * (column - SMALL / 2)), y = fabs(0.03 * (row - SMALL / 2));
            const float value = image[row * SMALL + column];
            if (x < 0.38 && y < 0.355) wrong += value != 7;
            if (x > 0.42 || y > 0.395) wrong += value != 0;
        }
    CHECK(wrong == 0);
    CHECK_OK(
        qn_power_spectrum_make(&source, 8, 0.003, 1, NULL, image)); /* pixels between numbers, and around the mean */
    for (int i = 0; i < 64; i++) wrong += i == 4 * 8 + 4 ? image[i] != 0 : fabsf(image[i] - 7) > 1e-5f;
    CHECK(wrong == 0);
}

/* A number at (0.31, −0.2) 1/Å is in the pixels (10, −7) and (−10, 7) from the middle, and nowhere else. */
static void a_number_is_in_its_pixel_and_the_opposite_one(void)
{
    memset(power, 0, sizeof power);
    *power_at(31, -16) = 60;
    CHECK_OK(qn_power_spectrum_make(&source, SMALL, 0.03, 1, NULL, image));
    double sum = 0;
    for (int i = 0; i < SMALL * SMALL; i++) sum += (double)image[i];
    /* columns 29 … 31 (0.285 ≤ f < 0.315) of column 10, rows −17 … −16 (−0.225 ≤ f < −0.195) of row −7: a sixth */
    CHECK_NEAR((double)image[(12 - 7) * SMALL + 12 + 10], 10, 1e-5);
    CHECK_NEAR((double)image[(12 + 7) * SMALL + 12 - 10], 10,
               4); /* 2 or 3 rows, by the side that a border belongs to */
    CHECK_NEAR(sum - (double)image[5 * SMALL + 22], (double)image[19 * SMALL + 2], 1e-5);
}

/* ---- defocus ---- */

enum { SIDE = 512, FRAMES = 7, GROUP = 3 };

static const double PIXEL = 1.2, DEFOCUS = 12000;
static float frame[SIDE * SIDE], spectrum[2 * SIDE * (SIDE / 2 + 1)], scene[SIDE * SIDE];

/* The constants of electrons of 300 kV, spherical aberration 2.7 mm, amplitude contrast 0.1. */
static double ctf_at(double frequency, double defocus)
{
    const double volt = 300e3, wavelength = 12.2643247 / sqrt(volt * (1 + volt * 0.978466e-6));
    const double square = frequency * frequency;
    return sin(PI * wavelength * defocus * square - PI / 2 * 2.7e7 * pow(wavelength, 3) * square * square + asin(0.1));
}

static double noise(uint64_t seed, uint64_t index)
{
    return sqrt(12) * (qn_random_uniform(2, seed, index) - 0.5);
}

/* scene = noise with the contrast of the CTF. */
static void make_scene(qn_fft_plan *forward, qn_fft_plan *inverse, qn_buffer *real, qn_buffer *half)
{
    for (int i = 0; i < SIDE * SIDE; i++) frame[i] = (float)noise(1, (uint64_t)i);
    CHECK_OK(qn_queue_write(queue, real, 0, frame, sizeof frame, NULL));
    CHECK_OK(qn_fft_execute(forward, queue, real, half, NULL));
    CHECK_OK(qn_queue_read(queue, half, 0, spectrum, sizeof spectrum, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int row = 0; row < SIDE; row++)
        for (int x = 0; x <= SIDE / 2; x++) {
            const double f = hypot(x, row <= SIDE / 2 ? row : row - SIDE) / (SIDE * PIXEL);
            float *value = spectrum + 2 * (row * (SIDE / 2 + 1) + x);
            const float factor = (float)(ctf_at(f, DEFOCUS) * exp(-8 * f * f) / SIDE / SIDE);
            value[0] *= factor, value[1] *= factor;
        }
    CHECK_OK(qn_queue_write(queue, half, 0, spectrum, sizeof spectrum, NULL));
    CHECK_OK(qn_fft_execute(inverse, queue, half, real, NULL));
    CHECK_OK(qn_queue_read(queue, real, 0, scene, sizeof scene, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

/* Frame t: the scene moved by whole pixels, and noise twice as strong. */
static void make_frame(const qn_motion *motion, int t)
{
    const int dx = (int)motion->global_px[2 * t], dy = (int)motion->global_px[2 * t + 1];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            frame[y * SIDE + x] = scene[(y - dy + SIDE) % SIDE * SIDE + (x - dx + SIDE) % SIDE] +
                                  (float)(2 * noise(10 + (uint64_t)t, (uint64_t)(y * SIDE + x)));
}

static void make_movie(const qn_motion *motion, qn_micrographs *micrographs)
{
    const qn_warp_options options = {.padded = {SIDE, SIDE},
                                     .bin = 1,
                                     .taps = 4,
                                     .motion = motion,
                                     .pixel_angstrom = PIXEL,
                                     .spectrum_side = 512,
                                     .spectrum_group = GROUP,
                                     .spectrum_recorded = true};
    qn_fft_options plan = {.size_bytes = sizeof plan, .size = {SIDE, SIDE}, .kind = QN_FFT_REAL_FORWARD};
    qn_fft_plan *forward = NULL, *inverse = NULL;
    qn_buffer *real = NULL, *half = NULL;
    qn_warp *warp = NULL;
    CHECK_OK(qn_fft_plan_create(device, &plan, &forward));
    plan.kind = QN_FFT_REAL_INVERSE;
    CHECK_OK(qn_fft_plan_create(device, &plan, &inverse));
    CHECK_OK(qn_buffer_create(device, sizeof frame, &real));
    CHECK_OK(qn_buffer_create(device, sizeof spectrum, &half));
    make_scene(forward, inverse, real, half);
    CHECK_OK(qn_warp_create(device, queue, &options, &warp));
    for (int t = 0; t < FRAMES && warp; t++) {
        make_frame(motion, t);
        CHECK_OK(qn_queue_write(queue, real, 0, frame, sizeof frame, NULL));
        CHECK_OK(qn_fft_execute(forward, queue, real, half, NULL));
        CHECK_OK(qn_warp_add(warp, t, half, 0));
        CHECK_OK(qn_queue_finish(queue));
    }
    CHECK_OK(qn_warp_finish(warp, micrographs));
    CHECK_OK(qn_micrographs_complete(micrographs, NULL));
    qn_warp_destroy(&warp);
    qn_fft_plan_destroy(&forward);
    qn_fft_plan_destroy(&inverse);
    qn_buffer_release(&real);
    qn_buffer_release(&half);
}

/* Correlation of the rings' means, less a line of 24 rings around each, with the square of the CTF. */
static double likeness(const double *rings, double pixel, double defocus)
{
    double both = 0, first = 0, second = 0;
    for (int ring = 40; ring < 200; ring++) {
        double around[2] = {0};
        for (int i = ring - 12; i <= ring + 12; i++) {
            around[0] += rings[i] / 25;
            around[1] += pow(ctf_at(i / (512 * pixel), defocus), 2) / 25;
        }
        const double a = rings[ring] - around[0], b = pow(ctf_at(ring / (512 * pixel), defocus), 2) - around[1];
        both += a * b, first += a * a, second += b * b;
    }
    return both / sqrt(first * second);
}

static double defocus_of(const float *of_spectrum, double pixel, double *best)
{
    double rings[256] = {0}, found = 0;
    int counts[256] = {0};
    for (int row = 0; row < 512; row++)
        for (int column = 0; column < 512; column++) {
            const int ring = (int)lrint(hypot(column - 256, row - 256));
            if (ring < 256) rings[ring] += (double)of_spectrum[row * 512 + column], counts[ring]++;
        }
    for (int ring = 0; ring < 256; ring++) rings[ring] /= counts[ring];
    *best = -1;
    for (double defocus = 8000; defocus <= 16000; defocus += 10) {
        const double like = likeness(rings, pixel, defocus);
        if (like > *best) *best = like, found = defocus;
    }
    return found;
}

static void the_defocus_is_in_the_spectrum(void)
{
    qn_motion motion;
    qn_micrographs m = {0};
    double aligned, recorded;
    CHECK_OK(qn_motion_allocate(FRAMES, SIDE, SIDE, &motion));
    for (int t = 1; t < FRAMES; t++) motion.global_px[2 * t] = 3 * t, motion.global_px[2 * t + 1] = -2 * t;
    make_movie(&motion, &m);
    CHECK_NEAR(m.spectrum_angstrom, 1.4, 0);
    CHECK(m.spectrum_side == 512);
    if (CHECK(m.spectrum && m.recorded)) {
        CHECK_NEAR(defocus_of(m.spectrum, m.spectrum_angstrom, &aligned), DEFOCUS, 0.01 * DEFOCUS);
        CHECK(aligned > 0.5);
        defocus_of(m.recorded, m.spectrum_angstrom, &recorded);
        CHECK(aligned > recorded + 0.05);
    }
    qn_micrographs_release(&m);
    qn_motion_release(&motion);
}

static void groups_follow_the_dose(void)
{
    CHECK(qn_warp_spectrum_group(1.2, 4) == 3);
    CHECK(qn_warp_spectrum_group(0.5, 4) == 8);
    CHECK(qn_warp_spectrum_group(10, 4) == 1);
    CHECK(qn_warp_spectrum_group(0, 4) == 4);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(equal_numbers_give_equal_pixels);
    RUN(a_number_is_in_its_pixel_and_the_opposite_one);
    RUN(groups_follow_the_dose);
    RUN(the_defocus_is_in_the_spectrum);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
