#include <math.h>

#include "movie/warp/kernels/weigh_sums.h"

double qn_weigh_reference(const qn_weigh_problem *problem, const float *row, int x, int y)
{
    const double place = hypot(x * problem->bins_a_frequency[0], y * problem->bins_a_frequency[1]);
    const int bin = place < problem->bins - 2 ? (int)place : problem->bins - 2;
    return (double)row[bin] + (place - bin) * ((double)row[bin + 1] - (double)row[bin]);
}
