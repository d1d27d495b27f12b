#include "tune/recent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void qn_recent_add(qn_recent *recent, double value)
{
    recent->values[recent->count++ % QN_RECENT_MAX] = value;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int qn_recent_sort(const qn_recent *recent, double values[QN_RECENT_MAX])
{
    int count = recent->count < QN_RECENT_MAX ? recent->count : QN_RECENT_MAX;
    memcpy(values, recent->values, (size_t)count * sizeof *values);
    qsort(values, (size_t)count, sizeof *values, compare);
    return count;
}

double qn_recent_median(const qn_recent *recent)
{
    double values[QN_RECENT_MAX];
    int count = qn_recent_sort(recent, values);
    if (count == 0) return INFINITY;
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double qn_recent_spread(const qn_recent *recent)
{
    double values[QN_RECENT_MAX];
    int count = qn_recent_sort(recent, values);
    return count < 2 ? 0 : 0.5 * (values[(count * 3) / 4] - values[count / 4]);
}
