/* Evaluation of expressions: a walk over the tree, with a fast path for integers. All rules are Python's. */
#include "expression/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { STEPS_MAX = 1 << 20 }; /* steps of one evaluation; bounds the time of nested lists */

typedef struct cell_list cell_list;

typedef enum cell_kind { INTEGER, REAL, BOOLEAN, TEXT, LIST } cell_kind;

typedef struct cell {
    cell_kind kind;
    union {
        int64_t integer;
        double real;
        bool boolean;
        const char *text;
        cell_list *list;
    } as;
} cell;

struct cell_list {
    cell *cells;
    size_t count, capacity;
    cell_list *next; /* next list of the run; all are released at its end */
};

typedef struct run {
    const qn_expression *expression;
    const qn_value *values;
    cell locals[QN_TREE_LOCALS];
    cell_list *made;
    int64_t steps;
} run;

static qn_status evaluate(run *r, int number, cell *result);

static qn_status fail(const run *r, const qn_tree_node *node, const char *what)
{
    const qn_expression *e = r->expression;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%.200s\", column %d: %s", e->what, e->text, node->column, what);
}

static qn_status too_large(const run *r, const qn_tree_node *node)
{
    return fail(r, node, "the number does not fit 64 bits");
}

static qn_status by_zero(const run *r, const qn_tree_node *node)
{
    return fail(r, node, "division by zero");
}

static void set_integer(cell *result, int64_t integer)
{
    result->kind = INTEGER;
    result->as.integer = integer;
}

static void set_boolean(cell *result, bool boolean)
{
    result->kind = BOOLEAN;
    result->as.boolean = boolean;
}

static qn_status set_real(const run *r, const qn_tree_node *node, double real, cell *result)
{
    if (!isfinite(real)) return fail(r, node, "the result is too large for a real number, or is not a number");
    result->kind = REAL;
    result->as.real = real;
    return QN_OK;
}

static bool is_true(const cell *c)
{
    switch (c->kind) {
    case INTEGER: return c->as.integer != 0;
    case REAL: return c->as.real != 0;
    case BOOLEAN: return c->as.boolean;
    case TEXT: return c->as.text[0] != 0;
    case LIST: return c->as.list->count > 0;
    }
    return false;
}

/* Convert to a number: True and False become 1 and 0. */
static qn_status to_number(const run *r, const qn_tree_node *node, cell *c)
{
    if (c->kind == BOOLEAN) set_integer(c, c->as.boolean);
    if (c->kind == TEXT) return fail(r, node, "a text where a number is needed");
    if (c->kind == LIST) return fail(r, node, "a list where a number is needed");
    return QN_OK;
}

static double real_of(const cell *c)
{
    return c->kind == REAL ? c->as.real : (double)c->as.integer;
}

static qn_status to_whole(const run *r, const qn_tree_node *node, cell *c)
{
    QN_TRY(to_number(r, node, c));
    return c->kind == INTEGER ? QN_OK : fail(r, node, "a real number where a whole one is needed");
}

/* ---- Arithmetic ---- */

/* a / b rounded to the nearest real, even if a or b has no exact real value: computes 64 or more bits of the quotient
 * and one bit for the remainder. */
static double quotient(int64_t a, int64_t b)
{
    enum { EXACT = 53 };
    if (llabs(a / 2) < INT64_C(1) << (EXACT - 1) && llabs(b / 2) < INT64_C(1) << (EXACT - 1))
        return (double)a / (double)b;
    __extension__ typedef unsigned __int128 wide;
    uint64_t above = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, below = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (!above) return b < 0 ? -0.0 : 0.0;
    int shift = __builtin_clzll(above) + 63;
    wide dividend = (wide)above << shift, whole = dividend / below;
    if (dividend % below) whole |= 1;
    double result = ldexp((double)whole, -shift);
    return (a < 0) != (b < 0) ? -result : result;
}

static qn_status integer_power(const run *r, const qn_tree_node *node, int64_t base, int64_t exponent, cell *result)
{
    int64_t power = 1;
    if (exponent < 0) {
        if (base == 0) return by_zero(r, node);
        return set_real(r, node, pow((double)base, (double)exponent), result);
    }
    if (base == 0 || base == 1) exponent = exponent > 0;
    if (base == -1) exponent %= 2;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(power, base, &power)) return too_large(r, node);
    set_integer(result, power);
    return QN_OK;
}

static qn_status integer_shift(const run *r, const qn_tree_node *node, int64_t a, int64_t b, cell *result)
{
    if (b < 0) return fail(r, node, "a shift by a negative number");
    if (node->operation == QN_TREE_SHIFT_RIGHT) {
        set_integer(result, b > 62 ? -(int64_t)(a < 0) : a >> b);
        return QN_OK;
    }
    int64_t shifted = 0;
    if (a != 0 && (b > 62 || __builtin_mul_overflow(a, INT64_C(1) << b, &shifted))) return too_large(r, node);
    set_integer(result, shifted);
    return QN_OK;
}

static qn_status integer_operation(const run *r, const qn_tree_node *node, int64_t a, int64_t b, cell *result)
{
    bool overflow = false;
    int64_t value = 0;
    qn_tree_operation operation = node->operation;
    switch (operation) {
    case QN_TREE_ADD: overflow = __builtin_add_overflow(a, b, &value); break;
    case QN_TREE_SUBTRACT: overflow = __builtin_sub_overflow(a, b, &value); break;
    case QN_TREE_MULTIPLY: overflow = __builtin_mul_overflow(a, b, &value); break;
    case QN_TREE_FLOOR_DIVIDE:
        if (b == 0) return by_zero(r, node);
        if (b == -1)
            overflow = __builtin_sub_overflow(INT64_C(0), a, &value);
        else
            value = a / b - (a % b != 0 && (a < 0) != (b < 0));
        break;
    case QN_TREE_MODULO:
        if (b == 0) return by_zero(r, node);
        value = b == -1 ? 0 : a % b;
        if (value != 0 && (value < 0) != (b < 0)) value += b;
        break;
    case QN_TREE_DIVIDE: return b == 0 ? by_zero(r, node) : set_real(r, node, quotient(a, b), result);
    case QN_TREE_POWER: return integer_power(r, node, a, b, result);
    case QN_TREE_BIT_AND: value = a & b; break;
    case QN_TREE_BIT_OR: value = a | b; break;
    case QN_TREE_BIT_XOR: value = a ^ b; break;
    default: return integer_shift(r, node, a, b, result);
    }
    if (overflow) return too_large(r, node);
    set_integer(result, value);
    return QN_OK;
}

/* The quotient rounded down, and its remainder with the divisor's sign, computed as in CPython. */
static void divide_down(double a, double b, double *down, double *remainder)
{
    double rest = fmod(a, b), whole = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) rest += b, whole -= 1;
    } else
        rest = copysign(0, b);
    if (whole != 0) {
        *down = floor(whole);
        if (whole - *down > 0.5) *down += 1;
    } else
        *down = copysign(0, a / b);
    *remainder = rest;
}

static qn_status real_operation(const run *r, const qn_tree_node *node, double a, double b, cell *result)
{
    double down, remainder;
    switch (node->operation) {
    case QN_TREE_ADD: return set_real(r, node, a + b, result);
    case QN_TREE_SUBTRACT: return set_real(r, node, a - b, result);
    case QN_TREE_MULTIPLY: return set_real(r, node, a * b, result);
    case QN_TREE_DIVIDE: return b == 0 ? by_zero(r, node) : set_real(r, node, a / b, result);
    case QN_TREE_FLOOR_DIVIDE:
    case QN_TREE_MODULO:
        if (b == 0) return by_zero(r, node);
        divide_down(a, b, &down, &remainder);
        return set_real(r, node, node->operation == QN_TREE_MODULO ? remainder : down, result);
    case QN_TREE_POWER:
        if (a == 0 && b < 0) return by_zero(r, node);
        if (a < 0 && b != floor(b)) return fail(r, node, "a fractional power of a negative number");
        return set_real(r, node, pow(a, b), result);
    default: return fail(r, node, "a real number where a whole one is needed");
    }
}

/* ---- Comparisons ---- */

/* Compare exactly, although a real number does not hold all 64 bits. Returns -1, 0 or 1. */
static int compare_whole_real(int64_t a, double b)
{
    if (b >= 0x1p63) return -1;
    if (b < -0x1p63) return 1;
    double down = floor(b);
    int64_t whole = (int64_t)down;
    if (a != whole) return a < whole ? -1 : 1;
    return b > down ? -1 : 0;
}

static int compare_numbers(const cell *a, const cell *b)
{
    if (a->kind == REAL && b->kind == REAL) return (a->as.real > b->as.real) - (a->as.real < b->as.real);
    if (a->kind == REAL) return -compare_whole_real(b->as.integer, a->as.real);
    if (b->kind == REAL) return compare_whole_real(a->as.integer, b->as.real);
    return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
}

static cell number_of(const cell *c)
{
    cell number = *c;
    if (c->kind == BOOLEAN) set_integer(&number, c->as.boolean);
    return number;
}

static bool equal(const cell *a, const cell *b)
{
    if (a->kind == LIST || b->kind == LIST) {
        bool same = a->kind == b->kind && a->as.list->count == b->as.list->count;
        for (size_t i = 0; same && i < a->as.list->count; i++)
            same = equal(&a->as.list->cells[i], &b->as.list->cells[i]);
        return same;
    }
    if (a->kind == TEXT || b->kind == TEXT) return a->kind == b->kind && strcmp(a->as.text, b->as.text) == 0;
    cell left = number_of(a), right = number_of(b);
    return compare_numbers(&left, &right) == 0;
}

static qn_status compare(const run *r, const qn_tree_node *node, cell *a, cell *b, int *order)
{
    if (a->kind == LIST || b->kind == LIST) return fail(r, node, "lists have no order here");
    if ((a->kind == TEXT) != (b->kind == TEXT)) return fail(r, node, "a text and a number have no order");
    if (a->kind == TEXT) {
        int difference = strcmp(a->as.text, b->as.text);
        *order = (difference > 0) - (difference < 0);
        return QN_OK;
    }
    cell left = number_of(a), right = number_of(b);
    *order = compare_numbers(&left, &right);
    return QN_OK;
}

static bool order_holds(qn_tree_operation operation, int order)
{
    switch (operation) {
    case QN_TREE_LESS: return order < 0;
    case QN_TREE_LESS_EQUAL: return order <= 0;
    case QN_TREE_GREATER: return order > 0;
    default: return order >= 0;
    }
}

/* ---- Lists ---- */

static qn_status new_list(run *r, cell *result)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(cell_list), &memory));
    cell_list *list = memory;
    list->next = r->made;
    r->made = list;
    result->kind = LIST;
    result->as.list = list;
    return QN_OK;
}

static qn_status append(run *r, const qn_tree_node *node, cell *list, const cell *element)
{
    cell_list *to = list->as.list;
    void *memory = to->cells;
    if (--r->steps < 0) return fail(r, node, "more steps than one expression may take");
    qn_status status = qn_grow(&memory, &to->capacity, to->count + 1, sizeof *to->cells);
    to->cells = memory;
    QN_TRY(status);
    to->cells[to->count++] = *element;
    return QN_OK;
}

static qn_status list_literal(run *r, const qn_tree_node *node, cell *result)
{
    QN_TRY(new_list(r, result));
    for (int i = 0; i < node->list_count; i++) {
        cell element;
        QN_TRY(evaluate(r, r->expression->lists[node->list_begin + i], &element));
        QN_TRY(append(r, node, result, &element));
    }
    return QN_OK;
}

/* Run clause `clause` of a comprehension and the clauses after it; after the last clause evaluate the element. */
static qn_status run_clauses(run *r, const qn_tree_node *node, int clause, cell *result)
{
    const qn_expression *e = r->expression;
    cell c;
    if (clause == node->list_count) {
        QN_TRY(evaluate(r, e->lists[node->list_begin], &c));
        return append(r, node, result, &c);
    }
    const qn_tree_node *n = &e->nodes[e->lists[node->list_begin + clause]];
    QN_TRY(evaluate(r, n->child[0], &c));
    if (n->operation == QN_TREE_IF) return is_true(&c) ? run_clauses(r, node, clause + 1, result) : QN_OK;
    if (c.kind != LIST) return fail(r, n, "one value where a list is needed");
    for (size_t i = 0; i < c.as.list->count; i++) {
        if (--r->steps < 0) return fail(r, n, "more steps than one expression may take");
        r->locals[n->slot] = c.as.list->cells[i];
        QN_TRY(run_clauses(r, node, clause + 1, result));
    }
    return QN_OK;
}

static qn_status index_list(run *r, const qn_tree_node *node, cell *result)
{
    cell list, index;
    QN_TRY(evaluate(r, node->child[0], &list));
    QN_TRY(evaluate(r, node->child[1], &index));
    if (list.kind != LIST) return fail(r, node, "an index of a value that is not a list");
    QN_TRY(to_whole(r, node, &index));
    int64_t count = (int64_t)list.as.list->count, at = index.as.integer;
    if (at < -count || at >= count) return fail(r, node, "the list has fewer elements");
    *result = list.as.list->cells[at < 0 ? at + count : at];
    return QN_OK;
}

/* x in [a, b, c] compares elements one by one, so that a constraint with it allocates nothing. */
static qn_status is_in(run *r, const qn_tree_node *node, bool *found)
{
    const qn_tree_node *right = &r->expression->nodes[node->child[1]];
    cell element, list;
    *found = false;
    QN_TRY(evaluate(r, node->child[0], &element));
    if (right->operation == QN_TREE_LIST) {
        for (int i = 0; i < right->list_count && !*found; i++) {
            QN_TRY(evaluate(r, r->expression->lists[right->list_begin + i], &list));
            *found = equal(&element, &list);
        }
        return QN_OK;
    }
    QN_TRY(evaluate(r, node->child[1], &list));
    if (list.kind == TEXT && element.kind == TEXT)
        *found = strstr(list.as.text, element.as.text) != NULL;
    else if (list.kind != LIST)
        return fail(r, node, "\"in\" needs a list");
    else
        for (size_t i = 0; i < list.as.list->count && !*found; i++) *found = equal(&element, &list.as.list->cells[i]);
    return QN_OK;
}

/* list + list, list * times */
static qn_status list_operation(run *r, const qn_tree_node *node, cell *a, cell *b, cell *result)
{
    int64_t times = 1;
    if (node->operation == QN_TREE_MULTIPLY && (a->kind == LIST) != (b->kind == LIST)) {
        cell *count = a->kind == LIST ? b : a, *list = a->kind == LIST ? a : b;
        QN_TRY(to_whole(r, node, count));
        times = count->as.integer;
        *a = *list;
    } else if (node->operation != QN_TREE_ADD || a->kind != LIST || b->kind != LIST)
        return fail(r, node, "a list where a number is needed");
    QN_TRY(new_list(r, result));
    if (a->as.list->count == 0) times = times > 0;
    for (int64_t k = 0; k < times; k++)
        for (size_t i = 0; i < a->as.list->count; i++) QN_TRY(append(r, node, result, &a->as.list->cells[i]));
    if (node->operation == QN_TREE_ADD)
        for (size_t i = 0; i < b->as.list->count; i++) QN_TRY(append(r, node, result, &b->as.list->cells[i]));
    return QN_OK;
}

/* ---- Functions ---- */

static qn_status make_range(run *r, const qn_tree_node *node, cell *numbers, int count, cell *result)
{
    int64_t begin = 0, end, step = 1;
    for (int i = 0; i < count; i++) QN_TRY(to_whole(r, node, &numbers[i]));
    end = numbers[count > 1].as.integer;
    if (count > 1) begin = numbers[0].as.integer;
    if (count > 2) step = numbers[2].as.integer;
    if (step == 0) return fail(r, node, "range with a step of 0");
    QN_TRY(new_list(r, result));
    while (step > 0 ? begin < end : begin > end) {
        cell element;
        set_integer(&element, begin);
        QN_TRY(append(r, node, result, &element));
        if (__builtin_add_overflow(begin, step, &begin)) break;
    }
    return QN_OK;
}

static qn_status add_up(run *r, const qn_tree_node *node, const cell *list, const cell *start, cell *result)
{
    qn_tree_node addition = *node;
    addition.operation = QN_TREE_ADD;
    if (list->kind != LIST) return fail(r, node, "one value where a list is needed");
    *result = *start;
    QN_TRY(to_number(r, node, result));
    for (size_t i = 0; i < list->as.list->count; i++) {
        cell element = list->as.list->cells[i];
        QN_TRY(to_number(r, node, &element));
        if (result->kind == INTEGER && element.kind == INTEGER)
            QN_TRY(integer_operation(r, &addition, result->as.integer, element.as.integer, result));
        else
            QN_TRY(set_real(r, node, real_of(result) + real_of(&element), result));
    }
    return QN_OK;
}

static qn_status extreme(run *r, const qn_tree_node *node, cell *result)
{
    const int *arguments = r->expression->lists + node->list_begin;
    size_t count = (size_t)node->list_count;
    cell list, element;
    list.kind = INTEGER;
    if (count == 1) {
        QN_TRY(evaluate(r, arguments[0], &list));
        if (list.kind != LIST) return fail(r, node, "one value where a list is needed");
        count = list.as.list->count;
        if (count == 0) return fail(r, node, "an empty list has no smallest and no largest element");
    }
    for (size_t i = 0; i < count; i++) {
        int order = 0;
        if (list.kind == LIST)
            element = list.as.list->cells[i];
        else
            QN_TRY(evaluate(r, arguments[i], &element));
        if (i > 0) QN_TRY(compare(r, node, &element, result, &order));
        if (i == 0 || (node->slot == QN_TREE_MAX ? order > 0 : order < 0)) *result = element;
    }
    return QN_OK;
}

/* int("12"), float("1.5") */
static qn_status parse_number(const run *r, const qn_tree_node *node, const char *text, cell *result)
{
    char *end;
    errno = 0;
    if (node->slot == QN_TREE_INT)
        set_integer(result, strtoll(text, &end, 10));
    else
        QN_TRY(set_real(r, node, strtod(text, &end), result));
    if (end == text || *end || errno) return fail(r, node, "a text that is not a number");
    return QN_OK;
}

/* Convert a real number to a whole number: by floor, ceil, trunc, or to nearest with halves to even. */
static qn_status to_integer(const run *r, const qn_tree_node *node, const cell *c, cell *result)
{
    if (c->kind == INTEGER) {
        *result = *c;
        return QN_OK;
    }
    double real = c->as.real;
    switch (node->slot) {
    case QN_TREE_CEIL: real = ceil(real); break;
    case QN_TREE_FLOOR: real = floor(real); break;
    case QN_TREE_ROUND: real = nearbyint(real); break;
    default: real = trunc(real);
    }
    if (!(real >= -0x1p63 && real < 0x1p63)) return too_large(r, node);
    set_integer(result, (int64_t)real);
    return QN_OK;
}

static qn_status number_function(const run *r, const qn_tree_node *node, cell *c, cell *result)
{
    int64_t negated;
    QN_TRY(to_number(r, node, c));
    switch (node->slot) {
    case QN_TREE_FLOAT: return set_real(r, node, real_of(c), result);
    case QN_TREE_ABS:
        if (c->kind == REAL) return set_real(r, node, fabs(c->as.real), result);
        if (__builtin_sub_overflow(INT64_C(0), c->as.integer, &negated)) return too_large(r, node);
        set_integer(result, c->as.integer < 0 ? negated : c->as.integer);
        return QN_OK;
    case QN_TREE_LOG2:
        if (real_of(c) <= 0) return fail(r, node, "log2 of a number that is not positive");
        return set_real(r, node, log2(real_of(c)), result);
    case QN_TREE_SQRT:
        if (real_of(c) < 0) return fail(r, node, "sqrt of a negative number");
        return set_real(r, node, sqrt(real_of(c)), result);
    default: return to_integer(r, node, c, result);
    }
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static qn_status call(run *r, const qn_tree_node *node, cell *result)
{
    cell arguments[3] = {{0}};
    if (node->slot == QN_TREE_MIN || node->slot == QN_TREE_MAX) return extreme(r, node, result);
    for (int i = 0; i < node->list_count; i++)
        QN_TRY(evaluate(r, r->expression->lists[node->list_begin + i], &arguments[i]));
    cell *first = &arguments[0];
    switch (node->slot) {
    case QN_TREE_RANGE: return make_range(r, node, arguments, node->list_count, result);
    case QN_TREE_SUM: return add_up(r, node, first, &arguments[1], result);
    case QN_TREE_TO_LIST:
        if (first->kind != LIST) return fail(r, node, "one value where a list is needed");
        *result = *first;
        return QN_OK;
    case QN_TREE_LEN:
        if (first->kind != LIST && first->kind != TEXT) return fail(r, node, "len of a number");
        set_integer(result, (int64_t)(first->kind == LIST ? first->as.list->count : characters(first->as.text)));
        return QN_OK;
    default:
        if (first->kind == TEXT && (node->slot == QN_TREE_INT || node->slot == QN_TREE_FLOAT))
            return parse_number(r, node, first->as.text, result);
        return number_function(r, node, first, result);
    }
}

/* ---- The walk ---- */

static qn_status unary(run *r, const qn_tree_node *node, cell *result)
{
    QN_TRY(evaluate(r, node->child[0], result));
    if (node->operation == QN_TREE_NOT) {
        set_boolean(result, !is_true(result));
        return QN_OK;
    }
    QN_TRY(to_number(r, node, result));
    if (node->operation == QN_TREE_PLUS) return QN_OK;
    if (node->operation == QN_TREE_INVERT) {
        QN_TRY(to_whole(r, node, result));
        result->as.integer = ~result->as.integer;
    } else if (result->kind == REAL)
        result->as.real = -result->as.real;
    else if (__builtin_sub_overflow(INT64_C(0), result->as.integer, &result->as.integer))
        return too_large(r, node);
    return QN_OK;
}

static qn_status binary(run *r, const qn_tree_node *node, cell *result)
{
    cell a, b;
    int order;
    qn_tree_operation operation = node->operation;
    QN_TRY(evaluate(r, node->child[0], &a));
    QN_TRY(evaluate(r, node->child[1], &b));
    if (operation == QN_TREE_EQUAL || operation == QN_TREE_UNEQUAL) {
        set_boolean(result, equal(&a, &b) == (operation == QN_TREE_EQUAL));
        return QN_OK;
    }
    if (operation >= QN_TREE_LESS) {
        QN_TRY(compare(r, node, &a, &b, &order));
        set_boolean(result, order_holds(operation, order));
        return QN_OK;
    }
    if (a.kind == INTEGER && b.kind == INTEGER) return integer_operation(r, node, a.as.integer, b.as.integer, result);
    if (a.kind == LIST || b.kind == LIST) return list_operation(r, node, &a, &b, result);
    bool truths = a.kind == BOOLEAN && b.kind == BOOLEAN && operation >= QN_TREE_BIT_AND;
    QN_TRY(to_number(r, node, &a));
    QN_TRY(to_number(r, node, &b));
    if (a.kind == REAL || b.kind == REAL) return real_operation(r, node, real_of(&a), real_of(&b), result);
    QN_TRY(integer_operation(r, node, a.as.integer, b.as.integer, result));
    if (truths) set_boolean(result, result->as.integer != 0);
    return QN_OK;
}

static qn_status evaluate(run *r, int number, cell *result)
{
    const qn_tree_node *node = &r->expression->nodes[number];
    const qn_value *value = &node->value;
    bool found;
    switch (node->operation) {
    case QN_TREE_VARIABLE: value = &r->values[node->slot]; /* fall through */
    case QN_TREE_CONSTANT:
        result->kind = (cell_kind)value->kind;
        memcpy(&result->as, &value->as, sizeof value->as);
        return QN_OK;
    case QN_TREE_LOCAL: *result = r->locals[node->slot]; return QN_OK;
    case QN_TREE_AND:
    case QN_TREE_OR:
        QN_TRY(evaluate(r, node->child[0], result));
        if (is_true(result) == (node->operation == QN_TREE_OR)) return QN_OK;
        return evaluate(r, node->child[1], result);
    case QN_TREE_SELECT:
        QN_TRY(evaluate(r, node->child[0], result));
        return evaluate(r, node->child[is_true(result) ? 1 : 2], result);
    case QN_TREE_LIST: return list_literal(r, node, result);
    case QN_TREE_COMPREHENSION: QN_TRY(new_list(r, result)); return run_clauses(r, node, 1, result);
    case QN_TREE_INDEX: return index_list(r, node, result);
    case QN_TREE_CALL: return call(r, node, result);
    case QN_TREE_NEGATE:
    case QN_TREE_PLUS:
    case QN_TREE_INVERT:
    case QN_TREE_NOT: return unary(r, node, result);
    case QN_TREE_IN:
    case QN_TREE_NOT_IN:
        QN_TRY(is_in(r, node, &found));
        set_boolean(result, found == (node->operation == QN_TREE_IN));
        return QN_OK;
    default:
        if (--r->steps < 0) return fail(r, node, "more steps than one expression may take");
        return binary(r, node, result);
    }
}

static void release(run *r)
{
    while (r->made) {
        cell_list *list = r->made;
        r->made = list->next;
        qn_release(&list->cells);
        qn_release(&list);
    }
}

static qn_status to_value(const run *r, const qn_tree_node *node, const cell *c, qn_value *value)
{
    if (c->kind == LIST) return fail(r, node, "a list where one value is needed");
    value->kind = (qn_value_kind)c->kind;
    memcpy(&value->as, &c->as, sizeof value->as);
    return QN_OK;
}

qn_status qn_tree_evaluate(const qn_expression *expression, int node, const qn_value *values, qn_value *result)
{
    run r;
    cell c;
    r.expression = expression;
    r.values = values;
    r.made = NULL;
    r.steps = STEPS_MAX;
    qn_status status = evaluate(&r, node, &c);
    if (status == QN_OK) status = to_value(&r, &expression->nodes[node], &c, result);
    release(&r);
    return status;
}

qn_status qn_expression_evaluate_list(const qn_expression *expression, const qn_value *values, qn_value **elements,
                                      size_t *count)
{
    run r = {.expression = expression, .values = values, .steps = STEPS_MAX};
    const qn_tree_node *root = &expression->nodes[expression->root];
    cell c;
    void *memory = NULL;
    *elements = NULL;
    *count = 0;
    qn_status status = evaluate(&r, expression->root, &c);
    size_t found = status == QN_OK && c.kind == LIST ? c.as.list->count : 1;
    if (status == QN_OK) status = qn_allocate(found, sizeof **elements, &memory);
    *elements = memory;
    for (size_t i = 0; i < found && status == QN_OK; i++)
        status = to_value(&r, root, c.kind == LIST ? &c.as.list->cells[i] : &c, *elements + i);
    release(&r);
    if (status == QN_OK)
        *count = found;
    else
        qn_release(elements);
    return status;
}
