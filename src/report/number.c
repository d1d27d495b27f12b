#include "report/number.h"

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
