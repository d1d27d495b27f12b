/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* Movies with known motion become micrographs: compared with sums and images computed by definition. */
#include "check.h"

#include <math.h>
#include <quern/fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "movie/warp/warp.h"

enum { SIDE_MAX = 320, FRAMES_MAX = 8 };

static const double PI = 3.14159265358979323846;

static qn_device *device;
static bool thorough; /* false where the plan of a transform takes seconds to compile */
static qn_queue *queue;
static float frames[FRAMES_MAX][SIDE_MAX * SIDE_MAX], padded[SIDE_MAX * SIDE_MAX * 2];
static double doses[FRAMES_MAX];

/* White noise of variance 1. */
static double noise(uint32_t seed, uint32_t index)
{
    return sqrt(12) * (qn_random_uniform(1, seed, index) - 0.5);
}

/* Run a movie of frames[…] of `motion`; each has the given mean in its padding. */
static void make_micrographs(const qn_warp_options *options, const double *means, qn_micrographs *micrographs)
{
    const qn_motion *motion = options->motion;
    const size_t width = (size_t)options->padded[0], height = (size_t)options->padded[1];
    const qn_fft_options forward = {
        .size_bytes = sizeof forward, .size = {(int)width, (int)height}, .kind = QN_FFT_REAL_FORWARD};
    qn_fft_plan *plan = NULL;
    qn_buffer *real = NULL, *spectrum = NULL;
    qn_warp *warp = NULL;
    CHECK_OK(qn_fft_plan_create(device, &forward, &plan));
    CHECK_OK(qn_buffer_create(device, 4 * width * height, &real));
    CHECK_OK(qn_buffer_create(device, 8 * (width / 2 + 1) * height, &spectrum));
    CHECK_OK(qn_warp_create(device, queue, options, &warp));
    CHECK(qn_warp_bytes(options) > 0);
    for (int t = 0; t < motion->frame_count && warp; t++) {
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                padded[y * width + x] = x < (size_t)motion->width && y < (size_t)motion->height
                                            ? frames[t][y * (size_t)motion->width + x]
                                            : (float)means[t];
        CHECK_OK(qn_queue_write(queue, real, 0, padded, 4 * width * height, NULL));
        CHECK_OK(qn_fft_execute(plan, queue, real, spectrum, NULL));
        CHECK_OK(qn_warp_add(warp, t, spectrum, means[t]));
        CHECK_OK(qn_queue_finish(queue));
    }
    memset(micrographs, 0, sizeof *micrographs);
    CHECK_OK(qn_warp_finish(warp, micrographs));
    CHECK_OK(qn_micrographs_complete(micrographs, NULL));
    qn_warp_destroy(&warp);
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&real);
    qn_buffer_release(&spectrum);
}

static qn_warp_options options_of(const qn_motion *motion, int width, int height)
{
    return (qn_warp_options){
        .padded = {width, height}, .bin = 1, .taps = 4, .motion = motion, .plain = true, .pixel_angstrom = 1.1};
}

static void make_noise(int frame_count, int pixels, double mean)
{
    for (int t = 0; t < frame_count; t++)
        for (int i = 0; i < pixels; i++) frames[t][i] = (float)(mean + noise(100 + (uint32_t)t, (uint32_t)i));
}

static double mean_of(const float *image, int pixels)
{
    double sum = 0;
    for (int i = 0; i < pixels; i++) sum += (double)image[i];
    return sum / pixels;
}

/* Largest difference from Σ frames[t], t = first, first + step, … */
static double sum_error(const float *image, int pixels, int count, int first, int step)
{
    double worst = 0;
    for (int i = 0; i < pixels; i++) {
        double sum = 0;
        for (int t = first; t < count; t += step) sum += (double)frames[t][i];
        const double error = fabs((double)image[i] - sum);
        worst = error == error ? fmax(worst, error) : INFINITY;
    }
    return worst;
}

static void a_movie_without_motion_is_the_sum_of_its_frames(void)
{
    enum { WIDTH = 61, HEIGHT = 47, COUNT = 5 };
    static const int sizes[][2] = {{61, 47}, {64, 48}, {63, 50}};
    double means[COUNT];
    qn_motion motion;
    qn_micrographs m;
    make_noise(COUNT, WIDTH * HEIGHT, 2);
    for (int t = 0; t < COUNT; t++) means[t] = mean_of(frames[t], WIDTH * HEIGHT);
    CHECK_OK(qn_motion_allocate(COUNT, WIDTH, HEIGHT, &motion));
    for (int i = thorough ? 0 : 1; i < (thorough ? 3 : 2); i++) {
        qn_warp_options options = options_of(&motion, sizes[i][0], sizes[i][1]);
        options.even_odd = i > 0;
        options.frames_a_pass = 3 * i;
        make_micrographs(&options, means, &m);
        CHECK(m.width == WIDTH && m.height == HEIGHT && !m.weighted && !m.spectrum);
        CHECK_NEAR(m.pixel_angstrom, 1.1, 1e-12);
        if (CHECK(m.plain != NULL)) CHECK_NEAR(sum_error(m.plain, WIDTH * HEIGHT, COUNT, 0, 1), 0, 3e-5);
        if (i > 0 && CHECK(m.even && m.odd)) {
            CHECK_NEAR(sum_error(m.even, WIDTH * HEIGHT, COUNT, 0, 2), 0, 3e-5);
            CHECK_NEAR(sum_error(m.odd, WIDTH * HEIGHT, COUNT, 1, 2), 0, 3e-5);
        }
        qn_micrographs_release(&m);
    }
    qn_motion_release(&motion);
}

/* Whole pixels: the content of frame 1 moved by (3, −2). Frames are not padded, so that content would come in from the
 * other side. */
static void whole_shifts_are_undone_and_uncovered_pixels_get_the_mean(void)
{
    enum { WIDTH = 64, HEIGHT = 48 };
    double means[2], worst = 0;
    qn_motion motion;
    qn_micrographs m;
    make_noise(2, WIDTH * HEIGHT, 1);
    for (int t = 0; t < 2; t++) means[t] = mean_of(frames[t], WIDTH * HEIGHT);
    CHECK_OK(qn_motion_allocate(2, WIDTH, HEIGHT, &motion));
    motion.global_px[2] = 3, motion.global_px[3] = -2;
    const qn_warp_options options = options_of(&motion, WIDTH, HEIGHT);
    make_micrographs(&options, means, &m);
    for (int y = 0; y < HEIGHT && m.plain; y++)
        for (int x = 0; x < WIDTH; x++) {
            const bool covered = x + 3 < WIDTH && y - 2 >= 0;
            const double second = covered ? (double)frames[1][(y - 2) * WIDTH + x + 3] : means[1];
            const double error = fabs((double)m.plain[y * WIDTH + x] - (double)frames[0][y * WIDTH + x] - second);
            worst = error == error ? fmax(worst, error) : INFINITY;
        }
    CHECK(m.plain != NULL);
    CHECK_NEAR(worst, 0, 2e-5);
    qn_micrographs_release(&m);
    qn_motion_release(&motion);
}

/* ---- weights ---- */

/* The discrete transform of a WIDTH × HEIGHT image, by definition along each axis. */
static void transform(const double *image, int width, int height, int sign, double *to)
{
    double *rows = calloc(2 * (size_t)width * (size_t)height, sizeof *rows);
    for (int y = 0; y < height; y++)
        for (int k = 0; k < width; k++)
            for (int x = 0; x < width; x++) {
                const double angle = sign * 2 * PI * (k * x % width) / width, c = cos(angle), s = sin(angle);
                const double *from = image + 2 * (y * width + x);
                rows[2 * (y * width + k)] += from[0] * c - from[1] * s;
                rows[2 * (y * width + k) + 1] += from[0] * s + from[1] * c;
            }
    for (int i = 0; i < 2 * width * height; i++) to[i] = 0;
    for (int k = 0; k < height; k++)
        for (int y = 0; y < height; y++) {
            const double angle = sign * 2 * PI * (k * y % height) / height, c = cos(angle), s = sin(angle);
            for (int x = 0; x < width; x++) {
                const double *from = rows + 2 * (y * width + x);
                to[2 * (k * width + x)] += from[0] * c - from[1] * s;
                to[2 * (k * width + x) + 1] += from[0] * s + from[1] * c;
            }
        }
    free(rows);
}

/* The weighted sum by the published formula, frame by frame in Fourier space. */
static void weighted_sums_follow_the_formula(void)
{
    enum { WIDTH = 60, HEIGHT = 48, COUNT = 6 };
    static double image[2 * WIDTH * HEIGHT], spectrum[2 * WIDTH * HEIGHT], sum[2 * WIDTH * HEIGHT];
    double means[COUNT], weights[COUNT], worst = 0;
    qn_motion motion;
    qn_micrographs m;
    qn_exposure_ranks ranks;
    const qn_exposure exposure = {COUNT, doses, 300};
    const double pixel = 1.1;
    for (int t = 0; t < COUNT; t++) doses[t] = 5 + 6.5 * (t + 1);
    make_noise(COUNT, WIDTH * HEIGHT, 3);
    CHECK_OK(qn_motion_allocate(COUNT, WIDTH, HEIGHT, &motion));
    CHECK_OK(qn_exposure_factorise(&exposure, qn_warp_largest_frequency(1, pixel), &ranks));
    memset(sum, 0, sizeof sum);
    for (int t = 0; t < COUNT; t++) {
        means[t] = mean_of(frames[t], WIDTH * HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; i++) image[2 * i] = (double)frames[t][i], image[2 * i + 1] = 0;
        transform(image, WIDTH, HEIGHT, -1, spectrum);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const double kx = (x <= WIDTH / 2 ? x : x - WIDTH) / (WIDTH * pixel);
                const double ky = (y <= HEIGHT / 2 ? y : y - HEIGHT) / (HEIGHT * pixel);
                qn_exposure_weights(&exposure, hypot(kx, ky), weights);
                for (int part = 0; part < 2; part++) {
                    const int i = 2 * (y * WIDTH + x) + part;
                    sum[i] += weights[t] * spectrum[i] / (WIDTH * HEIGHT);
                }
            }
    }
    transform(sum, WIDTH, HEIGHT, 1, image);
    qn_warp_options options = options_of(&motion, WIDTH, HEIGHT);
    options.ranks = &ranks;
    options.plain = false;
    make_micrographs(&options, means, &m);
    CHECK(m.plain == NULL);
    for (int i = 0; i < WIDTH * HEIGHT && m.weighted; i++)
        worst = fmax(worst, fabs((double)m.weighted[i] - image[2 * i]));
    CHECK(m.weighted != NULL);
    CHECK_NEAR(worst, 0, 1.5e-4); /* ranks are right to 2e-5 a frame, and six frames have values to 4 */
    qn_micrographs_release(&m);
    qn_exposure_ranks_release(&ranks);
    qn_motion_release(&motion);
}

/* ---- local motion ---- */

static void make_local_motion(int count, int width, int height, double reach, qn_motion *motion)
{
    CHECK_OK(qn_motion_allocate(count, width, height, motion));
    motion->time_count = qn_motion_time_count(count);
    for (int t = 1; t < count; t++)
        for (int d = 0; d < 2; d++) motion->global_px[2 * t + d] = 4 * noise(7, (uint32_t)(2 * t + d));
    for (int m = 0; m < motion->time_count; m++) /* a smooth field: a dome and a saddle */
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) {
                const double x = (j - 3) / 3.0, y = (i - 3) / 3.0, grown = reach * (m + 1) / motion->time_count;
                double *c = motion->local_px + 2 * (m * QN_MOTION_PLANE + 7 * i + j);
                c[0] = grown * (0.7 * x - 0.3 * x * y + 0.2 * y * y);
                c[1] = grown * (0.8 * y + 0.25 * x * x - 0.1 * x * y);
            }
}

enum { WAVES = 24 };
static double waves[WAVES][3]; /* cycles per pixel along x and y, phase */

static double image_at(double x, double y)
{
    double sum = 0;
    for (int w = 0; w < WAVES; w++) sum += cos(2 * PI * (waves[w][0] * x + waves[w][1] * y) + waves[w][2]);
    return sum / sqrt(WAVES / 2.0);
}

/* Frames whose content moved: frame t at x + u(x, t) is the image at x. */
static void make_moved_frames(const qn_motion *motion, double most)
{
    for (int w = 0; w < WAVES; w++) {
        const double angle = 2 * PI * (w + 0.3) / WAVES, radius = most * sqrt((w + 1.0) / WAVES);
        waves[w][0] = radius * cos(angle), waves[w][1] = radius * sin(angle), waves[w][2] = 2.4 * w;
    }
    for (int t = 0; t < motion->frame_count; t++)
        for (int y = 0; y < motion->height; y++)
            for (int x = 0; x < motion->width; x++) {
                double from[2] = {x, y}, u[2];
                for (int round = 0; round < 6; round++) {
                    qn_motion_at(motion, t, from[0], from[1], u);
                    from[0] = x - u[0], from[1] = y - u[1];
                }
                frames[t][y * motion->width + x] = (float)image_at(from[0], from[1]);
            }
}

/* Relative error of a sum of `count` frames inside a margin, for pixels of `bin`. */
static double image_error(const qn_micrographs *m, const float *sum, int count, double bin, int margin)
{
    double difference = 0, whole = 0;
    for (int y = margin; y < m->height - margin && sum; y++)
        for (int x = margin; x < m->width - margin; x++) {
            const double expected = count * image_at(x * bin, y * bin);
            const double error = (double)sum[y * m->width + x] - expected;
            difference += error * error;
            whole += expected * expected;
        }
    return whole > 0 ? sqrt(difference / whole) : INFINITY;
}

static void local_motion_is_undone(void)
{
    enum { WIDTH = 160, HEIGHT = 120, COUNT = 5 };
    const double means[COUNT] = {0};
    qn_motion motion;
    qn_micrographs m;
    make_local_motion(COUNT, WIDTH, HEIGHT, 2, &motion);
    make_moved_frames(&motion, 0.3);
    for (int taps = 4; taps <= (thorough ? 6 : 4); taps += 2) {
        qn_warp_options options = options_of(&motion, 192, 150);
        options.taps = taps;
        options.even_odd = true;
        make_micrographs(&options, means, &m);
        const double error = image_error(&m, m.plain, COUNT, 1, 24), even = image_error(&m, m.even, 3, 1, 24);
        if (!CHECK(error < 0.006) || !CHECK(even < 0.006)) fprintf(stderr, "%d taps: %g, %g\n", taps, error, even);
        qn_micrographs_release(&m);
    }
    qn_motion_release(&motion);
}

/* Waves up to 0.3 of the larger pixel's cycles, so that nothing of them is left out. */
static void binning_keeps_places(void)
{
    enum { WIDTH = 240, HEIGHT = 181, COUNT = 3 };
    static const double bins[] = {2, 1.5, 1.27};
    const double means[COUNT] = {0};
    for (int local = thorough ? 0 : 1; local < 2; local++)
        for (int i = 0; i < (thorough ? 3 : 1); i++) {
            qn_motion motion;
            qn_micrographs m;
            make_local_motion(COUNT, WIDTH, HEIGHT, 2, &motion);
            if (!local) motion.time_count = 0;
            make_moved_frames(&motion, 0.3 / bins[i]);
            qn_warp_options options = options_of(&motion, 252, 192);
            options.bin = bins[i];
            make_micrographs(&options, means, &m);
            CHECK(m.width == (int)(WIDTH / bins[i]) && m.height == (int)(HEIGHT / bins[i]));
            const double error = image_error(&m, m.plain, COUNT, bins[i], 16);
            if (!CHECK(error < 0.008)) fprintf(stderr, "bin %g, local %d: %g\n", bins[i], local, error);
            qn_micrographs_release(&m);
            qn_motion_release(&motion);
        }
}

/* ---- power ---- */

/* powers[ring] += |transform of image · Hann window|², rings of a tenth of the limit. */
static void add_ring_powers(const float *image, int side, double powers[10])
{
    const qn_fft_options forward = {.size_bytes = sizeof forward, .size = {side, side}, .kind = QN_FFT_REAL_FORWARD};
    const size_t pixels = (size_t)side * (size_t)side, numbers = 2 * (size_t)(side / 2 + 1) * (size_t)side;
    qn_fft_plan *plan = NULL;
    qn_buffer *real = NULL, *spectrum = NULL;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const double window = pow(sin(PI * (x + 0.5) / side) * sin(PI * (y + 0.5) / side), 2);
            padded[y * side + x] = (float)(window * (double)image[y * side + x]);
        }
    CHECK_OK(qn_fft_plan_create(device, &forward, &plan));
    CHECK_OK(qn_buffer_create(device, 4 * pixels, &real));
    CHECK_OK(qn_buffer_create(device, 4 * numbers, &spectrum));
    CHECK_OK(qn_queue_write(queue, real, 0, padded, 4 * pixels, NULL));
    CHECK_OK(qn_fft_execute(plan, queue, real, spectrum, NULL));
    CHECK_OK(qn_queue_read(queue, spectrum, 0, padded, 4 * numbers, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int row = 0; row < side; row++)
        for (int x = 0; x <= side / 2; x++) {
            const float *value = padded + 2 * (row * (side / 2 + 1) + x);
            const int ring = (int)(10 * hypot(x, row <= side / 2 ? row : row - side) / (side / 2.0));
            if (ring < 10) powers[ring] += (double)value[0] * (double)value[0] + (double)value[1] * (double)value[1];
        }
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&real);
    qn_buffer_release(&spectrum);
}

/* A turning field, which neither stretches nor compresses. */
static void make_turn(int side, double reach, qn_motion *motion)
{
    CHECK_OK(qn_motion_allocate(2, side, side, motion));
    motion->time_count = qn_motion_time_count(2);
    motion->global_px[2] = 0.37, motion->global_px[3] = -1.81;
    for (int m = 0; m < motion->time_count; m++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) {
                double *c = motion->local_px + 2 * (m * QN_MOTION_PLANE + 7 * i + j);
                c[0] = reach * (i - 3) / 3, c[1] = -reach * (j - 3) / 3;
            }
}

/* Frame 0 is empty, frame 1 is noise: the sum has the power of the noise in every ring up to 0.9 of the limit. */
static void displaced_noise_keeps_its_power(void)
{
    enum { SIDE = 256 };
    const int movies = thorough ? 4 : 2;
    const double means[2] = {0, 0};
    qn_motion motion;
    qn_micrographs m;
    make_turn(SIDE, 3, &motion);
    for (int taps = thorough ? 4 : 6; taps <= 6; taps += 2) {
        double before[10] = {0}, after[10] = {0};
        qn_warp_options options = options_of(&motion, SIDE, SIDE);
        options.taps = taps;
        for (int movie = 0; movie < movies; movie++) {
            memset(frames[0], 0, sizeof frames[0]);
            for (int i = 0; i < SIDE * SIDE; i++) frames[1][i] = (float)noise(50 + (uint32_t)movie, (uint32_t)i);
            make_micrographs(&options, means, &m);
            if (!CHECK(m.plain != NULL)) return;
            add_ring_powers(frames[1], SIDE, before);
            add_ring_powers(m.plain, SIDE, after);
            qn_micrographs_release(&m);
        }
        for (int ring = 0; ring < 9; ring++)
            if (!CHECK(fabs(after[ring] / before[ring] - 1) < 0.01))
                fprintf(stderr, "%d taps, ring %d: %g\n", taps, ring, after[ring] / before[ring]);
    }
    qn_motion_release(&motion);
}

/* ---- another movie ---- */

static void add_frame(qn_warp *warp, const qn_warp_options *options, int t)
{
    const int width = options->padded[0], height = options->padded[1];
    const size_t numbers = 2 * (size_t)(width / 2 + 1) * (size_t)height;
    qn_buffer *spectrum = NULL;
    for (size_t i = 0; i < numbers; i++) padded[i] = (float)noise(200 + (uint32_t)t, (uint32_t)i);
    CHECK_OK(qn_buffer_create(device, 4 * numbers, &spectrum));
    CHECK_OK(qn_queue_write(queue, spectrum, 0, padded, 4 * numbers, NULL));
    CHECK_OK(qn_warp_add(warp, t, spectrum, t));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&spectrum);
}

/* A small movie, a larger one with local motion that stops, the small one twice again, at last into the same memory:
 * the same bits. */
static void a_warp_takes_another_movie(void)
{
    enum { WIDTH = 48, HEIGHT = 36, COUNT = 3 };
    qn_motion small, large;
    qn_micrographs first = {0}, again = {0};
    qn_warp *warp = NULL;
    const float *memory = NULL;
    CHECK_OK(qn_motion_allocate(COUNT, WIDTH, HEIGHT, &small));
    small.global_px[2] = 1.25;
    make_local_motion(5, 80, 60, 1, &large);
    qn_warp_options options = options_of(&small, 48, 36), other = options_of(&large, 80, 60);
    options.spectrum_side = 16, options.spectrum_group = 2;
    other.even_odd = true;
    CHECK_OK(qn_warp_create(device, queue, &options, &warp));
    for (int i = 0; i < 3; i++) {
        qn_micrographs *m = i == 0 ? &first : &again;
        for (int t = 0; t < COUNT; t++) add_frame(warp, &options, t);
        CHECK_OK(qn_warp_finish(warp, m));
        CHECK_OK(qn_micrographs_complete(m, NULL));
        CHECK(i < 2 || m->plain == memory);
        memory = m->plain;
        if (CHECK(first.plain && m->plain && first.spectrum && m->spectrum)) {
            CHECK(memcmp(first.plain, m->plain, sizeof(float) * WIDTH * HEIGHT) == 0);
            CHECK(memcmp(first.spectrum, m->spectrum, sizeof(float) * 16 * 16) == 0);
        }
        CHECK_OK(qn_warp_restart(warp, i == 0 ? &other : &options));
        if (i > 0) continue;
        add_frame(warp, &other, 0);
        other.taps = 5;
        CHECK_FAILS(qn_warp_restart(warp, &other), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_warp_add(warp, 0, NULL, 0), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_warp_finish(warp, &again), QN_INVALID_ARGUMENT);
        CHECK_OK(qn_warp_restart(warp, &options));
    }
    qn_micrographs_release(&first);
    qn_micrographs_release(&again);
    qn_warp_destroy(&warp);
    qn_motion_release(&small);
    qn_motion_release(&large);
}

/* ---- refusals ---- */

static void impossible_movies_are_refused(void)
{
    qn_motion motion;
    qn_warp *warp;
    CHECK_OK(qn_motion_allocate(3, 64, 48, &motion));
    const qn_warp_options right = options_of(&motion, 64, 50);
    qn_warp_options wrong[6];
    for (int i = 0; i < 6; i++) wrong[i] = right;
    wrong[0].padded[1] = 40;
    wrong[1].bin = 0.5;
    wrong[2].taps = 5;
    wrong[3].pixel_angstrom = 0;
    wrong[4].frames_a_pass = 9;
    wrong[5].spectrum_side = 64; /* without frames of a group */
    for (int i = 0; i < 6; i++) {
        CHECK_FAILS(qn_warp_create(device, queue, &wrong[i], &warp), QN_INVALID_ARGUMENT);
        CHECK(warp == NULL && qn_warp_bytes(&wrong[i]) == 0);
    }
    motion.global_px[2] = 40;
    CHECK_FAILS(qn_warp_create(device, queue, &right, &warp), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frame 2");
    motion.global_px[2] = NAN;
    CHECK_FAILS(qn_warp_create(device, queue, &right, &warp), QN_INVALID_ARGUMENT);
    motion.global_px[2] = 0;
    CHECK_OK(qn_warp_create(device, queue, &right, &warp));
    qn_micrographs m = {0};
    qn_buffer *spectrum = NULL;
    CHECK_OK(qn_buffer_create(device, 8 * 33 * 50, &spectrum));
    CHECK_FAILS(qn_warp_add(warp, 1, spectrum, 0), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected frame 1 of 3");
    CHECK_FAILS(qn_warp_finish(warp, &m), QN_INVALID_ARGUMENT);
    CHECK(m.plain == NULL);
    qn_buffer_release(&spectrum);
    qn_warp_destroy(&warp);
    qn_motion_release(&motion);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    thorough = strstr(name, "opencl") == NULL;
    RUN(a_movie_without_motion_is_the_sum_of_its_frames);
    RUN(whole_shifts_are_undone_and_uncovered_pixels_get_the_mean);
    RUN(weighted_sums_follow_the_formula);
    RUN(local_motion_is_undone);
    RUN(binning_keeps_places);
    RUN(displaced_noise_keeps_its_power);
    RUN(a_warp_takes_another_movie);
    RUN(impossible_movies_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
