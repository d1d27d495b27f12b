#include <math.h>

#include "benchmark/algebra/kernels/bicg.h"

double qn_bicg_reference(const float *a, size_t stride, const float *x, int count, double *scale)
{
    double sum = 0;
    *scale = 0;
    for (int i = 0; i < count; i++) {
        const double term = (double)a[(size_t)i * stride] * x[i];
        sum += term;
        *scale += fabs(term);
    }
    return sum;
}
