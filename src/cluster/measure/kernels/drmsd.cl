/* dRMSD of every structure of a tile's rows to every structure of its columns (measure/drmsd.h).
 *
 * Three kernels: `pack` brings positions into panels; `measure` computes the distances between atoms for a slice of the
 * pairs of atoms, once for each structure; `compare` adds the squared differences of the slice for every pair of
 * structures. `compare` is like a matrix product with (a - b)² in place of a b: a group has a tile of TILE_ROWS x
 * TILE_COLUMNS pairs of structures, an item has ITEM_ROWS x ITEM_COLUMNS of them in registers, and distances go through
 * local memory in steps of DEPTH pairs of atoms, or through caches alone (LOCAL_BUFFERS 0), as Filipovič, Plhák and
 * Střelák compare the two (2015, https://doi.org/10.1109/HPCSim.2015.7237020).
 *
 * The squares of a slice are added in the order of its pairs of atoms, and slices in their order, so that the bits of a
 * value depend neither on tunables nor on the place of the pair in a tile. */
#include "runtime/kernels/wide.dev.h"

#include "cluster/measure/kernels/drmsd.dev.h"

#ifndef GROUP_ROWS
#error "GROUP_ROWS: work-items of a group along the rows"
#endif
#ifndef GROUP_COLUMNS
#error "GROUP_COLUMNS: work-items of a group along the columns"
#endif
#ifndef ITEM_ROWS
#error "ITEM_ROWS: structures of the rows that an item compares"
#endif
#ifndef ITEM_COLUMNS
#error "ITEM_COLUMNS: structures of the columns that an item compares"
#endif
#ifndef DEPTH
#error "DEPTH: pairs of atoms of a step"
#endif
#ifndef LOCAL_BUFFERS
#error "LOCAL_BUFFERS: steps in local memory at a time; 0: distances are read through caches"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that must fit a compute unit at once"
#endif

#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define TILE_ROWS (GROUP_ROWS * ITEM_ROWS)
#define TILE_COLUMNS (GROUP_COLUMNS * ITEM_COLUMNS)

KERNEL GROUP_LIMIT(DRMSD_PANEL, 1, 1) void pack(GLOBAL const float *RESTRICT positions, GLOBAL float *RESTRICT panels,
                                                pack_scalars s)
{
    const int structure = GLOBAL_ID(0), row = GLOBAL_ID(1);
    const qn_int64 place = ((qn_int64)GROUP_ID(0) * s.rows + row) * DRMSD_PANEL + LOCAL_ID(0);
    panels[place] = structure < s.count ? positions[(qn_int64)structure * s.rows + row] : 0.0f;
}

/* A group has a panel and DRMSD_RUN pairs of atoms. */
KERNEL GROUP_LIMIT(DRMSD_PANEL, 1, 1) void measure(GLOBAL const float *RESTRICT panels,
                                                   GLOBAL const float *RESTRICT weights,
                                                   GLOBAL float *RESTRICT distances, measure_scalars s)
{
    const int panel = GROUP_ID(0), item = LOCAL_ID(0), first = GROUP_ID(1) * DRMSD_RUN;
    const int axis_step = s.atoms * DRMSD_PANEL;
    GLOBAL const float *x = panels + (qn_int64)panel * 3 * axis_step + item;
    GLOBAL float *to = distances + ((qn_int64)panel * s.slice + first) * DRMSD_PANEL + item;
    int a = 0, b = 1;
    if (s.first_pair + first < s.end_pair) drmsd_find_pair(s.first_pair + first, s.atoms, &a, &b);
    for (int i = 0; i < DRMSD_RUN; i++, to += DRMSD_PANEL) {
        float value = 0.0f;
        if (s.first_pair + first + i < s.end_pair) {
            GLOBAL const float *at_a = x + a * DRMSD_PANEL, *at_b = x + b * DRMSD_PANEL;
            const float dx = at_a[0] - at_b[0];
            const float dy = at_a[axis_step] - at_b[axis_step];
            const float dz = at_a[2 * axis_step] - at_b[2 * axis_step];
            value = SQRT(FMA(dz, dz, FMA(dy, dy, dx * dx))) * (weights[a] * weights[b]);
            if (++b == s.atoms) b = ++a + 1;
        }
        *to = value;
    }
}

/* Place in a tile of the lines of one side that an item has: fours of lines, the first fours of all items, then their
 * second fours, so that items that read at the same time read adjacent memory. */
#define LINE_OF(item, group, line) ((((line) / 4) * (group) + (item)) * 4 + (line) % 4)

/* sum[row][column] += (a[row] - b[column])² */
DEVICE_FN void add_squares(float (*sum)[ITEM_COLUMNS], const float *a, const float *b)
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c++) {
            const float difference = a[r] - b[c];
            sum[r][c] = FMA(difference, difference, sum[r][c]);
        }
    }
}

/* Begin to copy DEPTH rows of `lines` lines of a panel into local memory. */
DEVICE_FN void start_copy(LOCAL_PTR float *to, GLOBAL const float *RESTRICT from, int lines, int item)
{
    const int fours = lines / 4;
    for (int i = item; i < DEPTH * fours; i += ITEMS)
        ASYNC_COPY(4, to + 4 * i, from + (i / fours) * DRMSD_PANEL + 4 * (i % fours));
}

/* Add the squares of DEPTH pairs of atoms. */
DEVICE_FN void add_step(float (*sum)[ITEM_COLUMNS], LOCAL_PTR const float *rows, LOCAL_PTR const float *columns,
                        int item_row, int item_column)
{
    UNROLL_BY(4)
    for (int k = 0; k < DEPTH; k++) {
        float a[ITEM_ROWS], b[ITEM_COLUMNS];
        UNROLL
        for (int r = 0; r < ITEM_ROWS; r += 4)
            read_local(4, a + r, rows + k * TILE_ROWS + LINE_OF(item_row, GROUP_ROWS, r));
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c += 4)
            read_local(4, b + c, columns + k * TILE_COLUMNS + LINE_OF(item_column, GROUP_COLUMNS, c));
        add_squares(sum, a, b);
    }
}

/* Begin to copy the step that begins `ahead` pairs of atoms further on, if there is one, into buffer number `buffer`. */
#define START_STEP(buffer, ahead) \
    if ((ahead) < slice) { \
        start_copy(row_tiles + (buffer)*DEPTH * TILE_ROWS, rows + (ahead)*DRMSD_PANEL, TILE_ROWS, item); \
        start_copy(column_tiles + (buffer)*DEPTH * TILE_COLUMNS, columns + (ahead)*DRMSD_PANEL, TILE_COLUMNS, item); \
    } \
    ASYNC_COMMIT()

/* Add the squares of a slice. rows, columns: of the tile's first structures. */
#if LOCAL_BUFFERS == 0
DEVICE_FN void add_slice(float (*sum)[ITEM_COLUMNS], GLOBAL const float *RESTRICT rows,
                         GLOBAL const float *RESTRICT columns, int slice, int item_row, int item_column)
{
    for (int k = 0; k < slice; k++, rows += DRMSD_PANEL, columns += DRMSD_PANEL) {
        float a[ITEM_ROWS], b[ITEM_COLUMNS];
        UNROLL
        for (int r = 0; r < ITEM_ROWS; r += 4) read_global(4, a + r, rows + LINE_OF(item_row, GROUP_ROWS, r));
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c += 4)
            read_global(4, b + c, columns + LINE_OF(item_column, GROUP_COLUMNS, c));
        add_squares(sum, a, b);
    }
}
#else
DEVICE_FN void add_slice(float (*sum)[ITEM_COLUMNS], GLOBAL const float *RESTRICT rows,
                         GLOBAL const float *RESTRICT columns, int slice, int item_row, int item_column,
                         LOCAL_PTR float *row_tiles, LOCAL_PTR float *column_tiles)
{
    const int item = item_row * GROUP_COLUMNS + item_column;
#if LOCAL_BUFFERS == 1
    for (int k = 0; k < slice; k += DEPTH) {
        START_STEP(0, k);
        ASYNC_WAIT(0);
        LOCAL_BARRIER();
        add_step(sum, row_tiles, column_tiles, item_row, item_column);
        LOCAL_BARRIER();
    }
#else
    /* LOCAL_BUFFERS - 1 steps are copied while one is added. After the barrier the parts of all items have arrived, and
     * no item still reads the buffer that is filled next. */
    int buffer = 0;
    UNROLL
    for (int t = 0; t < LOCAL_BUFFERS - 1; t++) { START_STEP(t, t * DEPTH); }
    for (int k = 0; k < slice; k += DEPTH) {
        ASYNC_WAIT(LOCAL_BUFFERS - 2);
        LOCAL_BARRIER();
        START_STEP(buffer == 0 ? LOCAL_BUFFERS - 1 : buffer - 1, k + (LOCAL_BUFFERS - 1) * DEPTH);
        add_step(sum, row_tiles + buffer * DEPTH * TILE_ROWS, column_tiles + buffer * DEPTH * TILE_COLUMNS, item_row,
                 item_column);
        buffer = buffer == LOCAL_BUFFERS - 1 ? 0 : buffer + 1;
    }
#endif
}
#endif

/* Write the values of an item; values of one row are adjacent. */
DEVICE_FN void store(GLOBAL float *RESTRICT values, float (*sum)[ITEM_COLUMNS], int first_row, int first_column,
                     int item_row, int item_column, compare_scalars s)
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        const int row = first_row + LINE_OF(item_row, GROUP_ROWS, r);
        GLOBAL float *line = values + (qn_int64)row * s.column_count;
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c++) {
            const int column = first_column + LINE_OF(item_column, GROUP_COLUMNS, c);
            if (row >= s.row_count || column >= s.column_count) continue;
            const float total = s.first ? sum[r][c] : line[column] + sum[r][c];
            line[column] = s.last ? SQRT(total * s.reciprocal) : total;
        }
    }
}

KERNEL GROUP_LIMIT_RESIDENT(GROUP_COLUMNS, GROUP_ROWS, 1, RESIDENT) void compare(GLOBAL const float *RESTRICT rows,
                                                                                GLOBAL const float *RESTRICT columns,
                                                                                GLOBAL float *RESTRICT values,
                                                                                compare_scalars s)
{
#if LOCAL_BUFFERS > 0
    LOCAL float row_tiles[LOCAL_BUFFERS * DEPTH * TILE_ROWS];
    LOCAL float column_tiles[LOCAL_BUFFERS * DEPTH * TILE_COLUMNS];
#endif
    const int item_row = LOCAL_ID(1), item_column = LOCAL_ID(0);
    const int first_row = GROUP_ID(1) * TILE_ROWS, first_column = GROUP_ID(0) * TILE_COLUMNS;
    float sum[ITEM_ROWS][ITEM_COLUMNS];
    if (!s.diagonal || first_row < first_column + TILE_COLUMNS) {
        GLOBAL const float *from_rows =
            rows + (qn_int64)(first_row / DRMSD_PANEL) * s.slice * DRMSD_PANEL + first_row % DRMSD_PANEL;
        GLOBAL const float *from_columns =
            columns + (qn_int64)(first_column / DRMSD_PANEL) * s.slice * DRMSD_PANEL + first_column % DRMSD_PANEL;
        UNROLL
        for (int r = 0; r < ITEM_ROWS; r++) {
            UNROLL
            for (int c = 0; c < ITEM_COLUMNS; c++) sum[r][c] = 0.0f;
        }
#if LOCAL_BUFFERS > 0
        add_slice(sum, from_rows, from_columns, s.slice, item_row, item_column, row_tiles, column_tiles);
#else
        add_slice(sum, from_rows, from_columns, s.slice, item_row, item_column);
#endif
        store(values, sum, first_row, first_column, item_row, item_column, s);
    }
}
