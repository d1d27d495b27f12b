/* Bad pixels and their replacements, compared with their definition pixel by pixel. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "movie/correct/bad_pixels.h"
#include "tune/workload_inputs.h"

enum { WIDTH = 61, HEIGHT = 47, PIXELS = WIDTH * HEIGHT, FRAMES = 10 };

static float sum[PIXELS], gain[PIXELS], dark[PIXELS];
static unsigned char bad[PIXELS];
static qn_detector detector = {.width = WIDTH, .height = HEIGHT, .gain = gain, .bad = bad};

static int at(int x, int y)
{
    return y * WIDTH + x;
}

/* Counts of about 40, some 40 σ above; a dead block of 7 × 7, a defective row, and single dead pixels. */
static void make_inputs(void)
{
    for (int i = 0; i < PIXELS; i++) {
        sum[i] = floorf(40 + 6 * qn_workload_input(1, (uint64_t)i));
        gain[i] = 1 + 0.1f * qn_workload_input(2, (uint64_t)i);
        dark[i] = 0.3f * qn_workload_input(3, (uint64_t)i);
        bad[i] = 0;
    }
    for (int y = 20; y < 27; y++)
        for (int x = 30; x < 37; x++) gain[at(x, y)] = 0;
    for (int i = 17; i < PIXELS; i += 311) gain[i] = 0;
    for (int i = 0; i < PIXELS; i++) bad[i] = gain[i] == 0;
    for (int x = 0; x < WIDTH; x++) bad[at(x, 40)] = 1;
    for (int i = 5; i < PIXELS; i += 401) sum[i] = 900;
}

static qn_bad_pixels_options options_of(double deviations)
{
    return (qn_bad_pixels_options){
        .movie = "a.mrcs", .raw_sum = sum, .frames = FRAMES, .hot_deviations = deviations, .seed = 5};
}

static double value_of(int i)
{
    const double offset = detector.dark ? FRAMES * (double)dark[i] : 0;
    return ((double)sum[i] - offset) * (double)gain[i];
}

/* Whether pixels at a distance of 2 from pixel i have a third of its excess over the mean. */
static bool is_bright(int i, double mean)
{
    double excess = 0;
    int count = 0;
    for (int j = 0; j < PIXELS; j++) {
        const int x = abs(j % WIDTH - i % WIDTH), y = abs(j / WIDTH - i / WIDTH);
        if (bad[j] || (x > y ? x : y) != 2) continue;
        excess += value_of(j) - mean;
        count++;
    }
    return count > 0 && 3 * excess > count * (value_of(i) - mean);
}

/* Good pixels within ±2 of pixel i; `state` 0 and 3 are good. */
static int neighbours_of(const int *state, int i, int32_t *list)
{
    int count = 0;
    for (int j = 0; j < PIXELS; j++)
        if (state[j] % 3 == 0 && abs(j % WIDTH - i % WIDTH) <= 2 && abs(j / WIDTH - i / WIDTH) <= 2) list[count++] = j;
    return count;
}

static void check_definition(double deviations)
{
    static int state[PIXELS];
    const qn_bad_pixels_options options = options_of(deviations);
    double mean = 0, square = 0;
    size_t count = 0, hot = 0, without = 0;
    qn_bad_pixels found;
    for (int i = 0; i < PIXELS; i++) mean += value_of(i) / PIXELS;
    for (int i = 0; i < PIXELS; i++) square += pow(value_of(i) - mean, 2) / PIXELS;
    const double threshold = mean + deviations * sqrt(square);
    for (int i = 0; i < PIXELS; i++) state[i] = bad[i] ? 1 : deviations > 0 && value_of(i) > threshold ? 2 : 0;
    for (int i = 0; i < PIXELS; i++) state[i] += state[i] == 2 && is_bright(i, mean);
    CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
    CHECK_NEAR(found.mean, mean, 1e-9 * mean);
    CHECK_NEAR(found.deviation, sqrt(square), 1e-9 * mean);
    CHECK_NEAR(found.threshold, threshold, 1e-9 * mean);
    for (int i = 0; i < PIXELS; i++) {
        int32_t near[25];
        if (state[i] >= 2) CHECK(hot < found.hot_count && found.hot[hot++] == i);
        if (state[i] % 3 == 0) continue;
        const int neighbours = neighbours_of(state, i, near);
        if (!CHECK(count < found.count && found.pixels[count] == i)) break;
        const int32_t replacement = found.replacements[count++];
        bool is_near = false;
        for (int n = 0; n < neighbours; n++) is_near |= near[n] == replacement;
        CHECK(neighbours < 7 ? replacement == -1 : is_near);
        without += replacement == -1;
    }
    CHECK(count == found.count && hot == found.hot_count && without >= 9);
    qn_bad_pixels_clear(&found);
}

static void bad_pixels_are_those_of_the_definition(void)
{
    make_inputs();
    for (int with_dark = 0; with_dark < 2; with_dark++) {
        detector.dark = with_dark ? dark : NULL;
        check_definition(6);
        check_definition(3);
        check_definition(0);
    }
    detector.dark = NULL;
}

/* A round bright spot keeps its values; a hot pixel beside it, a pair, four in a square and a row do not. */
static void bright_particles_keep_their_values(void)
{
    static const int hot[][2] = {{48, 8}, {10, 30}, {11, 30}, {50, 30}, {51, 30}, {50, 31}, {51, 31}};
    const size_t single = sizeof hot / sizeof *hot;
    const qn_bad_pixels_options options = options_of(6);
    qn_bad_pixels found;
    int bright = 0;
    for (int i = 0; i < PIXELS; i++) {
        const double x = i % WIDTH - 30, y = i / WIDTH - 20;
        sum[i] = (float)(40 + 500 * exp(-(x * x + y * y) / 18));
        gain[i] = 1;
        bad[i] = 0;
    }
    for (size_t k = 0; k < single; k++) sum[at(hot[k][0], hot[k][1])] = 700;
    for (int x = 0; x < 6; x++) sum[at(x, 40)] = 700;
    CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
    for (size_t k = 0; k < found.hot_count; k++) {
        const double x = found.hot[k] % WIDTH - 30, y = found.hot[k] / WIDTH - 20;
        bright += x * x + y * y < 25;
    }
    CHECK(bright >= 5); /* else the test shows nothing */
    CHECK(found.hot_count == single + 6 + (size_t)bright && found.count == single + 6);
    for (size_t k = 0; k < found.count; k++) {
        bool named = found.pixels[k] / WIDTH == 40;
        for (size_t j = 0; j < single; j++) named |= found.pixels[k] == at(hot[j][0], hot[j][1]);
        CHECK(named);
    }
    qn_bad_pixels_clear(&found);
}

/* Over ten seeds, every neighbour is taken about 45 times. */
static void replacements_are_spread(void)
{
    int taken[25] = {0}, changed = 0;
    qn_bad_pixels first = {0}, found;
    for (int i = 0; i < PIXELS; i++) {
        gain[i] = 1;
        bad[i] = i % WIDTH % 5 == 2 && i / WIDTH % 5 == 2; /* none is near another */
    }
    for (uint64_t seed = 0; seed < 10; seed++) {
        qn_bad_pixels_options options = options_of(0);
        options.seed = seed;
        CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
        for (size_t k = 0; k < found.count; k++) {
            const int i = found.pixels[k], j = found.replacements[k];
            if (seed > 0) changed += j != first.replacements[k];
            taken[(j / WIDTH - i / WIDTH + 2) * 5 + j % WIDTH - i % WIDTH + 2]++;
        }
        if (seed == 0)
            first = found;
        else
            qn_bad_pixels_clear(&found);
    }
    for (int n = 0; n < 25; n++) CHECK(n == 12 ? taken[n] == 0 : taken[n] >= 20 && taken[n] <= 80);
    CHECK(changed > 8 * (int)first.count);
    qn_bad_pixels_clear(&first);
}

static void results_do_not_depend_on_threads(void)
{
    const qn_bad_pixels_options options = options_of(6);
    qn_bad_pixels alone, shared;
    qn_pool *pool;
    make_inputs();
    CHECK_OK(qn_pool_create(3, &pool));
    CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &alone));
    CHECK_OK(qn_bad_pixels_find(&detector, &options, pool, &shared));
    CHECK(alone.count == shared.count && alone.mean == shared.mean && alone.deviation == shared.deviation);
    CHECK(memcmp(alone.pixels, shared.pixels, alone.count * sizeof *alone.pixels) == 0);
    CHECK(memcmp(alone.replacements, shared.replacements, alone.count * sizeof *alone.pixels) == 0);
    qn_bad_pixels_clear(&alone);
    qn_bad_pixels_clear(&shared);
    qn_pool_destroy(&pool);
}

/* The only one in a row of good pixels, and infinite ones on both sides. */
static void pixels_that_are_not_finite_are_found(void)
{
    static const float values[] = {NAN, INFINITY, -INFINITY};
    const qn_bad_pixels_options options = options_of(6);
    for (int v = 0; v < 3; v++) {
        qn_bad_pixels found;
        memset(bad, 0, sizeof bad);
        for (int i = 0; i < PIXELS; i++) sum[i] = (float)(10 + i % 7), gain[i] = 1;
        sum[at(9, 21)] = values[v];
        CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
        CHECK(found.hot_count == (v < 2));
        CHECK(v == 2 || (found.hot_count == 1 && found.hot[0] == at(9, 21)));
        CHECK(found.mean > 12 && found.mean < 14);
        qn_bad_pixels_clear(&found);
    }
}

static void movies_without_counts_are_refused(void)
{
    const qn_bad_pixels_options options = options_of(6);
    qn_bad_pixels found;
    make_inputs();
    sum[7] = NAN; /* bad, whatever its neighbours */
    CHECK_OK(qn_bad_pixels_find(&detector, &options, NULL, &found));
    CHECK(found.hot_count > 0 && found.hot[0] == 5 && found.hot[1] == 7 && isfinite(found.mean));
    qn_bad_pixels_clear(&found);
    memset(sum, 0, sizeof sum);
    CHECK_FAILS(qn_bad_pixels_find(&detector, &options, NULL, &found), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("a.mrcs: all counts of its 10 frames are 0");
    make_inputs();
    memset(bad, 1, sizeof bad);
    CHECK_FAILS(qn_bad_pixels_find(&detector, &options, NULL, &found), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("every pixel is bad");
    CHECK(found.pixels == NULL && found.count == 0);
}

int main(void)
{
    RUN(bad_pixels_are_those_of_the_definition);
    RUN(bright_particles_keep_their_values);
    RUN(replacements_are_spread);
    RUN(results_do_not_depend_on_threads);
    RUN(pixels_that_are_not_finite_are_found);
    RUN(movies_without_counts_are_refused);
    return check_finish();
}
