/* DM3 and DM4 files put together tag by tag, independently of the code under test. */
#ifndef QN_FORMAT_MOVIE_TESTS_DM_FILES_H
#define QN_FORMAT_MOVIE_TESTS_DM_FILES_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "check.h"

typedef struct dm_bytes {
    qn_text text;
    bool wide;          /* DM4 */
    bool little_endian; /* of data */
} dm_bytes;

static void dm_put(dm_bytes *file, uint64_t value, int bytes, bool little_endian)
{
    unsigned char out[8];
    for (int i = 0; i < bytes; i++) out[little_endian ? i : bytes - 1 - i] = (unsigned char)(value >> 8 * i);
    CHECK_OK(qn_text_append_bytes(&file->text, out, (size_t)bytes));
}

static void dm_count(dm_bytes *file, uint64_t value)
{
    dm_put(file, value, file->wide ? 8 : 4, false);
}

/* Begin a tag; DM4 has its size in bytes, which readers do not need. */
static void dm_tag(dm_bytes *file, int sort, const char *name)
{
    dm_put(file, (uint64_t)sort, 1, false);
    dm_put(file, strlen(name), 2, false);
    CHECK_OK(qn_text_append_bytes(&file->text, name, strlen(name)));
    if (file->wide) dm_put(file, 0, 8, false);
}

static void dm_group(dm_bytes *file, const char *name, int tags)
{
    if (name) dm_tag(file, 20, name);
    dm_put(file, 1, 1, false);
    dm_put(file, 0, 1, false);
    dm_count(file, (uint64_t)tags);
}

static void dm_definition(dm_bytes *file, int count, const uint64_t *numbers)
{
    CHECK_OK(qn_text_append_bytes(&file->text, "%%%%", 4));
    dm_count(file, (uint64_t)count);
    for (int i = 0; i < count; i++) dm_count(file, numbers[i]);
}

static void dm_whole(dm_bytes *file, const char *name, int type, uint64_t value, int bytes)
{
    dm_tag(file, 21, name);
    dm_definition(file, 1, (const uint64_t[]){(uint64_t)type});
    dm_put(file, value, bytes, file->little_endian);
}

/* An array of `count` elements whose bits are values[i]. */
static void dm_array(dm_bytes *file, const char *name, int type, const uint64_t *values, size_t count, int bytes)
{
    dm_tag(file, 21, name);
    dm_definition(file, 3, (const uint64_t[]){20, (uint64_t)type, count});
    for (size_t i = 0; i < count; i++) dm_put(file, values[i], bytes, file->little_endian);
}

/* The tags that Gatan's program writes about each axis. */
static void dm_calibrations(dm_bytes *file, int dimensions)
{
    dm_group(file, "Calibrations", 1);
    dm_group(file, "Dimension", dimensions);
    for (int k = 0; k < dimensions; k++) {
        dm_group(file, "", 3);
        dm_whole(file, "Origin", 6, 0, 4);
        dm_whole(file, "Scale", 6, 0x3f800000, 4);
        dm_array(file, "Units", 4, (const uint64_t[]){'n', 'm'}, 2, 2);
    }
}

/* An entry of ImageList: four tags that matter and, between them, a struct, an array of structs and a text. */
static void dm_image(dm_bytes *file, int data_type, int type, int bytes, const int size[3], int dimensions,
                     const uint64_t *values)
{
    size_t count = 1;
    for (int k = 0; k < dimensions; k++) count *= (size_t)size[k];
    dm_group(file, "", 2);
    dm_group(file, "ImageData", 6);
    dm_calibrations(file, dimensions);
    dm_tag(file, 21, "Range"); /* a struct of a short and a double */
    dm_definition(file, 7, (const uint64_t[]){15, 0, 2, 0, 2, 0, 7});
    dm_put(file, 7, 2, file->little_endian);
    dm_put(file, 8, 8, file->little_endian);
    dm_array(file, "Data", type, values, count, bytes);
    dm_whole(file, "DataType", 5, (uint64_t)data_type, 4);
    dm_group(file, "Dimensions", dimensions);
    for (int k = 0; k < dimensions; k++) dm_whole(file, "", 5, (uint64_t)size[k], 4);
    dm_whole(file, "PixelDepth", 5, (uint64_t)bytes, 4);
    dm_tag(file, 21, "Places"); /* two structs of two longs */
    dm_definition(file, 9, (const uint64_t[]){20, 15, 0, 2, 0, 3, 0, 3, 2});
    for (int i = 0; i < 4; i++) dm_put(file, 5, 4, file->little_endian);
}

/* Header, and the root with a text, a number, and the list of the `images` images that follow. */
static dm_bytes dm_begin(bool wide, bool little_endian, int images)
{
    dm_bytes file = {.wide = wide, .little_endian = little_endian};
    dm_put(&file, wide ? 4 : 3, 4, false);
    dm_count(&file, 0);
    dm_put(&file, little_endian, 4, false);
    dm_group(&file, NULL, 3);
    dm_array(&file, "Name", 4, (const uint64_t[]){'g', 'a', 'i', 'n'}, 4, 2);
    dm_whole(&file, images == 1 ? "Number" : "DataType", 5, 23, 4); /* outside an image: without meaning */
    dm_group(&file, "ImageList", images);
    return file;
}

#endif
