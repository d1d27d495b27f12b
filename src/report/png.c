#include "report/png.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

/* The level of zlib. The best one takes five times as long and makes pictures a tenth smaller. */
enum { PIXELS_MAX = 1 << 24, GREY = 0, COLOURED = 2, LEFT_PIXEL = 1, PACKING_LEVEL = 6 };

static void store(uint32_t value, unsigned char bytes[4])
{
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Append a chunk: length, kind, content, and the checksum of kind and content. */
static qn_status append_chunk(qn_text *png, const char kind[4], const unsigned char *content, size_t size)
{
    unsigned char number[4];
    uLong sum = crc32(0, (const unsigned char *)kind, 4);
    if (size) sum = crc32_z(sum, content, size);
    store((uint32_t)size, number);
    QN_TRY(qn_text_append_bytes(png, number, 4));
    QN_TRY(qn_text_append_bytes(png, kind, 4));
    if (size) QN_TRY(qn_text_append_bytes(png, content, size));
    store((uint32_t)sum, number);
    return qn_text_append_bytes(png, number, 4);
}

/* Write each row as differences from the pixel to the left: smooth pictures compress better this way. */
static void filter_rows(const unsigned char *pixels, size_t row_bytes, int height, int channels, unsigned char *rows)
{
    const size_t step = (size_t)channels;
    for (int y = 0; y < height; y++) {
        const unsigned char *from = pixels + (size_t)y * row_bytes;
        unsigned char *to = rows + (size_t)y * (row_bytes + 1);
        *to++ = LEFT_PIXEL;
        for (size_t i = 0; i < row_bytes; i++) to[i] = (unsigned char)(from[i] - (i < step ? 0 : from[i - step]));
    }
}

/* Compression can fail only for lack of memory, because the result's buffer is large enough. */
static qn_status cannot_pack(void)
{
    return QN_FAIL(QN_OUT_OF_MEMORY, "a picture cannot be compressed: memory is exhausted");
}

static qn_status append_pixels(qn_text *png, const unsigned char *pixels, size_t row_bytes, int height, int channels)
{
    const size_t size = (row_bytes + 1) * (size_t)height;
    uLongf packed_size = compressBound((uLong)size);
    void *rows = NULL, *packed = NULL;
    qn_status status = qn_allocate(size, 1, &rows);
    if (status == QN_OK) status = qn_allocate(packed_size, 1, &packed);
    if (status == QN_OK) {
        filter_rows(pixels, row_bytes, height, channels, rows);
        status = compress2(packed, &packed_size, rows, (uLong)size, PACKING_LEVEL) == Z_OK
                     ? append_chunk(png, "IDAT", packed, packed_size)
                     : cannot_pack();
    }
    qn_release(&packed);
    qn_release(&rows);
    return status;
}

qn_status qn_png_append(qn_text *png, const unsigned char *pixels, int width, int height, int channels)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {[8] = 8, [9] = channels == 1 ? GREY : COLOURED};
    if (width < 1 || height < 1 || width > PIXELS_MAX || height > PIXELS_MAX || (channels != 1 && channels != 3))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a picture of %d x %d pixels of %d channels; expected 1 to 2^24 and 1 or 3",
                       width, height, channels);
    store((uint32_t)width, header);
    store((uint32_t)height, header + 4);
    QN_TRY(qn_text_append_bytes(png, signature, sizeof signature));
    QN_TRY(append_chunk(png, "IHDR", header, sizeof header));
    QN_TRY(append_pixels(png, pixels, (size_t)width * (size_t)channels, height, channels));
    return append_chunk(png, "IEND", NULL, 0);
}
