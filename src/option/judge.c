/* Checks of values against their ranges, and the sentences that name the expected values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "option/unit.h"
#include "option/value.h"

static bool is_between(const qn_option *row, double number)
{
    return number >= row->least && number <= row->most;
}

static bool is_whole_between(const qn_option *row, uint64_t number)
{
    return (double)number >= row->least && (row->most >= 0x1p64 || number <= (uint64_t)row->most);
}

/* Whether `choices` lists a number. */
static bool is_listed(const char *choices, double number)
{
    for (const char *word = choices; *word; word += strcspn(word, " "), word += *word == ' ') {
        double listed;
        if (sscanf(word, "%lf", &listed) == 1 && listed == number) return true;
    }
    return false;
}

static bool is_box(const double box[6], double most)
{
    for (int i = 0; i < 6; i++)
        if (!(fabs(box[i]) < most) || (i >= 3 && !(box[i] > 0))) return false;
    return true;
}

static bool are_percents(const qn_option *row, const double percents[3])
{
    for (int i = 0; i < 3; i++)
        if (!isnan(percents[i]) && !is_between(row, percents[i])) return false;
    return !isnan(percents[0]);
}

static bool are_sizes(const qn_option *row, const int sizes[QN_OPTION_SIZES_MAX])
{
    bool ended = false;
    for (int i = 0; i < QN_OPTION_SIZES_MAX; i++) {
        ended |= i > 0 && sizes[i] == 0;
        if (ended ? sizes[i] != 0 : !is_between(row, sizes[i])) return false;
    }
    return true;
}

bool qn_option_is_within(const qn_option *row, const qn_option_value *value)
{
    switch (row->kind) {
    case QN_OPTION_INTEGER: return is_between(row, value->integer);
    case QN_OPTION_WHOLE:
    case QN_OPTION_BYTES: return is_whole_between(row, value->whole[0]);
    case QN_OPTION_NUMBER:
        if (row->choices) return is_listed(row->choices, value->number[0]);
        return is_between(row, value->number[0]);
    case QN_OPTION_SECONDS: return is_between(row, value->number[0]);
    case QN_OPTION_RANGE: return is_whole_between(row, value->whole[0]) && value->whole[0] <= value->whole[1];
    case QN_OPTION_BOX: return is_box(value->number, row->most);
    case QN_OPTION_PERCENTS: return are_percents(row, value->number);
    case QN_OPTION_SIZES: return are_sizes(row, value->sizes);
    case QN_OPTION_QUOTA: return is_between(row, value->integer) || (value->integer < 0 && value->integer >= -100);
    default: return true;
    }
}

typedef struct said_number {
    char text[32];
} said_number;

/* Large whole numbers without an exponent. */
static said_number say(double number)
{
    said_number said;
    const bool is_whole = fabs(number) < 1e15 && number == floor(number);
    snprintf(said.text, sizeof said.text, is_whole ? "%.0f" : "%g", number);
    return said;
}

static void expect_number(const qn_option *row, char *text, size_t bytes)
{
    if (row->choices)
        snprintf(text, bytes, "one of: %s", row->choices);
    else if (isinf(row->most))
        snprintf(text, bytes, "a number");
    else
        snprintf(text, bytes, "a number from %s to %s", say(row->least).text, say(row->most).text);
}

static void expect_measure(const qn_option *row, char *text, size_t bytes)
{
    const bool is_size = row->kind == QN_OPTION_BYTES;
    const char *name = row->unit ? row->unit : is_size ? "B" : "s", *largest = name;
    if (is_size && row->most >= 0x1p40 && (row->least == 0 || row->least >= 0x1p40)) largest = "TiB";
    snprintf(text, bytes, "a %s from %s to %s %s, such as %s", is_size ? "size" : "time",
             say(row->least / qn_option_unit(row, name)).text, say(row->most / qn_option_unit(row, largest)).text,
             largest, is_size ? "512MiB or 2GiB" : "60s, 5min or 2h");
}

static void expect(const qn_option *row, char *text, size_t bytes)
{
    switch (row->kind) {
    case QN_OPTION_FLAG:
    case QN_OPTION_UNLESS: snprintf(text, bytes, "yes or no"); break;
    case QN_OPTION_INTEGER:
    case QN_OPTION_WHOLE:
        if (row->most >= 0x1p64) /* the largest whole number, 2⁶⁴ − 1, is no double */
            snprintf(text, bytes, "a whole number from %.0f to %llu", row->least, (unsigned long long)UINT64_MAX);
        else
            snprintf(text, bytes, "a whole number from %.0f to %.0f", row->least, row->most);
        break;
    case QN_OPTION_NUMBER: expect_number(row, text, bytes); break;
    case QN_OPTION_ENUM: snprintf(text, bytes, "one of: %s", row->choices); break;
    case QN_OPTION_SHARE: snprintf(text, bytes, "a share above 0 and up to 1, such as 5%%"); break;
    case QN_OPTION_BYTES:
    case QN_OPTION_SECONDS: expect_measure(row, text, bytes); break;
    case QN_OPTION_RANGE:
        snprintf(text, bytes, "the first and the last, from %.0f, such as 1-50000", row->least);
        break;
    case QN_OPTION_BOX: snprintf(text, bytes, "centre and side in Å, X,Y,Z,SIDE or X,Y,Z,A,B,C"); break;
    case QN_OPTION_PERCENTS:
        snprintf(text, bytes, "percents from %g to %g, one for all axes or one for each, joined by commas", row->least,
                 row->most);
        break;
    case QN_OPTION_SIZES:
        snprintf(text, bytes, "1 to %d whole numbers from %.0f to %.0f joined by x, such as 4096x4092", row->count,
                 row->least, row->most);
        break;
    case QN_OPTION_QUOTA:
        snprintf(text, bytes, "a whole number from %.0f to %.0f, or a share from 1%% to 100%%", row->least, row->most);
        break;
    default: snprintf(text, bytes, "%s", row->argument); break;
    }
}

qn_status qn_option_refuse(const qn_option *row, const char *text)
{
    char expected[256];
    const char *dashes = row->group == QN_OPTION_ARGUMENT ? "" : "--";
    const char *name = row->group == QN_OPTION_ARGUMENT ? row->argument : row->name;
    expect(row, expected, sizeof expected);
    if (!*text && (row->kind == QN_OPTION_TEXT || row->kind == QN_OPTION_PATH || row->kind == QN_OPTION_TEXTS ||
                   row->kind == QN_OPTION_PAIR))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s%s is empty; expected %s", dashes, name, expected);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s%s is \"%s\"; expected %s", dashes, name, text, expected);
}
