#include "picture.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

static check_picture decoded; /* result of the last call */

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Undo filters 0 (unchanged) and 1 (difference to the pixel on the left) in all rows. */
static int undo_filters(const unsigned char *rows, check_picture *to)
{
    const size_t row_bytes = (size_t)to->width * (size_t)to->channels;
    for (int y = 0; y < to->height; y++) {
        const unsigned char *row = rows + (size_t)y * (row_bytes + 1);
        unsigned char *pixels = to->pixels + (size_t)y * row_bytes;
        if (row[0] > 1) return 0;
        for (size_t i = 0; i < row_bytes; i++) {
            const int left = row[0] == 1 && i >= (size_t)to->channels ? pixels[i - (size_t)to->channels] : 0;
            pixels[i] = (unsigned char)(row[i + 1] + left);
        }
    }
    return 1;
}

static int read_header(const unsigned char *content, size_t length)
{
    if (length != 13 || content[8] != 8 || content[10] || content[11] || content[12]) return 0;
    decoded.width = (int)number_at(content);
    decoded.height = (int)number_at(content + 4);
    decoded.channels = content[9] == 0 ? 1 : content[9] == 2 ? 3 : 0;
    return 1;
}

static int read_pixels(const unsigned char *content, size_t length)
{
    static unsigned char rows[1 << 20];
    uLongf unpacked = sizeof rows;
    const uLongf expected = (uLongf)decoded.height * ((uLongf)decoded.width * (uLongf)decoded.channels + 1);
    return uncompress(rows, &unpacked, content, (uLong)length) == Z_OK && unpacked == expected &&
           undo_filters(rows, &decoded);
}

/* Returns nonzero if the picture has one IHDR, one IDAT and one IEND, each with its checksum, and nothing after the
 * last. */
static int is_read(const unsigned char *bytes, size_t size)
{
    static const char *const kinds[] = {"IHDR", "IDAT", "IEND"};
    size_t at = 8;
    if (size < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) return 0;
    for (int i = 0; i < 3; i++) {
        if (at + 12 > size) return 0;
        const size_t length = number_at(bytes + at);
        const unsigned char *content = bytes + at + 8;
        if (at + 12 + length > size || memcmp(bytes + at + 4, kinds[i], 4) != 0) return 0;
        if (number_at(content + length) != crc32(0, bytes + at + 4, (uInt)length + 4)) return 0;
        if (i == 0 && !read_header(content, length)) return 0;
        if (i == 1 && !read_pixels(content, length)) return 0;
        at += 12 + length;
    }
    return at == size;
}

const check_picture *picture_decode(const unsigned char *bytes, size_t size)
{
    if (!is_read(bytes, size)) decoded.width = 0;
    return &decoded;
}

const check_picture *picture_of(const char *page, int index)
{
    static const char key[] = "data:image/png;base64,";
    static unsigned char bytes[1 << 20];
    size_t size = 0;
    unsigned group = 0, digits = 0;
    for (; index >= 0 && page; index--) page = (page = strstr(page, key)) ? page + strlen(key) : NULL;
    for (; page && *page && *page != '"' && *page != '='; page++) {
        static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        group = group << 6 | (unsigned)(strchr(alphabet, *page) - alphabet);
        if (++digits % 4 != 1) bytes[size++] = (unsigned char)(group >> (6 - 2 * ((digits - 1) % 4)));
    }
    return picture_decode(bytes, size);
}
