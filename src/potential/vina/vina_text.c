#include "potential/vina/vina_text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DIGITS = 4, SMALLEST_EXPONENT = -12 }; /* smaller values are written as 0 */

/* The value as digits · 10^(exponent − 3), where digits has four digits. */
static int split(double value, int *exponent)
{
    *exponent = (int)floor(log10(value));
    long digits = lround(value * pow(10, DIGITS - 1 - *exponent));
    if (digits < 1000) digits = 1000; /* log10 was rounded up */
    if (digits >= 10000) {
        digits = 1000;
        ++*exponent;
    }
    return (int)digits;
}

static char *write_value(double value, char *text)
{
    char digits[DIGITS];
    int exponent = 0;
    const int number = value == 0 ? 0 : split(fabs(value), &exponent);
    if (number == 0 || exponent < SMALLEST_EXPONENT) {
        *text++ = '0';
        return text;
    }
    for (int i = DIGITS, rest = number; i-- > 0; rest /= 10) digits[i] = (char)('0' + rest % 10);
    int last = DIGITS; /* digits that are written: no zeros at the end of a fraction */
    while (last > 1 && digits[last - 1] == '0') last--;
    if (value < 0) *text++ = '-';
    if (exponent < 0) {
        *text++ = '0';
        *text++ = '.';
        for (int i = -1; i > exponent; i--) *text++ = '0';
    }
    for (int i = 0; i < DIGITS || i <= exponent; i++) {
        if (exponent >= 0 && i == exponent + 1 && i < last) *text++ = '.';
        if (i < last || i <= exponent) *text++ = i < DIGITS ? digits[i] : '0';
    }
    return text;
}

size_t qn_vina_text_write(const float *values, size_t count, char *text)
{
    char *place = text;
    for (size_t i = 0; i < count; i++) {
        place = write_value((double)values[i], place);
        *place++ = '\n';
    }
    return (size_t)(place - text);
}
