/* Reading values from texts. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option/unit.h"
#include "option/value.h"

size_t qn_option_bytes(const qn_option *row)
{
    switch (row->kind) {
    case QN_OPTION_FLAG:
    case QN_OPTION_UNLESS: return sizeof(bool);
    case QN_OPTION_INTEGER:
    case QN_OPTION_QUOTA:
    case QN_OPTION_ENUM: return sizeof(int);
    case QN_OPTION_WHOLE:
    case QN_OPTION_BYTES: return sizeof(uint64_t);
    case QN_OPTION_NUMBER:
    case QN_OPTION_SECONDS: return sizeof(double);
    case QN_OPTION_TEXT:
    case QN_OPTION_PATH:
    case QN_OPTION_SHARE: return sizeof(const char *);
    case QN_OPTION_PAIR: return 2 * sizeof(const char *);
    case QN_OPTION_RANGE: return 2 * sizeof(uint64_t);
    case QN_OPTION_BOX: return 6 * sizeof(double);
    case QN_OPTION_PERCENTS: return 3 * sizeof(double);
    case QN_OPTION_SIZES: return (size_t)row->count * sizeof(int);
    case QN_OPTION_TEXTS: break;
    }
    return 0;
}

bool qn_option_is_text(qn_option_kind kind)
{
    return kind == QN_OPTION_TEXT || kind == QN_OPTION_PATH || kind == QN_OPTION_SHARE;
}

/* ---- parts of values ---- */

/* Read a decimal number at the beginning of *text, and move *text behind it. */
static bool take_number(const char **text, double *number)
{
    char *end;
    *number = strtod(*text, &end);
    const size_t decimal = strspn(*text, "+-.0123456789eE"); /* strtod also reads blanks, "nan", "inf" and "0x1p3" */
    if (end == *text || decimal < (size_t)(end - *text) || !isfinite(*number)) return false;
    *text = end;
    return true;
}

static bool take_whole(const char **text, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* ---- kinds ---- */

static bool read_flag(const char *text, bool *flag)
{
    static const char *const words[] = {"yes", "true", "on", "no", "false", "off"};
    for (size_t i = 0; i < 6; i++)
        if (strcmp(text, words[i]) == 0) {
            *flag = i < 3;
            return true;
        }
    return false;
}

static bool read_integer(const char *text, int *integer)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    *integer = (int)number;
    return strspn(text, "+-0123456789") > 0 && *end == '\0' && errno == 0 && number >= INT_MIN && number <= INT_MAX;
}

/* Read a count, or a share in whole percents, which becomes a number below 0. */
static bool read_quota(const char *text, int *quota)
{
    uint64_t number;
    if (!take_whole(&text, &number) || number > INT_MAX) return false;
    *quota = *text == '%' ? -(int)number : (int)number;
    return *text == '\0' || (strcmp(text, "%") == 0 && number > 0);
}

/* Read a number; "nan" and "inf" only if the row's default is the same text. */
static bool read_number(const qn_option *row, const char *text, double *number)
{
    if (row->fallback && strcmp(text, row->fallback) == 0) {
        *number = strtod(text, NULL);
        return true;
    }
    return take_number(&text, number) && *text == '\0';
}

static bool read_measure(const qn_option *row, const char *text, double *amount)
{
    if (!take_number(&text, amount)) return false;
    const double unit = qn_option_unit(row, text + (*text == ' '));
    *amount *= unit;
    return unit > 0;
}

static bool read_bytes(const qn_option *row, const char *text, uint64_t *bytes)
{
    double amount;
    if (!read_measure(row, text, &amount) || amount < 0 || amount + 0.5 >= 0x1p64) return false;
    *bytes = (uint64_t)(amount + 0.5);
    return true;
}

/* Read "12-50000", or one number for both ends. */
static bool read_range(const char *text, uint64_t range[2])
{
    if (!take_whole(&text, &range[0])) return false;
    range[1] = range[0];
    if (*text == '\0') return true;
    return *text++ == '-' && take_whole(&text, &range[1]) && *text == '\0';
}

static bool read_word(const char *choices, const char *text, int *place)
{
    const size_t length = strlen(text);
    *place = 0;
    for (const char *word = choices; length > 0 && *word; (*place)++) {
        const size_t word_length = strcspn(word, " ");
        if (word_length == length && strncmp(word, text, length) == 0) return true;
        word += word_length + (word[word_length] == ' ');
    }
    return false;
}

bool qn_share_read(const char *text, double *share)
{
    if (!take_number(&text, share)) return false;
    if (*text == '%') *share /= 100, text++;
    return *text == '\0' && *share > 0 && *share <= 1;
}

/* Read up to `most` numbers separated by commas, with optional percent signs if `percents`. Returns their number; 0:
 * the text is not such a list. */
static int read_numbers(const char *text, int most, bool percents, double *numbers)
{
    for (int count = 0; count < most; count++) {
        if (!take_number(&text, &numbers[count])) return 0;
        if (percents && *text == '%') text++;
        if (*text == '\0') return count + 1;
        if (*text++ != ',') return 0;
    }
    return 0;
}

static bool read_box(const char *text, double box[6])
{
    const int count = read_numbers(text, 6, false, box);
    if (count == 4) box[4] = box[5] = box[3];
    return count == 4 || count == 6;
}

static bool read_percents(const char *text, double percents[3])
{
    const int count = read_numbers(text, 3, true, percents);
    for (int i = count; i < 3 && count > 0; i++) percents[i] = count == 1 ? percents[0] : (double)NAN;
    return count > 0;
}

static bool read_sizes(const char *text, int count, int sizes[QN_OPTION_SIZES_MAX])
{
    for (int i = 0; i < count; i++) {
        uint64_t size;
        if (!take_whole(&text, &size) || size < 1 || size > INT_MAX) return false;
        sizes[i] = (int)size;
        if (*text == '\0') return true;
        if (*text++ != 'x') return false;
    }
    return false;
}

bool qn_option_read(const qn_option *row, const char *text, qn_option_value *value)
{
    double share;
    memset(value, 0, sizeof *value);
    switch (row->kind) {
    case QN_OPTION_FLAG:
    case QN_OPTION_UNLESS: return read_flag(text, &value->flag);
    case QN_OPTION_INTEGER: return read_integer(text, &value->integer);
    case QN_OPTION_QUOTA: return read_quota(text, &value->integer);
    case QN_OPTION_WHOLE: return take_whole(&text, &value->whole[0]) && *text == '\0';
    case QN_OPTION_NUMBER: return read_number(row, text, &value->number[0]);
    case QN_OPTION_BYTES: return read_bytes(row, text, &value->whole[0]);
    case QN_OPTION_SECONDS: return read_measure(row, text, &value->number[0]);
    case QN_OPTION_RANGE: return read_range(text, value->whole);
    case QN_OPTION_BOX: return read_box(text, value->number);
    case QN_OPTION_PERCENTS: return read_percents(text, value->number);
    case QN_OPTION_SIZES: return read_sizes(text, row->count, value->sizes);
    case QN_OPTION_ENUM: return read_word(row->choices, text, &value->integer);
    default: break;
    }
    value->text = text;
    return row->kind == QN_OPTION_SHARE ? qn_share_read(text, &share) : *text != '\0';
}
