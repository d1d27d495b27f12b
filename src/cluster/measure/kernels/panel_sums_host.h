/* Sums over the pairs of atoms of a slice on processor cores, for two panels of structures, in blocks of BLOCK_PAIRS
 * pairs of atoms whose distances stay in the second-level cache; TILE_ROWS × TILE_COLUMNS sums are in registers. For
 * the host kernels of drmsd and drmsd_products, which are compiled for each instruction set level. */
#ifndef QN_CLUSTER_MEASURE_KERNELS_PANEL_SUMS_HOST_H
#define QN_CLUSTER_MEASURE_KERNELS_PANEL_SUMS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 8 };
#elif defined(__FMA__)
enum { LANES = 8, TILE_ROWS = 4 };
#else
enum { LANES = 4, TILE_ROWS = 4 };
#endif
enum { TILE_COLUMNS = 2 * LANES, BLOCK_PAIRS = 256 };

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

static inline vector multiply_add(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c; /* this level has no fused multiply-add */
#endif
}

static inline float fused(float a, float b, float c)
{
#if defined(__FMA__)
    return FMA(a, b, c);
#else
    return a * b + c;
#endif
}

static inline size_t panel_count(int count)
{
    return ((size_t)count + DRMSD_PANEL - 1) / DRMSD_PANEL;
}

/* sums [TILE_ROWS][DRMSD_PANEL] += terms of `depth` pairs of atoms, for TILE_COLUMNS columns: products, or squares of
 * differences */
static inline __attribute__((always_inline)) void add_terms(const float *restrict rows, const float *restrict columns,
                                                            int depth, bool products, float *restrict sums)
{
    vector sum[TILE_ROWS][2];
#pragma GCC unroll 16
    for (int r = 0; r < TILE_ROWS; r++) memcpy(sum[r], sums + r * DRMSD_PANEL, sizeof sum[r]);
    for (int k = 0; k < depth; k++, rows += DRMSD_PANEL, columns += DRMSD_PANEL) {
        vector left, right;
        memcpy(&left, columns, sizeof left);
        memcpy(&right, columns + LANES, sizeof right);
#pragma GCC unroll 16
        for (int r = 0; r < TILE_ROWS; r++) {
            if (products) {
                const vector row = rows[r] - (vector){0}; /* in every lane */
                sum[r][0] = multiply_add(row, left, sum[r][0]);
                sum[r][1] = multiply_add(row, right, sum[r][1]);
            } else {
                const vector first = rows[r] - left, second = rows[r] - right;
                sum[r][0] = multiply_add(first, first, sum[r][0]);
                sum[r][1] = multiply_add(second, second, sum[r][1]);
            }
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < TILE_ROWS; r++) memcpy(sums + r * DRMSD_PANEL, sum[r], sizeof sum[r]);
}

/* sums [DRMSD_PANEL][DRMSD_PANEL] += terms of a slice of two panels */
static inline __attribute__((always_inline)) void add_panels(const float *rows, const float *columns, int slice,
                                                             bool products, float *sums)
{
    for (int k = 0; k < slice; k += BLOCK_PAIRS) {
        const int depth = slice - k < BLOCK_PAIRS ? slice - k : BLOCK_PAIRS;
        for (int c = 0; c < DRMSD_PANEL; c += TILE_COLUMNS)
            for (int r = 0; r < DRMSD_PANEL; r += TILE_ROWS)
                add_terms(rows + k * DRMSD_PANEL + r, columns + k * DRMSD_PANEL + c, depth, products,
                          sums + r * DRMSD_PANEL + c);
    }
}

#endif
