#include "fft/line_split.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

static bool has_butterfly(int radix)
{
    return radix >= 1 && radix <= QN_LINE_SPLIT_RADIX_MAX && radix != 11 && radix != 13;
}

/* Split into two radices, the smaller one as large as possible; false if there are none. */
static bool split_in_two(int length, int *low, int *high)
{
    for (int a = (int)sqrt((double)length + 0.5); a >= 1; a--) {
        if (length % a != 0 || !has_butterfly(a) || !has_butterfly(length / a)) continue;
        *low = a;
        *high = length / a;
        return true;
    }
    return false;
}

/* Split into three radices, the largest as small as possible, in rising order. */
static bool split_in_three(int length, int radices[3])
{
    for (int c = 1; c <= QN_LINE_SPLIT_RADIX_MAX; c++) {
        if (length % c != 0 || !has_butterfly(c)) continue;
        int a, b;
        if (!split_in_two(length / c, &a, &b) || b > c) continue;
        radices[0] = a;
        radices[1] = b;
        radices[2] = c;
        return true;
    }
    return false;
}

bool qn_fft_line_split(int length, int choice, int radices[3])
{
    if (length < 1 || length > QN_LINE_SPLIT_LONGEST) return false;
    radices[1] = 1;
    const bool two = split_in_two(length, &radices[0], &radices[2]);
    if ((!two || choice == 2) && !split_in_three(length, radices)) return false;
    if (choice == 1) {
        const int first = radices[0];
        radices[0] = radices[2];
        radices[2] = first;
    }
    return true;
}

bool qn_fft_line_definitions(char axis, int length, char text[QN_LINE_DEFINITIONS])
{
    int end = snprintf(text, QN_LINE_DEFINITIONS, "%c_LENGTH=%d", axis, length);
    for (int choice = 0; choice < QN_LINE_SPLIT_CHOICES; choice++) {
        int r[3];
        if (!qn_fft_line_split(length, choice, r)) return false;
        end += snprintf(text + end, (size_t)(QN_LINE_DEFINITIONS - end), " %c%d_R0=%d %c%d_R1=%d %c%d_R2=%d", axis,
                        choice, r[0], axis, choice, r[1], axis, choice, r[2]);
    }
    return true;
}

void qn_fft_line_roots(int length, float *roots)
{
    for (int t = 0; t < length; t++) {
        const double angle = 2 * pi * t / length;
        roots[2 * t] = (float)cos(angle);
        roots[2 * t + 1] = (float)-sin(angle);
    }
}
