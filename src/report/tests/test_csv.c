/* CSV text by RFC 4180, and numbers in every locale with a decimal comma that is installed. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "report/csv.h"
#include "report/number.h"

static void fields_are_quoted_where_needed(void)
{
    qn_text csv = {0};
    CHECK_OK(qn_csv_row(&csv, 3, (const char *const[]){"plain", "a,b", "say \"hi\""}));
    CHECK_OK(qn_csv_row(&csv, 4, (const char *const[]){"two\nlines", " edge", "inner space", "\""}));
    CHECK_OK(qn_csv_row(&csv, 3, (const char *const[]){"", NULL, "<&>'é"}));
    CHECK_TEXT(csv.data, "plain,\"a,b\",\"say \"\"hi\"\"\"\n"
                         "\"two\nlines\",\" edge\",inner space,\"\"\"\"\n"
                         ",,<&>'é\n");
    qn_text_clear(&csv);
}

static void numbers_have_the_requested_precision(void)
{
    qn_text csv = {0};
    CHECK_OK(qn_csv_number(&csv, -12.3456, 2));
    CHECK_OK(qn_csv_number(&csv, 3, 0));
    CHECK_OK(qn_csv_number(&csv, -0.001, 1));
    CHECK_OK(qn_csv_number(&csv, NAN, 3));
    CHECK_OK(qn_csv_number(&csv, -INFINITY, 3));
    CHECK_OK(qn_csv_general(&csv, 1.5e-9, 3));
    CHECK_OK(qn_csv_integer(&csv, -9007199254740993));
    CHECK_OK(qn_csv_end_row(&csv));
    CHECK_TEXT(csv.data, "-12.35,3,0.0,,-inf,1.5e-09,-9007199254740993\n");
    qn_text_clear(&csv);
}

static void the_largest_number_fits(void)
{
    char text[QN_NUMBER_LENGTH];
    qn_number_format(-1.7976931348623157e308, QN_NUMBER_FIXED, 40, text);
    CHECK(strlen(text) == 1 + 309 + 1 + 40);
    CHECK(strncmp(text, "-179769313486231570", 19) == 0);
}

/* If no such locale is installed, this checks nothing. */
static void a_decimal_comma_never_appears(void)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "ps_AF", "de_DE"};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        tried++;
        char text[QN_NUMBER_LENGTH];
        qn_number_format(-1234.5, QN_NUMBER_FIXED, 2, text);
        CHECK_TEXT(text, "-1234.50");
        qn_number_format(1.25e-7, QN_NUMBER_GENERAL, 6, text);
        CHECK_TEXT(text, "1.25e-07");
    }
    setlocale(LC_ALL, "C");
    printf("  %zu locales with a decimal comma tried\n", tried);
    CHECK(setlocale(LC_ALL, NULL) != NULL);
}

static void numbers_and_names_are_distinguished(void)
{
    static const char *const numbers[] = {"0", "-1.5", "+.5", "3.", "1e-3", "2E+10", "−4.2", "12 %", "61%"};
    static const char *const names[] = {"", "-", ".", "1e", "1.2.3", "12a", "1 2", "model_1", "e5", "%", "1,5"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) CHECK(qn_number_is(numbers[i]));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK(!qn_number_is(names[i]));
    CHECK(qn_number_is_missing("") && qn_number_is_missing("-nan") && qn_number_is_missing("N/A"));
    CHECK(!qn_number_is_missing("0") && !qn_number_is_missing("nano") && !qn_number_is_missing("NA"));
}

static void files_hold_the_text(void)
{
    char *path = NULL, *data = NULL;
    size_t size = 0;
    CHECK_OK(qn_path_join(check_scratch_folder(), "scores.csv", &path));
    qn_text csv = {0};
    CHECK_OK(qn_csv_write(&csv, path));
    CHECK_OK(qn_csv_row(&csv, 2, (const char *const[]){"a", "b"}));
    CHECK_OK(qn_csv_write(&csv, path));
    CHECK_OK(qn_file_read(path, &data, &size));
    CHECK_TEXT(data, "a,b\n");
    qn_release(&data);
    qn_release(&path);
    qn_text_clear(&csv);
}

int main(void)
{
    RUN(fields_are_quoted_where_needed);
    RUN(numbers_have_the_requested_precision);
    RUN(the_largest_number_fits);
    RUN(a_decimal_comma_never_appears);
    RUN(numbers_and_names_are_distinguished);
    RUN(files_hold_the_text);
    return check_finish();
}
