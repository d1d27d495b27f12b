/* Reference of transforms: the defining sums in double precision, one axis after another. */
#ifndef QN_FFT_TESTS_NAIVE_TRANSFORM_H
#define QN_FFT_TESTS_NAIVE_TRANSFORM_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct naive_grid {
    int size[3];
    double *values; /* interleaved complex */
} naive_grid;

static inline size_t naive_count(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

/* Numbers in −1 … 1 from a fixed generator (Steele, Lea and Flood's splitmix64), so runs repeat. */
static inline float naive_noise(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (float)((double)(z >> 40) / (double)(1 << 23) - 1.0);
}

static inline void naive_axis(naive_grid *grid, int axis, int sign)
{
    const int n = grid->size[axis];
    const size_t step = axis == 0   ? 1
                        : axis == 1 ? (size_t)grid->size[0]
                                    : (size_t)grid->size[0] * (size_t)grid->size[1];
    double *line = malloc(2 * (size_t)n * sizeof(double)), *roots = malloc(2 * (size_t)n * sizeof(double));
    for (int t = 0; t < n; t++) {
        roots[2 * t] = cos(2 * 3.14159265358979323846 * t / n);
        roots[2 * t + 1] = sign * sin(2 * 3.14159265358979323846 * t / n);
    }
    for (size_t first = 0; first < naive_count(grid->size); first++) {
        if (first / step % (size_t)n != 0) continue;
        double *at = grid->values + 2 * first;
        for (int k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (int t = 0; t < n; t++) {
                const double *x = at + 2 * step * (size_t)t, *w = roots + 2 * ((size_t)k * (size_t)t % (size_t)n);
                re += x[0] * w[0] - x[1] * w[1];
                im += x[0] * w[1] + x[1] * w[0];
            }
            line[2 * k] = re;
            line[2 * k + 1] = im;
        }
        for (int k = 0; k < n; k++) {
            at[2 * step * (size_t)k] = line[2 * k];
            at[2 * step * (size_t)k + 1] = line[2 * k + 1];
        }
    }
    free(line);
    free(roots);
}

static inline void naive_transform(naive_grid *grid, int sign)
{
    for (int axis = 0; axis < 3; axis++) naive_axis(grid, axis, sign);
}

/* Largest relative error that tests allow for a single-precision transform of N points. */
static inline double naive_tolerance(const int size[3])
{
    double bits = log2((double)naive_count(size));
    return 5e-7 * (bits > 1 ? bits : 1);
}

#endif
