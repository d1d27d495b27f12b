/* C = A·B in single precision: A [inner][rows], B [inner][columns], C [rows][columns].
 *
 * A group makes a tile of TILE_ROWS x TILE_COLUMNS of C, walking along the inner index in steps of TILE_INNER; an item
 * has ROWS x COLUMNS of it in registers. Tiles of A and B go through local memory or are read where they are used.
 * The vectors of an item lie side by side, or strided: one of each item, then the next of each.
 *
 * GUARDED: sizes may be any; rows and columns past the end are neither read nor written, inner ones are zeros. Without
 * it they are multiples of the tile's.
 *
 * The parameters are those of CLBlast's kernel (Nugteren 2018, https://arxiv.org/abs/1705.05249), and PREFETCH. */
#include "benchmark/kernels/wide.dev.h"

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
#ifndef GUARDED
#error "GUARDED: whether sizes may be other than multiples of the tile's"
#endif

#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define ROW_VECTORS (TILE_ROWS / GROUP_ROWS / VECTOR_ROWS)
#define COLUMN_VECTORS (TILE_COLUMNS / GROUP_COLUMNS / VECTOR_COLUMNS)
#define ROWS (ROW_VECTORS * VECTOR_ROWS)
#define COLUMNS (COLUMN_VECTORS * VECTOR_COLUMNS)

/* Loading: an item's vectors are ITEMS / LOAD_ROWS inner indices and LOAD_ROWS vectors apart. */
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

/* Floats that a multiply-add takes at once: a CPU's vectors; CUDA has none. */
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

/* How a tile of A or B is loaded: a vector's floats, steps and passes along the lines (rows or columns), steps and
 * passes along the inner index. */
#define A_SHAPE VECTOR_ROWS, A_ROW_STEP, A_ROW_PASSES, A_INNER_STEP, A_INNER_PASSES
#define B_SHAPE VECTOR_COLUMNS, B_COLUMN_STEP, B_COLUMN_PASSES, B_INNER_STEP, B_INNER_PASSES

/* n floats of `from` [inner][lines]; zeros from line_end and inner_end on. */
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

/* This item's part of a tile, from `line` and `inner` on, into registers. */
DEVICE_FN void stage(float *staged, GLOBAL const float *RESTRICT from, int lines, int line, int inner, int line_end,
                     int inner_end, int n, int line_step, int line_passes, int inner_step, int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++) {
        UNROLL
        for (int j = 0; j < line_passes; j++)
            read_guarded(n, staged + (i * line_passes + j) * n, from, lines, line + j * line_step,
                         inner + i * inner_step, line_end, inner_end);
    }
}

/* ... and from there into local memory, [TILE_INNER][tile_lines]. */
DEVICE_FN void put(LOCAL_PTR float *tile, int tile_lines, const float *staged, int line, int inner, int n,
                   int line_step, int line_passes, int inner_step, int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++) {
        UNROLL
        for (int j = 0; j < line_passes; j++)
            write_local(n, tile + ((inner + i * inner_step) * tile_lines + line + j * line_step),
                        staged + (i * line_passes + j) * n);
    }
}

/* Both at once, without waiting. */
DEVICE_FN void start_copy(LOCAL_PTR float *tile, int tile_lines, GLOBAL const float *RESTRICT from, int lines, int line,
                          int inner, int line_end, int inner_end, int n, int line_step, int line_passes, int inner_step,
                          int inner_passes)
{
    UNROLL
    for (int i = 0; i < inner_passes; i++) {
        UNROLL
        for (int j = 0; j < line_passes; j++) {
            const int k = inner + i * inner_step, first = line + j * line_step;
            LOCAL_PTR float *to = tile + (k * tile_lines + first);
#if GUARDED
            UNROLL
            for (int e = 0; e < n; e++) {
                if (first + e < line_end && k < inner_end)
                    ASYNC_COPY(1, to + e, from + ((qn_int64)k * lines + (first + e)));
                else
                    to[e] = 0.0f;
            }
#else
            copy_async(n, to, from + (k * lines + first));
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

/* The sums of an item to C, of which rows and columns up to row_end and column_end are there. */
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

/* The tiles `ahead` inner indices further on than a and b point: into registers, from there into local memory, or in the
 * background into the given buffer. */
#if LOCAL_A
#define STAGE_A(ahead, inner_end) stage(staged_a, a, rows, a_row, a_inner + (ahead), row_end, inner_end, A_SHAPE)
#define PUT_A() \
    tile_a = (LOCAL_PTR float *)tiles_a + buffer * TILE_SIZE_A; \
    put(tile_a, TILE_ROWS, staged_a, a_row, a_inner, A_SHAPE)
#define DECLARE_STAGED_A float staged_a[TILE_SIZE_A / ITEMS];
#else
#define STAGE_A(ahead, inner_end)
#define PUT_A()
#define DECLARE_STAGED_A
#endif
#if LOCAL_B
#define STAGE_B(ahead, inner_end) \
    stage(staged_b, b, columns, b_column, b_inner + (ahead), column_end, inner_end, B_SHAPE)
#define PUT_B() \
    tile_b = (LOCAL_PTR float *)tiles_b + buffer * TILE_SIZE_B; \
    put(tile_b, TILE_COLUMNS, staged_b, b_column, b_inner, B_SHAPE)
#define DECLARE_STAGED_B float staged_b[TILE_SIZE_B / ITEMS];
#else
#define STAGE_B(ahead, inner_end)
#define PUT_B()
#define DECLARE_STAGED_B
#endif
#define START_COPIES(buffer, ahead, inner_end) \
    start_copy((LOCAL_PTR float *)tiles_a + (buffer)*TILE_SIZE_A, TILE_ROWS, a + (qn_int64)(ahead)*rows, rows, a_row, \
               a_inner, row_end, (inner_end) - (ahead), A_SHAPE); \
    start_copy((LOCAL_PTR float *)tiles_b + (buffer)*TILE_SIZE_B, TILE_COLUMNS, b + (qn_int64)(ahead)*columns, columns, \
               b_column, b_inner, column_end, (inner_end) - (ahead), B_SHAPE)

/* Before the first step; before the tiles of a step are used; after that. inner_end: inner indices left. */
#if !LOCAL_A && !LOCAL_B
#define BEFORE_STEPS()
#define BEFORE_STEP(inner_end)
#define AFTER_STEP()
#elif PREFETCH == 2
/* LOCAL_BUFFERS - 1 tiles are on their way while one is multiplied. The barrier says that everybody's part of it is
 * there, and that nobody still reads the buffer which is filled next. */
#define BEFORE_STEPS() \
    int buffer = 0; \
    UNROLL \
    for (int t = 0; t < LOCAL_BUFFERS - 1; t++) { \
        if (t * TILE_INNER < inner) { START_COPIES(t, t * TILE_INNER, inner); } \
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
    DECLARE_STAGED_A DECLARE_STAGED_B STAGE_A(0, inner); \
    STAGE_B(0, inner)
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
/* Of two buffers, the barrier of the next step is enough: whoever passes it has read this step's. */
#if LOCAL_BUFFERS == 1
#define AFTER_STEP() LOCAL_BARRIER()
#else
#define AFTER_STEP() buffer = 1 - buffer
#endif
#endif

/* What an item reads for one inner index: from local memory, or from A and B themselves. */
#if LOCAL_A
#define READ_A(array, vector, k) \
    read_local(VECTOR_ROWS, array, tile_a + ((k)*TILE_ROWS + ROW_OF(item_row, vector)))
#else
#define READ_A(array, vector, k) \
    read_guarded(VECTOR_ROWS, array, a, rows, ROW_OF(item_row, vector), k, row_end, inner_end)
#endif
#if LOCAL_B
#define READ_B(array, vector, k) \
    read_local(VECTOR_COLUMNS, array, tile_b + ((k)*TILE_COLUMNS + COLUMN_OF(item_column, vector)))
#else
#define READ_B(array, vector, k) \
    read_guarded(VECTOR_COLUMNS, array, b, columns, COLUMN_OF(item_column, vector), k, column_end, inner_end)
#endif

KERNEL GROUP_LIMIT(GROUP_COLUMNS, GROUP_ROWS, 1) void gemm(GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b,
                                                           GLOBAL float *RESTRICT c, int rows, int columns, int inner)
{
    const int item_column = LOCAL_ID(0), item_row = LOCAL_ID(1);
    const int first_row = GROUP_ID(1) * TILE_ROWS, first_column = GROUP_ID(0) * TILE_COLUMNS;
    const int row_end = rows - first_row, column_end = columns - first_column;
    VEC(float, WIDTH) sum[ROWS][PARTS];
#if LOCAL_A || LOCAL_B
    const int item = item_row * GROUP_COLUMNS + item_column;
#endif
#if LOCAL_A
    LOCAL qn_float4 tiles_a[LOCAL_BUFFERS * TILE_SIZE_A / 4];
    LOCAL_PTR float *tile_a = (LOCAL_PTR float *)tiles_a;
    const int a_row = item % LOAD_ROWS * VECTOR_ROWS, a_inner = item / LOAD_ROWS;
#endif
#if LOCAL_B
    LOCAL qn_float4 tiles_b[LOCAL_BUFFERS * TILE_SIZE_B / 4];
    LOCAL_PTR float *tile_b = (LOCAL_PTR float *)tiles_b;
    const int b_column = item % LOAD_COLUMNS * VECTOR_COLUMNS, b_inner = item / LOAD_COLUMNS;
#endif
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        UNROLL
        for (int p = 0; p < PARTS; p++) sum[r][p] = VEC_SPLAT(float, WIDTH, 0.0f);
    }
    a += first_row;
    b += first_column;
    BEFORE_STEPS();
    for (int inner_end = inner; inner_end > 0; inner_end -= TILE_INNER) {
        BEFORE_STEP(inner_end);
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
        a += (qn_int64)TILE_INNER * rows;
        b += (qn_int64)TILE_INNER * columns;
        AFTER_STEP();
    }
    write_tile(c + ((qn_int64)first_row * columns + first_column), sum, columns, item_row, item_column, row_end,
               column_end);
}
