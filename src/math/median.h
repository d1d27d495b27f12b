/* The median of some numbers. */
#ifndef QN_MATH_MEDIAN_H
#define QN_MATH_MEDIAN_H

#include <stddef.h>

/* Return the value in the middle: of an even count the larger of the two; of no values 0. The values change their
 * order; none may be NaN. */
double qn_median(double *values, size_t count);

#endif
