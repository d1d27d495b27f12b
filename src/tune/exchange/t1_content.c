/* Contents of the arguments of T1 problems. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "tune/exchange/t1_outputs.h"

size_t qn_t1_element_size(const qn_t1_argument *argument)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return sizes[argument->type] * argument->lanes;
}

/* ---- Contents ---- */

static void store(qn_t1_type type, void *bytes, size_t place, double value)
{
    switch (type) {
    case QN_T1_INT8: ((int8_t *)bytes)[place] = (int8_t)(int64_t)value; break;
    case QN_T1_UINT8: ((uint8_t *)bytes)[place] = (uint8_t)(int64_t)value; break;
    case QN_T1_INT16: ((int16_t *)bytes)[place] = (int16_t)(int64_t)value; break;
    case QN_T1_UINT16: ((uint16_t *)bytes)[place] = (uint16_t)(int64_t)value; break;
    case QN_T1_INT32: ((int32_t *)bytes)[place] = (int32_t)(int64_t)value; break;
    case QN_T1_UINT32: ((uint32_t *)bytes)[place] = (uint32_t)(int64_t)value; break;
    case QN_T1_INT64: ((int64_t *)bytes)[place] = (int64_t)value; break;
    case QN_T1_UINT64: ((uint64_t *)bytes)[place] = (uint64_t)(int64_t)value; break;
    case QN_T1_HALF: ((uint16_t *)bytes)[place] = 0; break;
    case QN_T1_FLOAT: ((float *)bytes)[place] = (float)value; break;
    case QN_T1_DOUBLE: ((double *)bytes)[place] = value; break;
    }
}

uint64_t qn_t1_mix(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static qn_status generate(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content, void *bytes)
{
    static const char *const names[] = {"i"};
    qn_expression *expression;
    char what[300];
    qn_status status = QN_OK;
    snprintf(what, sizeof what, "%.200s: DataSource of %.60s", t1->path, argument->name);
    QN_TRY(qn_expression_create(content->source, what, names, 1, &expression));
    for (size_t i = 0; i < argument->count * argument->lanes && status == QN_OK; i++) {
        qn_value number = qn_value_integer((int64_t)i), value = {0};
        status = qn_expression_evaluate(expression, &number, &value);
        double real = value.kind == QN_REAL      ? value.as.real
                      : value.kind == QN_INTEGER ? (double)value.as.integer
                                                 : (double)value.as.boolean;
        if (status == QN_OK && value.kind == QN_TEXT)
            status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s gives a text; expected numbers", what);
        else if (status == QN_OK)
            store(argument->type, bytes, i, real);
    }
    qn_expression_destroy(&expression);
    return status;
}

static qn_status load(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content, void *bytes)
{
    char *data;
    size_t size, wanted = argument->count * qn_t1_element_size(argument);
    qn_status status = qn_file_read(content->source, &data, &size);
    if (status != QN_OK) return qn_error_add_context(status, "%s: DataSource of %s", t1->path, argument->name);
    if (size == wanted) memcpy(bytes, data, size);
    qn_release(&data);
    if (size == wanted) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: %s has %zu bytes; expected the %zu of argument %s", t1->path, content->source,
                   size, wanted, argument->name);
}

qn_status qn_t1_content_make(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content,
                             uint64_t seed, void **bytes)
{
    size_t lanes = argument->count * argument->lanes;
    bool whole = argument->type < QN_T1_HALF;
    QN_TRY(qn_allocate(argument->count, qn_t1_element_size(argument), bytes));
    if (content->fill == QN_T1_GENERATOR) return generate(t1, argument, content, *bytes);
    if (content->fill == QN_T1_FILE) return load(t1, argument, content, *bytes);
    for (size_t i = 0; i < lanes; i++) {
        double random = (double)(qn_t1_mix(seed + i) >> 11) * 0x1p-53;
        double value = content->fill == QN_T1_CONSTANT ? content->value : random * (content->value + whole);
        store(argument->type, *bytes, i, whole ? floor(value) : value);
    }
    return QN_OK;
}
