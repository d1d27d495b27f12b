/* Binary arrays of VTK's XML format: a header of numbers and the data, in base64 or not. Plain data has its number of
 * bytes as the header. Compressed data has the number of blocks, the size of a block, the size of the last block if it
 * is another (else 0), and the compressed size of each block. Some writers put header and data into one run of base64,
 * some into two, each with its padding; both give the same bytes when padding may stand anywhere. */
#define ZLIB_CONST
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/mesh/vtu.h"

/* A byte of deflated data gives at most 1032 bytes (RFC 1951: 258 for two bits). */
enum { LARGEST_RATIO = 1032 };

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Decode the next four characters into one to three bytes; returns their number, 0 at the end or at an error. */
static int decode_four(qn_vtu_bytes *bytes, unsigned char decoded[3])
{
    int digits[4], count = 0, padding = 0;
    while (count + padding < 4) {
        while (bytes->at < bytes->end && is_blank(*bytes->at)) bytes->at++;
        if (bytes->at == bytes->end) return 0;
        const char c = *bytes->at++;
        if (c == '=') {
            padding++;
            continue;
        }
        digits[count] = digit_of(c);
        if (padding > 0 || digits[count] < 0) return 0;
        count++;
    }
    if (count < 2) return 0;
    decoded[0] = (unsigned char)(digits[0] << 2 | digits[1] >> 4);
    if (count > 2) decoded[1] = (unsigned char)(digits[1] << 4 | digits[2] >> 2);
    if (count > 3) decoded[2] = (unsigned char)(digits[2] << 6 | digits[3]);
    return count - 1;
}

bool qn_vtu_take(qn_vtu_bytes *bytes, void *data, size_t size)
{
    unsigned char *to = data;
    if (!bytes->base64) {
        if ((size_t)(bytes->end - bytes->at) < size) return false;
        if (size > 0) memcpy(data, bytes->at, size);
        bytes->at += size;
        return true;
    }
    while (size > 0) {
        unsigned char decoded[3];
        if (bytes->rest_count > 0) {
            *to++ = bytes->rest[0];
            bytes->rest[0] = bytes->rest[1];
            bytes->rest_count--;
            size--;
            continue;
        }
        const int count = decode_four(bytes, decoded);
        if (count == 0) return false;
        *to++ = decoded[0];
        size--;
        bytes->rest_count = count - 1;
        memcpy(bytes->rest, decoded + 1, sizeof bytes->rest);
    }
    return true;
}

static qn_status take_number(const qn_vtu_encoding *encoding, const char *name, qn_vtu_bytes *bytes, uint64_t *number)
{
    unsigned char stored[8];
    const int size = encoding->header_bytes;
    if (!qn_vtu_take(bytes, stored, (size_t)size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the data of array \"%s\" ends; expected its size", encoding->path, name);
    *number = 0;
    for (int i = 0; i < size; i++) *number |= (uint64_t)stored[i] << 8 * (encoding->swapped ? size - 1 - i : i);
    return QN_OK;
}

/* Bytes that are left, at most. */
static uint64_t room_of(const qn_vtu_bytes *bytes)
{
    const uint64_t left = (uint64_t)(bytes->end - bytes->at);
    return (bytes->base64 ? left / 4 * 3 : left) + (uint64_t)bytes->rest_count;
}

static qn_status take_data(const qn_vtu_encoding *encoding, const char *name, qn_vtu_bytes *bytes, uint64_t size,
                           qn_text *data)
{
    void *memory = data->data;
    if (size > room_of(bytes))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: array \"%s\" has %" PRIu64 " bytes; expected at most %" PRIu64 ", which the file has",
                       encoding->path, name, size, room_of(bytes));
    const qn_status status = qn_grow(&memory, &data->capacity, data->length + (size_t)size + 1, 1);
    data->data = memory;
    QN_TRY(status);
    if (!qn_vtu_take(bytes, data->data + data->length, (size_t)size))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the data of array \"%s\" is cut off or no base64; expected %" PRIu64 " bytes",
                       encoding->path, name, size);
    data->length += (size_t)size;
    return QN_OK;
}

/* ---- compressed blocks ---- */

static qn_status inflate_block(const qn_vtu_encoding *encoding, const char *name, const qn_text *packed, uint64_t size,
                               qn_text *data)
{
    void *memory = data->data;
    if (size > (uint64_t)packed->length * LARGEST_RATIO || packed->length > UINT32_MAX || size > UINT32_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: array \"%s\" has a block of %" PRIu64 " bytes in %zu packed ones",
                       encoding->path, name, size, packed->length);
    const qn_status status = qn_grow(&memory, &data->capacity, data->length + (size_t)size + 1, 1);
    data->data = memory;
    QN_TRY(status);
    uLongf length = (uLongf)size;
    const int result =
        uncompress((Bytef *)data->data + data->length, &length, (const Bytef *)packed->data, (uLong)packed->length);
    if (result != Z_OK || length != size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the compressed data of array \"%s\" is damaged; expected %" PRIu64 " bytes",
                       encoding->path, name, size);
    data->length += (size_t)size;
    return QN_OK;
}

typedef struct blocks {
    uint64_t count, size, last_size;
    qn_vtu_bytes sizes; /* where the compressed sizes begin */
} blocks;

static qn_status decode_blocks(const qn_vtu_encoding *encoding, const char *name, blocks *b, qn_vtu_bytes *bytes,
                               qn_text *packed, qn_text *data)
{
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t stored;
        QN_TRY(take_number(encoding, name, &b->sizes, &stored));
        packed->length = 0;
        QN_TRY(take_data(encoding, name, bytes, stored, packed));
        QN_TRY(inflate_block(encoding, name, packed, i + 1 < b->count || b->last_size == 0 ? b->size : b->last_size,
                             data));
    }
    return QN_OK;
}

static qn_status decode_compressed(const qn_vtu_encoding *encoding, const char *name, qn_vtu_bytes *bytes,
                                   qn_text *data)
{
    blocks b;
    uint64_t stored;
    qn_text packed = {0};
    QN_TRY(take_number(encoding, name, bytes, &b.count));
    QN_TRY(take_number(encoding, name, bytes, &b.size));
    QN_TRY(take_number(encoding, name, bytes, &b.last_size));
    b.sizes = *bytes;
    for (uint64_t i = 0; i < b.count; i++) QN_TRY(take_number(encoding, name, bytes, &stored));
    /* where header and data are one run, bytes of the data are left of the header's last four characters */
    const qn_status status = decode_blocks(encoding, name, &b, bytes, &packed, data);
    qn_text_clear(&packed);
    return status;
}

qn_status qn_vtu_decode(const qn_vtu_encoding *encoding, const char *name, qn_vtu_bytes bytes, qn_text *data)
{
    uint64_t size;
    data->length = 0;
    if (encoding->compressed) return decode_compressed(encoding, name, &bytes, data);
    QN_TRY(take_number(encoding, name, &bytes, &size));
    return take_data(encoding, name, &bytes, size, data);
}
