#include "benchmark/algebra/kernels/reduction.h"

double qn_reduction_reference(const float *from, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += from[i];
    return sum;
}
