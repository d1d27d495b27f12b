/* Helpers of the programs of this folder: numbers, and comparisons. */
#ifndef COMMON_H
#define COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static inline void expect(int holds, const char *what)
{
    if (!holds) printf("FAILED: %s\n", what), failures++;
}

/* Small whole numbers from -2 to 2: their sums are exact. */
static inline float *numbers(size_t count, uint32_t seed)
{
    float *made = malloc(count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        made[i] = (float)((int)((seed >> 16) % 5) - 2);
    }
    return made;
}

static inline void expect_equal(const float *found, const double *expected, size_t count, const char *name)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) wrong += (double)found[i] != expected[i];
    if (wrong) printf("FAILED: %s: %zu of %zu differ\n", name, wrong, count), failures++;
}

static inline void expect_near(const float *found, const double *expected, size_t count, double bound, const char *name)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) wrong += !(fabs((double)found[i] - expected[i]) <= bound);
    if (wrong) printf("FAILED: %s: %zu of %zu are wrong\n", name, wrong, count), failures++;
}

#endif
