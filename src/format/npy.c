#include "format/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void qn_npy_header(qn_npy_type type, uint64_t rows, uint64_t columns, char header[QN_NPY_HEADER_BYTES])
{
    enum { DICTIONARY_AT = 10, DICTIONARY_BYTES = QN_NPY_HEADER_BYTES - DICTIONARY_AT };
    static const char mark[DICTIONARY_AT] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, DICTIONARY_BYTES, 0};
    static const char *const types[] = {[QN_NPY_FLOAT32] = "<f4", [QN_NPY_UINT16] = "<u2"};
    char shape[48], dictionary[DICTIONARY_BYTES + 1];
    if (columns > 0)
        snprintf(shape, sizeof shape, "%" PRIu64 ", %" PRIu64, rows, columns);
    else
        snprintf(shape, sizeof shape, "%" PRIu64 ",", rows);
    const int length = snprintf(dictionary, sizeof dictionary,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[type], shape);
    memcpy(header, mark, sizeof mark);
    memset(header + DICTIONARY_AT, ' ', DICTIONARY_BYTES);
    memcpy(header + DICTIONARY_AT, dictionary, (size_t)length);
    header[QN_NPY_HEADER_BYTES - 1] = '\n';
}

/* ---- reading ---- */

enum { DICTIONARY_MAX = 4096 };

/* Values of an array, at most; products of two sizes below it do not overflow. */
#define LARGEST (UINT64_C(1) << 32)

/* The value of a key of the dictionary, after blanks; NULL: there is none. */
static const char *find(const char *dictionary, const char *key)
{
    const char *at = strstr(dictionary, key);
    if (!at) return NULL;
    at += strlen(key);
    return at + strspn(at, " ");
}

static qn_status read_type(const char *name, const char *dictionary, qn_npy_array *array)
{
    static const char *const types[] = {"'<f4'", "'<f8'", "'<i4'", "'<i8'", "'<u2'"};
    const char *found = find(dictionary, "'descr':");
    for (size_t i = 0; found && i < sizeof types / sizeof *types; i++) {
        if (strncmp(found, types[i], strlen(types[i])) != 0) continue;
        array->type = types[i][2];
        array->value_bytes = types[i][3] - '0';
        return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s: its values are %.*s; expected '<f4', '<f8', '<i4', '<i8' or '<u2'", name,
                   found ? (int)strcspn(found, ",}") : 0, found ? found : "");
}

static qn_status read_order(const char *name, const char *dictionary, qn_npy_array *array)
{
    const char *found = find(dictionary, "'fortran_order':");
    array->by_columns = found && strncmp(found, "True", 4) == 0;
    if (array->by_columns || (found && strncmp(found, "False", 5) == 0)) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: has no 'fortran_order' of True or False", name);
}

static qn_status read_shape(const char *name, const char *dictionary, qn_npy_array *array)
{
    const char *found = find(dictionary, "'shape':"), *at = found;
    bool good = at && *at++ == '(';
    array->count = 1;
    while (good && *at != ')') {
        char *end;
        good = array->dimensions < 2 && *at >= '0' && *at <= '9';
        if (!good) break;
        const uint64_t size = strtoull(at, &end, 10);
        good = size < LARGEST && array->count * size < LARGEST;
        array->shape[array->dimensions++] = size;
        array->count *= good ? size : 0;
        at = end + strspn(end, " ");
        if (*at == ',')
            at += 1 + strspn(at + 1, " ");
        else
            good = good && *at == ')';
    }
    if (good) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: its shape is %.*s; expected at most two dimensions", name,
                   found ? (int)strcspn(found, ")}") + 1 : 0, found ? found : "");
}

qn_status qn_npy_parse(const char *name, const char *data, size_t size, qn_npy_array *array)
{
    const unsigned char *bytes = (const unsigned char *)data;
    char dictionary[DICTIONARY_MAX + 1];
    *array = (qn_npy_array){.type = 'f'};
    if (size < 12 || memcmp(data, "\x93NUMPY", 6) != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is no array of NumPy; expected a file that begins with \\x93NUMPY", name);
    const bool is_first = bytes[6] == 1; /* version 1 has a length of two bytes, later ones of four */
    const size_t at = is_first ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (!is_first) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - at) return QN_FAIL(QN_BAD_FORMAT, "%s: its header is cut short", name);
    if (length > DICTIONARY_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its header has %zu bytes; expected at most %d", name, length,
                       DICTIONARY_MAX);
    memcpy(dictionary, data + at, length);
    dictionary[length] = '\0';
    QN_TRY(read_type(name, dictionary, array));
    QN_TRY(read_order(name, dictionary, array));
    QN_TRY(read_shape(name, dictionary, array));
    array->values = data + at + length;
    if (size - at - length == array->count * (uint64_t)array->value_bytes) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes of values; expected %" PRIu64 " for its shape", name,
                   size - at - length, array->count * (uint64_t)array->value_bytes);
}

double qn_npy_value(const qn_npy_array *array, uint64_t index)
{
    union {
        char bytes[8];
        float float32;
        double float64;
        int32_t int32;
        int64_t int64;
        uint16_t uint16;
    } value;
    memcpy(value.bytes, array->values + index * (uint64_t)array->value_bytes, (size_t)array->value_bytes);
    if (array->type == 'f') return array->value_bytes == 4 ? (double)value.float32 : value.float64;
    if (array->type == 'u') return value.uint16;
    return array->value_bytes == 4 ? value.int32 : (double)value.int64;
}
