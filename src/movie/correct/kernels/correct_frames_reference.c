#include "movie/correct/kernels/correct_frames.h"

double qn_correct_sample(qn_sample_kind kind, const void *samples, size_t i)
{
    switch (kind) {
    case QN_SAMPLE_UINT8: return ((const uint8_t *)samples)[i];
    case QN_SAMPLE_INT8: return ((const int8_t *)samples)[i];
    case QN_SAMPLE_UINT16: return ((const uint16_t *)samples)[i];
    case QN_SAMPLE_INT16: return ((const int16_t *)samples)[i];
    default: return (double)((const float *)samples)[i];
    }
}

void qn_correct_frames_reference(const qn_correct_problem *problem, const void *samples, const float *gain,
                                 const float *dark, const int32_t *moves, double *frame, double *mean)
{
    const size_t width = (size_t)problem->width, height = (size_t)problem->height;
    const size_t padded_width = (size_t)problem->padded[0], padded_height = (size_t)problem->padded[1];
    double sum = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            const double sample = qn_correct_sample(problem->kind, samples, i);
            const double value = gain[i] == 0 ? 0 : (sample - (dark ? (double)dark[i] : 0)) * (double)gain[i];
            frame[y * padded_width + x] = value;
            sum += value;
        }
    *mean = sum / ((double)width * (double)height - problem->bad_count);
    for (size_t y = 0; y < padded_height; y++)
        for (size_t x = 0; x < padded_width; x++)
            if (x >= width || y >= height) frame[y * padded_width + x] = *mean;
    for (int i = 0; i < problem->bad_count; i++) {
        const int32_t *move = moves + (size_t)2 * (size_t)i;
        frame[move[0]] = move[1] < 0 ? *mean : frame[move[1]];
    }
}
