#include "format/topology/tpr_bytes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static qn_status take(qn_tpr_bytes *bytes, const char *what, size_t size, const unsigned char **taken)
{
    if (bytes->size - bytes->at < size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: the file ends inside of %s", bytes->path, bytes->at, what);
    *taken = (const unsigned char *)bytes->data + bytes->at;
    bytes->at += size;
    return QN_OK;
}

static uint32_t bits32(const unsigned char *taken)
{
    return (uint32_t)taken[0] << 24 | (uint32_t)taken[1] << 16 | (uint32_t)taken[2] << 8 | (uint32_t)taken[3];
}

static uint64_t bits64(const unsigned char *taken)
{
    return (uint64_t)bits32(taken) << 32 | bits32(taken + 4);
}

qn_status qn_tpr_whole(qn_tpr_bytes *bytes, const char *what, int *value)
{
    const unsigned char *taken = NULL;
    QN_TRY(take(bytes, what, 4, &taken));
    uint32_t bits = bits32(taken);
    memcpy(value, &bits, sizeof bits);
    return QN_OK;
}

qn_status qn_tpr_whole64(qn_tpr_bytes *bytes, const char *what, int64_t *value)
{
    const unsigned char *taken = NULL;
    QN_TRY(take(bytes, what, 8, &taken));
    uint64_t bits = bits64(taken);
    memcpy(value, &bits, sizeof bits);
    return QN_OK;
}

qn_status qn_tpr_real(qn_tpr_bytes *bytes, const char *what, double *value)
{
    const unsigned char *taken = NULL;
    QN_TRY(take(bytes, what, qn_tpr_real_size(bytes), &taken));
    if (bytes->is_double) {
        uint64_t bits = bits64(taken);
        memcpy(value, &bits, sizeof bits);
    } else {
        uint32_t bits = bits32(taken);
        float number;
        memcpy(&number, &bits, sizeof bits);
        *value = (double)number;
    }
    return QN_OK;
}

qn_status qn_tpr_length(qn_tpr_bytes *bytes, const char *what, double *value)
{
    const double largest = 1e6;
    size_t at = bytes->at;
    QN_TRY(qn_tpr_real(bytes, what, value));
    if (!(fabs(*value) <= largest))
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %g in %s; expected a number of at most %g", bytes->path, at,
                       *value, what, largest);
    return QN_OK;
}

/* XDR stores the length twice: with the terminating zero byte, and without it, before the letters. */
qn_status qn_tpr_string(qn_tpr_bytes *bytes, const char *what, qn_tpr_text *text)
{
    const unsigned char *taken = NULL;
    size_t at = bytes->at;
    int64_t length;
    if (bytes->packed) {
        QN_TRY(qn_tpr_whole64(bytes, what, &length));
    } else {
        int with_zero, without;
        QN_TRY(qn_tpr_whole(bytes, what, &with_zero));
        QN_TRY(qn_tpr_whole(bytes, what, &without));
        length = without;
    }
    if (length < 0 || (uint64_t)length > bytes->size - bytes->at)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %s of %lld letters in a file of %zu bytes", bytes->path, at, what,
                       (long long)length, bytes->size);
    text->length = (size_t)length;
    QN_TRY(take(bytes, what, bytes->packed ? text->length : (text->length + 3) / 4 * 4, &taken));
    text->text = (const char *)taken;
    return QN_OK;
}

qn_status qn_tpr_count(qn_tpr_bytes *bytes, const char *what, size_t unit, size_t *count)
{
    size_t at = bytes->at;
    int number;
    QN_TRY(qn_tpr_whole(bytes, what, &number));
    if (number < 0 || (unit > 0 && (size_t)number > (bytes->size - bytes->at) / unit))
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %s: %d of them in the %zu bytes that are left", bytes->path, at,
                       what, number, bytes->size - bytes->at);
    *count = (size_t)number;
    return QN_OK;
}

qn_status qn_tpr_skip(qn_tpr_bytes *bytes, const char *what, size_t count, size_t unit)
{
    if (unit > 0 && count > (bytes->size - bytes->at) / unit)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: the file ends inside of %s", bytes->path, bytes->at, what);
    bytes->at += count * unit;
    return QN_OK;
}

size_t qn_tpr_real_size(const qn_tpr_bytes *bytes)
{
    return bytes->is_double ? 8 : 4;
}

size_t qn_tpr_short_size(const qn_tpr_bytes *bytes)
{
    return bytes->packed ? 2 : 4;
}

size_t qn_tpr_byte_size(const qn_tpr_bytes *bytes)
{
    return bytes->packed ? 1 : 4;
}
