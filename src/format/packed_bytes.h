/* Numbers as packed libraries store them: little endian, whole numbers in as few bytes as possible. */
#ifndef QN_FORMAT_PACKED_BYTES_H
#define QN_FORMAT_PACKED_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* The bytes left to read. `damaged` is set when a read goes past the end; all further reads give 0. */
typedef struct qn_packed_cursor {
    const unsigned char *next, *end;
    bool damaged;
} qn_packed_cursor;

static inline uint64_t qn_packed_little(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static inline void qn_packed_store(uint64_t value, int count, unsigned char *bytes)
{
    for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static inline QN_MUST_CHECK qn_status qn_packed_put(qn_text *text, uint64_t value, int count)
{
    unsigned char bytes[8];
    qn_packed_store(value, count, bytes);
    return qn_text_append_bytes(text, bytes, (size_t)count);
}

/* Append a number with seven bits per byte, low bits first; the eighth bit is set where more bytes follow. */
static inline QN_MUST_CHECK qn_status qn_packed_put_whole(qn_text *text, uint64_t value)
{
    unsigned char bytes[10];
    size_t count = 0;
    for (; value > 127; value >>= 7) bytes[count++] = (unsigned char)(value | 128);
    bytes[count++] = (unsigned char)value;
    return qn_text_append_bytes(text, bytes, count);
}

static inline uint64_t qn_packed_get(qn_packed_cursor *cursor, int count)
{
    if (cursor->end - cursor->next < count) {
        cursor->damaged = true;
        cursor->next = cursor->end;
        return 0;
    }
    cursor->next += count;
    return qn_packed_little(cursor->next - count, count);
}

static inline uint64_t qn_packed_get_whole(qn_packed_cursor *cursor)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
        uint64_t byte = qn_packed_get(cursor, 1);
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
    }
    cursor->damaged = true;
    return 0;
}

/* Map signed numbers to unsigned ones: 0, −1, 1, −2 … → 0, 1, 2, 3 … */
static inline uint64_t qn_packed_fold(int64_t value)
{
    return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

static inline int64_t qn_packed_unfold(uint64_t value)
{
    return value & 1 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
}

#endif
