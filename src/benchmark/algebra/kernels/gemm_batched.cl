/* C[m] = A[m]·B[m] for many small matrices, single precision: A [matrix][ROWS][INNER], B [matrix][INNER][COLUMNS],
 * C [matrix][ROWS][COLUMNS]. The sizes are constants of the text (the fields rows, columns and inner are for the host).
 *
 * A group computes the products of MATRICES consecutive matrices. Its items take tiles of ITEM_ROWS x ITEM_COLUMNS in
 * turn, with the sums in registers. The group first copies A and B to local memory, or items read them directly. */
#include "runtime/kernels/wide.dev.h"

#include "benchmark/algebra/kernels/gemm_batched.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef MATRICES_PER_GROUP
#error "MATRICES_PER_GROUP: matrices per group, if local memory has room for them"
#endif
#ifndef LOCAL_KIB
#error "LOCAL_KIB: local memory of a group, in KiB"
#endif
#ifndef ITEM_ROWS
#error "ITEM_ROWS: rows of C in an item's registers"
#endif
#ifndef ITEM_COLUMNS
#error "ITEM_COLUMNS: columns of C in an item's registers"
#endif
#ifndef STRIDED_ROWS
#error "STRIDED_ROWS: whether an item's rows are strided"
#endif
#ifndef UNROLL_INNER
#error "UNROLL_INNER: inner indices unrolled"
#endif
#ifndef LOCAL_A
#error "LOCAL_A: whether A goes through local memory"
#endif
#ifndef LOCAL_B
#error "LOCAL_B: whether B goes through local memory"
#endif
#ifndef COPY_FLOATS
#error "COPY_FLOATS: adjacent floats copied at once"
#endif
#ifndef ASYNC
#error "ASYNC: whether copies go on in the background"
#endif
#ifndef PADDING
#error "PADDING: unused floats behind each row in local memory"
#endif
#ifndef ROWS
#error "ROWS: of A and C"
#endif
#ifndef COLUMNS
#error "COLUMNS: of B and C"
#endif
#ifndef INNER
#error "INNER: columns of A, rows of B"
#endif

#define LINE_A (INNER + PADDING)
#define LINE_B (COLUMNS + PADDING)
#define LOCAL_FLOATS (LOCAL_A * ROWS * LINE_A + LOCAL_B * INNER * LINE_B)
/* The same as matrices_of in gemm_batched.c */
#if LOCAL_FLOATS * MATRICES_PER_GROUP > LOCAL_KIB * 256
#define MATRICES (LOCAL_KIB * 256 / LOCAL_FLOATS)
#else
#define MATRICES MATRICES_PER_GROUP
#endif

#define TILES_DOWN ((ROWS + ITEM_ROWS - 1) / ITEM_ROWS)
#define TILES_ACROSS ((COLUMNS + ITEM_COLUMNS - 1) / ITEM_COLUMNS)
#define TILES (TILES_DOWN * TILES_ACROSS)

/* Copies and reads are as wide as the lengths of lines allow. */
#define COPY_A (INNER % COPY_FLOATS == 0 ? COPY_FLOATS : 1)
#define COPY_B (COLUMNS % COPY_FLOATS == 0 ? COPY_FLOATS : 1)
#define READ_INNER (INNER % 4 == 0 && UNROLL_INNER % 4 == 0 ? 4 : 1)

/* Floats of a multiply-add: vectors for CPUs, which CUDA does not have. */
#ifdef QN_LANGUAGE_CUDA
#define WIDTH 1
#else
#define WIDTH ITEM_COLUMNS
#endif
#define PARTS (ITEM_COLUMNS / WIDTH)

/* Copy `lines` consecutive lines of `length` floats to local memory, n floats at once. */
DEVICE_FN void copy_lines(LOCAL_PTR float *to, GLOBAL const float *RESTRICT from, int lines, int length, int n)
{
    for (int i = LOCAL_ID(0) * n; i < lines * length; i += GROUP_SIZE * n) {
        LOCAL_PTR float *place = to + (i / length * (length + PADDING) + i % length);
#if ASYNC
        copy_async(n, place, from + i);
#else
        float staged[4];
        read_global(n, staged, from + i);
        write_local(n, place, staged);
#endif
    }
}

#if LOCAL_A
#define READ_A(n, array, from) read_local(n, array, from)
#define SPACE_A LOCAL_PTR
#define STRIDE_A LINE_A
#else
#define READ_A(n, array, from) read_global(n, array, from)
#define SPACE_A GLOBAL
#define STRIDE_A INNER
#endif
#if LOCAL_B
#define READ_B(n, array, from) read_local(n, array, from)
#define SPACE_B LOCAL_PTR
#define STRIDE_B LINE_B
#else
#define READ_B(n, array, from) read_global(n, array, from)
#define SPACE_B GLOBAL
#define STRIDE_B COLUMNS
#endif

/* Row r of the tile at tile row `down`; past the end, the last row. */
DEVICE_FN int row_of(int down, int r)
{
#if STRIDED_ROWS
    const int row = down + r * TILES_DOWN;
#else
    const int row = down * ITEM_ROWS + r;
#endif
    return ROWS % ITEM_ROWS == 0 ? row : MIN(row, ROWS - 1);
}

/* Compute the sums of the tile at tile row `down` and column `first` of one matrix. */
DEVICE_FN void multiply(VEC(float, WIDTH) (*sum)[PARTS], SPACE_A const float *a, SPACE_B const float *b, int down,
                        int first)
{
    UNROLL_BY(UNROLL_INNER / READ_INNER)
    for (int k = 0; k < INNER; k += READ_INNER) {
        float a_part[ITEM_ROWS][READ_INNER];
        UNROLL
        for (int r = 0; r < ITEM_ROWS; r++) READ_A(READ_INNER, a_part[r], a + (row_of(down, r) * STRIDE_A + k));
        UNROLL
        for (int u = 0; u < READ_INNER; u++) {
            float b_part[ITEM_COLUMNS];
#if COLUMNS % ITEM_COLUMNS == 0
            READ_B(ITEM_COLUMNS, b_part, b + ((k + u) * STRIDE_B + first));
#else
            UNROLL
            for (int e = 0; e < ITEM_COLUMNS; e++)
                b_part[e] = b[(k + u) * STRIDE_B + MIN(first + e, COLUMNS - 1)];
#endif
            UNROLL
            for (int r = 0; r < ITEM_ROWS; r++) {
                UNROLL
                for (int p = 0; p < PARTS; p++)
                    sum[r][p] = VEC_FMA(VEC_SPLAT(float, WIDTH, a_part[r][u]), VEC_LOAD(WIDTH, b_part + p * WIDTH),
                                        sum[r][p]);
            }
        }
    }
}

DEVICE_FN void write_tile(GLOBAL float *RESTRICT c, const VEC(float, WIDTH) (*sum)[PARTS], int down, int first)
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        float values[ITEM_COLUMNS];
        UNROLL
        for (int p = 0; p < PARTS; p++) VEC_STORE(WIDTH, values + p * WIDTH, sum[r][p]);
#if COLUMNS % ITEM_COLUMNS == 0
        write_global(ITEM_COLUMNS, c + (row_of(down, r) * COLUMNS + first), values);
#else
        UNROLL
        for (int e = 0; e < ITEM_COLUMNS; e++)
            if (first + e < COLUMNS) c[row_of(down, r) * COLUMNS + first + e] = values[e];
#endif
    }
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void gemm_batched(
    GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b, GLOBAL float *RESTRICT c, const batched_scalars s)
{
    const int first_matrix = GROUP_ID(0) * MATRICES, here = MIN(MATRICES, s.matrices - first_matrix);
    a += (qn_int64)first_matrix * (ROWS * INNER);
    b += (qn_int64)first_matrix * (INNER * COLUMNS);
    c += (qn_int64)first_matrix * (ROWS * COLUMNS);
#if LOCAL_A
    LOCAL qn_float4 local_a[(MATRICES * ROWS * LINE_A + 3) / 4];
    SPACE_A const float *from_a = (LOCAL_PTR float *)local_a;
    copy_lines((LOCAL_PTR float *)local_a, a, here * ROWS, INNER, COPY_A);
#else
    SPACE_A const float *from_a = a;
#endif
#if LOCAL_B
    LOCAL qn_float4 local_b[(MATRICES * INNER * LINE_B + 3) / 4];
    SPACE_B const float *from_b = (LOCAL_PTR float *)local_b;
    copy_lines((LOCAL_PTR float *)local_b, b, here * INNER, COLUMNS, COPY_B);
#else
    SPACE_B const float *from_b = b;
#endif
#if LOCAL_A || LOCAL_B
#if ASYNC
    ASYNC_COMMIT();
    ASYNC_WAIT(0);
#endif
    LOCAL_BARRIER();
#endif
    for (int t = LOCAL_ID(0); t < here * TILES; t += GROUP_SIZE) {
        const int matrix = t / TILES, down = t % TILES / TILES_ACROSS, first = t % TILES_ACROSS * ITEM_COLUMNS;
        VEC(float, WIDTH) sum[ITEM_ROWS][PARTS];
        UNROLL
        for (int r = 0; r < ITEM_ROWS; r++) {
            UNROLL
            for (int p = 0; p < PARTS; p++) sum[r][p] = VEC_SPLAT(float, WIDTH, 0.0f);
        }
        multiply(sum, from_a + matrix * (ROWS * STRIDE_A), from_b + matrix * (INNER * STRIDE_B), down, first);
        write_tile(c + matrix * (ROWS * COLUMNS), sum, down, first);
    }
}
