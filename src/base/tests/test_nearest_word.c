#include "base/nearest_word.h"

#include "check.h"

static const char *const words[] = {"gyration", "rdf", "dipole", "density", "with", "select"};
enum { COUNT = sizeof words / sizeof words[0] };

static void misspelt_words_are_found(void)
{
    CHECK_TEXT(qn_nearest_word("gyraton", words, COUNT), "gyration"); /* a letter missing */
    CHECK_TEXT(qn_nearest_word("dipoole", words, COUNT), "dipole");   /* a letter too many */
    CHECK_TEXT(qn_nearest_word("fdr", words, 2), "rdf");              /* two edits of three letters */
    CHECK_TEXT(qn_nearest_word("selcet", words, COUNT), "select");    /* neighbours swapped */
    CHECK_TEXT(qn_nearest_word("rdf", words, COUNT), "rdf");
}

static void dissimilar_words_are_not_found(void)
{
    CHECK(!qn_nearest_word("temperature", words, COUNT));
    CHECK(!qn_nearest_word("", words, COUNT));
    CHECK(!qn_nearest_word("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", words, COUNT));
    CHECK(!qn_nearest_word("rdf", words, 0));
}

int main(void)
{
    RUN(misspelt_words_are_found);
    RUN(dissimilar_words_are_not_found);
    return check_finish();
}
