/* Sums over the pairs of atoms of a slice, for a tile of pairs of structures: like a matrix product of distances, with
 * ADD_TERM(a, b, sum) in place of a multiply-add. A group has a tile of TILE_ROWS x TILE_COLUMNS pairs of structures,
 * an item has ITEM_ROWS x ITEM_COLUMNS of them in registers, and distances go through local memory in steps of DEPTH
 * pairs of atoms, or through caches alone (LOCAL_BUFFERS 0), as Filipovič, Plhák and Střelák compare the two (2015,
 * https://doi.org/10.1109/HPCSim.2015.7237020). Terms are added in the order of their pairs of atoms. */
#ifndef QN_CLUSTER_MEASURE_PANEL_TILES_DEV_H
#define QN_CLUSTER_MEASURE_PANEL_TILES_DEV_H

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

/* Place in a tile of the lines of one side that an item has: fours of lines, the first fours of all items, then their
 * second fours, so that items that read at the same time read adjacent memory. */
#define LINE_OF(item, group, line) ((((line) / 4) * (group) + (item)) * 4 + (line) % 4)

/* One pair of atoms: a term for each pair of structures. */
DEVICE_FN void add_terms(float (*sum)[ITEM_COLUMNS], const float *a, const float *b)
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c++) sum[r][c] = ADD_TERM(a[r], b[c], sum[r][c]);
    }
}

/* Begin to copy DEPTH rows of `lines` lines of a panel into local memory. */
DEVICE_FN void start_copy(LOCAL_PTR float *to, GLOBAL const float *RESTRICT from, int lines, int item)
{
    const int fours = lines / 4;
    for (int i = item; i < DEPTH * fours; i += ITEMS)
        ASYNC_COPY(4, to + 4 * i, from + (i / fours) * DRMSD_PANEL + 4 * (i % fours));
}

/* Add the terms of DEPTH pairs of atoms. */
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
        add_terms(sum, a, b);
    }
}

/* Begin to copy the step that begins `ahead` pairs of atoms further on, if there is one, into buffer number `buffer`.
 */
#define START_STEP(buffer, ahead)                                                                                    \
    if ((ahead) < slice) {                                                                                           \
        start_copy(row_tiles + (buffer)*DEPTH * TILE_ROWS, rows + (ahead)*DRMSD_PANEL, TILE_ROWS, item);             \
        start_copy(column_tiles + (buffer)*DEPTH * TILE_COLUMNS, columns + (ahead)*DRMSD_PANEL, TILE_COLUMNS, item); \
    }                                                                                                                \
    ASYNC_COMMIT()

/* Add the terms of a slice. rows, columns: of the tile's first structures. */
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
        add_terms(sum, a, b);
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
    for (int t = 0; t < LOCAL_BUFFERS - 1; t++) {
        START_STEP(t, t * DEPTH);
    }
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

/* The sums of an item for a slice, whose tile begins at the structures first_row and first_column. */
#if LOCAL_BUFFERS > 0
#define DECLARE_TILES() /* declared as fours, because they are copied as fours, which must be aligned */ \
    LOCAL qn_float4 row_fours[LOCAL_BUFFERS * DEPTH * TILE_ROWS / 4];                                    \
    LOCAL qn_float4 column_fours[LOCAL_BUFFERS * DEPTH * TILE_COLUMNS / 4];                              \
    LOCAL_PTR float *row_tiles = (LOCAL_PTR float *)row_fours;                                           \
    LOCAL_PTR float *column_tiles = (LOCAL_PTR float *)column_fours
#define ADD_SLICE(sum, rows, columns, slice, item_row, item_column) \
    add_slice(sum, rows, columns, slice, item_row, item_column, row_tiles, column_tiles)
#else
#define DECLARE_TILES()
#define ADD_SLICE(sum, rows, columns, slice, item_row, item_column) \
    add_slice(sum, rows, columns, slice, item_row, item_column)
#endif

/* Address of the first distance of structure `first` in panels of `slice` rows. */
DEVICE_FN GLOBAL const float *first_distance(GLOBAL const float *panels, int first, int slice)
{
    return panels + (qn_int64)(first / DRMSD_PANEL) * slice * DRMSD_PANEL + first % DRMSD_PANEL;
}

DEVICE_FN void clear_sums(float (*sum)[ITEM_COLUMNS])
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c++) sum[r][c] = 0.0f;
    }
}

#endif
