#include "tune/space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/text.h"

enum { WORD_BITS = 64, RADIX_BITS = 11 };

/* ---- Creation ---- */

qn_status qn_space_create(const char *name, qn_space **space)
{
    void *memory;
    *space = NULL;
    QN_TRY(qn_allocate(1, sizeof **space, &memory));
    *space = memory;
    qn_status status = qn_text_copy(name, &(*space)->name);
    if (status != QN_OK) qn_space_destroy(space);
    return status;
}

static void release_value(qn_value *value)
{
    if (value->kind != QN_TEXT) return;
    char *text = (char *)value->as.text;
    qn_release(&text);
    value->as.text = NULL;
}

static qn_status copy_value(const qn_value *value, qn_value *copy)
{
    char *text;
    *copy = *value;
    if (value->kind != QN_TEXT) return QN_OK;
    copy->as.text = NULL;
    QN_TRY(qn_text_copy(value->as.text, &text));
    copy->as.text = text;
    return QN_OK;
}

static void release_parameter(qn_space_parameter *parameter)
{
    for (size_t i = 0; i < parameter->count; i++) release_value(&parameter->values[i]);
    qn_release(&parameter->values);
    qn_release(&parameter->name);
}

static void release_groups(qn_space *space)
{
    for (size_t i = 0; i < space->group_count; i++) {
        qn_space_group *group = &space->groups[i];
        qn_release(&group->parameters);
        qn_release(&group->shifts);
        qn_release(&group->bits);
        qn_release(&group->places);
        qn_release(&group->keys);
    }
    qn_release(&space->groups);
    space->group_count = 0;
    space->size = 0;
}

void qn_space_destroy(qn_space **space)
{
    qn_space *s = *space;
    if (!s) return;
    release_groups(s);
    for (size_t i = 0; i < s->parameter_count; i++) release_parameter(&s->parameters[i]);
    for (size_t i = 0; i < s->constant_count; i++) {
        qn_release(&s->constants[i].name);
        release_value(&s->constants[i].value);
    }
    for (size_t i = 0; i < s->constraint_count; i++) qn_release(&s->constraints[i]);
    qn_release(&s->parameters);
    qn_release(&s->constants);
    qn_release(&s->constraints);
    qn_release(&s->name);
    qn_release(space);
}

static uint64_t hash_of(const qn_value *value)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    double real = value->kind == QN_REAL      ? value->as.real
                  : value->kind == QN_INTEGER ? (double)value->as.integer
                  : value->kind == QN_BOOLEAN ? (double)value->as.boolean
                                              : 0;
    const unsigned char *bytes =
        value->kind == QN_TEXT ? (const unsigned char *)value->as.text : (unsigned char *)&real;
    size_t length = value->kind == QN_TEXT ? strlen(value->as.text) : sizeof real;
    if (real == 0 && value->kind != QN_TEXT) real = 0; /* not minus 0 */
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* Return the number of a repeated value; `count`: none. */
static qn_status find_repeated(const qn_value *values, size_t count, size_t *repeated)
{
    void *memory;
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    QN_TRY(qn_allocate(slots, sizeof(uint32_t), &memory));
    uint32_t *taken = memory;
    *repeated = count;
    for (size_t i = 0; i < count && *repeated == count; i++) {
        size_t slot = hash_of(&values[i]) & (slots - 1);
        while (taken[slot] && !qn_value_equal(&values[taken[slot] - 1], &values[i])) slot = (slot + 1) & (slots - 1);
        if (taken[slot]) *repeated = i;
        taken[slot] = (uint32_t)i + 1;
    }
    qn_release(&memory);
    return QN_OK;
}

void qn_value_format(const qn_value *value, char *text, size_t capacity)
{
    switch (value->kind) {
    case QN_INTEGER: snprintf(text, capacity, "%lld", (long long)value->as.integer); break;
    case QN_BOOLEAN: snprintf(text, capacity, "%s", value->as.boolean ? "True" : "False"); break;
    case QN_TEXT: snprintf(text, capacity, "%s", value->as.text); break;
    case QN_REAL: {
        const qn_locale outer = qn_locale_enter();
        for (int digits = 15; digits <= 17; digits++) { /* the shortest text that is read as the same number */
            snprintf(text, capacity, "%.*g", digits, value->as.real);
            if (strtod(text, NULL) == value->as.real) break;
        }
        qn_locale_return(outer);
        if (!strpbrk(text, ".en") && strlen(text) + 2 < capacity) strcat(text, ".0");
        break;
    }
    }
}

static bool is_known(const qn_space *space, const char *name)
{
    size_t parameter;
    for (size_t i = 0; i < space->constant_count; i++)
        if (strcmp(space->constants[i].name, name) == 0) return true;
    return qn_space_find_parameter(space, name, &parameter);
}

static qn_status check_new_parameter(const qn_space *space, const char *name, const qn_value *values, size_t count)
{
    size_t repeated;
    char text[64];
    if (is_known(space, name))
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: \"%s\" is there twice; expected each name once", space->name,
                       name);
    if (space->parameter_count == QN_SPACE_PARAMETERS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: parameter %s is one too many; at most %d", space->name, name,
                       QN_SPACE_PARAMETERS_MAX);
    if (count == 0 || count > QN_SPACE_VALUES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: parameter %s has %zu values; expected 1 to %d", space->name,
                       name, count, QN_SPACE_VALUES_MAX);
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == QN_REAL && !isfinite(values[i].as.real))
            return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: value %zu of parameter %s is not a finite number",
                           space->name, i + 1, name);
    QN_TRY(find_repeated(values, count, &repeated));
    if (repeated == count) return QN_OK;
    qn_value_format(&values[repeated], text, sizeof text);
    return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: parameter %s has the value %s twice", space->name, name, text);
}

qn_status qn_space_add(qn_space *space, const char *name, const qn_value *values, size_t count, qn_value usual)
{
    qn_space_parameter parameter = {0};
    void *memory;
    char text[64];
    QN_TRY(check_new_parameter(space, name, values, count));
    while (parameter.usual < count && !qn_value_equal(&values[parameter.usual], &usual)) parameter.usual++;
    if (parameter.usual == count) {
        qn_value_format(&usual, text, sizeof text);
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: the usual value %s of parameter %s is none of its values",
                       space->name, text, name);
    }
    QN_TRY(qn_allocate(count, sizeof *values, &memory));
    parameter.values = memory;
    qn_status status = qn_text_copy(name, &parameter.name);
    for (size_t i = 0; i < count && status == QN_OK; i++, parameter.count++)
        status = copy_value(&values[i], &parameter.values[i]);
    memory = space->parameters;
    if (status == QN_OK)
        status = qn_grow(&memory, &space->parameter_capacity, space->parameter_count + 1, sizeof parameter);
    space->parameters = memory;
    if (status == QN_OK)
        space->parameters[space->parameter_count++] = parameter;
    else
        release_parameter(&parameter);
    release_groups(space);
    return status;
}

qn_status qn_space_add_integers(qn_space *space, const char *name, const int64_t *values, size_t count, int64_t usual)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_value), &memory));
    qn_value *copies = memory;
    for (size_t i = 0; i < count; i++) copies[i] = qn_value_integer(values[i]);
    qn_status status = qn_space_add(space, name, copies, count, qn_value_integer(usual));
    qn_release(&copies);
    return status;
}

qn_status qn_space_set_constant(qn_space *space, const char *name, qn_value value)
{
    qn_space_constant constant = {0};
    for (size_t i = 0; i < space->constant_count; i++) {
        if (strcmp(space->constants[i].name, name) != 0) continue;
        QN_TRY(copy_value(&value, &constant.value));
        release_value(&space->constants[i].value);
        space->constants[i].value = constant.value;
        release_groups(space);
        return QN_OK;
    }
    if (is_known(space, name))
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s: \"%s\" is a parameter; expected another name of a constant",
                       space->name, name);
    void *memory = space->constants;
    qn_status status = qn_grow(&memory, &space->constant_capacity, space->constant_count + 1, sizeof constant);
    space->constants = memory;
    QN_TRY(status);
    QN_TRY(qn_text_copy(name, &constant.name));
    status = copy_value(&value, &constant.value);
    if (status == QN_OK)
        space->constants[space->constant_count++] = constant;
    else
        qn_release(&constant.name);
    release_groups(space);
    return status;
}

qn_status qn_space_add_constraint(qn_space *space, const char *expression)
{
    void *memory = space->constraints;
    char *copy;
    qn_status status = qn_grow(&memory, &space->constraint_capacity, space->constraint_count + 1, sizeof copy);
    space->constraints = memory;
    QN_TRY(status);
    QN_TRY(qn_text_copy(expression, &copy));
    space->constraints[space->constraint_count++] = copy;
    release_groups(space);
    return QN_OK;
}

/* ---- Groups ---- */

qn_status qn_space_group_lay_out(const qn_space *space, const size_t *parameters, size_t count, qn_space_group *group)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *parameters, &memory));
    group->parameters = memory;
    memcpy(group->parameters, parameters, count * sizeof *parameters);
    group->parameter_count = count;
    QN_TRY(qn_allocate(count, 1, &memory));
    group->shifts = memory;
    QN_TRY(qn_allocate(count, 1, &memory));
    group->bits = memory;
    QN_TRY(qn_allocate(count, 1, &memory));
    group->places = memory;
    unsigned used = 0, word = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned bits = 0;
        while ((size_t)1 << bits < space->parameters[parameters[i]].count) bits++;
        if (used + bits > WORD_BITS) word++, used = 0;
        used += bits;
        group->bits[i] = (unsigned char)bits;
        group->places[i] = (unsigned char)word;
        group->shifts[i] = (unsigned char)used; /* counted from the top; the loop below counts from the bottom */
    }
    group->words = word + 1;
    /* Put the lowest used bit of each word at bit 0, which saves passes of the sort. */
    for (size_t i = count, lowest = 0; i-- > 0;) {
        if (i + 1 == count || group->places[i] != group->places[i + 1]) lowest = group->shifts[i];
        group->shifts[i] = (unsigned char)(lowest - group->shifts[i]);
    }
    return QN_OK;
}

void qn_space_key_add(const qn_space_group *group, size_t member, size_t number, uint64_t *key)
{
    if (group->bits[member]) key[group->places[member]] |= (uint64_t)number << group->shifts[member];
}

static size_t number_in(const qn_space_group *group, size_t member, const uint64_t *key)
{
    uint64_t mask = ((uint64_t)1 << group->bits[member]) - 1; /* at most 16 bits */
    return group->bits[member] ? key[group->places[member]] >> group->shifts[member] & mask : 0;
}

qn_status qn_space_group_add(qn_space_group *group, const uint64_t *key)
{
    void *memory = group->keys;
    qn_status status = qn_grow(&memory, &group->key_capacity, (group->row_count + 1) * group->words, sizeof *key);
    group->keys = memory;
    QN_TRY(status);
    for (size_t w = 0; w < group->words; w++) group->keys[group->row_count * group->words + w] = key[w];
    group->row_count++;
    return QN_OK;
}

static int compare_keys(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
    return 0;
}

/* One pass of a radix sort, by RADIX_BITS bits of word `word`. */
static void sort_pass(const uint64_t *from, uint64_t *to, size_t rows, size_t words, size_t word, unsigned shift)
{
    enum { BINS = 1 << RADIX_BITS };
    size_t begins[BINS] = {0}, sum = 0;
    for (size_t i = 0; i < rows; i++) begins[from[i * words + word] >> shift & (BINS - 1)]++;
    for (size_t b = 0; b < BINS; b++) {
        size_t count = begins[b];
        begins[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < rows; i++) {
        size_t place = begins[from[i * words + word] >> shift & (BINS - 1)]++;
        for (size_t w = 0; w < words; w++) to[place * words + w] = from[i * words + w];
    }
}

static qn_status sort_keys(qn_space_group *group)
{
    void *memory;
    size_t words = group->words;
    QN_TRY(qn_allocate(group->row_count * words, sizeof(uint64_t), &memory));
    uint64_t *from = group->keys, *to = memory;
    for (size_t word = words; word-- > 0;) {
        uint64_t used = 0;
        for (size_t i = 0; i < group->row_count; i++) used |= from[i * words + word];
        for (unsigned shift = 0; shift < WORD_BITS && used >> shift; shift += RADIX_BITS) {
            sort_pass(from, to, group->row_count, words, word, shift);
            uint64_t *other = from;
            from = to;
            to = other;
        }
    }
    if (from != group->keys) group->key_capacity = group->row_count * words;
    group->keys = from;
    qn_release(&to);
    return QN_OK;
}

qn_status qn_space_group_sort(qn_space_group *group)
{
    size_t words = group->words, kept = 0;
    bool sorted = true;
    uint64_t *keys = group->keys;
    for (size_t i = 1; i < group->row_count && sorted; i++)
        sorted = compare_keys(keys + (i - 1) * words, keys + i * words, words) < 0;
    if (sorted) return QN_OK;
    QN_TRY(sort_keys(group));
    keys = group->keys;
    for (size_t i = 0; i < group->row_count; i++) {
        if (kept > 0 && compare_keys(keys + (kept - 1) * words, keys + i * words, words) == 0) continue;
        memmove(keys + kept * words, keys + i * words, words * sizeof *keys);
        kept++;
    }
    group->row_count = kept;
    return QN_OK;
}

static qn_status count_points(qn_space *space)
{
    uint64_t size = 1;
    for (size_t i = 0; i < space->group_count; i++)
        if (__builtin_mul_overflow(size, (uint64_t)space->groups[i].row_count, &size) || size > INT64_MAX)
            return QN_FAIL(QN_INVALID_ARGUMENT, "space %s has more than 2^63 points; expected fewer values",
                           space->name);
    space->size = size;
    return QN_OK;
}

qn_status qn_space_solve(qn_space *space)
{
    release_groups(space);
    if (space->parameter_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s has no parameters; expected at least one", space->name);
    const qn_locale outer = qn_locale_enter();
    qn_status status = qn_space_solve_groups(space);
    if (status == QN_OK) status = count_points(space);
    if (status != QN_OK) release_groups(space);
    qn_locale_return(outer);
    return status;
}

qn_status qn_space_take_rows(qn_space *space, const uint16_t *rows, size_t row_count)
{
    size_t all[QN_SPACE_PARAMETERS_MAX], count = space->parameter_count;
    void *memory;
    release_groups(space);
    if (row_count == 0 || count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s has no configurations; expected at least one", space->name);
    for (size_t i = 0; i < count; i++) all[i] = i;
    QN_TRY(qn_allocate(1, sizeof *space->groups, &memory));
    qn_space_group *group = space->groups = memory;
    space->group_count = 1;
    qn_status status = qn_space_group_lay_out(space, all, count, group);
    for (size_t i = 0; i < row_count && status == QN_OK; i++) {
        uint64_t key[QN_SPACE_PARAMETERS_MAX] = {0};
        for (size_t k = 0; k < count; k++) qn_space_key_add(group, k, rows[i * count + k], key);
        status = qn_space_group_add(group, key);
    }
    if (status == QN_OK) status = qn_space_group_sort(group);
    if (status == QN_OK) status = count_points(space);
    if (status != QN_OK) release_groups(space);
    return status;
}

/* ---- Access ---- */

const char *qn_space_name(const qn_space *space)
{
    return space->name;
}

uint64_t qn_space_size(const qn_space *space)
{
    return space->size;
}

double qn_space_raw_size(const qn_space *space)
{
    double size = 1;
    for (size_t i = 0; i < space->parameter_count; i++) size *= (double)space->parameters[i].count;
    return size;
}

size_t qn_space_parameter_count(const qn_space *space)
{
    return space->parameter_count;
}

const char *qn_space_parameter_name(const qn_space *space, size_t parameter)
{
    return space->parameters[parameter].name;
}

size_t qn_space_value_count(const qn_space *space, size_t parameter)
{
    return space->parameters[parameter].count;
}

const qn_value *qn_space_value(const qn_space *space, size_t parameter, size_t number)
{
    return &space->parameters[parameter].values[number];
}

size_t qn_space_usual(const qn_space *space, size_t parameter)
{
    return space->parameters[parameter].usual;
}

size_t qn_space_constraint_count(const qn_space *space)
{
    return space->constraint_count;
}

const char *qn_space_constraint(const qn_space *space, size_t constraint)
{
    return space->constraints[constraint];
}

void qn_space_get(const qn_space *space, qn_point point, uint16_t *numbers)
{
    for (size_t g = space->group_count; g-- > 0;) { /* the last group is the fastest digit */
        const qn_space_group *group = &space->groups[g];
        const uint64_t *key = group->keys + point % group->row_count * group->words;
        point /= group->row_count;
        for (size_t i = 0; i < group->parameter_count; i++)
            numbers[group->parameters[i]] = (uint16_t)number_in(group, i, key);
    }
}

static bool find_row(const qn_space_group *group, const uint64_t *key, size_t *row)
{
    size_t low = 0, high = group->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_keys(group->keys + middle * group->words, key, group->words);
        if (order == 0) {
            *row = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool qn_space_find(const qn_space *space, const uint16_t *numbers, qn_point *point)
{
    qn_point found = 0;
    if (space->size == 0) return false;
    for (size_t g = 0; g < space->group_count; g++) {
        const qn_space_group *group = &space->groups[g];
        uint64_t key[QN_SPACE_PARAMETERS_MAX] = {0};
        size_t row;
        for (size_t i = 0; i < group->parameter_count; i++) {
            size_t parameter = group->parameters[i];
            if (numbers[parameter] >= space->parameters[parameter].count) return false;
            qn_space_key_add(group, i, numbers[parameter], key);
        }
        if (!find_row(group, key, &row)) return false;
        found = found * group->row_count + row;
    }
    *point = found;
    return true;
}

bool qn_space_find_value(const qn_space *space, size_t parameter, const qn_value *value, size_t *number)
{
    const qn_space_parameter *p = &space->parameters[parameter];
    for (size_t i = 0; i < p->count; i++)
        if (qn_value_equal(&p->values[i], value)) {
            *number = i;
            return true;
        }
    return false;
}

bool qn_space_find_parameter(const qn_space *space, const char *name, size_t *parameter)
{
    for (size_t i = 0; i < space->parameter_count; i++)
        if (strcmp(space->parameters[i].name, name) == 0) {
            *parameter = i;
            return true;
        }
    return false;
}

bool qn_space_find_values(const qn_space *space, const qn_value *values, qn_point *point)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    for (size_t i = 0; i < space->parameter_count; i++) {
        size_t number;
        if (!qn_space_find_value(space, i, &values[i], &number)) return false;
        numbers[i] = (uint16_t)number;
    }
    return qn_space_find(space, numbers, point);
}

void qn_space_format(const qn_space *space, qn_point point, char *text, size_t capacity)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    size_t length = 0;
    if (capacity == 0) return;
    text[0] = 0;
    qn_space_get(space, point, numbers);
    for (size_t i = 0; i < space->parameter_count && length + 1 < capacity; i++) {
        char value[128];
        qn_value_format(qn_space_value(space, i, numbers[i]), value, sizeof value);
        int written =
            snprintf(text + length, capacity - length, "%s%s=%s", i ? " " : "", space->parameters[i].name, value);
        length += written < 0 ? 0 : (size_t)written;
    }
}
