/* Find the known word that a misspelt word probably means, for error messages. */
#ifndef QN_BASE_NEAREST_WORD_H
#define QN_BASE_NEAREST_WORD_H

#include <stddef.h>

/* The word of `words` that begins with `text` (of three letters or more), else the one with the fewest edits from it;
 * NULL when all need more edits than a third of the letters. Words of 48 characters and more are ignored. */
const char *qn_nearest_word(const char *text, const char *const *words, size_t count);

/* The end of a message about an unknown word: "expected one of: rdf msd sdh (did you mean \"rdf\"?)". A
 * list that does not fit is cut and ends in "...". */
typedef struct qn_expected_words {
    char text[640];
} qn_expected_words;
qn_expected_words qn_expect_words(const char *text, const char *const *words, size_t count);

#endif
