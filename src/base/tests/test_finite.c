/* The first number that is not finite, at every place of arrays of many lengths. */
#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "check.h"

static void the_first_is_found(void)
{
    static const float wrong[] = {NAN, -NAN, INFINITY, -INFINITY};
    float values[40] = {0};
    for (size_t count = 0; count <= 40; count++) {
        for (size_t i = 0; i < count; i++) values[i] = i % 3 == 0 ? FLT_MAX : i % 3 == 1 ? -FLT_MAX : FLT_MIN / 4;
        CHECK(qn_finite_count(values, count) == count);
        for (size_t place = count; place-- > 0;) { /* those behind stay wrong */
            values[place] = wrong[place % 4];
            CHECK(qn_finite_count(values, count) == place);
        }
    }
}

int main(void)
{
    RUN(the_first_is_found);
    return check_finish();
}
