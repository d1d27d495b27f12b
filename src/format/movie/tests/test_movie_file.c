/* labels: threads */
/* Movies in MRC files of every mode and in TIFF files of every kind of samples, compression and layout, compared with
 * the values that were put into them; the same movie as MRC and TIFF; cut, mixed and damaged files; threads. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include "base/thread.h"
#include "format/movie/movie_file.h"
#include "format/movie/tests/tiff_bytes.h"
#include "format/tests/mrc_files.h"

enum { WIDTH = 37, HEIGHT = 21, FRAMES = 3 };

static const char *scratch(const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* The value of a pixel (x, y), y counted upwards, in a range that each kind of samples holds. */
static int value_at(int x, int y, int frame)
{
    return (7 * x + 31 * y + 57 * frame + x * y % 5) % 128;
}

static double sample_at(const void *samples, qn_sample_kind kind, size_t i)
{
    switch (kind) {
    case QN_SAMPLE_UINT8: return ((const uint8_t *)samples)[i];
    case QN_SAMPLE_INT8: return ((const int8_t *)samples)[i];
    case QN_SAMPLE_UINT16: return ((const uint16_t *)samples)[i];
    case QN_SAMPLE_INT16: return ((const int16_t *)samples)[i];
    default: return (double)((const float *)samples)[i];
    }
}

/* Parts of the first frame, whose samples are compared with the whole frame, where the movie has parts. */
static void check_parts(qn_movie_file *movie, unsigned char *samples)
{
    const size_t bytes = qn_movie_file_frame_bytes(movie);
    unsigned char *part = malloc(bytes);
    if (qn_movie_file_has_parts(movie)) {
        CHECK_OK(qn_movie_file_read(movie, 1, 0, samples));
        for (size_t first = 0; first < bytes; first += 101) {
            const size_t some = bytes - first < 101 ? bytes - first : 101;
            CHECK_OK(qn_movie_file_read_part(movie, 1, first, some, part + first));
        }
        CHECK(memcmp(part, samples, bytes) == 0);
        CHECK_FAILS(qn_movie_file_read_part(movie, 1, 1, bytes, part), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("of a frame cannot be read alone");
        CHECK_FAILS(qn_movie_file_read_part(movie, 1, bytes + 1, 0, part), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_movie_file_read_part(movie, FRAMES, 0, 1, part), QN_INVALID_ARGUMENT);
    } else {
        CHECK_FAILS(qn_movie_file_read_part(movie, 1, 0, 1, part), QN_INVALID_ARGUMENT);
    }
    free(part);
}

/* Read all frames, the last one first, and compare them with scale · value_at + shift. */
static void check_movie(const char *path, qn_sample_kind kind, double scale, double shift, double pixel_angstrom)
{
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(path, NULL, &movie))) return;
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    CHECK(shape->width == WIDTH && shape->height == HEIGHT && shape->frames == FRAMES && shape->raw_frames == FRAMES);
    CHECK(shape->kind == kind && !shape->is_eer && shape->dropped_frames == 0);
    CHECK_NEAR(shape->pixel_angstrom, pixel_angstrom, 1e-6);
    CHECK(qn_movie_file_frame_bytes(movie) == WIDTH * HEIGHT * qn_sample_bytes(kind));
    void *samples = malloc(qn_movie_file_frame_bytes(movie));
    for (int f = FRAMES - 1; f >= 0; f--) {
        int wrong = 0;
        if (!CHECK_OK(qn_movie_file_read(movie, f, f % 2, samples))) break;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            wrong += sample_at(samples, kind, (size_t)i) != scale * value_at(i % WIDTH, i / WIDTH, f) + shift;
        CHECK(wrong == 0);
    }
    check_parts(movie, samples);
    CHECK_FAILS(qn_movie_file_read(movie, FRAMES, 0, samples), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("has no frame 4; expected 1 to 3");
    CHECK_FAILS(qn_movie_file_read(movie, -1, 0, samples), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_movie_file_read(movie, 0, QN_MOVIE_THREADS, samples), QN_INVALID_ARGUMENT);
    CHECK(qn_movie_file_broken_frames(movie) == 0);
    CHECK(qn_movie_file_thread_bytes(movie) < 1000 + 6 * qn_movie_file_frame_bytes(movie));
    free(samples);
    qn_movie_file_close(&movie);
}

/* The bits of a whole number from 0 to 2047 as a half float. */
static uint32_t half_of(int value)
{
    int exponent = 10;
    if (value == 0) return 0;
    while (value < 1024) value *= 2, exponent--;
    return (uint32_t)(exponent + 15) << 10 | ((uint32_t)value & 1023);
}

static const struct mrc_case {
    int mode, bytes;
    bool has_unsigned_bytes;
    qn_sample_kind kind;
    double scale, shift; /* of the stored values */
} mrc_cases[] = {{0, 1, false, QN_SAMPLE_INT8, -1, 0},       {0, 1, true, QN_SAMPLE_UINT8, 2, 0},
                 {1, 2, false, QN_SAMPLE_INT16, -201, 5},    {2, 4, false, QN_SAMPLE_FLOAT32, -0.25, 0.5},
                 {6, 2, false, QN_SAMPLE_UINT16, 500, 1000}, {12, 2, false, QN_SAMPLE_FLOAT32, 3, 7},
                 {101, 0, false, QN_SAMPLE_UINT8, 0.125, 0}};

static mrc_bytes make_mrc(const struct mrc_case *c, bool big_endian)
{
    const int counts[3] = {WIDTH, HEIGHT, FRAMES};
    const size_t row_bytes = c->bytes ? (size_t)(WIDTH * c->bytes) : (WIDTH + 1) / 2;
    mrc_bytes file = mrc_make(big_endian, c->mode, counts, 96, row_bytes * HEIGHT * FRAMES);
    if (c->has_unsigned_bytes) mrc_put_float(&file, 80, 254);
    for (int f = 0; f < FRAMES; f++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const size_t row = 1024 + 96 + (size_t)(f * HEIGHT + y) * row_bytes;
                const double value = c->scale * value_at(x, y, f) + c->shift;
                if (c->mode == 2)
                    mrc_put_float(&file, row + 4 * (size_t)x, (float)value);
                else if (c->mode == 12)
                    mrc_put(&file, row + 2 * (size_t)x, half_of((int)value), 2);
                else if (c->mode == 101) /* the lower half of a byte is the left pixel */
                    file.data[row + (size_t)x / 2] |= (unsigned char)(value_at(x, y, f) / 8 << 4 * (x % 2));
                else
                    mrc_put(&file, row + (size_t)(x * c->bytes), (uint32_t)(int32_t)value, c->bytes);
            }
    return file;
}

static void check_has_parts(const char *path, bool expected)
{
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(path, NULL, &movie))) return;
    CHECK(qn_movie_file_has_parts(movie) == expected);
    qn_movie_file_close(&movie);
}

/* Integers in this machine's order of bytes, which is that of the tests' machines, are stored as callers get them. */
static void every_mode_of_mrc_is_read(void)
{
    for (size_t i = 0; i < sizeof mrc_cases / sizeof *mrc_cases; i++)
        for (int big_endian = 0; big_endian < 2; big_endian++) {
            const struct mrc_case *c = &mrc_cases[i];
            mrc_bytes file = make_mrc(c, big_endian);
            const char *path = mrc_save(&file, "mode.mrc");
            if (c->mode != 101) check_has_parts(path, c->bytes == 1 || (c->mode != 2 && c->mode != 12 && !big_endian));
            if (c->mode != 101) check_movie(path, c->kind, c->scale, c->shift, 2);
            mrc_free(&file);
        }
}

/* Four bits hold an eighth of the values, rounded down; rows of an odd number of pixels end in half a byte. */
static void nibbles_are_widened(void)
{
    unsigned char samples[WIDTH * HEIGHT];
    mrc_bytes file = make_mrc(&mrc_cases[6], false);
    qn_movie_file *movie;
    if (!CHECK_OK(qn_movie_file_open(mrc_save(&file, "nibbles.mrc"), NULL, &movie))) return;
    CHECK(qn_movie_file_shape(movie)->kind == QN_SAMPLE_UINT8);
    CHECK_OK(qn_movie_file_read(movie, 1, 0, samples));
    for (int i = 0; i < WIDTH * HEIGHT; i++) CHECK(samples[i] == value_at(i % WIDTH, i / WIDTH, 1) / 8);
    qn_movie_file_close(&movie);
    mrc_free(&file);
}

typedef struct tiff_case {
    const char *mode; /* of TIFFOpen: l, b byte order; 8 BigTIFF */
    int compression, predictor;
    int bits, format; /* SampleFormat */
    int rows_per_strip, tile_width, tile_height;
    qn_sample_kind kind;
    double scale, shift;
} tiff_case;

static const tiff_case tiff_cases[] = {
    {"wl", COMPRESSION_NONE, 0, 8, SAMPLEFORMAT_UINT, HEIGHT, 0, 0, QN_SAMPLE_UINT8, 2, 1},
    {"wl", COMPRESSION_LZW, 0, 8, SAMPLEFORMAT_UINT, 4, 0, 0, QN_SAMPLE_UINT8, 1, 0},
    {"wb8", COMPRESSION_LZW, 2, 16, SAMPLEFORMAT_UINT, 1, 0, 0, QN_SAMPLE_UINT16, 500, 9},
    {"wl8", COMPRESSION_ADOBE_DEFLATE, 0, 16, SAMPLEFORMAT_INT, 5, 0, 0, QN_SAMPLE_INT16, -100, 3},
    {"wl", COMPRESSION_DEFLATE, 2, 8, SAMPLEFORMAT_INT, HEIGHT, 0, 0, QN_SAMPLE_INT8, -1, 0},
    {"wl8", COMPRESSION_ZSTD, 2, 16, SAMPLEFORMAT_UINT, 8, 0, 0, QN_SAMPLE_UINT16, 300, 0},
    {"wb", COMPRESSION_NONE, 0, 32, SAMPLEFORMAT_IEEEFP, 3, 0, 0, QN_SAMPLE_FLOAT32, -0.25, 100},
    {"wl", COMPRESSION_LZW, 3, 32, SAMPLEFORMAT_IEEEFP, HEIGHT, 0, 0, QN_SAMPLE_FLOAT32, 0.5, 0},
    {"wl", COMPRESSION_PACKBITS, 0, 8, SAMPLEFORMAT_UINT, 2, 0, 0, QN_SAMPLE_UINT8, 1, 3},
    {"wl", COMPRESSION_LZMA, 0, 16, SAMPLEFORMAT_UINT, 2, 0, 0, QN_SAMPLE_UINT16, 1, 3},
    {"wl", COMPRESSION_LZW, 0, 8, SAMPLEFORMAT_UINT, 0, 16, 16, QN_SAMPLE_UINT8, 1, 0},
    {"wb8", COMPRESSION_ADOBE_DEFLATE, 0, 16, SAMPLEFORMAT_INT, 0, 48, 32, QN_SAMPLE_INT16, -3, 8},
    {"wl", COMPRESSION_NONE, 0, 32, SAMPLEFORMAT_IEEEFP, 0, 16, 48, QN_SAMPLE_FLOAT32, 0.125, 0}};

/* Put the pixel (x, row) of a frame, rows counted downwards, into memory. */
static void put_sample(const tiff_case *c, int x, int row, int frame, unsigned char *to)
{
    const bool inside = x < WIDTH && row < HEIGHT;
    const double value = inside ? c->scale * value_at(x, HEIGHT - 1 - row, frame) + c->shift : 99;
    const float single = (float)value;
    const int32_t whole = (int32_t)value;
    const uint16_t half = (uint16_t)whole;
    if (c->bits == 32)
        memcpy(to, &single, 4);
    else if (c->bits == 16)
        memcpy(to, &half, 2);
    else
        *to = (unsigned char)whole;
}

static void write_tiff_page(TIFF *tiff, const tiff_case *c, int frame)
{
    const int bytes = c->bits / 8, columns = c->tile_width ? c->tile_width : WIDTH;
    const int rows = c->tile_width ? c->tile_height : c->rows_per_strip;
    unsigned char *piece = malloc((size_t)(columns * rows * bytes));
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, c->compression);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 8e7); /* 1.25 Å */
    if (c->predictor) TIFFSetField(tiff, TIFFTAG_PREDICTOR, c->predictor);
    if (c->tile_width) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, columns);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, rows);
    } else
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
    for (int top = 0, number = 0; top < HEIGHT; top += rows)
        for (int left = 0; left < WIDTH; left += columns, number++) {
            const int stored = c->tile_width || HEIGHT - top > rows ? rows : HEIGHT - top;
            const tmsize_t size = columns * stored * bytes;
            for (int i = 0; i < columns * stored; i++)
                put_sample(c, left + i % columns, top + i / columns, frame, piece + i * bytes);
            CHECK((c->tile_width ? TIFFWriteEncodedTile(tiff, (uint32_t)number, piece, size)
                                 : TIFFWriteEncodedStrip(tiff, (uint32_t)number, piece, size)) == size);
        }
    CHECK(TIFFWriteDirectory(tiff));
    free(piece);
}

static void write_tiff(const tiff_case *c, const char *path)
{
    TIFF *tiff = TIFFOpen(path, c->mode);
    for (int f = 0; f < FRAMES; f++) write_tiff_page(tiff, c, f);
    TIFFClose(tiff);
}

static void every_kind_of_tiff_is_read(void)
{
    for (size_t i = 0; i < sizeof tiff_cases / sizeof *tiff_cases; i++) {
        const tiff_case *c = &tiff_cases[i];
        if (!TIFFIsCODECConfigured((uint16_t)c->compression)) continue;
        write_tiff(c, scratch("kinds.tif"));
        check_movie(scratch("kinds.tif"), c->kind, c->scale, c->shift, 1.25);
    }
}

static void check_refused(const char *path, qn_status status, const char *part)
{
    qn_movie_file *movie;
    CHECK_FAILS(qn_movie_file_open(path, NULL, &movie), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(movie == NULL);
}

static void cut_mrc_files_are_refused(void)
{
    mrc_bytes file = make_mrc(&mrc_cases[2], false);
    const size_t size = file.size;
    char expected[200];
    file.size -= 1;
    snprintf(expected, sizeof expected,
             "holds 2 whole frames; expected 3 of 37 x 21 pixels (mode 1), which take %zu bytes, and it has %zu", size,
             size - 1);
    check_refused(mrc_save(&file, "cut.mrc"), QN_BAD_FORMAT, expected);
    file.size = 1050;
    check_refused(mrc_save(&file, "cut.mrc"), QN_BAD_FORMAT, "holds 0 whole frames; expected 3");
    file.size = 1000;
    check_refused(mrc_save(&file, "cut.mrc"), QN_BAD_FORMAT, "is no movie; expected MRC");
    file.size = size;
    mrc_put(&file, 64, 2, 4); /* columns along y */
    mrc_put(&file, 68, 1, 4);
    check_refused(mrc_save(&file, "axes.mrc"), QN_UNSUPPORTED, "the axes are 2, 1, 3; expected 1, 2, 3");
    mrc_put(&file, 12, 4, 4);
    check_refused(mrc_save(&file, "complex.mrc"), QN_UNSUPPORTED, "complex values");
    memcpy(file.data, "\x1f\x8b\x08", 3);
    check_refused(mrc_save(&file, "zipped.mrc"), QN_UNSUPPORTED, "is gzipped");
    mrc_free(&file);
    check_refused(check_scratch_folder(), QN_UNSUPPORTED, "is not a plain file");
    check_refused(scratch("absent.tif"), QN_NOT_FOUND, "absent.tif");
}

static void cut_tiff_files_are_refused(void)
{
    struct stat information;
    write_tiff(&tiff_cases[0], scratch("cut.tif")); /* each directory follows its data */
    CHECK(stat(scratch("cut.tif"), &information) == 0);
    CHECK(truncate(scratch("cut.tif"), information.st_size - 60) == 0);
    check_refused(scratch("cut.tif"), QN_BAD_FORMAT,
                  "is cut off or damaged: 2 frames can be found, and the next cannot be read");
    CHECK(truncate(scratch("cut.tif"), 100) == 0);
    check_refused(scratch("cut.tif"), QN_BAD_FORMAT, "its first directory cannot be read");
    CHECK(truncate(scratch("cut.tif"), 6) == 0);
    check_refused(scratch("cut.tif"), QN_BAD_FORMAT, "cannot be read");
}

/* All directories are there, but the data of the second frame lie beyond the end, and those of the first one do not. */
static void tiff_files_without_all_data_are_refused(void)
{
    char expected[200];
    tiff_bytes file = tiff_begin();
    for (int f = 0; f < 3; f++) eer_sum_append(&file, WIDTH, HEIGHT);
    const size_t directory = 8 + 20 * 8 + 8, frame = WIDTH * HEIGHT;
    tiff_set(&file, file.size - directory - frame - directory + 8 + 20 * 5 + 12, file.size - 5);
    snprintf(expected, sizeof expected,
             "is cut off: it holds 2 whole frames; expected 3 (frame 2 ends at byte %zu, the file at byte %zu)",
             file.size - 5 + frame, file.size);
    check_refused(tiff_save(&file, "beyond.tif"), QN_BAD_FORMAT, expected);
    tiff_free(&file);
}

static void other_kinds_of_tiff_are_refused(void)
{
    tiff_case c = tiff_cases[0];
    c.bits = 32;
    write_tiff(&c, scratch("other.tif"));
    check_refused(scratch("other.tif"), QN_UNSUPPORTED, "its samples are whole numbers of 32 bits; expected");
    TIFF *tiff = TIFFOpen(scratch("other.tif"), "w");
    write_tiff_page(tiff, &tiff_cases[0], 0);
    write_tiff_page(tiff, &tiff_cases[2], 1);
    TIFFClose(tiff);
    check_refused(scratch("other.tif"), QN_BAD_FORMAT, "frame 2 stores its samples in another way");
    tiff = TIFFOpen(scratch("other.tif"), "w");
    write_tiff_page(tiff, &tiff_cases[0], 0);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 8);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    CHECK(TIFFWriteEncodedStrip(tiff, 0, "0123456789abcdef", 16) == 16);
    TIFFClose(tiff);
    check_refused(scratch("other.tif"), QN_BAD_FORMAT, "frame 2 has 8 x 2 pixels; expected 37 x 21 as frame 1");
    tiff = TIFFOpen(scratch("other.tif"), "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 4);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    CHECK(TIFFWriteEncodedStrip(tiff, 0, "0123456789ab", 12) == 12);
    TIFFClose(tiff);
    check_refused(scratch("other.tif"), QN_UNSUPPORTED, "frame 1 has 3 samples a pixel; expected 1");
    tiff = TIFFOpen(scratch("other.tif"), "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX4);
    CHECK(TIFFWriteEncodedStrip(tiff, 0, "\x55\x33", 2) == 2);
    TIFFClose(tiff);
    check_refused(scratch("other.tif"), QN_UNSUPPORTED, "frame 1 is compressed by TIFF's scheme 4; expected none, LZW");
}

/* Overwrite the data of the frames, not the directories. */
static void damaged_frames_are_refused(void)
{
    unsigned char samples[2 * WIDTH * HEIGHT], noise[64];
    qn_movie_file *movie;
    write_tiff(&tiff_cases[3], scratch("damaged.tif"));
    FILE *file = fopen(scratch("damaged.tif"), "r+b");
    memset(noise, 0xa7, sizeof noise);
    CHECK(file && fseek(file, 16, SEEK_SET) == 0 && fwrite(noise, sizeof noise, 1, file) == 1 && fclose(file) == 0);
    if (!CHECK_OK(qn_movie_file_open(scratch("damaged.tif"), NULL, &movie))) return;
    CHECK_FAILS(qn_movie_file_read(movie, 0, 0, samples), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("damaged.tif: frame 1 cannot be decoded: ");
    CHECK_OK(qn_movie_file_read(movie, 2, 0, samples));
    qn_movie_file_close(&movie);
}

static void samples_that_are_not_finite_are_refused(void)
{
    float samples[WIDTH * HEIGHT];
    qn_movie_file *movie;
    mrc_bytes file = make_mrc(&mrc_cases[3], false);
    mrc_put_float(&file, 1120 + 4 * ((size_t)WIDTH * HEIGHT + 5 * WIDTH + 3), NAN);
    if (!CHECK_OK(qn_movie_file_open(mrc_save(&file, "nan.mrc"), NULL, &movie))) return;
    CHECK_OK(qn_movie_file_read(movie, 0, 0, samples));
    CHECK_FAILS(qn_movie_file_read(movie, 1, 0, samples), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 2 has nan at column 3, row 5 (from 0); expected a finite number");
    qn_movie_file_close(&movie);
    mrc_free(&file);
}

/* RELION made the TIFF file of the MRC file: rows are turned over. */
static void real_tiff_and_mrc_are_the_same(void)
{
    const char *path = check_reference_data("cryoem/synthetic/movie_768/movie.mrcs");
    qn_movie_file *mrc, *tiff;
    int wrong = 0, largest = 0;
    CHECK(1); /* nothing to read without the reference data */
    if (!path || !CHECK_OK(qn_movie_file_open(path, NULL, &mrc))) return;
    path = check_reference_data("cryoem/synthetic/movie_768/movie_lzw.tif");
    if (!path || !CHECK_OK(qn_movie_file_open(path, NULL, &tiff))) return;
    const qn_movie_shape *m = qn_movie_file_shape(mrc), *t = qn_movie_file_shape(tiff);
    CHECK(m->width == 768 && m->height == 640 && m->frames == 16 && m->kind == QN_SAMPLE_INT16);
    CHECK(t->width == 768 && t->height == 640 && t->frames == 16);
    void *a = malloc(qn_movie_file_frame_bytes(mrc)), *b = malloc(qn_movie_file_frame_bytes(tiff));
    for (int f = 0; f < 16; f++) {
        CHECK_OK(qn_movie_file_read(mrc, f, 0, a));
        CHECK_OK(qn_movie_file_read(tiff, f, 0, b));
        for (size_t i = 0; i < 768 * 640; i++) {
            const double value = sample_at(a, m->kind, i);
            wrong += value != sample_at(b, t->kind, i);
            if (value > largest) largest = (int)value;
        }
    }
    CHECK(wrong == 0 && largest > 3);
    free(a);
    free(b);
    qn_movie_file_close(&mrc);
    qn_movie_file_close(&tiff);
}

typedef struct reading {
    qn_movie_file *movie;
    int thread, wrong;
} reading;

static qn_status read_often(void *user)
{
    reading *r = user;
    uint16_t samples[WIDTH * HEIGHT];
    for (int round = 0; round < 20; round++) {
        const int frame = (round * (1 + r->thread)) % FRAMES;
        QN_TRY(qn_movie_file_read(r->movie, frame, r->thread, samples));
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            r->wrong += samples[i] != 500 * value_at(i % WIDTH, i / WIDTH, frame) + 9;
    }
    return QN_OK;
}

static void threads_read_at_once(void)
{
    qn_movie_file *movie;
    write_tiff(&tiff_cases[2], scratch("threads.tif"));
    if (!CHECK_OK(qn_movie_file_open(scratch("threads.tif"), NULL, &movie))) return;
    qn_thread threads[3] = {{0}};
    reading readings[3] = {{movie, 0, 0}, {movie, 1, 0}, {movie, 2, 0}};
    for (int i = 0; i < 3; i++) CHECK_OK(qn_thread_start(&threads[i], read_often, &readings[i]));
    CHECK_OK(qn_threads_join(threads, 3));
    for (int i = 0; i < 3; i++) CHECK(readings[i].wrong == 0);
    qn_movie_file_close(&movie);
}

int main(void)
{
    TIFFSetErrorHandler(NULL); /* of the handles that write files here */
    TIFFSetWarningHandler(NULL);
    RUN(every_mode_of_mrc_is_read);
    RUN(nibbles_are_widened);
    RUN(every_kind_of_tiff_is_read);
    RUN(cut_mrc_files_are_refused);
    RUN(cut_tiff_files_are_refused);
    RUN(tiff_files_without_all_data_are_refused);
    RUN(other_kinds_of_tiff_are_refused);
    RUN(damaged_frames_are_refused);
    RUN(samples_that_are_not_finite_are_refused);
    RUN(real_tiff_and_mrc_are_the_same);
    RUN(threads_read_at_once);
    return check_finish();
}
