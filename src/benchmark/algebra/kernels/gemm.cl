/* C = A·B in single precision: A [inner][rows], B [inner][columns], C [rows][columns].
 *
 * A group computes a tile of TILE_ROWS x TILE_COLUMNS of C, along the inner index in steps of TILE_INNER; an item has
 * ROWS x COLUMNS of it in registers. Tiles of A and B go through local memory or are read directly. The vectors of an
 * item are adjacent, or strided: the first vectors of all items, then their second vectors.
 *
 * GUARDED: any sizes; elements past the end are neither read nor written, and count as 0. Otherwise sizes are multiples
 * of the tile's.
 *
 * The parameters are those of CLBlast's kernel (Nugteren 2018, https://arxiv.org/abs/1705.05249) and a few more, such
 * as PREFETCH. */
#include "runtime/kernels/wide.dev.h"

#include "benchmark/algebra/kernels/gemm.dev.h"

#ifndef TILE_ROWS
#error "TILE_ROWS: rows of C that a group makes"
#endif
#ifndef TILE_COLUMNS
#error "TILE_COLUMNS: columns of C that a group makes"
#endif
#ifndef TILE_INNER
#error "TILE_INNER: inner indices of a step"
#endif
#ifndef GROUP_ROWS
#error "GROUP_ROWS: work-items of a group along the rows"
#endif
#ifndef GROUP_COLUMNS
#error "GROUP_COLUMNS: work-items of a group along the columns"
#endif
#ifndef LOAD_ROWS
#error "LOAD_ROWS: work-items along the rows while a tile of A is loaded"
#endif
#ifndef LOAD_COLUMNS
#error "LOAD_COLUMNS: work-items along the columns while a tile of B is loaded"
#endif
#ifndef UNROLL_INNER
#error "UNROLL_INNER: inner indices unrolled"
#endif
#ifndef VECTOR_ROWS
#error "VECTOR_ROWS: adjacent rows read at once"
#endif
#ifndef VECTOR_COLUMNS
#error "VECTOR_COLUMNS: adjacent columns read and written at once"
#endif
#ifndef STRIDED_ROWS
#error "STRIDED_ROWS: whether an item's vectors of rows are strided"
#endif
#ifndef STRIDED_COLUMNS
#error "STRIDED_COLUMNS: whether an item's vectors of columns are strided"
#endif
#ifndef LOCAL_A
#error "LOCAL_A: whether tiles of A go through local memory"
#endif
#ifndef LOCAL_B
#error "LOCAL_B: whether tiles of B go through local memory"
#endif
#ifndef PREFETCH
#error "PREFETCH: 0 none, 1 into registers, 2 asynchronously into local memory"
#endif
#ifndef LOCAL_BUFFERS
#error "LOCAL_BUFFERS: tiles in local memory at a time"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that must fit a compute unit at once; 0: as the compiler likes"
#endif
#ifndef BLOCK_ORDER
#error "BLOCK_ORDER: tiles down that follow each other before the next across"
#endif
#ifndef GUARDED
#error "GUARDED: whether sizes may be other than multiples of the tile's"
#endif

#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define ROW_VECTORS (TILE_ROWS / GROUP_ROWS / VECTOR_ROWS)
#define COLUMN_VECTORS (TILE_COLUMNS / GROUP_COLUMNS / VECTOR_COLUMNS)
#define ROWS (ROW_VECTORS * VECTOR_ROWS)
#define COLUMNS (COLUMN_VECTORS * VECTOR_COLUMNS)

/* Distances between the vectors that an item loads: ITEMS / LOAD_ROWS inner indices, LOAD_ROWS vectors. */
#define A_INNER_STEP (ITEMS / LOAD_ROWS)
#define A_INNER_PASSES (TILE_INNER / A_INNER_STEP)
#define A_ROW_STEP (LOAD_ROWS * VECTOR_ROWS)
#define A_ROW_PASSES (TILE_ROWS / A_ROW_STEP)
#define B_INNER_STEP (ITEMS / LOAD_COLUMNS)
#define B_INNER_PASSES (TILE_INNER / B_INNER_STEP)
#define B_COLUMN_STEP (LOAD_COLUMNS * VECTOR_COLUMNS)
#define B_COLUMN_PASSES (TILE_COLUMNS / B_COLUMN_STEP)
#define TILE_SIZE_A (TILE_INNER * TILE_ROWS)
#define TILE_SIZE_B (TILE_INNER * TILE_COLUMNS)

/* Floats of a multiply-add: vectors for CPUs, which CUDA does not have. */
#ifdef QN_LANGUAGE_CUDA
#define WIDTH 1
#else
#define WIDTH VECTOR_COLUMNS
#endif
#define PARTS (COLUMNS / WIDTH)

#if STRIDED_ROWS
#define ROW_OF(item, vector) (((vector)*GROUP_ROWS + (item)) * VECTOR_ROWS)
#else
#define ROW_OF(item, vector) (((item)*ROW_VECTORS + (vector)) * VECTOR_ROWS)
#endif
#if STRIDED_COLUMNS
#define COLUMN_OF(item, vector) (((vector)*GROUP_COLUMNS + (item)) * VECTOR_COLUMNS)
#else
#define COLUMN_OF(item, vector) (((item)*COLUMN_VECTORS + (vector)) * VECTOR_COLUMNS)
#endif

/* Arguments for loading a tile of A or B: floats of a vector, step and number of passes along the lines (rows or
 * columns), step and number of passes along the inner index. */
#define A_SHAPE VECTOR_ROWS, A_ROW_STEP, A_ROW_PASSES, A_INNER_STEP, A_INNER_PASSES
#define B_SHAPE VECTOR_COLUMNS, B_COLUMN_STEP, B_COLUMN_PASSES, B_INNER_STEP, B_INNER_PASSES

/* Read n floats of `from` [inner][lines]; from line_end and inner_end on they are 0. */
DEVICE_FN void read_guarded(int n, float *array, GLOBAL const float *RESTRICT from, int lines, int line, int k,
                            int line_end, int inner_end)
{
#if GUARDED
    UNROLL
    for (int e = 0; e < n; e++)
        array[e] = line + e < line_end && k < inner_end ? from[(qn_int64)k * lines + (line + e)] : 0.0f;
#else
    read_global(n, array, from + (k * lines + line));
#endif
}

/* Read this item's part of a tile into registers. The part begins at `from`, at `line` and `inner` of the tile; its
 * inner indices are `stride` floats apart, so that addresses need only additions. */
DEVICE_FN void stage(float *staged, GLOBAL const float *RESTRICT from, qn_int64 stride, int line, int inner,
                     int line_end, int inner_end, int n, int line_step, int line_passes, int inner_step,
                     int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++, from += stride) {
        UNROLL
        for (int j = 0; j < line_passes; j++) {
            float *to = staged + (i * line_passes + j) * n;
#if GUARDED
            UNROLL
            for (int e = 0; e < n; e++)
                to[e] = line + j * line_step + e < line_end && inner + i * inner_step < inner_end
                            ? from[j * line_step + e]
                            : 0.0f;
#else
            read_global(n, to, from + j * line_step);
#endif
        }
    }
}

/* Write the part from registers into local memory, [TILE_INNER][tile_lines]; to: start of the part in the tile. */
DEVICE_FN void put(LOCAL_PTR float *to, int tile_lines, const float *staged, int n, int line_step, int line_passes,
                   int inner_step, int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++) {
        UNROLL
        for (int j = 0; j < line_passes; j++)
            write_local(n, to + (i * inner_step * tile_lines + j * line_step), staged + (i * line_passes + j) * n);
    }
}

/* Start asynchronous copies of this item's part of a tile to local memory. */
DEVICE_FN void start_copy(LOCAL_PTR float *tile, int tile_lines, GLOBAL const float *RESTRICT from, qn_int64 stride,
                          int line, int inner, int line_end, int inner_end, int n, int line_step, int line_passes,
                          int inner_step, int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++, from += stride) {
        UNROLL
        for (int j = 0; j < line_passes; j++) {
            LOCAL_PTR float *to = tile + (i * inner_step * tile_lines + j * line_step);
#if GUARDED
            UNROLL
            for (int e = 0; e < n; e++) {
                if (line + j * line_step + e < line_end && inner + i * inner_step < inner_end)
                    ASYNC_COPY(1, to + e, from + (j * line_step + e));
                else
                    to[e] = 0.0f;
            }
#else
            copy_async(n, to, from + j * line_step);
#endif
        }
    }
}

/* One inner index: sum[row][column] += a[row] * b[column] */
DEVICE_FN void multiply_add(VEC(float, WIDTH) (*sum)[PARTS], const float *a, const float *b)
{
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        const VEC(float, WIDTH) factor = VEC_SPLAT(float, WIDTH, a[r]);
        UNROLL
        for (int p = 0; p < PARTS; p++) sum[r][p] = VEC_FMA(factor, VEC_LOAD(WIDTH, b + p * WIDTH), sum[r][p]);
    }
}

/* Write the sums of an item to C, except rows and columns from row_end and column_end on. */
DEVICE_FN void write_tile(GLOBAL float *RESTRICT c, const VEC(float, WIDTH) (*sum)[PARTS], int columns, int item_row,
                          int item_column, int row_end, int column_end)
{
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int row = ROW_OF(item_row, r / VECTOR_ROWS) + r % VECTOR_ROWS;
        GLOBAL float *line = c + (qn_int64)row * columns;
        UNROLL
        for (int v = 0; v < COLUMN_VECTORS; v++) {
            const int column = COLUMN_OF(item_column, v);
#if !GUARDED && WIDTH == VECTOR_COLUMNS
            VEC_STORE(WIDTH, line + column, sum[r][v]);
#elif !GUARDED
            write_global(VECTOR_COLUMNS, line + column, sum[r] + v * VECTOR_COLUMNS);
#else
            float one[VECTOR_COLUMNS];
            UNROLL
            for (int p = 0; p < VECTOR_COLUMNS / WIDTH; p++)
                VEC_STORE(WIDTH, one + p * WIDTH, sum[r][v * (VECTOR_COLUMNS / WIDTH) + p]);
            UNROLL
            for (int e = 0; e < VECTOR_COLUMNS; e++)
                if (row < row_end && column + e < column_end) line[column + e] = one[e];
#endif
        }
    }
}

/* Load the tiles that begin `ahead` inner indices after from_a and from_b: into registers (STAGE), from there into
 * local memory (PUT), or by asynchronous copies into the given buffer (START_COPIES). */
#if LOCAL_A
#define STAGE_A(ahead, inner_end) \
    stage(staged_a, from_a + (qn_int64)(ahead)*s.rows, stride_a, a_row, a_inner, row_end, (inner_end) - (ahead), A_SHAPE)
#define PUT_A() \
    tile_a = (LOCAL_PTR float *)tiles_a + buffer * TILE_SIZE_A; \
    put(tile_a + a_place, TILE_ROWS, staged_a, A_SHAPE)
#define DECLARE_STAGED_A float staged_a[TILE_SIZE_A / ITEMS];
#else
#define STAGE_A(ahead, inner_end)
#define PUT_A()
#define DECLARE_STAGED_A
#endif
#if LOCAL_B
#define STAGE_B(ahead, inner_end) \
    stage(staged_b, from_b + (qn_int64)(ahead)*s.columns, stride_b, b_column, b_inner, column_end, \
          (inner_end) - (ahead), B_SHAPE)
#define PUT_B() \
    tile_b = (LOCAL_PTR float *)tiles_b + buffer * TILE_SIZE_B; \
    put(tile_b + b_place, TILE_COLUMNS, staged_b, B_SHAPE)
#define DECLARE_STAGED_B float staged_b[TILE_SIZE_B / ITEMS];
#else
#define STAGE_B(ahead, inner_end)
#define PUT_B()
#define DECLARE_STAGED_B
#endif
#define START_COPIES(buffer, ahead, inner_end) \
    start_copy((LOCAL_PTR float *)tiles_a + ((buffer)*TILE_SIZE_A + a_place), TILE_ROWS, \
               from_a + (qn_int64)(ahead)*s.rows, stride_a, a_row, a_inner, row_end, (inner_end) - (ahead), A_SHAPE); \
    start_copy((LOCAL_PTR float *)tiles_b + ((buffer)*TILE_SIZE_B + b_place), TILE_COLUMNS, \
               from_b + (qn_int64)(ahead)*s.columns, stride_b, b_column, b_inner, column_end, (inner_end) - (ahead), \
               B_SHAPE)

/* Code before the first step, before each step and after each step. inner_end: number of inner indices left. */
#if !LOCAL_A && !LOCAL_B
#define BEFORE_STEPS()
#define BEFORE_STEP(inner_end)
#define AFTER_STEP()
#elif PREFETCH == 2
/* LOCAL_BUFFERS - 1 tiles are copied while one is multiplied. After the barrier the parts of all items have arrived,
 * and no item still reads the buffer that is filled next. */
#define BEFORE_STEPS() \
    int buffer = 0; \
    UNROLL \
    for (int t = 0; t < LOCAL_BUFFERS - 1; t++) { \
        if (t * TILE_INNER < s.inner) { START_COPIES(t, t * TILE_INNER, s.inner); } \
        ASYNC_COMMIT(); \
    }
#define BEFORE_STEP(inner_end) \
    ASYNC_WAIT(LOCAL_BUFFERS - 2); \
    LOCAL_BARRIER(); \
    if ((inner_end) > (LOCAL_BUFFERS - 1) * TILE_INNER) { \
        START_COPIES(buffer == 0 ? LOCAL_BUFFERS - 1 : buffer - 1, (LOCAL_BUFFERS - 1) * TILE_INNER, inner_end); \
    } \
    ASYNC_COMMIT(); \
    tile_a = (LOCAL_PTR float *)tiles_a + buffer * TILE_SIZE_A; \
    tile_b = (LOCAL_PTR float *)tiles_b + buffer * TILE_SIZE_B
#define AFTER_STEP() buffer = buffer == LOCAL_BUFFERS - 1 ? 0 : buffer + 1
#else
#if PREFETCH == 1
#define BEFORE_STEPS() \
    int buffer = 0; \
    DECLARE_STAGED_A DECLARE_STAGED_B STAGE_A(0, s.inner); \
    STAGE_B(0, s.inner)
#define BEFORE_STEP(inner_end) \
    PUT_A(); \
    PUT_B(); \
    LOCAL_BARRIER(); \
    if ((inner_end) > TILE_INNER) { \
        STAGE_A(TILE_INNER, inner_end); \
        STAGE_B(TILE_INNER, inner_end); \
    }
#else
#define BEFORE_STEPS() \
    int buffer = 0; \
    DECLARE_STAGED_A DECLARE_STAGED_B
#define BEFORE_STEP(inner_end) \
    STAGE_A(0, inner_end); \
    STAGE_B(0, inner_end); \
    PUT_A(); \
    PUT_B(); \
    LOCAL_BARRIER()
#endif
/* With two buffers the barrier of the next step is enough: when an item passes it, all have read this step's tiles. */
#if LOCAL_BUFFERS == 1
#define AFTER_STEP() LOCAL_BARRIER()
#else
#define AFTER_STEP() buffer = 1 - buffer
#endif
#endif

/* Reads of an item's values for one inner index: from local memory, or directly from A and B. */
#if LOCAL_A
#define BEGIN_READING_A() LOCAL_PTR const float *read_a = tile_a + ROW_OF(item_row, 0)
#define ADVANCE_A(floats) from_a += (floats)
#define READ_A(array, vector, k) \
    read_local(VECTOR_ROWS, array, read_a + ((k)*TILE_ROWS + ROW_OF(0, vector)))
#else
#define BEGIN_READING_A()
#define ADVANCE_A(floats) a += (floats)
#define READ_A(array, vector, k) \
    read_guarded(VECTOR_ROWS, array, a, s.rows, ROW_OF(item_row, vector), k, row_end, inner_end)
#endif
#if LOCAL_B
#define BEGIN_READING_B() LOCAL_PTR const float *read_b = tile_b + COLUMN_OF(item_column, 0)
#define ADVANCE_B(floats) from_b += (floats)
#define READ_B(array, vector, k) \
    read_local(VECTOR_COLUMNS, array, read_b + ((k)*TILE_COLUMNS + COLUMN_OF(0, vector)))
#else
#define BEGIN_READING_B()
#define ADVANCE_B(floats) b += (floats)
#define READ_B(array, vector, k) \
    read_guarded(VECTOR_COLUMNS, array, b, s.columns, COLUMN_OF(item_column, vector), k, column_end, inner_end)
#endif

#if RESIDENT
#define GEMM_LIMIT GROUP_LIMIT_RESIDENT(GROUP_COLUMNS, GROUP_ROWS, 1, RESIDENT)
#else
#define GEMM_LIMIT GROUP_LIMIT(GROUP_COLUMNS, GROUP_ROWS, 1)
#endif

/* Find the tile of a group. Tiles are numbered in bands of BLOCK_ORDER rows of tiles (fewer in the last band), first
 * down, then across, so that groups that run at the same time share rows of A as well as columns of B. */
DEVICE_FN void find_tile(int *first_row, int *first_column)
{
#if BLOCK_ORDER == 1
    *first_row = GROUP_ID(1) * TILE_ROWS;
    *first_column = GROUP_ID(0) * TILE_COLUMNS;
#else
    const int across = GROUP_COUNT(0), down = GROUP_COUNT(1), number = GROUP_ID(1) * across + GROUP_ID(0);
    const int band = number / (BLOCK_ORDER * across), first = band * BLOCK_ORDER;
    const int height = MIN(BLOCK_ORDER, down - first), place = number - first * across;
    *first_row = (first + place % height) * TILE_ROWS;
    *first_column = place / height * TILE_COLUMNS;
#endif
}

KERNEL GEMM_LIMIT void gemm(
    GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b, GLOBAL float *RESTRICT c, const gemm_scalars s)
{
    const int item_column = LOCAL_ID(0), item_row = LOCAL_ID(1);
    int first_row, first_column;
    find_tile(&first_row, &first_column);
    a += first_row;
    b += first_column;
    const int row_end = s.rows - first_row, column_end = s.columns - first_column;
    VEC(float, WIDTH) sum[ROWS][PARTS];
#if LOCAL_A || LOCAL_B
    const int item = item_row * GROUP_COLUMNS + item_column;
#endif
#if LOCAL_A
    LOCAL qn_float4 tiles_a[LOCAL_BUFFERS * TILE_SIZE_A / 4];
    LOCAL_PTR float *tile_a = (LOCAL_PTR float *)tiles_a;
    const int a_row = item % LOAD_ROWS * VECTOR_ROWS, a_inner = item / LOAD_ROWS;
    const int a_place = a_inner * TILE_ROWS + a_row;
    const qn_int64 stride_a = (qn_int64)A_INNER_STEP * s.rows;
    GLOBAL const float *RESTRICT from_a = a + (a_row + (qn_int64)a_inner * s.rows);
#endif
#if LOCAL_B
    LOCAL qn_float4 tiles_b[LOCAL_BUFFERS * TILE_SIZE_B / 4];
    LOCAL_PTR float *tile_b = (LOCAL_PTR float *)tiles_b;
    const int b_column = item % LOAD_COLUMNS * VECTOR_COLUMNS, b_inner = item / LOAD_COLUMNS;
    const int b_place = b_inner * TILE_COLUMNS + b_column;
    const qn_int64 stride_b = (qn_int64)B_INNER_STEP * s.columns;
    GLOBAL const float *RESTRICT from_b = b + (b_column + (qn_int64)b_inner * s.columns);
#endif
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        UNROLL
        for (int p = 0; p < PARTS; p++) sum[r][p] = VEC_SPLAT(float, WIDTH, 0.0f);
    }
    BEFORE_STEPS();
    for (int inner_end = s.inner; inner_end > 0; inner_end -= TILE_INNER) {
        BEFORE_STEP(inner_end);
        BEGIN_READING_A();
        BEGIN_READING_B();
        UNROLL_BY(1)
        for (int k = 0; k < TILE_INNER; k += UNROLL_INNER) {
            UNROLL
            for (int u = 0; u < UNROLL_INNER; u++) {
                float a_part[ROWS], b_part[COLUMNS];
                UNROLL
                for (int v = 0; v < ROW_VECTORS; v++) READ_A(a_part + v * VECTOR_ROWS, v, k + u);
                UNROLL
                for (int v = 0; v < COLUMN_VECTORS; v++) READ_B(b_part + v * VECTOR_COLUMNS, v, k + u);
                multiply_add(sum, a_part, b_part);
            }
        }
        ADVANCE_A((qn_int64)TILE_INNER * s.rows);
        ADVANCE_B((qn_int64)TILE_INNER * s.columns);
        AFTER_STEP();
    }
    write_tile(c + ((qn_int64)first_row * s.columns + first_column), sum, s.columns, item_row, item_column, row_end,
               column_end);
}
