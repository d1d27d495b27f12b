/* The butterflies of kernels, in host C on plain complex numbers, against the defining sums in double precision. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/prelude/prelude_host.h"

#include "fft/kernels/butterflies.dev.h"
#include "fft/tests/naive_transform.h"

enum { RADIX_MAX = 16, TRIALS = 50 };

/* A line of r points within an array that no butterfly may touch beyond them. */
typedef struct trial {
    int radix;
    point input[RADIX_MAX], output[RADIX_MAX], in_own_order[RADIX_MAX];
} trial;

static void run(trial *t)
{
    memcpy(t->output, t->input, sizeof t->output);
    memcpy(t->in_own_order, t->input, sizeof t->in_own_order);
    line_butterfly(t->radix, t->output);
    butterfly(t->radix, t->in_own_order);
}

/* A sum of r products in single precision is off by a few roundings of the input's norm, far less than r of them. */
static void compare(const trial *t)
{
    const int size[3] = {t->radix, 1, 1};
    double values[2 * RADIX_MAX], norm = 0, worst = 0;
    for (int k = 0; k < t->radix; k++) {
        values[2 * k] = (double)t->input[k].x;
        values[2 * k + 1] = (double)t->input[k].y;
        norm += values[2 * k] * values[2 * k] + values[2 * k + 1] * values[2 * k + 1];
    }
    naive_transform(&(naive_grid){{size[0], size[1], size[2]}, values}, -1);
    for (int j = 0; j < t->radix; j++)
        worst = fmax(worst, hypot((double)t->output[j].x - values[2 * j], (double)t->output[j].y - values[2 * j + 1]));
    if (!CHECK(worst <= 2 * (double)FLT_EPSILON * sqrt(norm)))
        fprintf(stderr, "radix %d: off by %g of a norm of %g\n", t->radix, worst, sqrt(norm));
}

static void test_radix(int radix)
{
    uint64_t state = (uint64_t)radix;
    for (int i = 0; i < TRIALS; i++) {
        trial t = {.radix = radix};
        for (int k = 0; k < RADIX_MAX; k++) {
            /* First single points, whose images are the columns of the transform's matrix. */
            const bool filled = i >= radix || k == i || k >= radix;
            const float re = naive_noise(&state), im = naive_noise(&state);
            t.input[k] = filled ? COMPLEX_MAKE(re, im) : COMPLEX_MAKE(0, 0);
        }
        run(&t);
        compare(&t);
        for (int j = 0; j < RADIX_MAX; j++) {
            const point *same = j < radix ? &t.in_own_order[output_of(radix, j)] : &t.input[j];
            CHECK(memcmp(&t.output[j], same, sizeof(point)) == 0);
        }
    }
}

int main(void)
{
    static const int radices[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) test_radix(radices[i]);
    return check_finish();
}
