#include "benchmark/physics/kernels/convolution.h"

double qn_convolution_reference(const qn_convolution_problem *problem, const float *in, const float *filter, int x,
                                int y)
{
    const size_t in_width = (size_t)(problem->width + problem->filter_width - 1);
    double sum = 0;
    for (int j = 0; j < problem->filter_height; j++)
        for (int i = 0; i < problem->filter_width; i++)
            sum += (double)in[(size_t)(y + j) * in_width + (size_t)(x + i)] * filter[j * problem->filter_width + i];
    return sum;
}
