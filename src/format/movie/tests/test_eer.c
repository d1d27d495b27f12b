/* labels: threads */
/* EER files that are encoded here electron by electron: each compression and upsampling, fractions with a rest, pages
 * of other compressions, broken frames, cut files, refused options, two threads. */
#include <math.h>

#include "base/log.h"
#include "base/thread.h"
#include "format/movie/movie_file.h"
#include "format/movie/tests/tiff_bytes.h"

enum { WIDTH = 97, HEIGHT = 61, FRAMES = 11, ELECTRONS_MAX = WIDTH * HEIGHT };

static const eer_coding codings[] = {
    {65000, 8, 2, 2}, {65001, 7, 2, 2}, {65002, 5, 1, 1}, {65002, 9, 2, 2}, {65002, 7, 2, 1}};

/* The electrons of a frame, sorted by pixel; several cases of gaps, the last frame has none. */
static size_t make_electrons(int frame, electron *electrons)
{
    uint32_t state = 12345u + 977u * (uint32_t)frame;
    size_t count = 0;
    if (frame == FRAMES - 1) return 0;
    for (uint32_t pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t odds = frame == 0 ? 700 : 20; /* frame 0 has gaps longer than any run but the longest */
        const int edge = frame == 1 && (pixel == 0 || pixel == WIDTH * HEIGHT - 1 || pixel / 3 == WIDTH - 1);
        if ((state >> 8) % odds != 0 && !edge) continue;
        electrons[count++] = (electron){pixel % WIDTH * 4 + (state >> 4) % 4, pixel / WIDTH * 4 + (state >> 6) % 4};
    }
    return count;
}

static tiff_bytes make_movie(const eer_coding *coding)
{
    static electron electrons[ELECTRONS_MAX];
    tiff_bytes file = tiff_begin();
    for (int f = 0; f < FRAMES; f++) {
        bit_stream stream = eer_encode(coding, WIDTH, HEIGHT, electrons, make_electrons(f, electrons));
        eer_frame_append(&file, coding, WIDTH, HEIGHT, stream.bytes, bits_bytes(&stream), NULL);
        free(stream.bytes);
    }
    return file;
}

/* Count the electrons of some frames, as they are listed. */
static void count_electrons(int first, int count, int upsampling, unsigned char *counts)
{
    static electron electrons[ELECTRONS_MAX];
    memset(counts, 0, (size_t)(WIDTH * HEIGHT * upsampling * upsampling));
    for (int f = first; f < first + count; f++) {
        const size_t n = make_electrons(f, electrons);
        for (size_t i = 0; i < n; i++) {
            const int x = (int)electrons[i].x4 * upsampling / 4, y = (int)electrons[i].y4 * upsampling / 4;
            counts[y * WIDTH * upsampling + x]++;
        }
    }
}

static qn_movie_options options_of(int group, int upsampling)
{
    qn_movie_options options = qn_movie_default_options();
    options.eer_group = group;
    options.eer_upsampling = upsampling;
    return options;
}

static void check_frames(qn_movie_file *movie, int upsampling)
{
    static unsigned char samples[16 * WIDTH * HEIGHT], expected[16 * WIDTH * HEIGHT];
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    const size_t bytes = qn_movie_file_frame_bytes(movie);
    CHECK(shape->width == WIDTH * upsampling && shape->height == HEIGHT * upsampling && shape->is_eer);
    CHECK(shape->kind == QN_SAMPLE_UINT8 && bytes == (size_t)(shape->width * shape->height));
    for (int f = shape->frames - 1; f >= 0; f--) {
        int first, count;
        qn_movie_file_raw_frames(movie, f, &first, &count);
        count_electrons(first, count, upsampling, expected);
        memset(samples, 77, sizeof samples);
        CHECK_OK(qn_movie_file_read(movie, f, f % 3, samples));
        CHECK(memcmp(samples, expected, bytes) == 0);
        CHECK(bytes == sizeof samples || samples[bytes] == 77);
    }
}

static void every_coding_gives_the_electrons(void)
{
    for (size_t c = 0; c < sizeof codings / sizeof *codings; c++) {
        tiff_bytes file = make_movie(&codings[c]);
        const char *path = tiff_save(&file, "coding.eer");
        const int places = codings[c].y_bits < codings[c].x_bits ? codings[c].y_bits : codings[c].x_bits;
        for (int upsampling = 1; upsampling <= 1 << places; upsampling *= 2) {
            const qn_movie_options options = options_of(4, upsampling);
            qn_movie_file *movie;
            if (!CHECK_OK(qn_movie_file_open(path, &options, &movie))) continue;
            const qn_movie_shape *shape = qn_movie_file_shape(movie);
            CHECK(shape->frames == 2 && shape->raw_frames == FRAMES && shape->dropped_frames == 3);
            CHECK(shape->pixel_angstrom == 0);
            check_frames(movie, upsampling);
            CHECK(qn_movie_file_broken_frames(movie) == 0);
            qn_movie_file_close(&movie);
        }
        tiff_free(&file);
    }
}

static void fractions_may_have_a_broken_number_of_frames(void)
{
    static const int firsts[] = {0, 2, 5, 7}, counts[] = {2, 3, 2, 3}; /* ⌊2.5 k⌋ */
    tiff_bytes file = make_movie(&codings[1]);
    qn_movie_options options = options_of(0, 2);
    qn_movie_file *movie;
    options.eer_fraction_frames = 2.5;
    if (!CHECK_OK(qn_movie_file_open(tiff_save(&file, "fractions.eer"), &options, &movie))) return;
    CHECK(qn_movie_file_shape(movie)->frames == 4 && qn_movie_file_shape(movie)->dropped_frames == 1);
    for (int f = 0; f < 4; f++) {
        int first, count;
        qn_movie_file_raw_frames(movie, f, &first, &count);
        CHECK(first == firsts[f] && count == counts[f]);
    }
    check_frames(movie, 2);
    qn_movie_file_close(&movie);
    tiff_free(&file);
}

/* A sum before or after the frames is no frame. */
static void pages_of_other_compressions_are_skipped(void)
{
    static electron electrons[ELECTRONS_MAX];
    for (int place = 0; place < 2; place++) {
        tiff_bytes file = tiff_begin();
        if (place == 0) eer_sum_append(&file, WIDTH, HEIGHT);
        for (int f = 0; f < FRAMES; f++) {
            bit_stream stream = eer_encode(&codings[0], WIDTH, HEIGHT, electrons, make_electrons(f, electrons));
            eer_frame_append(&file, &codings[0], WIDTH, HEIGHT, stream.bytes, bits_bytes(&stream),
                             f == 0 ? "<metadata><item name=\"sensorPixelSize.height\" unit=\"m\">9e-11</item>"
                                      "<item name=\"sensorPixelSize.width\" unit=\"m\">7.5e-11</item></metadata>"
                                    : NULL);
            free(stream.bytes);
        }
        if (place == 1) eer_sum_append(&file, WIDTH / 2, HEIGHT / 2);
        const qn_movie_options options = options_of(3, 4);
        qn_movie_file *movie;
        if (!CHECK_OK(qn_movie_file_open(tiff_save(&file, "sum.eer"), &options, &movie))) return;
        CHECK(qn_movie_file_shape(movie)->raw_frames == FRAMES);
        CHECK_NEAR(qn_movie_file_shape(movie)->pixel_angstrom, 0.75 / 4, 1e-12);
        check_frames(movie, 4);
        qn_movie_file_close(&movie);
        tiff_free(&file);
    }
}

static int warnings;
static char last_warning[512];

static void keep_warning(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_WARNING) return;
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

enum breakage { CUT_STREAM, ONE_RUN_TOO_LONG, CUT_PLACE, EMPTY, BREAKAGES };

/* A frame whose runs miss the last pixel: cut in the middle, or with a run more, or cut inside a place, or empty. */
static void append_broken(tiff_bytes *file, enum breakage breakage)
{
    static electron electrons[ELECTRONS_MAX];
    const size_t count = make_electrons(3, electrons);
    bit_stream stream = {0};
    size_t size = 0;
    if (breakage == CUT_STREAM) {
        stream = eer_encode(&codings[0], WIDTH, HEIGHT, electrons, count);
        size = bits_bytes(&stream) / 2;
    } else if (breakage == ONE_RUN_TOO_LONG) {
        for (int i = 0; i <= WIDTH * HEIGHT / 255; i++) bits_append(&stream, 255, 12);
        size = bits_bytes(&stream);
    } else if (breakage == CUT_PLACE) { /* whole bytes; the last pixel's electron lacks its place */
        bits_append(&stream, 0, 12);    /* an electron in the first pixel */
        for (int at = 1; at < WIDTH * HEIGHT - 1;) {
            const int run = WIDTH * HEIGHT - 1 - at < 255 ? WIDTH * HEIGHT - 1 - at : 255;
            bits_append(&stream, (uint32_t)run, run == 255 ? 12 : 8);
            at += run;
        }
        CHECK(stream.bits % 8 == 0);
        size = bits_bytes(&stream);
    }
    eer_frame_append(file, &codings[0], WIDTH, HEIGHT, stream.bytes, size, NULL);
    free(stream.bytes);
}

static void broken_frames_are_left_out(void)
{
    static electron electrons[ELECTRONS_MAX];
    static unsigned char samples[4 * WIDTH * HEIGHT], expected[4 * WIDTH * HEIGHT];
    static qn_log_target heard = {.callback = keep_warning, .mutex = PTHREAD_MUTEX_INITIALIZER};
    for (int b = 0; b < BREAKAGES; b++) {
        tiff_bytes file = tiff_begin();
        bit_stream stream = eer_encode(&codings[0], WIDTH, HEIGHT, electrons, make_electrons(2, electrons));
        eer_frame_append(&file, &codings[0], WIDTH, HEIGHT, stream.bytes, bits_bytes(&stream), NULL);
        free(stream.bytes);
        for (int i = 0; i < 3; i++) append_broken(&file, (enum breakage)b);
        const qn_movie_options options = options_of(2, 2);
        qn_movie_file *movie;
        if (!CHECK_OK(qn_movie_file_open(tiff_save(&file, "broken.eer"), &options, &movie))) return;
        warnings = 0;
        const qn_log_scope outer = qn_log_enter(&heard);
        for (int again = 0; again < 2; again++) {
            CHECK_OK(qn_movie_file_read(movie, 0, 0, samples));
            count_electrons(2, 1, 2, expected);
            CHECK(memcmp(samples, expected, sizeof samples) == 0);
        }
        CHECK(warnings == 1 && qn_movie_file_broken_frames(movie) == 1);
        CHECK(strstr(last_warning, "broken.eer: camera frame 2 is broken and left out") != NULL);
        CHECK(strstr(last_warning, "expected 5917") != NULL);
        CHECK_FAILS(qn_movie_file_read(movie, 1, 0, samples), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("every camera frame of fraction 2 (3 to 4) is broken");
        CHECK(warnings == 3 && qn_movie_file_broken_frames(movie) == 3);
        qn_log_return(outer);
        qn_movie_file_close(&movie);
        tiff_free(&file);
    }
}

/* More than 255 electrons in a pixel need the wider count. */
static void large_groups_are_counted_in_two_bytes(void)
{
    enum { SIDE = 8, COUNT = 301 };
    const electron one = {4 * 5 + 3, 4 * 2};
    uint16_t samples[4 * SIDE * SIDE];
    tiff_bytes file = tiff_begin();
    for (int f = 0; f < COUNT; f++) {
        bit_stream stream = eer_encode(&codings[1], SIDE, SIDE, &one, 1);
        eer_frame_append(&file, &codings[1], SIDE, SIDE, stream.bytes, bits_bytes(&stream), NULL);
        free(stream.bytes);
    }
    const qn_movie_options options = options_of(300, 2);
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(tiff_save(&file, "wide.eer"), &options, &movie))) return;
    CHECK(qn_movie_file_shape(movie)->kind == QN_SAMPLE_UINT16 && qn_movie_file_shape(movie)->frames == 1);
    CHECK(qn_movie_file_frame_bytes(movie) == sizeof samples);
    CHECK_OK(qn_movie_file_read(movie, 0, 0, samples));
    for (int i = 0; i < 4 * SIDE * SIDE; i++) CHECK(samples[i] == (i == 4 * 2 * SIDE + 11 ? 300 : 0));
    qn_movie_file_close(&movie);
    tiff_free(&file);
}

static void check_refused(const char *path, qn_movie_options options, qn_status status, const char *part)
{
    qn_movie_file *movie;
    CHECK_FAILS(qn_movie_file_open(path, &options, &movie), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(movie == NULL);
}

static void options_are_checked(void)
{
    tiff_bytes file = make_movie(&codings[2]); /* one bit of place each way */
    const char *path = tiff_save(&file, "options.eer");
    qn_movie_options fraction = options_of(1, 1);
    check_refused(path, options_of(1, 3), QN_INVALID_ARGUMENT, "the upsampling of EER is 3; expected 1, 2 or 4");
    check_refused(path, options_of(0, 1), QN_INVALID_ARGUMENT, "a group of EER has 0 frames; expected 1 to 65535");
    check_refused(path, options_of(12, 1), QN_BAD_FORMAT, "has 11 camera frames, too few for a fraction of 12");
    check_refused(path, options_of(1, 4), QN_UNSUPPORTED, "1 + 1 bits, too few for an upsampling of 4; expected 2");
    fraction.eer_fraction_frames = 0.5;
    check_refused(path, fraction, QN_INVALID_ARGUMENT, "a fraction of EER has 0.5 frames; expected 1 to 65535");
    fraction.eer_fraction_frames = NAN;
    check_refused(path, fraction, QN_INVALID_ARGUMENT, "expected 1 to 65535");
    tiff_free(&file);
}

static void wrong_files_are_refused(void)
{
    const eer_coding wide_codes = {65002, 17, 2, 2}, coding = codings[0];
    const unsigned char data[4] = {0};
    char expected[100];
    tiff_bytes file = make_movie(&coding);
    const size_t size = file.size;

    file.size -= 100; /* inside the last directory */
    check_refused(tiff_save(&file, "cut.eer"), options_of(1, 1), QN_BAD_FORMAT,
                  "is cut off or damaged: 10 frames can be found, and the next cannot be read");
    file.size = 30;
    check_refused(tiff_save(&file, "cut.eer"), options_of(1, 1), QN_BAD_FORMAT, "its first directory cannot be read");
    file.size = size;
    eer_frame_append(&file, &coding, WIDTH, HEIGHT + 1, data, 4, NULL);
    check_refused(tiff_save(&file, "mixed.eer"), options_of(1, 1), QN_BAD_FORMAT,
                  "frame 12 has 97 x 62 pixels; expected 97 x 61 as frame 1");
    tiff_free(&file);

    file = tiff_begin(); /* the second frame's data lie beyond the end */
    eer_frame_append(&file, &coding, WIDTH, HEIGHT, data, 4, NULL);
    eer_frame_append(&file, &coding, WIDTH, HEIGHT, NULL, 0, NULL);
    const size_t entries = file.size - 8 - 20 * 6;
    tiff_set(&file, entries + 3 * 20 + 12, file.size - 4);
    tiff_set(&file, entries + 5 * 20 + 12, 1000);
    snprintf(expected, sizeof expected, "holds 1 whole frames; expected 2, which end at byte %zu", file.size + 996);
    check_refused(tiff_save(&file, "beyond.eer"), options_of(1, 1), QN_BAD_FORMAT, expected);
    tiff_free(&file);

    file = tiff_begin();
    eer_frame_append(&file, &wide_codes, WIDTH, HEIGHT, data, 4, NULL);
    check_refused(tiff_save(&file, "codes.eer"), options_of(1, 1), QN_UNSUPPORTED, "17 bits a run and 2 + 2 a place");
    tiff_free(&file);

    const tiff_entry without_bits[] = {{256, LONG_TYPE, WIDTH, NULL, 0},  {257, LONG_TYPE, HEIGHT, NULL, 0},
                                       {259, SHORT_TYPE, 65002, NULL, 0}, {273, LONG8_TYPE, 8, NULL, 0},
                                       {278, LONG_TYPE, HEIGHT, NULL, 0}, {279, LONG8_TYPE, 8, NULL, 0}};
    file = tiff_begin();
    tiff_directory(&file, without_bits, 6);
    check_refused(tiff_save(&file, "bits.eer"), options_of(1, 1), QN_BAD_FORMAT,
                  "frame 1 lacks one of the tags 65007 to 65009");
    tiff_free(&file);
}

typedef struct reading {
    qn_movie_file *movie;
    int thread, wrong;
} reading;

static qn_status read_all(void *user)
{
    reading *r = user;
    const size_t bytes = qn_movie_file_frame_bytes(r->movie);
    unsigned char *samples = malloc(bytes), *expected = malloc(bytes);
    for (int f = 0; f < qn_movie_file_shape(r->movie)->frames; f++) {
        QN_TRY(qn_movie_file_read(r->movie, f, r->thread, samples));
        uint64_t sum = 0;
        for (size_t i = 0; i < bytes; i++) sum += samples[i];
        r->wrong += sum == 0 && f < FRAMES - 1;
    }
    free(samples);
    free(expected);
    return QN_OK;
}

static void threads_read_at_once(void)
{
    tiff_bytes file = make_movie(&codings[1]);
    const qn_movie_options options = options_of(1, 4);
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(tiff_save(&file, "threads.eer"), &options, &movie))) return;
    qn_thread threads[2] = {{0}};
    reading readings[2] = {{movie, 0, 0}, {movie, QN_MOVIE_THREADS - 1, 0}};
    for (int i = 0; i < 2; i++) CHECK_OK(qn_thread_start(&threads[i], read_all, &readings[i]));
    CHECK_OK(qn_threads_join(threads, 2));
    CHECK(readings[0].wrong == 0 && readings[1].wrong == 0);
    qn_movie_file_close(&movie);
    tiff_free(&file);
}

int main(void)
{
    RUN(every_coding_gives_the_electrons);
    RUN(fractions_may_have_a_broken_number_of_frames);
    RUN(pages_of_other_compressions_are_skipped);
    RUN(broken_frames_are_left_out);
    RUN(large_groups_are_counted_in_two_bytes);
    RUN(options_are_checked);
    RUN(wrong_files_are_refused);
    RUN(threads_read_at_once);
    return check_finish();
}
