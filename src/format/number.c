#include "format/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static void trim(const char **text, size_t *length)
{
    while (*length > 0 && ((*text)[0] == ' ' || (*text)[0] == '\t')) (*text)++, (*length)--;
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) (*length)--;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool qn_number_parse_whole(const char *text, size_t length, int *value)
{
    int number = 0;
    size_t i = 0;
    trim(&text, &length);
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) i++;
    if (i == length || length - i > 9) return false;
    for (; i < length; i++) {
        if (!is_digit(text[i])) return false;
        number = 10 * number + (text[i] - '0');
    }
    *value = negative ? -number : number;
    return true;
}

/* Multiply or divide once by a power of ten that is exact, wherever the exponent allows it. */
static double scale(uint64_t digits, int exponent)
{
    static const double powers_of_ten[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits == 0 || exponent == 0) return (double)digits;
    if (exponent >= -22 && exponent < 0) return (double)digits / powers_of_ten[-exponent];
    if (exponent > 0 && exponent <= 22) return (double)digits * powers_of_ten[exponent];
    return (double)digits * pow(10.0, exponent);
}

bool qn_number_parse(const char *text, size_t length, double *value)
{
    const uint64_t most = UINT64_MAX / 10 - 1;
    uint64_t digits = 0;
    int count = 0, exponent = 0, written = 0;
    bool point = false;
    size_t i = 0;
    trim(&text, &length);
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) i++;
    for (; i < length && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        count = 1;
        bool kept = digits <= most;
        if (kept) digits = 10 * digits + (uint64_t)(text[i] - '0');
        exponent += kept ? -point : !point;
        if (exponent > 400 || exponent < -400) return false;
    }
    if (count == 0) return false;
    if (i < length && text[i] && strchr("eEdD", text[i])) {
        if (!qn_number_parse_whole(text + i + 1, length - i - 1, &written) || written > 400 || written < -400)
            return false;
        i = length;
    }
    if (i < length) return false;
    double size = scale(digits, exponent + written);
    *value = negative ? -size : size;
    return isfinite(size) != 0;
}

qn_quotation qn_quote(const char *text, size_t length)
{
    qn_quotation quotation;
    const size_t most = sizeof quotation.text - 4;
    size_t shown = length > most ? most : length;
    for (size_t i = 0; i < shown; i++) quotation.text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    strcpy(quotation.text + shown, length > most ? "..." : "");
    return quotation;
}
