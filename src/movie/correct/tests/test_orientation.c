/* The orientation of a gain, found from a movie's sum: counts of a camera whose gain is known, in every orientation,
 * with square and oblong frames, with gains of another size, and with gains that do not show. */
#include "check.h"

#include <math.h>
#include <quern/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "movie/correct/orientation.h"

enum { SIDE_MAX = 200 };

static float gain[SIDE_MAX * SIDE_MAX], sum[SIDE_MAX * SIDE_MAX];
static char path[700];

/* A normal number; the sum of twelve uniform ones is near enough. */
static double normal(uint64_t stream, uint64_t index)
{
    double total = -6;
    for (uint64_t k = 0; k < 12; k++) total += qn_random_uniform(9, stream, 12 * index + k);
    return total;
}

static void save_gain(int width, int height, double deviation)
{
    const int counts[3] = {width, height, 1};
    qn_volume *volume;
    for (int i = 0; i < width * height; i++) gain[i] = (float)(1 + deviation * normal(1, (uint64_t)i));
    for (int i = 3; i < width * height; i += 401) gain[i] = 0;
    CHECK_OK(qn_volume_create(counts, 1, &volume));
    memcpy(volume->values, gain, sizeof *gain * (size_t)width * (size_t)height);
    snprintf(path, sizeof path, "%s/gain.mrc", check_scratch_folder());
    CHECK_OK(qn_volume_write(volume, NULL, path));
    qn_volume_destroy(&volume);
}

/* Counts of a detector: `mean` electrons a pixel with their noise, a gradient of the beam, hot pixels. */
static void make_sum(const qn_detector *detector, double mean)
{
    const int width = detector->width, height = detector->height;
    for (int i = 0; i < width * height; i++) {
        const double g = (double)detector->gain[i], beam = mean * (1 + 0.5 * (i % width) / width);
        const double expected = g > 0.1 ? beam / g : 0;
        sum[i] = (float)fmax(0, floor(expected + sqrt(expected) * normal(2, (uint64_t)i)));
    }
    for (int i = 7; i < width * height; i += 1009) sum[i] = 60000;
}

static qn_gain_orientations find(const qn_detector_options *asked, qn_pool *pool)
{
    qn_gain_orientations found = {0};
    qn_detector *detector;
    if (!CHECK_OK(qn_detector_create(asked, &detector))) return found;
    CHECK_OK(qn_gain_orientations_find(asked, detector, sum, 20, pool, &found));
    qn_detector_destroy(&detector);
    return found;
}

static void make_movie(const qn_detector_options *truth, double mean)
{
    qn_detector *detector;
    if (!CHECK_OK(qn_detector_create(truth, &detector))) return;
    make_sum(detector, mean);
    qn_detector_destroy(&detector);
}

static qn_detector_options options_of(int rotate, int flip, qn_gain_mode mode, int width, int height)
{
    return (qn_detector_options){
        .gain = path, .rotate = rotate, .flip = flip, .mode = mode, .width = width, .height = height};
}

static bool gives_same_gain(const qn_detector_options *a, const qn_gain_fit *fit)
{
    const qn_detector_options b = options_of(fit->rotate, fit->flip, a->mode, a->width, a->height);
    qn_detector *first = NULL, *second = NULL;
    CHECK_OK(qn_detector_create(a, &first));
    CHECK_OK(qn_detector_create(&b, &second));
    const bool same = memcmp(first->gain, second->gain, sizeof *gain * (size_t)a->width * (size_t)a->height) == 0;
    qn_detector_destroy(&first);
    qn_detector_destroy(&second);
    return same;
}

/* For each of the twelve ways in which a camera may be turned: accepted as it is, and named if another one is asked. */
static void every_orientation_is_named(void)
{
    enum { SIDE = 160 };
    save_gain(SIDE, SIDE, 0.05);
    for (int rotate = 0; rotate < 4; rotate++)
        for (int flip = 0; flip < 3; flip++) {
            const qn_detector_options truth = options_of(rotate, flip, QN_GAIN_AUTO, SIDE, SIDE);
            make_movie(&truth, 30);
            qn_gain_orientations found = find(&truth, NULL);
            CHECK(found.count == 16 && !found.is_clear && found.asked == found.best);
            CHECK_OK(qn_gain_orientations_check(&found, "a.tif"));
            const qn_detector_options wrong = options_of((rotate + 1) % 4, flip, QN_GAIN_AUTO, SIDE, SIDE);
            found = find(&wrong, NULL);
            CHECK(found.is_clear && gives_same_gain(&truth, &found.fits[found.best]));
            CHECK(!found.fits[found.best].divides && found.fits[found.best].correlation > 0.15);
            CHECK_FAILS(qn_gain_orientations_check(&found, "a.tif"), QN_INVALID_ARGUMENT);
        }
}

static void the_message_has_the_options(void)
{
    enum { SIDE = 160 };
    char expected[100];
    save_gain(SIDE, SIDE, 0.05);
    const qn_detector_options truth = options_of(1, 0, QN_GAIN_AUTO, SIDE, SIDE);
    make_movie(&truth, 30);
    qn_detector_options asked = options_of(0, 0, QN_GAIN_AUTO, SIDE, SIDE);
    qn_gain_orientations found = find(&asked, NULL);
    CHECK_FAILS(qn_gain_orientations_check(&found, "a.tif"), QN_INVALID_ARGUMENT);
    snprintf(expected, sizeof expected, "a.tif: --gain-rotate 1 fits (%.2f), as asked does not (",
             found.fits[found.best].correlation);
    CHECK_MESSAGE_HAS(expected);
    asked = options_of(0, 2, QN_GAIN_DIVIDE, SIDE, SIDE);
    found = find(&asked, NULL);
    CHECK_FAILS(qn_gain_orientations_check(&found, "a.tif"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("a.tif: --gain-rotate 1 --gain-flip 0 --gain-mode multiply fits (");
    asked = options_of(1, 0, QN_GAIN_DIVIDE, SIDE, SIDE);
    found = find(&asked, NULL);
    CHECK_FAILS(qn_gain_orientations_check(&found, "a.tif"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--gain-mode multiply fits");
}

/* Only four orientations have the frames' size; the gain is half or twice the frames, and divides. */
static void other_shapes_and_modes_are_judged(void)
{
    static const int sizes[][4] = {{180, 120, 180, 120}, {180, 120, 120, 180}, {90, 60, 180, 120}, {200, 160, 100, 80}};
    for (int s = 0; s < 4; s++) {
        const int turned = s == 1;
        save_gain(sizes[s][0], sizes[s][1], 0.05);
        const qn_detector_options truth = options_of(turned, 0, QN_GAIN_DIVIDE, sizes[s][2], sizes[s][3]);
        make_movie(&truth, 200);
        qn_gain_orientations found = find(&truth, NULL);
        CHECK(found.count == 8 && !found.is_clear && found.asked == found.best);
        const qn_detector_options wrong = options_of(turned, 1, QN_GAIN_DIVIDE, sizes[s][2], sizes[s][3]);
        found = find(&wrong, NULL);
        CHECK(found.is_clear && found.fits[found.best].divides && gives_same_gain(&truth, &found.fits[found.best]));
    }
}

/* A corrected movie, a gain too flat to show, and no gain: nothing is said. */
static void nothing_is_said_without_evidence(void)
{
    enum { SIDE = 160 };
    const qn_detector flat = {.width = SIDE, .height = SIDE, .gain = gain};
    const qn_detector_options asked = options_of(0, 0, QN_GAIN_AUTO, SIDE, SIDE);
    save_gain(SIDE, SIDE, 0.05);
    for (int i = 0; i < SIDE * SIDE; i++) gain[i] = 1;
    make_sum(&flat, 30);
    qn_gain_orientations found = find(&asked, NULL);
    CHECK(found.count == 16 && !found.is_clear);
    save_gain(SIDE, SIDE, 0.001);
    const qn_detector_options truth = options_of(1, 0, QN_GAIN_AUTO, SIDE, SIDE);
    make_movie(&truth, 30);
    found = find(&asked, NULL);
    CHECK(!found.is_clear);
    const qn_detector_options without = {.width = SIDE, .height = SIDE};
    found = find(&without, NULL);
    CHECK(found.count == 0 && !found.is_clear);
    CHECK_OK(qn_gain_orientations_check(&found, "a.tif"));
}

static void results_do_not_depend_on_threads(void)
{
    enum { SIDE = 160 };
    const qn_detector_options asked = options_of(2, 0, QN_GAIN_AUTO, SIDE, SIDE);
    qn_pool *pool;
    save_gain(SIDE, SIDE, 0.05);
    make_movie(&asked, 30);
    CHECK_OK(qn_pool_create(3, &pool));
    const qn_gain_orientations alone = find(&asked, NULL), shared = find(&asked, pool);
    for (int i = 0; i < alone.count; i++) CHECK(alone.fits[i].correlation == shared.fits[i].correlation);
    qn_pool_destroy(&pool);
}

int main(void)
{
    RUN(every_orientation_is_named);
    RUN(the_message_has_the_options);
    RUN(other_shapes_and_modes_are_judged);
    RUN(nothing_is_said_without_evidence);
    RUN(results_do_not_depend_on_threads);
    return check_finish();
}
