/* Check of the keys of a T1 file. */
#ifndef QN_TUNE_EXCHANGE_T1_KEYS_H
#define QN_TUNE_EXCHANGE_T1_KEYS_H

#include <jansson.h>
#include <quern/status.h>

/* Refuse keys that the format does not have or that cannot be obeyed. Keys that steer other tuners only are named in a
 * note. Errors: QN_BAD_FORMAT, naming file and key. */
QN_MUST_CHECK qn_status qn_t1_check_keys(const char *path, const json_t *file);

#endif
