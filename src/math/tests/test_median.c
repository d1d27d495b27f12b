/* Medians of small sets, by hand. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/median.h"
#include "math/random.h"

static void the_middle_value_is_found(void)
{
    double odd[] = {3, -1, 7}, even[] = {4, 1, 3, 2}, same[] = {2, 2, 2, 2, 5}, one[] = {-6};
    CHECK(qn_median(odd, 3) == 3);
    CHECK(qn_median(even, 4) == 3);
    CHECK(qn_median(same, 5) == 2);
    CHECK(qn_median(one, 1) == -6);
    CHECK(qn_median(NULL, 0) == 0);
}

static int compare_values(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Sets of all sizes, with few and with many equal values, in random and in sorted order. */
static void sorting_finds_the_same(void)
{
    double values[100], sorted[100];
    for (size_t count = 1; count <= 100; count++)
        for (int kinds = 1; kinds <= 1000; kinds *= 10)
            for (int order = 0; order < 3; order++) {
                for (size_t i = 0; i < count; i++)
                    values[i] = floor(kinds * qn_random_uniform(1, count, 1000 * i + (size_t)kinds));
                if (order > 0) qsort(values, count, sizeof *values, compare_values);
                for (size_t i = 0; i < count; i++) sorted[i] = values[order == 2 ? count - 1 - i : i];
                memcpy(values, sorted, sizeof values);
                qsort(sorted, count, sizeof *sorted, compare_values);
                CHECK(qn_median(values, count) == sorted[count / 2]);
                qsort(values, count, sizeof *values, compare_values);
                CHECK(memcmp(values, sorted, count * sizeof *values) == 0);
            }
}

int main(void)
{
    RUN(the_middle_value_is_found);
    RUN(sorting_finds_the_same);
    return check_finish();
}
