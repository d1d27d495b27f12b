/* What every program asks of its options in the same way. */
#ifndef QN_JOB_OPTIONS_H
#define QN_JOB_OPTIONS_H

#include <quern/status.h>
#include <stdbool.h>

/* QN_INVALID_ARGUMENT, naming the option, its value and what was expected, unless low ≤ value ≤ high. */
QN_MUST_CHECK qn_status qn_option_in_range(const char *name, double value, double low, double high);

/* Refuse to mix with what is there, unless resuming: QN_ALREADY_EXISTS when the folder holds something. *empty (may be
 * NULL) says whether it does not. */
QN_MUST_CHECK qn_status qn_option_output(const char *folder, bool resume, bool *empty);

#endif
