/* Detectors: the twelve turns of a gain, written down by hand; sizes, modes, dead pixels, dark references, defects.
 *
 * `apply GAIN WIDTH HEIGHT ROTATE FLIP OUT.mrc` writes a gain as it is applied, for tests/movie/check_gain.sh;
 * `bad MOVIE GAIN DEFECTS|- OUT.txt` writes the hot pixels of a movie, "x y" on each line. */
#include "check.h"

#include <math.h>
#include <quern/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/movie/movie_file.h"
#include "movie/correct/bad_pixels.h"
#include "movie/correct/kernels/correct_frames.h"

static void save(const char *path, int width, int height, const float *values)
{
    const int counts[3] = {width, height, 1};
    qn_volume *volume;
    CHECK_OK(qn_volume_create(counts, 1, &volume));
    memcpy(volume->values, values, sizeof *values * (size_t)width * (size_t)height);
    CHECK_OK(qn_volume_write(volume, NULL, path));
    qn_volume_destroy(&volume);
}

static const char *path_of(const char *name)
{
    static char paths[4][700];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static const char *save_as(const char *name, int width, int height, const float *values)
{
    const char *path = path_of(name);
    save(path, width, height, values);
    return path;
}

/* Rows 1 2 3 and 4 5 6. A turn is clockwise if the first row is drawn at the top; then a flip. */
static void all_turns_are_as_drawn(void)
{
    static const float gain[6] = {1, 2, 3, 4, 5, 6};
    static const struct {
        int rotate, flip, width, height;
        float expected[6];
    } turns[] = {
        {0, 0, 3, 2, {1, 2, 3, 4, 5, 6}}, {0, 1, 3, 2, {4, 5, 6, 1, 2, 3}}, {0, 2, 3, 2, {3, 2, 1, 6, 5, 4}},
        {1, 0, 2, 3, {4, 1, 5, 2, 6, 3}}, {1, 1, 2, 3, {6, 3, 5, 2, 4, 1}}, {1, 2, 2, 3, {1, 4, 2, 5, 3, 6}},
        {2, 0, 3, 2, {6, 5, 4, 3, 2, 1}}, {2, 1, 3, 2, {3, 2, 1, 6, 5, 4}}, {2, 2, 3, 2, {4, 5, 6, 1, 2, 3}},
        {3, 0, 2, 3, {3, 6, 2, 5, 1, 4}}, {3, 1, 2, 3, {1, 4, 2, 5, 3, 6}}, {3, 2, 2, 3, {6, 3, 5, 2, 4, 1}},
    };
    const char *path = save_as("gain.mrc", 3, 2, gain);
    for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
        const qn_detector_options options = {.gain = path,
                                             .rotate = turns[t].rotate,
                                             .flip = turns[t].flip,
                                             .width = turns[t].width,
                                             .height = turns[t].height};
        qn_detector *detector;
        if (!CHECK_OK(qn_detector_create(&options, &detector))) continue;
        CHECK(memcmp(detector->gain, turns[t].expected, sizeof gain) == 0);
        for (int i = 0; i < 6; i++) CHECK(!detector->bad[i]);
        qn_detector_destroy(&detector);
    }
}

static void other_sizes_are_fitted_or_refused(void)
{
    static const float gain[8] = {1, 2, 3, 4, 5, 6, 7, 9};
    qn_detector_options options = {.gain = save_as("gain.mrc", 4, 2, gain), .width = 2, .height = 1};
    qn_detector *detector;
    CHECK_OK(qn_detector_create(&options, &detector));
    CHECK(detector->gain[0] == 3.5f && detector->gain[1] == 5.75f);
    qn_detector_destroy(&detector);
    options.rotate = 1; /* 5 1, 6 2, 7 3, 9 4 */
    options.width = 4;
    options.height = 8;
    CHECK_OK(qn_detector_create(&options, &detector));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 4; x++) CHECK(detector->gain[4 * y + x] == gain[(x < 2 ? 4 : 0) + y / 2]);
    qn_detector_destroy(&detector);
    options.width = 8; /* EER at four times its size */
    options.height = 16;
    CHECK_OK(qn_detector_create(&options, &detector));
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 8; x++) CHECK(detector->gain[8 * y + x] == gain[(x < 4 ? 4 : 0) + y / 4]);
    qn_detector_destroy(&detector);
    options.width = 4;
    options.height = 8;
    options.rotate = 0;
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("gain.mrc: the gain has 4 x 2 pixels, and the frames 4 x 8; with --gain-rotate 1 or 3 it fits");
    CHECK(detector == NULL);
    options.width = 6;
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "the gain has 4 x 2 pixels, and the frames 6 x 8; expected as many, a quarter, half or twice as many a side");
    options.rotate = 4;
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_INVALID_ARGUMENT);
    options = (qn_detector_options){.width = 0, .height = 3};
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_INVALID_ARGUMENT);
}

/* Mean 2 of all six values, the dead one included, as RELION's division takes it. */
static void gains_multiply_or_divide(void)
{
    static const float gain[6] = {1, 2, 3, 0, 4, 2};
    qn_detector_options options = {.gain = save_as("gain.mrc", 3, 2, gain), .width = 3, .height = 2};
    static const struct {
        qn_gain_mode mode;
        bool is_eer, divides;
    } cases[] = {{QN_GAIN_AUTO, false, false},
                 {QN_GAIN_AUTO, true, true},
                 {QN_GAIN_MULTIPLY, true, false},
                 {QN_GAIN_DIVIDE, false, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        qn_detector *detector;
        options.mode = cases[c].mode;
        options.is_eer = cases[c].is_eer;
        if (!CHECK_OK(qn_detector_create(&options, &detector))) continue;
        CHECK(detector->divides == cases[c].divides && detector->dead == 1 && detector->not_finite == 0);
        for (int i = 0; i < 6; i++) {
            const float expected = i == 3 ? 0 : cases[c].divides ? 2 / gain[i] : gain[i];
            CHECK(detector->gain[i] == expected && detector->bad[i] == (i == 3));
        }
        qn_detector_destroy(&detector);
    }
}

static void values_that_are_no_gain_are_bad(void)
{
    static const float gain[6] = {1, NAN, INFINITY, 0, 4, 2}, none[4] = {0, NAN, 0, 0};
    qn_detector_options options = {.gain = save_as("gain.mrc", 3, 2, gain), .width = 3, .height = 2};
    qn_detector *detector;
    CHECK_OK(qn_detector_create(&options, &detector));
    CHECK(detector->dead == 1 && detector->not_finite == 2);
    for (int i = 0; i < 6; i++) CHECK(detector->bad[i] == (i >= 1 && i <= 3));
    for (int i = 1; i <= 3; i++) CHECK(detector->gain[i] == 0);
    qn_detector_destroy(&detector);
    options = (qn_detector_options){.gain = save_as("none.mrc", 2, 2, none), .width = 2, .height = 2};
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("none.mrc: every value of the gain is 0 or not finite");
}

static void dark_and_defects_are_read(void)
{
    static const float dark[6] = {1, 2, 3, -1, 4, 2}, wrong[6] = {1, 2, NAN, 4, 5, 6};
    const char *defects = path_of("defects.txt");
    qn_detector_options options = {
        .dark = save_as("dark.mrc", 3, 2, dark), .defects = defects, .width = 3, .height = 2};
    qn_detector *detector;
    CHECK_OK(qn_file_write(defects, "1 0 2 1\n", 8));
    CHECK_OK(qn_detector_create(&options, &detector));
    CHECK(memcmp(detector->dark, dark, sizeof dark) == 0 && detector->defects == 2);
    for (int i = 0; i < 6; i++) CHECK(detector->gain[i] == 1 && detector->bad[i] == (i == 1 || i == 2));
    qn_detector_destroy(&detector);
    options.dark = save_as("wrong.mrc", 3, 2, wrong);
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("wrong.mrc: the dark reference has no number at x 2, y 0");
    options.height = 4;
    CHECK_FAILS(qn_detector_create(&options, &detector), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the dark reference has 3 x 2 pixels; expected 3 x 4");
}

/* A gain that was written is applied as the first one was. */
static void written_gains_are_the_same(void)
{
    static const float gain[6] = {1, 2, 3, 0, 4, 2.5f};
    const char *path = save_as("gain.mrc", 3, 2, gain), *written = path_of("written.mrc");
    for (int is_eer = 0; is_eer < 2; is_eer++) {
        const qn_detector_options options = {
            .gain = path, .rotate = 1, .flip = 2, .is_eer = is_eer, .width = 2, .height = 3};
        const qn_detector_options again = {.gain = written, .is_eer = is_eer, .width = 2, .height = 3};
        qn_detector *first, *second;
        CHECK_OK(qn_detector_create(&options, &first));
        CHECK_OK(qn_detector_write_gain(first, is_eer, written));
        CHECK_OK(qn_detector_create(&again, &second));
        CHECK(second->dead == 1);
        for (int i = 0; i < 6; i++) CHECK_NEAR((double)second->gain[i], (double)first->gain[i], 1e-6);
        qn_detector_destroy(&first);
        qn_detector_destroy(&second);
    }
}

/* ---- for other programs ---- */

static void apply(char **words)
{
    const qn_detector_options options = {.gain = words[0],
                                         .width = atoi(words[1]),
                                         .height = atoi(words[2]),
                                         .rotate = atoi(words[3]),
                                         .flip = atoi(words[4])};
    qn_detector *detector;
    if (!CHECK_OK(qn_detector_create(&options, &detector))) return;
    save(words[5], detector->width, detector->height, detector->gain);
    qn_detector_destroy(&detector);
}

static void write_hot(const char *path, const qn_bad_pixels *bad, int width)
{
    qn_text text = {0};
    for (size_t i = 0; i < bad->hot_count; i++)
        CHECK_OK(qn_text_append(&text, "%d %d\n", bad->hot[i] % width, bad->hot[i] / width));
    CHECK_OK(qn_file_write(path, text.length > 0 ? text.data : "", text.length));
    qn_text_clear(&text);
}

static void list_hot(char **words)
{
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(words[0], NULL, &movie))) return;
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    const qn_detector_options options = {.gain = words[1],
                                         .defects = strcmp(words[2], "-") == 0 ? NULL : words[2],
                                         .width = shape->width,
                                         .height = shape->height};
    const size_t pixels = (size_t)shape->width * (size_t)shape->height;
    void *samples, *sum;
    qn_detector *detector;
    qn_bad_pixels bad = {0};
    CHECK_OK(qn_allocate(qn_movie_file_frame_bytes(movie), 1, &samples));
    CHECK_OK(qn_allocate(pixels, sizeof(float), &sum));
    for (int t = 0; t < shape->frames; t++) {
        CHECK_OK(qn_movie_file_read(movie, t, 0, samples));
        for (size_t i = 0; i < pixels; i++) ((float *)sum)[i] += (float)qn_correct_sample(shape->kind, samples, i);
    }
    CHECK_OK(qn_detector_create(&options, &detector));
    CHECK_OK(qn_bad_pixels_find(
        detector,
        &(qn_bad_pixels_options){
            .movie = words[0], .raw_sum = sum, .frames = shape->frames, .hot_deviations = 6, .seed = 1},
        NULL, &bad));
    write_hot(words[3], &bad, shape->width);
    qn_bad_pixels_clear(&bad);
    qn_detector_destroy(&detector);
    qn_release(&samples);
    qn_release(&sum);
    qn_movie_file_close(&movie);
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "apply") == 0) {
        apply(argv + 2);
        return check_finish();
    }
    if (argc == 6 && strcmp(argv[1], "bad") == 0) {
        list_hot(argv + 2);
        return check_finish();
    }
    RUN(all_turns_are_as_drawn);
    RUN(other_sizes_are_fitted_or_refused);
    RUN(gains_multiply_or_divide);
    RUN(values_that_are_no_gain_are_bad);
    RUN(dark_and_defects_are_read);
    RUN(written_gains_are_the_same);
    return check_finish();
}
