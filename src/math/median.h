/* The median of some numbers. */
#ifndef QN_MATH_MEDIAN_H
#define QN_MATH_MEDIAN_H

#include <stddef.h>

/* Sort the values, and return the one in the middle: of an even count the larger of the two; of no values 0. No value
 * may be NaN. */
double qn_median(double *values, size_t count);

#endif
