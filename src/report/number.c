#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Whether printf's f and g conversions can write this character, apart from the locale's decimal point. */
static bool is_plain(char character)
{
    return is_digit(character) || (character && strchr("+-einfa", character));
}

void qn_number_format(double value, qn_number_style style, int precision, char text[QN_NUMBER_LENGTH])
{
    if (precision < 0) precision = 0;
    if (precision > 40) precision = 40;
    int length = snprintf(text, QN_NUMBER_LENGTH, style == QN_NUMBER_FIXED ? "%.*f" : "%.*g", precision, value);
    if (length < 0 || length >= QN_NUMBER_LENGTH) {
        strcpy(text, "nan");
        return;
    }
    /* The locale's point may be several bytes long: the first byte becomes '.', the others are removed. */
    char *to = text;
    bool after_point = false, nonzero = false;
    for (const char *from = text; *from; from++) {
        bool plain = is_plain(*from);
        if (plain || !after_point) *to++ = plain ? *from : '.';
        after_point = !plain;
        nonzero |= plain && *from != '-' && *from != '0';
    }
    *to = '\0';
    if (strstr(text, "nan")) strcpy(text, "nan");
    if (text[0] == '-' && !nonzero) memmove(text, text + 1, strlen(text));
}

size_t qn_number_append_power(int exponent, char *text)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent);
    strcat(text, "×10");
    for (const char *digit = digits; *digit; digit++) strcat(text, *digit == '-' ? "⁻" : raised[*digit - '0']);
    return 3 + strlen(digits);
}

/* Exponent of the first digit of a value that is rounded to `digits`: 9.96 with two digits is 10. */
static int exponent_of(double value, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "%.*e", digits - 1, fabs(value));
    const char *at = strchr(text, 'e');
    int exponent = 0;
    if (at) sscanf(at + 1, "%d", &exponent);
    return exponent;
}

/* Write a value rounded to 10^last, which readers count from 10^scale. */
static void write_rounded(double value, int last, int scale, char text[QN_NUMBER_LENGTH])
{
    const double unit = pow(10, last);
    char number[QN_NUMBER_LENGTH];
    qn_number_format(round(value / unit) * unit / pow(10, scale), QN_NUMBER_FIXED, last < scale ? scale - last : 0,
                     number);
    const bool negative = number[0] == '-';
    snprintf(text, QN_NUMBER_LENGTH, "%s%.390s", negative ? "−" : "", number + negative);
}

/* The power of ten that readers see beside a number whose first digit counts 10^exponent; 0: none. */
static int scale_of(int exponent)
{
    return exponent < -4 || exponent > 6 ? exponent : 0;
}

void qn_number_read(double value, int digits, char text[QN_NUMBER_LENGTH])
{
    if (!isfinite(value) || value == 0) {
        strcpy(text, value == 0 ? "0" : "–");
        return;
    }
    const int exponent = exponent_of(value, digits), scale = scale_of(exponent);
    write_rounded(value, exponent - digits + 1, scale, text);
    if (scale != 0) qn_number_append_power(scale, text);
}

void qn_number_read_with_error(double value, double error, char text[QN_NUMBER_LENGTH])
{
    enum { ROOM = QN_NUMBER_LENGTH / 2 - 16 };
    if (!isfinite(value) || !isfinite(error) || !(error > 1e-9 * fabs(value))) {
        qn_number_read(value, 4, text);
        return;
    }
    char one[QN_NUMBER_LENGTH], two[QN_NUMBER_LENGTH];
    const int first = exponent_of(error, 1), digits = error < 2 * pow(10, first) ? 2 : 1;
    const int last = exponent_of(error, digits) - digits + 1;
    const int exponent = exponent_of(fmax(fabs(value), error), 2), scale = scale_of(exponent);
    write_rounded(value, last, scale, one);
    write_rounded(error, last, scale, two);
    snprintf(text, QN_NUMBER_LENGTH, scale ? "(%.*s ± %.*s)" : "%.*s ± %.*s", ROOM, one, ROOM, two);
    if (scale != 0) qn_number_append_power(scale, text);
}

bool qn_number_is(const char *text)
{
    static const char minus[] = "\xe2\x88\x92";
    if (strncmp(text, minus, 3) == 0)
        text += 3;
    else if (*text == '+' || *text == '-')
        text++;
    size_t digits = 0;
    for (; is_digit(*text); text++) digits++;
    if (*text == '.') text++;
    for (; is_digit(*text); text++) digits++;
    if (digits == 0) return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        if (*text == '+' || *text == '-') text++;
        if (!is_digit(*text)) return false;
        while (is_digit(*text)) text++;
    }
    if (*text == ' ' && text[1] == '%') text++;
    if (*text == '%') text++;
    return *text == '\0';
}

bool qn_number_is_missing(const char *text)
{
    static const char *const dashes[] = {"", "-", "\xe2\x80\x93", "\xe2\x80\x94"};
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (strcmp(text, dashes[i]) == 0) return true;
    if (*text == '+' || *text == '-') text++;
    char lower[4] = "";
    for (size_t i = 0; i < 3 && text[i]; i++)
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    return strlen(text) == 3 && (strcmp(lower, "nan") == 0 || strcmp(lower, "n/a") == 0);
}
