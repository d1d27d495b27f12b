#include "runtime/constraint.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/objects.h"

typedef struct parser {
    const char *text, *at;
    const qn_family *family;
    const qn_configuration *configuration;
    const qn_device_info *device;
    int depth;
    int unneeded; /* > 0 while reading an operand whose value decides nothing */
} parser;

static qn_status parse_or(parser *p, int64_t *value);

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t");
}

static qn_status syntax_error(const parser *p, const char *expected)
{
    QN_FAIL(QN_INVALID_ARGUMENT, "constraint \"%s\" of %s, column %d: \"%.12s\" is not understood; expected %s",
            p->text, p->family->name, (int)(p->at - p->text) + 1, p->at, expected);
}

/* Take `word` if it comes next; letters must not go on behind it. */
static bool take(parser *p, const char *word)
{
    size_t length = strlen(word);
    skip_space(p);
    if (strncmp(p->at, word, length) != 0) return false;
    if (isalpha((unsigned char)word[0]) && (isalnum((unsigned char)p->at[length]) || p->at[length] == '_'))
        return false;
    p->at += length;
    return true;
}

/* Whether the device behind every wrapper is of `driver`. */
static bool is_of(const qn_device_info *device, const char *driver)
{
    const char *inner = qn_identifier_of_inner(device->identifier);
    if (inner == device->identifier) return strcmp(device->driver, driver) == 0;
    return strcspn(inner, ":") == strlen(driver) && strncmp(inner, driver, strlen(driver)) == 0;
}

static bool device_value(const qn_device_info *device, const char *name, size_t length, int64_t *value)
{
    const struct {
        const char *name;
        int64_t value;
    } values[] = {
        {"device.local_memory_bytes", (int64_t)device->local_memory_bytes},
        {"device.largest_group", device->largest_group},
        {"device.subgroup_size", device->subgroup_size},
        {"device.compute_units", device->compute_units},
        {"device.is_host", is_of(device, "host")},
        {"device.is_opencl", is_of(device, "opencl")},
        {"device.is_cuda", is_of(device, "cuda")},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i].name) == length && strncmp(values[i].name, name, length) == 0) {
            *value = values[i].value;
            return true;
        }
    return false;
}

static qn_status parse_name(parser *p, int64_t *value)
{
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_' || p->at[length] == '.') length++;
    for (int i = 0; i < p->family->tunable_count; i++)
        if (strlen(p->family->tunables[i].name) == length && strncmp(p->family->tunables[i].name, p->at, length) == 0) {
            *value = p->configuration->value[i];
            p->at += length;
            return QN_OK;
        }
    if (!device_value(p->device, p->at, length, value)) return syntax_error(p, "a tunable or a device property");
    p->at += length;
    return QN_OK;
}

/* left operation right, each step checked: a constraint with numbers too large says so instead of being wrong. */
static qn_status compute(const parser *p, int64_t left, char operation, int64_t right, int64_t *value)
{
    bool overflow = false;
    *value = 0;
    if (p->unneeded) return QN_OK;
    if ((operation == '/' || operation == '%') && right == 0)
        QN_FAIL(QN_INVALID_ARGUMENT, "constraint \"%s\" of %s, column %d: division by zero", p->text, p->family->name,
                (int)(p->at - p->text) + 1);
    switch (operation) {
    case '+': overflow = __builtin_add_overflow(left, right, value); break;
    case '-': overflow = __builtin_sub_overflow(left, right, value); break;
    case '*': overflow = __builtin_mul_overflow(left, right, value); break;
    default: /* the one quotient that does not fit is that of the smallest number by -1 */
        overflow = right == -1 && __builtin_sub_overflow(INT64_C(0), left, value);
        if (right != -1)
            *value = operation == '/' ? left / right : left % right;
        else if (operation == '%')
            *value = 0;
    }
    if (overflow)
        QN_FAIL(QN_INVALID_ARGUMENT, "constraint \"%s\" of %s, column %d: the number does not fit 64 bits", p->text,
                p->family->name, (int)(p->at - p->text) + 1);
    return QN_OK;
}

/* min(a, b) or max(a, b), the word taken */
static qn_status parse_extreme(parser *p, bool largest, int64_t *value)
{
    int64_t left, right;
    if (!take(p, "(")) return syntax_error(p, "\"(\"");
    QN_TRY(parse_or(p, &left));
    if (!take(p, ",")) return syntax_error(p, "\",\"");
    QN_TRY(parse_or(p, &right));
    if (!take(p, ")")) return syntax_error(p, "\")\"");
    *value = (left > right) == largest ? left : right;
    return QN_OK;
}

static qn_status parse_unary(parser *p, int64_t *value)
{
    enum { DEEPEST = 64 };
    qn_status status = QN_OK;
    *value = 0;
    if (++p->depth > DEEPEST) return syntax_error(p, "fewer nested parentheses");
    skip_space(p);
    if (take(p, "!") || take(p, "not")) {
        status = parse_unary(p, value);
        *value = !*value;
    } else if (take(p, "-")) {
        status = parse_unary(p, value);
        if (status == QN_OK) status = compute(p, 0, '-', *value, value);
    } else if (take(p, "(")) {
        status = parse_or(p, value);
        if (status == QN_OK && !take(p, ")")) status = syntax_error(p, "\")\"");
    } else if (take(p, "min")) {
        status = parse_extreme(p, false, value);
    } else if (take(p, "max")) {
        status = parse_extreme(p, true, value);
    } else if (isdigit((unsigned char)*p->at)) {
        char *end;
        errno = 0;
        *value = strtoll(p->at, &end, 10);
        if (errno == ERANGE || isalnum((unsigned char)*end) || *end == '_') return syntax_error(p, "a number");
        p->at = end;
    } else {
        status = parse_name(p, value);
    }
    p->depth--;
    return status;
}

static qn_status parse_product(parser *p, int64_t *value)
{
    QN_TRY(parse_unary(p, value));
    for (;;) {
        int64_t right;
        char operation = (skip_space(p), *p->at);
        if (operation != '*' && operation != '/' && operation != '%') return QN_OK;
        p->at++;
        QN_TRY(parse_unary(p, &right));
        QN_TRY(compute(p, *value, operation, right, value));
    }
}

static qn_status parse_sum(parser *p, int64_t *value)
{
    QN_TRY(parse_product(p, value));
    for (;;) {
        int64_t right;
        char operation = (skip_space(p), *p->at);
        if (operation != '+' && operation != '-') return QN_OK;
        p->at++;
        QN_TRY(parse_product(p, &right));
        QN_TRY(compute(p, *value, operation, right, value));
    }
}

static qn_status parse_comparison(parser *p, int64_t *value)
{
    static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};
    QN_TRY(parse_sum(p, value));
    for (int i = 0; i < 6; i++) {
        int64_t left = *value, right;
        if (!take(p, operators[i])) continue;
        QN_TRY(parse_sum(p, &right));
        const int64_t results[6] = {left <= right, left >= right, left == right, left != right,
                                    left<right, left> right};
        *value = results[i];
        return QN_OK;
    }
    return QN_OK;
}

static qn_status parse_and(parser *p, int64_t *value)
{
    QN_TRY(parse_comparison(p, value));
    while (take(p, "&&") || take(p, "and")) {
        int64_t right;
        int skipped = *value == 0;
        p->unneeded += skipped;
        QN_TRY(parse_comparison(p, &right));
        p->unneeded -= skipped;
        *value = *value && right;
    }
    return QN_OK;
}

static qn_status parse_or(parser *p, int64_t *value)
{
    QN_TRY(parse_and(p, value));
    while (take(p, "||") || take(p, "or")) {
        int64_t right;
        int skipped = *value != 0;
        p->unneeded += skipped;
        QN_TRY(parse_and(p, &right));
        p->unneeded -= skipped;
        *value = *value || right;
    }
    return QN_OK;
}

qn_status qn_constraint_evaluate(const char *text, const qn_family *family, const qn_configuration *configuration,
                                 const qn_device_info *device, int64_t *value)
{
    parser p = {.text = text, .at = text, .family = family, .configuration = configuration, .device = device};
    QN_TRY(parse_or(&p, value));
    skip_space(&p);
    if (*p.at) return syntax_error(&p, "an operator or the end");
    return QN_OK;
}

/* The three values of a tunable a corner is made of; fewer when they coincide. */
static int corner_values(const qn_tunable *tunable, int values[3])
{
    int low = tunable->values[0], high = tunable->values[0], count = 0;
    for (int i = 1; i < tunable->value_count; i++) {
        if (tunable->values[i] < low) low = tunable->values[i];
        if (tunable->values[i] > high) high = tunable->values[i];
    }
    values[count++] = low;
    if (tunable->fallback != low && tunable->fallback != high) values[count++] = tunable->fallback;
    if (high != low) values[count++] = high;
    return count;
}

qn_status qn_family_corners(const qn_family *family, const qn_device_info *device,
                            qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX], digits[QN_TUNABLE_MAX] = {0};
    for (int i = 0; i < family->tunable_count; i++) counts[i] = corner_values(&family->tunables[i], values[i]);
    for (;;) {
        qn_configuration configuration = {{0}};
        bool allowed;
        for (int i = 0; i < family->tunable_count; i++) configuration.value[i] = values[i][digits[i]];
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (allowed) QN_TRY(visit(&configuration, user));
        int place = 0;
        while (place < family->tunable_count && ++digits[place] == counts[place]) digits[place++] = 0;
        if (place == family->tunable_count) return QN_OK;
    }
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Corners are numbered; steps of the golden ratio of their count, made coprime to it, reach every one in the end and
 * stay evenly spread whenever they stop. */
qn_status qn_family_sample_corners(const qn_family *family, const qn_device_info *device, int most,
                                   qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX];
    const qn_configuration fallback = qn_family_fallback(family);
    uint64_t corners = 1, place = 0;
    int visited = 0;
    for (int i = 0; i < family->tunable_count; i++)
        corners *= (uint64_t)(counts[i] = corner_values(&family->tunables[i], values[i]));
    uint64_t step = (uint64_t)(0.6180339887498949 * (double)corners) | 1;
    while (greatest_common_divisor(step, corners) != 1) step += 2;
    for (uint64_t tried = 0; tried <= corners && visited < most; tried++) {
        qn_configuration configuration = fallback;
        bool allowed;
        uint64_t digits = place;
        for (int i = 0; tried > 0 && i < family->tunable_count; digits /= (uint64_t)counts[i++])
            configuration.value[i] = values[i][digits % (uint64_t)counts[i]];
        if (tried > 0) place = (place + step) % corners;
        if (tried > 0 && memcmp(&configuration, &fallback, sizeof fallback) == 0) continue;
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (!allowed) continue;
        visited++;
        QN_TRY(visit(&configuration, user));
    }
    return QN_OK;
}
