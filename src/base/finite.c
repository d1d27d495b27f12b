#include "base/finite.h"

#include <float.h>
#include <math.h>

/* Without a branch in the loop over all numbers, so that the compiler vectorises it. */
size_t qn_finite_count(const float *values, size_t count)
{
    int infinite = 0;
    size_t first = 0;
#pragma omp simd reduction(| : infinite)
    for (size_t i = 0; i < count; i++) infinite |= !(fabsf(values[i]) <= FLT_MAX);
    if (!infinite) return count;
    while (isfinite(values[first])) first++;
    return first;
}
