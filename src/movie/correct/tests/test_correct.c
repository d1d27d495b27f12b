/* devices: host opencl:0 cuda:0 checking:host */
/* Two movies through one corrector: sums, bad pixels, corrected frames, and nothing left over from the first movie. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <quern/device.h>

#include "movie/correct/correct.h"
#include "movie/correct/kernels/correct_frames.h"
#include "tune/workload_inputs.h"

enum { WIDTH = 133, HEIGHT = 61, PIXELS = WIDTH * HEIGHT, FRAMES = 4, PADDED_X = 140, PADDED_Y = 64 };
enum { PADDED = PADDED_X * PADDED_Y };

static qn_device *device;
static qn_queue *queue;
static int16_t samples[FRAMES][PIXELS];
static float gain[PIXELS], dark[PIXELS], sum[PIXELS], frame[PADDED];
static unsigned char bad[PIXELS];
static qn_detector detector = {.width = WIDTH, .height = HEIGHT, .gain = gain, .dark = dark, .bad = bad};

static void make_detector(void)
{
    for (int i = 0; i < PIXELS; i++) {
        gain[i] = 1 + 0.2f * qn_workload_input(1, (uint64_t)i);
        dark[i] = 2 * qn_workload_input(2, (uint64_t)i);
        if (i % 501 == 9) gain[i] = 0;
        bad[i] = gain[i] == 0 || i / WIDTH == 30;
    }
}

/* Every movie has hot pixels of its own. */
static void make_movie(uint64_t movie)
{
    for (uint64_t t = 0; t < FRAMES; t++)
        for (uint64_t i = 0; i < PIXELS; i++) {
            samples[t][i] = (int16_t)(30 + 10 * qn_workload_input(10 * movie + t, i));
            if (i % 701 == 50 + movie) samples[t][i] = 900;
        }
}

/* The definition in double precision, straight from the samples. */
static void check_frame(const qn_bad_pixels *found, int t, float mean)
{
    static double expected[PADDED];
    static int state[PIXELS];
    double total = 0;
    memset(state, 0, sizeof state);
    for (size_t i = 0; i < found->count; i++) state[found->pixels[i]] = 1;
    for (int i = 0; i < PIXELS; i++)
        if (!state[i]) total += ((double)samples[t][i] - (double)dark[i]) * (double)gain[i];
    total /= (double)(PIXELS - found->count);
    for (int i = 0; i < PADDED; i++) {
        const int x = i % PADDED_X, y = i / PADDED_X, pixel = y * WIDTH + x;
        const bool inside = x < WIDTH && y < HEIGHT;
        expected[i] = inside ? ((double)samples[t][pixel] - (double)dark[pixel]) * (double)gain[pixel] : total;
    }
    for (size_t i = 0; i < found->count; i++) {
        const int to = found->pixels[i] / WIDTH * PADDED_X + found->pixels[i] % WIDTH, from = found->replacements[i];
        expected[to] = from < 0 ? total : expected[from / WIDTH * PADDED_X + from % WIDTH];
    }
    double worst = 0;
    for (int i = 0; i < PADDED; i++) worst = fmax(worst, fabs((double)frame[i] - expected[i]));
    CHECK(worst < 1e-4); /* of values up to 50 */
    CHECK_NEAR((double)mean, total, 1e-4);
}

static void add_up(uint64_t movie)
{
    make_movie(movie);
    for (int i = 0; i < PIXELS; i++) {
        sum[i] = 0;
        for (int t = 0; t < FRAMES; t++) sum[i] += samples[t][i];
    }
}

/* Two passes, the second in the other order. */
static void correct_movie(qn_corrector *corrector, uint64_t movie, qn_buffer *on_device)
{
    const size_t step = qn_corrector_step_bytes(WIDTH, HEIGHT, QN_SAMPLE_INT16);
    static float frames[FRAMES][PADDED];
    float means[FRAMES] = {0};
    qn_bad_pixels found;
    qn_buffer *of_frame = NULL;
    add_up(movie);
    CHECK_OK(qn_buffer_create(device, sizeof frame, &of_frame));
    const qn_bad_pixels_options options = {
        .movie = "a.mrcs", .raw_sum = sum, .frames = FRAMES, .hot_deviations = 6, .seed = movie};
    CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
    CHECK(found.hot_count >= 10 && found.hot[0] == 50 + (int)movie);
    CHECK_OK(qn_corrector_begin(corrector, FRAMES, &found));
    for (size_t t = 0; t < FRAMES; t++)
        CHECK_OK(qn_queue_write(queue, on_device, t * step, samples[t], sizeof samples[t], NULL));
    for (int i = 0; i < 2 * FRAMES; i++) {
        const int t = i < FRAMES ? i : 2 * FRAMES - 1 - i;
        CHECK_OK(qn_corrector_run(corrector, on_device, (size_t)t * step, t, of_frame));
        CHECK_OK(qn_queue_read(queue, of_frame, 0, frames[t], sizeof frames[t], NULL));
    }
    CHECK_OK(qn_corrector_read_means(corrector, means));
    for (int t = 0; t < FRAMES; t++) {
        memcpy(frame, frames[t], sizeof frame);
        check_frame(&found, t, means[t]);
    }
    CHECK_FAILS(qn_corrector_run(corrector, on_device, 0, FRAMES, of_frame), QN_INVALID_ARGUMENT);
    qn_bad_pixels_clear(&found);
    qn_buffer_release(&of_frame);
}

static void movies_follow_each_other(void)
{
    const int padded[2] = {PADDED_X, PADDED_Y};
    const size_t step = qn_corrector_step_bytes(WIDTH, HEIGHT, QN_SAMPLE_INT16);
    qn_corrector *corrector;
    qn_buffer *on_device = NULL;
    make_detector();
    if (!CHECK_OK(qn_corrector_create(queue, &detector, padded, QN_SAMPLE_INT16, &corrector))) return;
    CHECK(step % 256 == 0 && step >= sizeof samples[0] && step < sizeof samples[0] + 256);
    CHECK_OK(qn_workload_make_buffer(queue, NULL, FRAMES * step, &on_device));
    for (uint64_t movie = 0; movie < 3; movie++) correct_movie(corrector, movie, on_device);
    CHECK(qn_corrector_bytes(WIDTH, HEIGHT, QN_SAMPLE_INT16, true) >= (size_t)PIXELS * 2 * 4);
    qn_buffer_release(&on_device);
    qn_corrector_destroy(&corrector);
    CHECK(corrector == NULL);
}

static void small_paddings_are_refused(void)
{
    qn_corrector *corrector;
    CHECK_FAILS(qn_corrector_create(queue, &detector, (const int[2]){WIDTH, HEIGHT - 1}, QN_SAMPLE_INT16, &corrector),
                QN_INVALID_ARGUMENT);
    CHECK(corrector == NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(movies_follow_each_other);
    RUN(small_paddings_are_refused);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
