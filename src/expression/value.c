#include <quern/value.h>

#include <string.h>

qn_value qn_value_integer(int64_t integer)
{
    return (qn_value){.kind = QN_INTEGER, .as.integer = integer};
}

qn_value qn_value_real(double real)
{
    return (qn_value){.kind = QN_REAL, .as.real = real};
}

qn_value qn_value_boolean(bool boolean)
{
    return (qn_value){.kind = QN_BOOLEAN, .as.boolean = boolean};
}

qn_value qn_value_text(const char *text)
{
    return (qn_value){.kind = QN_TEXT, .as.text = text};
}

static int64_t whole(const qn_value *value)
{
    return value->kind == QN_BOOLEAN ? value->as.boolean : value->as.integer;
}

/* Exact comparison: 2^53 + 1 does not equal the real 2^53. */
static bool whole_equals_real(int64_t integer, double real)
{
    return real >= -0x1p63 && real < 0x1p63 && real == (double)(int64_t)real && (int64_t)real == integer;
}

bool qn_value_equal(const qn_value *a, const qn_value *b)
{
    if (a->kind == QN_TEXT || b->kind == QN_TEXT) return a->kind == b->kind && strcmp(a->as.text, b->as.text) == 0;
    if (a->kind == QN_REAL && b->kind == QN_REAL) return a->as.real == b->as.real;
    if (a->kind == QN_REAL) return whole_equals_real(whole(b), a->as.real);
    if (b->kind == QN_REAL) return whole_equals_real(whole(a), b->as.real);
    return whole(a) == whole(b);
}
