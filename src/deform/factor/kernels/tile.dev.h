/* Products and divisions of tiles of BLOCK × BLOCK values in registers; tile[k][i] is row i, column k. In memory the
 * values of a tile are STRIDE floats apart, one state beside the other.
 *
 * Every value is a sum in ascending order of the columns, one multiply-add after the other. */
#ifndef QN_DEFORM_FACTOR_TILE_DEV_H
#define QN_DEFORM_FACTOR_TILE_DEV_H

#define TILE (BLOCK * BLOCK)

/* Before loops over columns whose bodies hold the other loops: large tiles are unrolled where registers can hold them,
 * and where compilation takes no seconds for it. */
#if BLOCK <= 6 || defined(QN_LANGUAGE_CUDA)
#define UNROLL_COLUMNS UNROLL
#else
#define UNROLL_COLUMNS UNROLL_BY(1)
#endif

/* Value `index` of stored tile `tile` of a state */
#define AT(tile, index) ((qn_int64)(tile) * (TILE * STRIDE) + (index)*STRIDE)

/* sum −= A S Bᵀ; `negative` is a constant 0 where every pivot is positive, so that no sign is looked at. AHEAD columns
 * are loaded before the first of them is used, since a wait for memory is longer than the work on a column. */
DEVICE_FN void subtract_columns(float (*sum)[BLOCK], GLOBAL const float *a, GLOBAL const float *b, int negative)
{
#if BLOCK <= 6 && defined(QN_LANGUAGE_CUDA)
    UNROLL
#else
    UNROLL_BY(1)
#endif
    for (int first = 0; first < BLOCK; first += AHEAD) {
        float rows[AHEAD][BLOCK], columns[AHEAD][BLOCK];
        UNROLL
        for (int k = 0; k < AHEAD; k++) {
            UNROLL
            for (int i = 0; i < BLOCK; i++) {
                rows[k][i] = a[((first + k) * BLOCK + i) * STRIDE];
                columns[k][i] = b[((first + k) * BLOCK + i) * STRIDE];
            }
        }
        UNROLL
        for (int k = 0; k < AHEAD; k++) {
            UNROLL
            for (int j = 0; j < BLOCK; j++) {
                const float value = columns[k][j], factor = negative >> (first + k) & 1 ? value : -value;
                UNROLL
                for (int i = 0; i < BLOCK; i++) sum[j][i] = FMA(rows[k][i], factor, sum[j][i]);
            }
        }
    }
}

/* The same; bit k of `negative` says that column k has a negative pivot. Compilers for CPUs take seconds for a second
 * copy of the loops. */
DEVICE_FN void subtract_product(float (*sum)[BLOCK], GLOBAL const float *a, GLOBAL const float *b, int negative)
{
#ifdef QN_LANGUAGE_CUDA
    if (negative == 0) {
        subtract_columns(sum, a, b, 0);
        return;
    }
#endif
    subtract_columns(sum, a, b, negative);
}

DEVICE_FN void load_tile(float (*tile)[BLOCK], GLOBAL const float *from)
{
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) tile[k][i] = from[(k * BLOCK + i) * STRIDE];
    }
}

DEVICE_FN void store_tile(GLOBAL float *to, const float (*tile)[BLOCK])
{
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) to[(k * BLOCK + i) * STRIDE] = tile[k][i];
    }
}

/* The diagonal tile becomes G with 1 / G_kk on the diagonal. Returns the first column whose pivot is not finite or has
 * the wrong sign, or BLOCK; such pivots count as 1, so that the state's other numbers stay finite. */
DEVICE_FN int factor_tile(float (*tile)[BLOCK], int negative)
{
    int wrong = BLOCK;
    UNROLL_COLUMNS
    for (int k = 0; k < BLOCK; k++) {
        const float sign = negative >> k & 1 ? -1.0f : 1.0f;
        float pivot = sign * tile[k][k];
        if (!(pivot > 0.0f && pivot < FLOAT_INFINITY)) {
            wrong = MIN(wrong, k);
            pivot = 1.0f;
        }
        const float inverse = 1.0f / SQRT(pivot), scale = sign * inverse;
        tile[k][k] = inverse;
        UNROLL
        for (int i = k + 1; i < BLOCK; i++) tile[k][i] = tile[k][i] * scale;
        UNROLL
        for (int j = k + 1; j < BLOCK; j++) {
            const float factor = -sign * tile[k][j];
            UNROLL
            for (int i = j; i < BLOCK; i++) tile[j][i] = FMA(tile[k][i], factor, tile[j][i]);
        }
    }
    return wrong;
}

/* The tile becomes G = tile G_Dᵀ⁻¹ S; diagonal: G_D as factor_tile leaves it. */
DEVICE_FN void divide_tile(float (*tile)[BLOCK], GLOBAL const float *diagonal, int negative)
{
    UNROLL_COLUMNS
    for (int k = 0; k < BLOCK; k++) {
        const float sign = negative >> k & 1 ? -1.0f : 1.0f;
        const float scale = sign * diagonal[(k * BLOCK + k) * STRIDE];
        UNROLL
        for (int i = 0; i < BLOCK; i++) tile[k][i] = tile[k][i] * scale;
        UNROLL
        for (int j = k + 1; j < BLOCK; j++) {
            const float factor = -sign * diagonal[(k * BLOCK + j) * STRIDE];
            UNROLL
            for (int i = 0; i < BLOCK; i++) tile[j][i] = FMA(tile[k][i], factor, tile[j][i]);
        }
    }
}

#endif
