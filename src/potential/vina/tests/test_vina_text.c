/* The text of Vina's maps: printf's "%.4g" of the same value, except where that has an exponent. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "potential/vina/vina_text.h"

static const char *text_of(float value)
{
    static char text[QN_VINA_LINE_MAX + 1];
    text[qn_vina_text_write(&value, 1, text)] = '\0';
    return text;
}

static void values_have_four_digits(void)
{
    CHECK_TEXT(text_of(-0.28352F), "-0.2835\n");
    CHECK_TEXT(text_of(16.507F), "16.51\n");
    CHECK_TEXT(text_of(16.5F), "16.5\n");
    CHECK_TEXT(text_of(120), "120\n");
    CHECK_TEXT(text_of(0), "0\n");
    CHECK_TEXT(text_of(9.99996F), "10\n");
    CHECK_TEXT(text_of(123456), "123500\n");
    CHECK_TEXT(text_of(0.000012344F), "0.00001234\n");
    CHECK_TEXT(text_of(1e-20F), "0\n");
}

static void values_are_those_of_printf(void)
{
    char expected[64];
    int others = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const double size = pow(10, 7.9 * qn_random_uniform(1, 1, i) - 4);
        const float value = (float)(i % 2 ? size : -size);
        snprintf(expected, sizeof expected, "%.4g\n", (double)value);
        const char *text = text_of(value);
        others += strcmp(text, expected) != 0;
        CHECK_NEAR(strtod(text, NULL), strtod(expected, NULL), 1.01e-3 * fabs((double)value));
    }
    CHECK(others < 20); /* ties */
}

int main(void)
{
    RUN(values_have_four_digits);
    RUN(values_are_those_of_printf);
    return check_finish();
}
