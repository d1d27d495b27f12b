/* Known configurations of a kernel of the user's own, as qn_tune_lookup lists those of a family. */
#ifndef QN_TUNE_KNOWN_H
#define QN_TUNE_KNOWN_H

#include "tune/store.h"

/* List the configurations of the store for a key and a space, in the order of preference, and last the fallback, which
 * is given as text. Their `configuration` is not set. store NULL: the fallback alone. */
QN_MUST_CHECK qn_status qn_known_of_space(qn_tune_store *store, const qn_tune_key *key, const qn_space *space,
                                          const char *fallback, qn_tune_known *known, size_t capacity, size_t *count);

#endif
