#include "math/median.h"

#include <stdlib.h>

static int compare_values(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

double qn_median(double *values, size_t count)
{
    if (count == 0) return 0;
    qsort(values, count, sizeof *values, compare_values);
    return values[count / 2];
}
