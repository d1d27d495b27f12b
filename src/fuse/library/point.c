#include "fuse/library/point.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

/* ---- words ---- */

static double do_sqrt(const double *v)
{
    return sqrt(v[0]);
}
static double do_rsqrt(const double *v)
{
    return 1 / sqrt(v[0]);
}
static double do_exp(const double *v)
{
    return exp(v[0]);
}
static double do_log(const double *v)
{
    return log(v[0]);
}
static double do_sin(const double *v)
{
    return sin(v[0]);
}
static double do_cos(const double *v)
{
    return cos(v[0]);
}
static double do_floor(const double *v)
{
    return floor(v[0]);
}
static double do_round(const double *v)
{
    return rint(v[0]);
}
static double do_abs(const double *v)
{
    return fabs(v[0]);
}
static double do_minimum(const double *v)
{
    return fmin(v[0], v[1]);
}
static double do_maximum(const double *v)
{
    return fmax(v[0], v[1]);
}
static double do_fma(const double *v)
{
    return v[0] * v[1] + v[2];
}
static double do_clamp(const double *v)
{
    return fmin(fmax(v[0], v[1]), v[2]);
}
static double do_saturate(const double *v)
{
    return fmin(fmax(v[0], 0), 1);
}

const qn_point_word qn_point_words[] = {
    {"SQRT", 1, do_sqrt},   {"RSQRT", 1, do_rsqrt},  {"EXP", 1, do_exp},      {"LOG", 1, do_log},
    {"SIN", 1, do_sin},     {"COS", 1, do_cos},      {"FLOOR", 1, do_floor},  {"ROUND", 1, do_round},
    {"ABS", 1, do_abs},     {"FMIN", 2, do_minimum}, {"FMAX", 2, do_maximum}, {"MIN", 2, do_minimum},
    {"MAX", 2, do_maximum}, {"FMA", 3, do_fma},      {"CLAMP", 3, do_clamp},  {"SATURATE", 1, do_saturate},
};
const int qn_point_word_count = sizeof qn_point_words / sizeof *qn_point_words;

/* ---- making ---- */

int qn_point_child_count(const qn_point *point)
{
    switch (point->kind) {
    case QN_POINT_NUMBER:
    case QN_POINT_INPUT: return 0;
    case QN_POINT_NEGATE: return 1;
    case QN_POINT_WORD: return qn_point_words[point->slot].arity;
    default: return 2;
    }
}

static qn_status store(qn_arena *arena, qn_point made, const qn_point **point)
{
    void *memory;
    QN_TRY(qn_arena_take(arena, sizeof made, &memory));
    *(qn_point *)memory = made;
    *point = memory;
    return QN_OK;
}

qn_status qn_point_make_number(qn_arena *arena, double number, const qn_point **point)
{
    return store(arena, (qn_point){.kind = QN_POINT_NUMBER, .number = number}, point);
}

qn_status qn_point_make_input(qn_arena *arena, int slot, const qn_point **point)
{
    return store(arena, (qn_point){.kind = QN_POINT_INPUT, .slot = slot}, point);
}

qn_status qn_point_make(qn_arena *arena, qn_point_kind kind, int slot, const qn_point *const *children,
                        const qn_point **point)
{
    qn_point made = {.kind = kind, .slot = slot};
    for (int i = 0; i < qn_point_child_count(&made); i++) made.children[i] = children[i];
    return store(arena, made, point);
}

qn_status qn_point_substitute(qn_arena *arena, const qn_point *point, const qn_point *const *inputs,
                              const qn_point **result)
{
    const qn_point *children[QN_POINT_CHILDREN_MAX];
    const int count = qn_point_child_count(point);
    if (point->kind == QN_POINT_INPUT || count == 0) {
        *result = point->kind == QN_POINT_INPUT ? inputs[point->slot] : point;
        return QN_OK;
    }
    for (int i = 0; i < count; i++) QN_TRY(qn_point_substitute(arena, point->children[i], inputs, &children[i]));
    return qn_point_make(arena, point->kind, point->slot, children, result);
}

bool qn_point_reads(const qn_point *point, int slot)
{
    if (point->kind == QN_POINT_INPUT) return point->slot == slot;
    for (int i = 0; i < qn_point_child_count(point); i++)
        if (qn_point_reads(point->children[i], slot)) return true;
    return false;
}

/* ---- evaluating ---- */

/* The scale of f(values): how large the terms are that rounding errors are relative to. An error of an argument is
 * carried on by the slope, which a difference quotient estimates; the result adds its own magnitude. */
static double word_scale(const qn_point_word *word, const double *values, const double *scales)
{
    double scale = fabs(word->evaluate(values)), moved[QN_POINT_CHILDREN_MAX];
    for (int i = 0; i < word->arity; i++) {
        for (int k = 0; k < word->arity; k++) moved[k] = values[k];
        const double step = 1e-6 * (fabs(values[i]) > 0 ? fabs(values[i]) : 1);
        moved[i] += step;
        const double slope = fabs(word->evaluate(moved) - word->evaluate(values)) / step;
        if (isfinite(slope)) scale += slope * scales[i];
    }
    return scale;
}

double qn_point_evaluate(const qn_point *point, const double *inputs, const double *input_scales, double *scale)
{
    double values[QN_POINT_CHILDREN_MAX] = {0}, scales[QN_POINT_CHILDREN_MAX] = {0}, ignored;
    if (!scale) scale = &ignored;
    for (int i = 0; i < qn_point_child_count(point); i++)
        values[i] = qn_point_evaluate(point->children[i], inputs, input_scales, &scales[i]);
    switch (point->kind) {
    case QN_POINT_NUMBER: *scale = fabs(point->number); return point->number;
    case QN_POINT_INPUT:
        *scale = input_scales ? input_scales[point->slot] : fabs(inputs[point->slot]);
        return inputs[point->slot];
    case QN_POINT_ADD: *scale = scales[0] + scales[1]; return values[0] + values[1];
    case QN_POINT_SUBTRACT: *scale = scales[0] + scales[1]; return values[0] - values[1];
    case QN_POINT_MULTIPLY: *scale = scales[0] * scales[1]; return values[0] * values[1];
    case QN_POINT_DIVIDE:
        /* |d(a / b)| ≤ |da| / |b| + |a| |db| / b² */
        *scale = scales[0] / fabs(values[1]) + fabs(values[0]) * scales[1] / (values[1] * values[1]);
        return values[0] / values[1];
    case QN_POINT_NEGATE: *scale = scales[0]; return -values[0];
    case QN_POINT_WORD: *scale = word_scale(&qn_point_words[point->slot], values, scales); break;
    }
    return qn_point_words[point->slot].evaluate(values);
}

/* ---- writing ---- */

/* How tightly an operator binds; a child that binds less tightly gets parentheses. */
static int strength(const qn_point *point)
{
    switch (point->kind) {
    case QN_POINT_ADD:
    case QN_POINT_SUBTRACT: return 1;
    case QN_POINT_MULTIPLY:
    case QN_POINT_DIVIDE: return 2;
    case QN_POINT_NEGATE: return 3;
    case QN_POINT_NUMBER: return point->number < 0 ? 3 : 4;
    default: return 4;
    }
}

static qn_status write_child(const qn_point *point, int least, const char *const *names, qn_text *text)
{
    const bool wrapped = strength(point) < least;
    if (wrapped) QN_TRY(qn_text_append(text, "("));
    QN_TRY(qn_point_write(point, names, text));
    return wrapped ? qn_text_append(text, ")") : QN_OK;
}

static qn_status write_number(double number, qn_text *text)
{
    char digits[48];
    snprintf(digits, sizeof digits, "%.9g", number);
    bool whole = true;
    for (const char *at = digits; *at; at++) whole = whole && *at != '.' && *at != 'e';
    return qn_text_append(text, "%s%sf", digits, whole ? ".0" : "");
}

qn_status qn_point_write(const qn_point *point, const char *const *names, qn_text *text)
{
    static const char *const signs[] = {
        [QN_POINT_ADD] = " + ", [QN_POINT_SUBTRACT] = " - ", [QN_POINT_MULTIPLY] = " * ", [QN_POINT_DIVIDE] = " / "};
    const int own = strength(point);
    switch (point->kind) {
    case QN_POINT_NUMBER: return write_number(point->number, text);
    case QN_POINT_INPUT: return qn_text_append(text, "%s", names[point->slot]);
    case QN_POINT_NEGATE: QN_TRY(qn_text_append(text, "-")); return write_child(point->children[0], 4, names, text);
    case QN_POINT_WORD:
        for (int i = 0; i < qn_point_words[point->slot].arity; i++) {
            QN_TRY(qn_text_append(text, "%s%s", i == 0 ? qn_point_words[point->slot].name : ", ", i == 0 ? "(" : ""));
            QN_TRY(qn_point_write(point->children[i], names, text));
        }
        return qn_text_append(text, ")");
    default: break;
    }
    QN_TRY(write_child(point->children[0], own, names, text));
    QN_TRY(qn_text_append(text, "%s", signs[point->kind]));
    return write_child(point->children[1], own + 1, names, text);
}
