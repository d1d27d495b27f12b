/* Numbers as readers write them: rounded, without exponents of programs, with errors. */
#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static void reads(double value, int digits, const char *expected)
{
    char text[QN_NUMBER_LENGTH];
    qn_number_read(value, digits, text);
    CHECK_TEXT(text, expected);
}

static void reads_with_error(double value, double error, const char *expected)
{
    char text[QN_NUMBER_LENGTH];
    qn_number_read_with_error(value, error, text);
    CHECK_TEXT(text, expected);
}

static void values_are_rounded_to_digits(void)
{
    reads(2.3456, 3, "2.35");
    reads(-0.0123456, 3, "−0.0123");
    reads(12345.6, 3, "12300");
    reads(9.996, 3, "10.0");
    reads(99.96, 3, "100");
    reads(0.5, 3, "0.500");
    reads(0, 3, "0");
    reads(7, 1, "7");
    reads(0.00012345, 2, "0.00012");
    reads(1234567, 2, "1200000");
}

static void very_small_and_very_large_values_have_a_power_of_ten(void)
{
    reads(1.2345e-5, 2, "1.2×10⁻⁵");
    reads(-6.02214e23, 4, "−6.022×10²³");
    reads(9.99e6, 2, "1.0×10⁷");
    reads(1e300, 1, "1×10³⁰⁰");
    reads(NAN, 3, "–");
    reads(-INFINITY, 3, "–");
}

static void errors_decide_the_digits(void)
{
    reads_with_error(2.2474, 0.4068, "2.2 ± 0.4");
    reads_with_error(0.913456, 0.00213, "0.913 ± 0.002");
    reads_with_error(34.1234, 1.234, "34.1 ± 1.2");
    reads_with_error(34.1234, 0.0996, "34.12 ± 0.10");
    reads_with_error(-1234.5, 30, "−1230 ± 30");
    reads_with_error(0.02, 3, "0 ± 3");
    reads_with_error(2.2e-5, 3.1e-6, "(2.2 ± 0.3)×10⁻⁵");
    reads_with_error(4.5e9, 2.2e8, "(4.5 ± 0.2)×10⁹");
    reads_with_error(13.8240001, NAN, "13.82");
    reads_with_error(13.8240001, 0, "13.82");
    reads_with_error(13.8240001, 1e-12, "13.82");
    reads_with_error(NAN, 0.1, "–");
}

int main(void)
{
    RUN(values_are_rounded_to_digits);
    RUN(very_small_and_very_large_values_have_a_power_of_ten);
    RUN(errors_decide_the_digits);
    return check_finish();
}
