/* Gains, dark references and defects: MRC, TIFF with every sort of samples, DM3 and DM4 put together tag by tag,
 * damaged files. `write FOLDER` writes the DM files and their values, for tests/format/check_dm.sh. */
#include "check.h"

#include <math.h>
#include <quern/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <tiffio.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/movie/defects.h"
#include "format/movie/dm.h"
#include "format/movie/gain_file.h"
#include "format/movie/tests/dm_files.h"

enum { WIDTH = 5, HEIGHT = 3, PIXELS = WIDTH * HEIGHT };

static const char *path_of(const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

static const char *save(const char *name, const void *data, size_t size)
{
    const char *path = path_of(name);
    CHECK_OK(qn_file_write(path, data, size));
    return path;
}

/* ---- MRC ---- */

static const char *save_mrc(const char *name, int images)
{
    const int counts[3] = {WIDTH, HEIGHT, images};
    const char *path = path_of(name);
    qn_volume *volume;
    CHECK_OK(qn_volume_create(counts, 1, &volume));
    for (int i = 0; i < PIXELS * images; i++) volume->values[i] = 0.5f + (float)i;
    CHECK_OK(qn_volume_write(volume, NULL, path));
    qn_volume_destroy(&volume);
    return path;
}

static void mrc_files_are_used_as_stored(void)
{
    qn_gain_file file;
    CHECK_OK(qn_gain_file_read(save_mrc("gain.mrc", 1), &file));
    CHECK(file.format == QN_GAIN_MRC && file.width == WIDTH && file.height == HEIGHT);
    for (int i = 0; i < PIXELS; i++) CHECK(file.values[i] == 0.5f + (float)i);
    qn_gain_file_clear(&file);
    CHECK_FAILS(qn_gain_file_read(save_mrc("stack.mrc", 2), &file), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("stack.mrc: holds 2 images; expected one");
    CHECK(file.values == NULL);
    CHECK_FAILS(qn_gain_file_read(path_of("absent.mrc"), &file), QN_NOT_FOUND);
    CHECK_FAILS(qn_gain_file_read(save("short.mrc", "abc", 3), &file), QN_BAD_FORMAT);
}

/* ---- TIFF ---- */

typedef struct tiff_sort {
    uint16_t format, bits;
    bool tiled, big;
    uint16_t compression;
} tiff_sort;

/* The value of pixel i, which every sort of samples can hold: 3, 10, 17 …, negative for signed samples and floats. */
static double tiff_value(const tiff_sort *sort, int i)
{
    const double value = 3 + 7 * i;
    return sort->format == SAMPLEFORMAT_UINT ? value : sort->format == SAMPLEFORMAT_INT ? value - 50 : 0.25 * value - 9;
}

static void tiff_sample(const tiff_sort *sort, int i, unsigned char *to)
{
    const double value = tiff_value(sort, i);
    const int64_t whole = (int64_t)value;
    const float single = (float)value;
    if (sort->format != SAMPLEFORMAT_IEEEFP)
        memcpy(to, &whole, sort->bits / 8); /* little endian machines */
    else if (sort->bits == 32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &value, sizeof value);
}

static const char *save_tiff(const char *name, const tiff_sort *sort, int images, int samples)
{
    const char *path = path_of(name);
    const int side = 16, sample = sort->bits / 8;
    TIFF *tiff = TIFFOpen(path, sort->big ? "w8" : "w");
    for (int image = 0; image < images; image++) {
        unsigned char data[16 * 16 * 8] = {0};
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, sort->bits);
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, sort->format);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, sort->compression);
        if (sort->tiled) {
            TIFFSetField(tiff, TIFFTAG_TILEWIDTH, side);
            TIFFSetField(tiff, TIFFTAG_TILELENGTH, side);
            for (int i = 0; i < PIXELS; i++)
                tiff_sample(sort, i, data + (ptrdiff_t)sample * (i / WIDTH * side + i % WIDTH));
            CHECK(TIFFWriteEncodedTile(tiff, 0, data, side * side * sample) > 0);
        } else {
            TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 2); /* the last strip has one row */
            for (int i = 0; i < PIXELS; i++) tiff_sample(sort, i, data + (ptrdiff_t)sample * i);
            CHECK(TIFFWriteEncodedStrip(tiff, 0, data, samples * sample * 2 * WIDTH) > 0);
            CHECK(TIFFWriteEncodedStrip(tiff, 1, data + (ptrdiff_t)sample * 2 * WIDTH, samples * sample * WIDTH) > 0);
        }
        CHECK(TIFFWriteDirectory(tiff));
    }
    TIFFClose(tiff);
    return path;
}

static void tiff_rows_are_turned_over_but_in_gain_files(void)
{
    static const tiff_sort sorts[] = {
        {SAMPLEFORMAT_UINT, 8, false, false, COMPRESSION_LZW},
        {SAMPLEFORMAT_INT, 8, false, false, COMPRESSION_NONE},
        {SAMPLEFORMAT_UINT, 16, true, false, COMPRESSION_NONE},
        {SAMPLEFORMAT_INT, 16, false, true, COMPRESSION_NONE},
        {SAMPLEFORMAT_UINT, 32, false, false, COMPRESSION_NONE},
        {SAMPLEFORMAT_INT, 32, true, true, COMPRESSION_LZW},
        {SAMPLEFORMAT_IEEEFP, 32, false, true, COMPRESSION_NONE},
        {SAMPLEFORMAT_IEEEFP, 64, true, false, COMPRESSION_LZW},
    };
    for (size_t s = 0; s < sizeof sorts / sizeof *sorts; s++)
        for (int is_gain = 0; is_gain < 2; is_gain++) {
            qn_gain_file file;
            if (!CHECK_OK(qn_gain_file_read(save_tiff(is_gain ? "a.gain" : "a.tif", &sorts[s], 1, 1), &file))) continue;
            CHECK(file.format == (is_gain ? QN_GAIN_EER : QN_GAIN_TIFF));
            CHECK(file.width == WIDTH && file.height == HEIGHT);
            for (int i = 0; i < PIXELS; i++) {
                const int y = is_gain ? i / WIDTH : HEIGHT - 1 - i / WIDTH;
                CHECK((double)file.values[y * WIDTH + i % WIDTH] == tiff_value(&sorts[s], i));
            }
            qn_gain_file_clear(&file);
        }
}

static void strange_tiff_files_are_refused(void)
{
    const tiff_sort sort = {SAMPLEFORMAT_UINT, 16, false, false, COMPRESSION_NONE};
    qn_gain_file file;
    char *data;
    size_t size;
    CHECK_FAILS(qn_gain_file_read(save_tiff("two.tif", &sort, 2, 1), &file), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("two.tif: holds several images; expected one");
    CHECK_FAILS(qn_gain_file_read(save_tiff("rgb.tif", &sort, 1, 3), &file), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("3 samples a pixel");
    CHECK_OK(qn_file_read(save_tiff("whole.tif", &sort, 1, 1), &data, &size));
    for (size_t cut = 0; cut < size; cut += 3) {
        const qn_status status = qn_gain_file_read(save("cut.tif", data, cut), &file);
        CHECK(status != QN_OK && file.values == NULL);
    }
    qn_release(&data);
}

/* ---- DM ---- */

typedef struct dm_sort {
    int data_type, type, bytes;
    const char *name;
} dm_sort;

static const dm_sort dm_sorts[] = {{1, 2, 2, "int16"},   {2, 6, 4, "float32"}, {6, 10, 1, "uint8"},
                                   {7, 3, 4, "int32"},   {9, 9, 1, "int8"},    {10, 4, 2, "uint16"},
                                   {11, 5, 4, "uint32"}, {12, 7, 8, "float64"}};
enum { DM_SORTS = sizeof dm_sorts / sizeof *dm_sorts };

static double dm_value(const dm_sort *sort, int i)
{
    switch (sort->data_type) {
    case 2:
    case 12: return 0.125 * i - 1;
    case 1:
    case 7:
    case 9: return 9 * i - 60;
    case 11: return 4e9 + 1024.0 * i; /* beyond int32; a float */
    default: return 250 - 3 * i;
    }
}

static uint64_t dm_bits(const dm_sort *sort, int i)
{
    const double value = dm_value(sort, i);
    const float single = (float)value;
    uint64_t bits = 0;
    if (sort->data_type == 12)
        memcpy(&bits, &value, sizeof value);
    else if (sort->data_type == 2)
        memcpy(&bits, &single, sizeof single);
    else
        bits = (uint64_t)(int64_t)value;
    return bits;
}

/* `images`: 1, or 2 with a thumbnail first. */
static dm_bytes make_dm(const dm_sort *sort, bool wide, bool little_endian, int dimensions, int images)
{
    const int size[3] = {WIDTH, HEIGHT, 1}, thumbnail[3] = {2, 2, 1};
    uint64_t values[PIXELS];
    for (int i = 0; i < PIXELS; i++) values[i] = dm_bits(sort, i);
    dm_bytes file = dm_begin(wide, little_endian, images);
    if (images == 2) dm_image(&file, 23, 5, 4, thumbnail, 2, (const uint64_t[]){1, 2, 3, 4});
    dm_image(&file, sort->data_type, sort->type, sort->bytes, size, dimensions, values);
    return file;
}

static void dm_files_have_their_rows_turned_over(void)
{
    for (int s = 0; s < DM_SORTS; s++)
        for (int variant = 0; variant < 8; variant++) {
            dm_bytes made = make_dm(&dm_sorts[s], variant & 1, variant & 2, variant & 4 ? 3 : 2, 2);
            qn_gain_file file;
            if (CHECK_OK(qn_gain_file_read(save("a.dm", made.text.data, made.text.length), &file))) {
                CHECK(file.format == QN_GAIN_DM && file.width == WIDTH && file.height == HEIGHT);
                for (int i = 0; i < PIXELS; i++)
                    CHECK((double)file.values[(HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH] ==
                          dm_value(&dm_sorts[s], i));
            }
            qn_gain_file_clear(&file);
            qn_text_clear(&made.text);
        }
}

/* Every cut, and every byte changed: an error or an image, never a crash. */
static void damaged_dm_files_are_refused(void)
{
    for (int wide = 0; wide < 2; wide++) {
        dm_bytes made = make_dm(&dm_sorts[1], wide, true, 2, 2);
        int width, height, accepted = 0;
        float *values;
        for (size_t size = 0; size < made.text.length; size++) {
            CHECK_FAILS(qn_dm_parse("cut.dm4", made.text.data, size, &width, &height, &values), QN_BAD_FORMAT);
            CHECK(values == NULL);
        }
        CHECK_MESSAGE_HAS("cut.dm4: ends at byte");
        for (size_t i = 0; i < made.text.length; i++)
            for (int value = 0; value < 256; value += 51) {
                const char old = made.text.data[i];
                made.text.data[i] = (char)value;
                const qn_status status =
                    qn_dm_parse("changed.dm4", made.text.data, made.text.length, &width, &height, &values);
                CHECK(status == QN_OK ? width == WIDTH && height == HEIGHT : values == NULL);
                accepted += status == QN_OK;
                qn_release(&values);
                made.text.data[i] = old;
            }
        CHECK(accepted > 0);
        qn_text_clear(&made.text);
    }
}

static void refuse_dm(dm_bytes *file, qn_status status, const char *message)
{
    int width, height;
    float *values;
    CHECK_FAILS(qn_dm_parse("a.dm4", file->text.data, file->text.length, &width, &height, &values), status);
    CHECK_MESSAGE_HAS(message);
    qn_text_clear(&file->text);
}

static void strange_dm_files_are_refused(void)
{
    const int size[3] = {2, 2, 2}, wrong[3] = {2, 3, 1};
    const uint64_t values[8] = {0};
    dm_bytes file = dm_begin(true, true, 0);
    refuse_dm(&file, QN_BAD_FORMAT, "holds 0 images besides thumbnails; expected one");
    file = dm_begin(true, true, 2);
    for (int i = 0; i < 2; i++) dm_image(&file, 2, 6, 4, size, 2, values);
    refuse_dm(&file, QN_BAD_FORMAT, "holds 2 images");
    file = dm_begin(true, true, 1);
    dm_image(&file, 2, 6, 4, size, 3, values);
    refuse_dm(&file, QN_UNSUPPORTED, "3 dimensions");
    file = dm_begin(true, true, 1);
    dm_image(&file, 3, 11, 8, size, 2, values);
    refuse_dm(&file, QN_UNSUPPORTED, "data type 3");
    file = dm_begin(true, true, 1);
    dm_image(&file, 2, 4, 2, wrong, 2, values);
    refuse_dm(&file, QN_BAD_FORMAT, "6 values of 2 bytes; expected 2 x 3 of 4 bytes");
    file = dm_begin(true, true, 1); /* groups in groups */
    for (int i = 0; i < 100; i++) dm_group(&file, "", 1);
    refuse_dm(&file, QN_BAD_FORMAT, "groups in groups");
}

/* ---- defects ---- */

static qn_status read_defects(const char *text, unsigned char bad[6 * 4])
{
    memset(bad, 0, 24);
    return qn_defects_read(save("defects.txt", text, strlen(text)), 6, 4, bad);
}

static void rectangles_are_marked(void)
{
    static const char expected[] = "......"
                                   ".##..."
                                   ".##..#"
                                   "######";
    unsigned char bad[24];
    CHECK_OK(read_defects("# columns of the camera\n\n1 1 2 2\n5\t2 1 1\r\n  0 3 6 1", bad));
    for (int i = 0; i < 24; i++) CHECK(bad[i] == (expected[i] == '#'));
    CHECK_OK(read_defects("", bad));
    for (int i = 0; i < 24; i++) CHECK(bad[i] == 0);
}

static void strange_defects_are_refused(void)
{
    static const struct {
        const char *text, *message;
        qn_status status;
    } wrong[] = {
        {"1 1 1 1\n1 2 3\n", "defects.txt: line 2 is \"1 2 3\"; expected a rectangle", QN_BAD_FORMAT},
        {"1 1 1 1 1", "line 1 is \"1 1 1 1 1\"", QN_BAD_FORMAT},
        {"1 1 1 1.5", "line 1 is", QN_BAD_FORMAT},
        {"5 1 2 1", "line 1: the rectangle x 5, y 1, w 2, h 1 is not in the frame; expected one inside 6 x 4 pixels",
         QN_BAD_FORMAT},
        {"0 4 1 1", "is not in the frame", QN_BAD_FORMAT},
        {"0 0 0 1", "is not in the frame", QN_BAD_FORMAT},
        {"-1 0 1 1", "is not in the frame", QN_BAD_FORMAT},
        {"0 0 2000000000 1", "line 1", QN_BAD_FORMAT},
        {"CameraSizeX 5760\nCameraSizeY 4092\n", "SerialEM's list of defects", QN_UNSUPPORTED},
        {"\nBadColumns 1 2 3\n", "clip defect", QN_UNSUPPORTED},
        {"hello", "line 1 is \"hello\"; expected a rectangle", QN_BAD_FORMAT},
    };
    unsigned char bad[24];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(read_defects(wrong[i].text, bad), wrong[i].status);
        CHECK_MESSAGE_HAS(wrong[i].message);
    }
    CHECK_FAILS(qn_defects_read(path_of("absent.txt"), 6, 4, bad), QN_NOT_FOUND);
}

static void maps_mark_all_that_is_not_zero(void)
{
    const int counts[3] = {6, 4, 1};
    unsigned char bad[24] = {0};
    qn_volume *volume;
    CHECK_OK(qn_volume_create(counts, 1, &volume));
    volume->values[1] = 1;
    volume->values[8] = -0.5f;
    volume->values[23] = NAN;
    CHECK_OK(qn_volume_write(volume, NULL, path_of("map.mrc")));
    qn_volume_destroy(&volume);
    CHECK_OK(qn_defects_read(path_of("map.mrc"), 6, 4, bad));
    for (int i = 0; i < 24; i++) CHECK(bad[i] == (i == 1 || i == 8 || i == 23));
    CHECK_FAILS(qn_defects_read(path_of("map.mrc"), 5, 4, bad), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("map.mrc: the map of defects has 6 x 4 pixels; expected 5 x 4");
}

/* ---- for other programs ---- */

static void write_dm_files(const char *folder)
{
    for (int s = 0; s < DM_SORTS; s++)
        for (int wide = 0; wide < 2; wide++) {
            char path[700];
            dm_bytes made = make_dm(&dm_sorts[s], wide, true, 2, 1); /* ncempy expects more of thumbnails */
            qn_gain_file file;
            snprintf(path, sizeof path, "%s/%s.dm%d", folder, dm_sorts[s].name, wide ? 4 : 3);
            CHECK_OK(qn_file_write(path, made.text.data, made.text.length));
            CHECK_OK(qn_gain_file_read(path, &file));
            snprintf(path, sizeof path, "%s/%s.dm%d.floats", folder, dm_sorts[s].name, wide ? 4 : 3);
            CHECK_OK(qn_file_write(path, file.values, PIXELS * sizeof *file.values));
            qn_gain_file_clear(&file);
            qn_text_clear(&made.text);
        }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        write_dm_files(argv[2]);
        return check_finish();
    }
    RUN(mrc_files_are_used_as_stored);
    RUN(tiff_rows_are_turned_over_but_in_gain_files);
    RUN(strange_tiff_files_are_refused);
    RUN(dm_files_have_their_rows_turned_over);
    RUN(damaged_dm_files_are_refused);
    RUN(strange_dm_files_are_refused);
    RUN(rectangles_are_marked);
    RUN(strange_defects_are_refused);
    RUN(maps_mark_all_that_is_not_zero);
    return check_finish();
}
