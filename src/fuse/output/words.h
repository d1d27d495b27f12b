/* The parts of a text that another text needs: of a prelude, the words that kernels use. */
#ifndef QN_FUSE_OUTPUT_WORDS_H
#define QN_FUSE_OUTPUT_WORDS_H

#include "base/text.h"

/* Append the definitions of `definitions` whose names occur in `user`, and those that these need, in their order.
 * Definitions are #define and #undef lines, typedefs, functions that begin with DEVICE_FN, and whole blocks of #if. */
QN_MUST_CHECK qn_status qn_words_take(const char *definitions, const char *user, qn_text *text);

/* Whether a name occurs in a text outside of comments. */
bool qn_words_occur(const char *text, size_t length, const char *name, size_t name_length);

#endif
