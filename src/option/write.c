/* Writing values as texts that read back as the same values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/unit.h"
#include "option/value.h"

/* Write a number with the fewest digits that read back as the same number. */
static int write_number(double number, char *text, size_t bytes)
{
    for (int digits = 15; digits < 17; digits++) {
        char short_text[40];
        snprintf(short_text, sizeof short_text, "%.*g", digits, number);
        if (strtod(short_text, NULL) == number) return snprintf(text, bytes, "%s", short_text);
    }
    return snprintf(text, bytes, "%.17g", number);
}

static int write_bytes(const qn_option *row, uint64_t amount, char *text, size_t bytes)
{
    const uint64_t unit = (uint64_t)qn_option_unit(row, "");
    const unsigned long long whole = amount / unit;
    return amount % unit ? snprintf(text, bytes, "%lluB", (unsigned long long)amount)
                         : snprintf(text, bytes, "%llu", whole);
}

/* Write seconds in the row's unit if that text is exact and short. */
static int write_seconds(const qn_option *row, double seconds, char *text, size_t bytes)
{
    const double unit = qn_option_unit(row, "");
    char bare[40], number[40];
    write_number(seconds / unit, bare, sizeof bare);
    write_number(seconds, number, sizeof number);
    const bool is_exact = strtod(bare, NULL) * unit == seconds;
    return is_exact && strlen(bare) <= strlen(number) ? snprintf(text, bytes, "%s", bare)
                                                      : snprintf(text, bytes, "%ss", number);
}

static int write_numbers(const double *numbers, int count, char *text, size_t bytes)
{
    int length = 0;
    for (int i = 0; i < count; i++) {
        char number[40];
        write_number(numbers[i], number, sizeof number);
        const size_t used = (size_t)length < bytes ? (size_t)length : bytes;
        length += snprintf(text + used, bytes - used, "%s%s", i > 0 ? "," : "", number);
    }
    return length;
}

static int write_box(const double box[6], char *text, size_t bytes)
{
    const bool is_cube = box[3] == box[4] && box[3] == box[5];
    return write_numbers(box, is_cube ? 4 : 6, text, bytes);
}

static int write_percents(const double percents[3], char *text, size_t bytes)
{
    int count = 3;
    if (percents[0] == percents[1] && percents[0] == percents[2]) count = 1;
    while (count > 1 && isnan(percents[count - 1])) count--;
    return write_numbers(percents, count, text, bytes);
}

static int write_sizes(const int sizes[QN_OPTION_SIZES_MAX], char *text, size_t bytes)
{
    int length = 0, count = QN_OPTION_SIZES_MAX;
    while (count > 1 && sizes[count - 1] == 0) count--;
    for (int i = 0; i < count; i++) {
        const size_t used = (size_t)length < bytes ? (size_t)length : bytes;
        length += snprintf(text + used, bytes - used, "%s%d", i > 0 ? "x" : "", sizes[i]);
    }
    return length;
}

static int write_range(const uint64_t range[2], char *text, size_t bytes)
{
    const unsigned long long first = range[0], last = range[1];
    return first == last ? snprintf(text, bytes, "%llu", first) : snprintf(text, bytes, "%llu-%llu", first, last);
}

/* Write a word of `choices`. A place beyond the last word is written as a number, which no reader accepts. */
static int write_word(const char *choices, int place, char *text, size_t bytes)
{
    const char *word = choices;
    for (int i = 0; *word && i < place; i++) word += strcspn(word, " "), word += *word == ' ';
    if (!*word || place < 0) return snprintf(text, bytes, "%d", place);
    return snprintf(text, bytes, "%.*s", (int)strcspn(word, " "), word);
}

size_t qn_option_write(const qn_option *row, const qn_option_value *value, char *text, size_t bytes)
{
    int length = 0;
    if (bytes > 0) text[0] = '\0';
    switch (row->kind) {
    case QN_OPTION_FLAG:
    case QN_OPTION_UNLESS: length = snprintf(text, bytes, "%s", value->flag ? "yes" : "no"); break;
    case QN_OPTION_INTEGER: length = snprintf(text, bytes, "%d", value->integer); break;
    case QN_OPTION_QUOTA:
        length = value->integer < 0 ? snprintf(text, bytes, "%d%%", -value->integer)
                                    : snprintf(text, bytes, "%d", value->integer);
        break;
    case QN_OPTION_WHOLE: length = snprintf(text, bytes, "%llu", (unsigned long long)value->whole[0]); break;
    case QN_OPTION_NUMBER: length = write_number(value->number[0], text, bytes); break;
    case QN_OPTION_BYTES: length = write_bytes(row, value->whole[0], text, bytes); break;
    case QN_OPTION_SECONDS: length = write_seconds(row, value->number[0], text, bytes); break;
    case QN_OPTION_RANGE: length = write_range(value->whole, text, bytes); break;
    case QN_OPTION_BOX: length = write_box(value->number, text, bytes); break;
    case QN_OPTION_PERCENTS: length = write_percents(value->number, text, bytes); break;
    case QN_OPTION_SIZES: length = write_sizes(value->sizes, text, bytes); break;
    case QN_OPTION_ENUM: length = write_word(row->choices, value->integer, text, bytes); break;
    case QN_OPTION_TEXTS:
    case QN_OPTION_PAIR: break;
    default: length = snprintf(text, bytes, "%s", value->text ? value->text : ""); break;
    }
    return (size_t)length;
}
