#include "deform/factor/strips.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Registers of WIDTH doubles; a strip has PARTS of them in a column. COLUMNS columns of C stay in registers. */
#if defined(__AVX512F__)
enum { WIDTH = 8, COLUMNS = 8, AT_ONCE = 3 };
typedef __m512d lanes;
#define LANES_WORD(name) _mm512_##name##_pd
#elif defined(__AVX2__)
enum { WIDTH = 4, COLUMNS = 4, AT_ONCE = 1 };
typedef __m256d lanes;
#define LANES_WORD(name) _mm256_##name##_pd
#elif defined(__SSE2__)
enum { WIDTH = 2, COLUMNS = 2, AT_ONCE = 1 };
typedef __m128d lanes;
#define LANES_WORD(name) _mm_##name##_pd
#else
enum { WIDTH = 1, COLUMNS = 2, AT_ONCE = 1 };
typedef double lanes;
#endif

enum { STRIP = 8, PARTS = STRIP / WIDTH };

static inline lanes splat(double value)
{
#ifdef LANES_WORD
    return LANES_WORD(set1)(value);
#else
    return value;
#endif
}

static inline lanes load(const double *from)
{
#ifdef LANES_WORD
    return LANES_WORD(loadu)(from);
#else
    return *from;
#endif
}

static inline void store(double *to, lanes value)
{
#ifdef LANES_WORD
    LANES_WORD(storeu)(to, value);
#else
    *to = value;
#endif
}

/* c − a · b */
static inline lanes minus_product(lanes c, lanes a, lanes b)
{
#if defined(__AVX512F__) || defined(__FMA__)
    return LANES_WORD(fnmadd)(a, b, c);
#else
    return c - a * b;
#endif
}

/* c + a · b */
static inline lanes plus_product(lanes c, lanes a, lanes b)
{
#if defined(__AVX512F__) || defined(__FMA__)
    return LANES_WORD(fmadd)(a, b, c);
#else
    return c + a * b;
#endif
}

/* COLUMNS columns of `count` strips, a constant in each call, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void subtract_columns(int count, double *const *c, const double *const *a,
                                                                   const double *b, size_t depth)
{
    lanes sum[AT_ONCE * PARTS][COLUMNS];
    for (int r = 0; r < count; r++)
        for (int p = 0; p < PARTS; p++)
            for (int j = 0; j < COLUMNS; j++) sum[r * PARTS + p][j] = load(c[r] + STRIP * j + WIDTH * p);
    for (size_t k = 0; k < depth; k++) {
        lanes row[AT_ONCE * PARTS];
        for (int r = 0; r < count; r++)
            for (int p = 0; p < PARTS; p++) row[r * PARTS + p] = load(a[r] + STRIP * k + WIDTH * p);
        for (int j = 0; j < COLUMNS; j++) {
            const lanes factor = splat(b[STRIP * k + j]);
            for (int q = 0; q < count * PARTS; q++) sum[q][j] = minus_product(sum[q][j], row[q], factor);
        }
    }
    for (int r = 0; r < count; r++)
        for (int p = 0; p < PARTS; p++)
            for (int j = 0; j < COLUMNS; j++) store(c[r] + STRIP * j + WIDTH * p, sum[r * PARTS + p][j]);
}

static inline __attribute__((always_inline)) void subtract_whole(int count, double *const *c, const double *const *a,
                                                                 const double *b, size_t depth)
{
    for (int first = 0; first < STRIP; first += COLUMNS) {
        double *part[AT_ONCE];
        for (int r = 0; r < count; r++) part[r] = c[r] + STRIP * first;
        subtract_columns(count, part, a, b + first, depth);
    }
}

static void subtract_strips(int count, double *const *c, const double *const *a, const double *b, size_t depth)
{
#if defined(__AVX512F__)
    if (count == 3) {
        subtract_whole(3, c, a, b, depth);
        return;
    }
    if (count == 2) {
        subtract_whole(2, c, a, b, depth);
        return;
    }
#endif
    for (int r = 0; r < count; r++) subtract_whole(1, c + r, a + r, b, depth);
}

static void subtract(int count, double *const *c, const double *const *a, const double *b, size_t depth, int columns)
{
    if (columns == STRIP) {
        subtract_strips(count, c, a, b, depth);
        return;
    }
    /* The columns beyond the last are computed and dropped. */
    double room[QN_STRIPS_AT_ONCE][STRIP * STRIP] = {{0}}, *copies[QN_STRIPS_AT_ONCE] = {NULL};
    const size_t bytes = (size_t)columns * STRIP * sizeof(double);
    for (int r = 0; r < count; r++) {
        copies[r] = room[r];
        memcpy(room[r], c[r], bytes);
    }
    subtract_strips(count, copies, a, b, depth);
    for (int r = 0; r < count; r++) memcpy(c[r], room[r], bytes);
}

static inline __attribute__((always_inline)) void divide_columns(double *c, const qn_strips_block *block, int columns)
{
    for (int p = 0; p < PARTS; p++) {
        lanes x[STRIP];
        for (int j = 0; j < columns; j++) {
            x[j] = load(c + STRIP * j + WIDTH * p);
            for (int k = 0; k < j; k++) x[j] = minus_product(x[j], x[k], splat(block->t[STRIP * j + k]));
            x[j] = x[j] * splat(block->scale[j]);
            store(c + STRIP * j + WIDTH * p, x[j]);
        }
    }
}

static void divide(double *c, const qn_strips_block *block, int columns)
{
    if (columns == STRIP)
        divide_columns(c, block, STRIP);
    else
        divide_columns(c, block, columns);
}

static inline __attribute__((always_inline)) void apply_sides(const double *a, size_t depth, const double *x, int sides,
                                                              double *values)
{
    lanes sum[QN_STRIPS_SIDES][PARTS];
    for (int s = 0; s < sides; s++)
        for (int p = 0; p < PARTS; p++) sum[s][p] = load(values + STRIP * s + WIDTH * p);
    for (size_t k = 0; k < depth; k++)
        for (int p = 0; p < PARTS; p++) {
            const lanes row = load(a + STRIP * k + WIDTH * p);
            for (int s = 0; s < sides; s++)
                sum[s][p] = minus_product(sum[s][p], row, splat(x[k * (size_t)sides + (size_t)s]));
        }
    for (int s = 0; s < sides; s++)
        for (int p = 0; p < PARTS; p++) store(values + STRIP * s + WIDTH * p, sum[s][p]);
}

static void apply(const double *a, size_t depth, const double *x, int sides, double *values)
{
    switch (sides) {
    case 1: apply_sides(a, depth, x, 1, values); return;
    case 2: apply_sides(a, depth, x, 2, values); return;
    case 3: apply_sides(a, depth, x, 3, values); return;
    default: apply_sides(a, depth, x, 4, values); return;
    }
}

static inline __attribute__((always_inline)) void apply_transposed_sides(const double *a, size_t depth, const double *x,
                                                                         int sides, double *sums)
{
    lanes value[QN_STRIPS_SIDES][PARTS];
    for (int s = 0; s < sides; s++)
        for (int p = 0; p < PARTS; p++) value[s][p] = load(x + STRIP * s + WIDTH * p);
    for (size_t k = 0; k < depth; k++)
        for (int p = 0; p < PARTS; p++) {
            const lanes row = load(a + STRIP * k + WIDTH * p);
            for (int s = 0; s < sides; s++) {
                double *to = sums + STRIP * (k * (size_t)sides + (size_t)s) + WIDTH * p;
                store(to, plus_product(load(to), row, value[s][p]));
            }
        }
}

static void apply_transposed(const double *a, size_t depth, const double *x, int sides, double *sums)
{
    switch (sides) {
    case 1: apply_transposed_sides(a, depth, x, 1, sums); return;
    case 2: apply_transposed_sides(a, depth, x, 2, sums); return;
    case 3: apply_transposed_sides(a, depth, x, 3, sums); return;
    default: apply_transposed_sides(a, depth, x, 4, sums); return;
    }
}

extern const qn_strips_kernels QN_HOST_VARIANT(qn_deform_strips_host)[];
const qn_strips_kernels QN_HOST_VARIANT(qn_deform_strips_host)[] = {{subtract, divide, apply, apply_transposed}};
