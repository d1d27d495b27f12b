#include <math.h>

#include "runtime/kernels/measure.h"

double qn_measure_sum_reference(const qn_measure_problem *problem, const float *from)
{
    double sum = 0;
    for (int i = 0; i < 4 * problem->elements; i++) sum += from[i];
    return sum;
}

double qn_measure_multiply_add_reference(int chain, int steps, double factor, double addend)
{
    double x = chain;
    for (int step = 0; step < steps; step++) x = x * factor + addend;
    return x;
}

double qn_measure_reciprocal_root_reference(int chain, int steps, double addend)
{
    double x = chain;
    for (int step = 0; step < steps; step++) x = 1 / sqrt(x + addend);
    return x;
}

int32_t qn_measure_local_atomic_add_reference(int steps)
{
    int32_t sum = 0;
    for (int step = 0; step < steps; step++) sum += step;
    return sum;
}
