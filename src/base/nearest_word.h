/* Find the known word that a misspelt word probably means, for error messages. */
#ifndef QN_BASE_NEAREST_WORD_H
#define QN_BASE_NEAREST_WORD_H

#include <stddef.h>

/* The word of `words` with the fewest edits from `text`; NULL when none is similar. Words of 48 characters and more are
 * ignored. */
const char *qn_nearest_word(const char *text, const char *const *words, size_t count);

#endif
