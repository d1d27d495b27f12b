/* BigTIFF files put together byte by byte according to the published layout, independently of libtiff, and EER frames
 * encoded electron by electron. */
#ifndef QN_FORMAT_MOVIE_TESTS_TIFF_BYTES_H
#define QN_FORMAT_MOVIE_TESTS_TIFF_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "check.h"

enum { ENTRIES_MAX = 16, BYTES_TYPE = 7, SHORT_TYPE = 3, LONG_TYPE = 4, LONG8_TYPE = 16 };

/* A file that grows; directories are chained in the order in which they are added. */
typedef struct tiff_bytes {
    unsigned char *data;
    size_t size, capacity;
    size_t link; /* where the place of the next directory goes */
} tiff_bytes;

/* An entry of a directory: one value, or `size` bytes of data. */
typedef struct tiff_entry {
    uint32_t tag;
    int type;
    uint64_t value;
    const void *bytes;
    size_t size;
} tiff_entry;

static inline void tiff_append(tiff_bytes *file, const void *bytes, size_t size)
{
    if (file->size + size > file->capacity) {
        file->capacity = 2 * (file->size + size);
        file->data = realloc(file->data, file->capacity);
    }
    if (size) memcpy(file->data + file->size, bytes, size);
    file->size += size;
}

static inline void tiff_put(tiff_bytes *file, uint64_t value, int bytes)
{
    unsigned char little[8];
    for (int i = 0; i < bytes; i++) little[i] = (unsigned char)(value >> 8 * i);
    tiff_append(file, little, (size_t)bytes);
}

static inline void tiff_set(tiff_bytes *file, size_t at, uint64_t value)
{
    for (int i = 0; i < 8; i++) file->data[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

static inline tiff_bytes tiff_begin(void)
{
    tiff_bytes file = {0};
    tiff_append(&file, "II\x2b\0\x08\0\0\0", 8);
    file.link = file.size;
    tiff_put(&file, 0, 8);
    return file;
}

/* Append a directory whose entries are in ascending order of tags; data of entries longer than 8 bytes come before it.
 */
static inline void tiff_directory(tiff_bytes *file, const tiff_entry *entries, int count)
{
    uint64_t places[ENTRIES_MAX];
    for (int i = 0; i < count; i++) {
        places[i] = file->size;
        if (entries[i].bytes && entries[i].size > 8) tiff_append(file, entries[i].bytes, entries[i].size);
    }
    tiff_set(file, file->link, file->size);
    tiff_put(file, (uint64_t)count, 8);
    for (int i = 0; i < count; i++) {
        const tiff_entry *e = &entries[i];
        tiff_put(file, e->tag, 2);
        tiff_put(file, (uint64_t)e->type, 2);
        tiff_put(file, e->bytes ? e->size : 1, 8);
        uint64_t value = e->value;
        if (e->bytes && e->size <= 8) memcpy(&value, e->bytes, e->size);
        tiff_put(file, e->bytes && e->size > 8 ? places[i] : value, 8);
    }
    file->link = file->size;
    tiff_put(file, 0, 8);
}

/* Write the file to the scratch folder; returns a static buffer. */
static inline const char *tiff_save(const tiff_bytes *file, const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, file->data, file->size));
    return path;
}

static inline void tiff_free(tiff_bytes *file)
{
    free(file->data);
    *file = (tiff_bytes){0};
}

/* Bits are appended from the lowest bit of each byte on. */
typedef struct bit_stream {
    unsigned char *bytes;
    size_t bits, capacity;
} bit_stream;

static inline void bits_append(bit_stream *stream, uint32_t value, int count)
{
    for (int i = 0; i < count; i++, stream->bits++) {
        if (stream->bits / 8 >= stream->capacity) {
            const size_t capacity = 2 * stream->capacity + 64;
            stream->bytes = realloc(stream->bytes, capacity);
            memset(stream->bytes + stream->capacity, 0, capacity - stream->capacity);
            stream->capacity = capacity;
        }
        if (value >> i & 1) stream->bytes[stream->bits / 8] |= (unsigned char)(1 << stream->bits % 8);
    }
}

static inline size_t bits_bytes(const bit_stream *stream)
{
    return (stream->bits + 7) / 8;
}

/* An electron in quarters of a camera pixel from the frame's corner. */
typedef struct electron {
    uint32_t x4, y4;
} electron;

typedef struct eer_coding {
    int compression, run_bits, x_bits, y_bits;
} eer_coding;

/* Encode electrons that are sorted by camera pixel, at most one a pixel. The stored place has `bits` of the quarter,
 * the highest bit inverted. */
static inline bit_stream eer_encode(const eer_coding *coding, uint32_t width, uint32_t height,
                                    const electron *electrons, size_t count)
{
    const uint32_t pass = (1u << coding->run_bits) - 1, end = width * height;
    bit_stream stream = {0};
    uint32_t at = 0;
    for (size_t i = 0; i <= count; i++) {
        const uint32_t pixel = i < count ? electrons[i].y4 / 4 * width + electrons[i].x4 / 4 : end;
        for (; pixel - at >= pass; at += pass) {
            bits_append(&stream, pass, coding->run_bits);
            if (coding->compression == 65000) bits_append(&stream, 0, coding->x_bits + coding->y_bits);
        }
        bits_append(&stream, pixel - at, coding->run_bits);
        at = pixel + 1;
        if (i == count) break;
        const uint32_t x = electrons[i].x4 % 4 >> (2 - coding->x_bits), y = electrons[i].y4 % 4 >> (2 - coding->y_bits);
        bits_append(&stream, x ^ 1u << (coding->x_bits - 1), coding->x_bits);
        bits_append(&stream, y ^ 1u << (coding->y_bits - 1), coding->y_bits);
    }
    return stream;
}

/* Append an EER frame: its data, then its directory. `metadata` may be NULL. */
static inline void eer_frame_append(tiff_bytes *file, const eer_coding *coding, uint32_t width, uint32_t height,
                                    const unsigned char *data, size_t size, const char *metadata)
{
    const uint64_t place = file->size;
    tiff_entry entries[ENTRIES_MAX] = {{256, LONG_TYPE, width, NULL, 0},
                                       {257, LONG_TYPE, height, NULL, 0},
                                       {259, SHORT_TYPE, (uint64_t)coding->compression, NULL, 0},
                                       {273, LONG8_TYPE, place, NULL, 0},
                                       {278, LONG_TYPE, height, NULL, 0},
                                       {279, LONG8_TYPE, size, NULL, 0}};
    int count = 6;
    if (metadata) entries[count++] = (tiff_entry){65001, BYTES_TYPE, 0, metadata, strlen(metadata)};
    if (coding->compression == 65002) {
        entries[count++] = (tiff_entry){65007, SHORT_TYPE, (uint64_t)coding->run_bits, NULL, 0};
        entries[count++] = (tiff_entry){65008, SHORT_TYPE, (uint64_t)coding->x_bits, NULL, 0};
        entries[count++] = (tiff_entry){65009, SHORT_TYPE, (uint64_t)coding->y_bits, NULL, 0};
    }
    tiff_append(file, data, size);
    tiff_directory(file, entries, count);
}

/* Append an uncompressed image of bytes, as the sum of frames that a camera adds. */
static inline void eer_sum_append(tiff_bytes *file, uint32_t width, uint32_t height)
{
    const uint64_t place = file->size;
    const tiff_entry entries[] = {
        {256, LONG_TYPE, width, NULL, 0},  {257, LONG_TYPE, height, NULL, 0},
        {258, SHORT_TYPE, 8, NULL, 0},     {259, SHORT_TYPE, 1, NULL, 0},
        {262, SHORT_TYPE, 1, NULL, 0},     {273, LONG8_TYPE, place, NULL, 0},
        {278, LONG_TYPE, height, NULL, 0}, {279, LONG8_TYPE, (uint64_t)width * height, NULL, 0}};
    unsigned char *data = calloc(width, height);
    tiff_append(file, data, (size_t)width * height);
    free(data);
    tiff_directory(file, entries, 8);
}

#endif
