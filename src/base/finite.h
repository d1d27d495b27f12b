/* Search for numbers that are infinite or NaN. */
#ifndef QN_BASE_FINITE_H
#define QN_BASE_FINITE_H

#include <stddef.h>

/* How many numbers come before the first that is infinite or NaN; `count`: all are finite. */
size_t qn_finite_count(const float *values, size_t count);

#endif
