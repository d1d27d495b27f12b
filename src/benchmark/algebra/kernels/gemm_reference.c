#include "benchmark/algebra/kernels/gemm.h"

double qn_gemm_reference(const qn_gemm_problem *problem, const float *a, const float *b, int row, int column)
{
    double sum = 0;
    for (int k = 0; k < problem->inner; k++)
        sum += (double)a[(size_t)k * (size_t)problem->rows + (size_t)row] *
               b[(size_t)k * (size_t)problem->columns + (size_t)column];
    return sum;
}
