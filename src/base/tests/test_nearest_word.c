#include "base/nearest_word.h"

#include <string.h>

#include "check.h"

static const char *const words[] = {"gyration", "rdf", "dipole", "density", "with", "select"};
enum { COUNT = sizeof words / sizeof words[0] };

static void misspelt_words_are_found(void)
{
    CHECK_TEXT(qn_nearest_word("gyraton", words, COUNT), "gyration"); /* a letter missing */
    CHECK_TEXT(qn_nearest_word("dipoole", words, COUNT), "dipole");   /* a letter too many */
    CHECK_TEXT(qn_nearest_word("rfd", words, 2), "rdf");              /* one edit of three letters */
    CHECK_TEXT(qn_nearest_word("dip", words, COUNT), "dipole");       /* its beginning */
    CHECK_TEXT(qn_nearest_word("selcet", words, COUNT), "select");    /* neighbours swapped */
    CHECK_TEXT(qn_nearest_word("rdf", words, COUNT), "rdf");
}

static void dissimilar_words_are_not_found(void)
{
    CHECK(!qn_nearest_word("temperature", words, COUNT));
    CHECK(!qn_nearest_word("", words, COUNT));
    CHECK(!qn_nearest_word("sasa", (const char *const[]){"mass"}, 1)); /* half of the letters differ */
    CHECK(!qn_nearest_word("di", words, COUNT));
    CHECK(!qn_nearest_word("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", words, COUNT));
    CHECK(!qn_nearest_word("rdf", words, 0));
}

static void messages_list_what_was_expected(void)
{
    const char *many[100];
    for (size_t i = 0; i < 100; i++) many[i] = "a_word_of_some_length";
    CHECK_TEXT(qn_expect_words("sasa", words, 3).text, "expected one of: gyration rdf dipole");
    CHECK_TEXT(qn_expect_words("dip", words, 3).text,
               "expected one of: gyration rdf dipole (did you mean \"dipole\"?)");
    const qn_expected_words cut = qn_expect_words("a_word_of_some_lenght", many, 100);
    CHECK(strstr(cut.text, " ... (did you mean \"a_word_of_some_length\"?)") != NULL);
}

int main(void)
{
    RUN(misspelt_words_are_found);
    RUN(dissimilar_words_are_not_found);
    RUN(messages_list_what_was_expected);
    return check_finish();
}
