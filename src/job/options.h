/* What every program asks of its options in the same way. */
#ifndef QN_JOB_OPTIONS_H
#define QN_JOB_OPTIONS_H

#include <quern/status.h>

/* QN_INVALID_ARGUMENT, naming the option, its value and what was expected, unless low ≤ value ≤ high. */
QN_MUST_CHECK qn_status qn_option_in_range(const char *name, double value, double low, double high);

#endif
