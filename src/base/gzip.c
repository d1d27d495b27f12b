#define ZLIB_CONST
#include "base/gzip.h"

#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

bool qn_is_gzip(const char *data, size_t size)
{
    return size >= 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

typedef struct unpacking {
    z_stream stream;
    const char *data;
    size_t size, taken; /* bytes of the packed data: all of them, and those unpacked so far */
    void *plain;
    size_t length, capacity;
} unpacking;

/* Call inflate once, with as much input and output space as zlib's 32-bit counters can express. */
static qn_status step(unpacking *u, int *result)
{
    const size_t piece = (size_t)1 << 30;
    QN_TRY(qn_grow(&u->plain, &u->capacity, u->length + 65536, 1));
    size_t room = u->capacity - u->length, input = u->size - u->taken;
    if (room > piece) room = piece;
    if (input > piece) input = piece;
    u->stream.next_in = (const Bytef *)u->data + u->taken;
    u->stream.avail_in = (uInt)input;
    u->stream.next_out = (Bytef *)u->plain + u->length;
    u->stream.avail_out = (uInt)room;
    *result = inflate(&u->stream, Z_NO_FLUSH);
    u->taken += input - u->stream.avail_in;
    u->length += room - u->stream.avail_out;
    return QN_OK;
}

static qn_status unpack_members(const char *name, unpacking *u, size_t most_bytes)
{
    int result = Z_OK;
    for (;;) {
        QN_TRY(step(u, &result));
        if (u->length > most_bytes)
            return QN_FAIL(QN_BAD_FORMAT, "%s: unpacks to more than %zu MiB", name, most_bytes >> 20);
        if (result == Z_STREAM_END) {
            /* Bytes after the last member (padding) are ignored. */
            if (!qn_is_gzip(u->data + u->taken, u->size - u->taken)) return QN_OK;
            if (inflateReset(&u->stream) != Z_OK) return QN_FAIL(QN_INTERNAL, "%s: zlib cannot be reset", name);
        } else if (result != Z_OK) {
            return QN_FAIL(QN_BAD_FORMAT, "%s: the gzipped data is damaged or cut off (after %zu of its %zu bytes)",
                           name, u->taken, u->size);
        }
    }
}

qn_status qn_gzip_unpack(const char *name, const char *data, size_t size, size_t most_bytes, char **plain,
                         size_t *plain_size)
{
    unpacking u = {.data = data, .size = size};
    *plain = NULL;
    *plain_size = 0;
    if (inflateInit2(&u.stream, MAX_WBITS + 16) != Z_OK)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: cannot begin to unpack gzipped data", name);
    qn_status status = unpack_members(name, &u, most_bytes);
    inflateEnd(&u.stream);
    if (status != QN_OK) {
        qn_release(&u.plain);
        return status;
    }
    *plain = u.plain;
    *plain_size = u.length;
    return QN_OK;
}
