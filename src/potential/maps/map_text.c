#include "potential/maps/map_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const float shown_zero = 0.0001F;
static const double largest_fast = 1e12; /* a float times 1000 is exact in double, and below 2^53 here */

float qn_map_value_round(double value)
{
    const double thousandths = rint(value * 1000);
    if (thousandths == 0) return fabs(value) < (double)shown_zero ? 0 : copysignf(shown_zero, (float)value);
    return (float)(thousandths / 1000);
}

static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

/* Write a whole number without leading zeros. */
static char *write_whole(uint64_t value, char *text)
{
    char digits[24], *place = digits + sizeof digits;
    while (value >= 100) {
        memcpy(place -= 2, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(place -= 2, digit_pairs + 2 * value, 2);
    else
        *--place = (char)('0' + value);
    const size_t length = (size_t)(digits + sizeof digits - place);
    memcpy(text, place, length);
    return text + length;
}

static char *write_value(float value, char *text)
{
    if (fabs(value) > largest_fast) return text + sprintf(text, "%.3f\n", (double)value);
    const int64_t thousandths = (int64_t)rint((double)value * 1000); /* half to even, as printf */
    if (thousandths == 0) {
        const size_t length = value == 0 ? 3 : 6;
        memcpy(text, value == 0 ? "0.\n" : "0.000\n", length);
        return text + length;
    }
    const uint64_t magnitude = thousandths < 0 ? (uint64_t)-thousandths : (uint64_t)thousandths;
    const uint32_t fraction = (uint32_t)(magnitude % 1000);
    if (thousandths < 0) *text++ = '-';
    text = write_whole(magnitude / 1000, text);
    *text++ = '.';
    *text++ = (char)('0' + fraction / 100);
    memcpy(text, digit_pairs + 2 * (fraction % 100), 2);
    text[2] = '\n';
    return text + 3;
}

size_t qn_map_text_write(const float *values, size_t count, char *text)
{
    char *place = text;
    for (size_t i = 0; i < count; i++) place = write_value(values[i], place);
    return (size_t)(place - text);
}
