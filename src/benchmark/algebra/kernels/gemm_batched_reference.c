#include "benchmark/algebra/kernels/gemm_batched.h"

double qn_gemm_batched_reference(const qn_gemm_batched_problem *problem, const float *a, const float *b, int row,
                                 int column)
{
    double sum = 0;
    for (int k = 0; k < problem->inner; k++)
        sum += (double)a[row * problem->inner + k] * b[k * problem->columns + column];
    return sum;
}
