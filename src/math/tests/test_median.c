/* Medians of small sets, by hand. */
#include "check.h"
#include "math/median.h"

static void the_middle_value_is_found(void)
{
    double odd[] = {3, -1, 7}, even[] = {4, 1, 3, 2}, same[] = {2, 2, 2, 2, 5}, one[] = {-6};
    CHECK(qn_median(odd, 3) == 3);
    CHECK(qn_median(even, 4) == 3);
    CHECK(qn_median(same, 5) == 2);
    CHECK(qn_median(one, 1) == -6);
    CHECK(qn_median(NULL, 0) == 0);
    CHECK(even[0] == 1 && even[1] == 2 && even[2] == 3 && even[3] == 4);
}

int main(void)
{
    RUN(the_middle_value_is_found);
    return check_finish();
}
