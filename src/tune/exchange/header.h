/* Results as a C header: the parameters as macros, for each device, for the user's own build. */
#ifndef QN_TUNE_EXCHANGE_HEADER_H
#define QN_TUNE_EXCHANGE_HEADER_H

#include "base/text.h"
#include "tune/store.h"

/* Append the header of a kernel: the best configuration of each device of `best`, chosen by a macro TARGET_<DEVICE>,
 * and else `usual`. Rows of another source or problem class than the key's are left out, and all but the first of a
 * device. Errors: QN_NOT_FOUND if no row is left. */
QN_MUST_CHECK qn_status qn_header_append(const char *name, const qn_tune_key *key, const qn_tune_best *best,
                                         size_t count, double scale, const char *usual, qn_text *text);

#endif
