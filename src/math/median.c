#include "math/median.h"

/* Hoare's selection (1961): values are divided at a pivot until the middle one has its place. */
double qn_median(double *values, size_t count)
{
    if (count == 0) return 0;
    const ptrdiff_t middle = (ptrdiff_t)(count / 2);
    ptrdiff_t first = 0, last = (ptrdiff_t)count - 1;
    while (first < last) {
        const double pivot = values[middle];
        ptrdiff_t low = first, high = last;
        while (low <= high) {
            while (values[low] < pivot) low++;
            while (pivot < values[high]) high--;
            if (low > high) break;
            const double kept = values[low];
            values[low++] = values[high];
            values[high--] = kept;
        }
        if (high < middle) first = low;
        if (middle < low) last = high;
    }
    return values[middle];
}
