#include "benchmark/algebra/kernels/transpose.h"

void qn_transpose_reference(const qn_transpose_problem *problem, const float *from, float *to)
{
    for (int i = 0; i < problem->rows; i++)
        for (int j = 0; j < problem->columns; j++)
            to[(size_t)j * (size_t)problem->rows + (size_t)i] = from[(size_t)i * (size_t)problem->columns + (size_t)j];
}
