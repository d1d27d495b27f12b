/* Texts of arbitrary bytes and 64-bit numbers in JSON. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/json.h"

static void expect_text(const char *text, const char *expected)
{
    json_t *json = qn_json_text(text);
    if (CHECK(json && json_is_string(json))) CHECK_TEXT(json_string_value(json), expected);
    json_decref(json);
}

static void characters_are_kept(void)
{
    expect_text("", "");
    expect_text("plain \"quoted\" \\ \t", "plain \"quoted\" \\ \t");
    expect_text("Å \xE2\x82\xAC \xF0\x9F\x92\x8A \xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF",
                "Å \xE2\x82\xAC \xF0\x9F\x92\x8A \xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF");
    json_t *none = qn_json_text(NULL);
    CHECK(json_is_null(none));
    json_decref(none);
}

/* Latin 1; cut characters; overlong, surrogate and too large characters (RFC 3629, section 3). */
static void invalid_bytes_are_escaped(void)
{
    expect_text("caf\xE9.sdf", "caf\\xE9.sdf");
    expect_text("\xE9", "\\xE9");
    expect_text("\xE2\x82", "\\xE2\\x82");
    expect_text("\xE2\x82x", "\\xE2\\x82x");
    expect_text("\x80\xBF", "\\x80\\xBF");
    expect_text("\xC0\xAF", "\\xC0\\xAF");
    expect_text("\xE0\x9F\xBF", "\\xE0\\x9F\\xBF");
    expect_text("\xED\xA0\x80", "\\xED\\xA0\\x80");
    expect_text("\xF0\x8F\xBF\xBF", "\\xF0\\x8F\\xBF\\xBF");
    expect_text("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
    expect_text("\xFF\xFE", "\\xFF\\xFE");
}

static void numbers_keep_their_digits(void)
{
    json_t *small = qn_json_unsigned(INT64_MAX), *large = qn_json_unsigned(UINT64_MAX);
    CHECK(json_is_integer(small) && json_integer_value(small) == INT64_MAX);
    CHECK_TEXT(json_string_value(large), "18446744073709551615");
    json_decref(small);
    json_decref(large);
}

static void files_are_complete_or_not_written(void)
{
    char path[700], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/a.json", check_scratch_folder());
    CHECK_OK(qn_json_write(json_pack("{s:o, s:f}", "file", qn_json_text("\xE9"), "third", 1.0 / 3),
                           check_scratch_folder(), "a.json"));
    if (CHECK_OK(qn_file_read(path, &text, &size)))
        CHECK_TEXT(text, "{\n  \"file\": \"\\\\xE9\",\n  \"third\": 0.333333333\n}\n");
    qn_release(&text);
    CHECK_FAILS(qn_json_write(NULL, check_scratch_folder(), "b.json"), QN_OUT_OF_MEMORY);
}

int main(void)
{
    RUN(characters_are_kept);
    RUN(invalid_bytes_are_escaped);
    RUN(numbers_keep_their_digits);
    RUN(files_are_complete_or_not_written);
    return check_finish();
}
