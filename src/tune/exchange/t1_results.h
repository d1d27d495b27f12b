/* Results of T1 problems in the store: their key, and what is known of them. */
#ifndef QN_TUNE_EXCHANGE_T1_RESULTS_H
#define QN_TUNE_EXCHANGE_T1_RESULTS_H

#include "tune/exchange/t1.h"
#include "tune/store.h"

/* Make the key under which the results of a problem on a device are stored. Its source is the hash of the T1 file and
 * of the kernel's file, so that results of a changed problem are stale. */
QN_MUST_CHECK qn_status qn_t1_key_make(const qn_t1 *problem, qn_device *device, qn_tune_key *key);

/* Write the default configuration as "NAME=VALUE NAME=VALUE". */
void qn_t1_usual_text(const qn_t1 *problem, char *text, size_t capacity);

#endif
