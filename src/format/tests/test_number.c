#include "check.h"

#include <locale.h>
#include <string.h>

#include "format/number.h"

static void check_number(const char *text, double expected)
{
    double value = 0;
    CHECK(qn_number_parse(text, strlen(text), &value));
    CHECK(value == expected); /* C's own constants are rounded correctly */
}

static void numbers_are_rounded_correctly(void)
{
    check_number("0", 0.0);
    check_number(" -12.3450 ", -12.345);
    check_number("+.5", 0.5);
    check_number("7.", 7.0);
    check_number("1e-4", 1e-4);
    check_number("-2.5E+03", -2.5e3);
    check_number("1D2", 100.0);
    check_number("0.000000000000000000000001", 1e-24);
    check_number("99999.9999", 99999.9999);
    check_number("9007199254740991", 9007199254740991.0);
}

/* Digits beyond 64 bits only change the exponent; the relative error is at most 3e-16. */
static void long_numbers_keep_their_magnitude(void)
{
    double value;
    const char whole[] = "123456789012345678901234567890", fraction[] = "1.23456789012345678901234567890";
    CHECK(qn_number_parse(whole, strlen(whole), &value));
    CHECK_NEAR(value / 123456789012345678901234567890.0, 1, 3e-16);
    CHECK(qn_number_parse(fraction, strlen(fraction), &value));
    CHECK_NEAR(value / 1.2345678901234567, 1, 3e-16);
}

static void texts_that_are_not_numbers_are_refused(void)
{
    static const char *const texts[] = {"",    " ",   ".",     "-",   "1x",   "1 2",   "1e",  "1e1.5",
                                        "nan", "inf", "1.2.3", "--1", "0x10", "1e999", "1,5", "1e-9999999999",
                                        "e5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        CHECK(!qn_number_parse(texts[i], strlen(texts[i]), &value));
    }
    static const char *const wholes[] = {"", "-", "1.", "1e1", "12345678901", "a", "1 2"};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        int value;
        CHECK(!qn_number_parse_whole(wholes[i], strlen(wholes[i]), &value));
    }
    int value;
    CHECK(qn_number_parse_whole(" -042 ", 6, &value) && value == -42);
    CHECK(qn_number_parse_whole("+7", 2, &value) && value == 7);
    CHECK(qn_number_parse_whole("999999999", 9, &value) && value == 999999999);
}

static void parsing_does_not_depend_on_the_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "");
    check_number("1.5", 1.5);
    setlocale(LC_ALL, "C");
}

static void quotations_are_short_and_printable(void)
{
    CHECK_TEXT(qn_quote("a\tb\x80", 4).text, "a?b?");
    const char text[] = "0123456789012345678901234567890123456789x";
    CHECK_TEXT(qn_quote(text, 40).text, "0123456789012345678901234567890123456789");
    CHECK_TEXT(qn_quote(text, 41).text, "0123456789012345678901234567890123456789...");
}

int main(void)
{
    RUN(numbers_are_rounded_correctly);
    RUN(long_numbers_keep_their_magnitude);
    RUN(texts_that_are_not_numbers_are_refused);
    RUN(parsing_does_not_depend_on_the_locale);
    RUN(quotations_are_short_and_printable);
    return check_finish();
}
