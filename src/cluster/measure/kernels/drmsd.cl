/* dRMSD of every structure of a tile's rows to every structure of its columns (measure/drmsd.h).
 *
 * Three kernels: `pack` brings positions into panels; `measure` computes the distances between atoms for a slice of the
 * pairs of atoms, once for each structure; `compare` adds the squared differences of the slice for every pair of
 * structures.
 *
 * The squares of a slice are added in the order of its pairs of atoms, and slices in their order, so that the bits of a
 * value depend neither on tunables nor on the place of the pair in a tile. */
#include "runtime/kernels/wide.dev.h"

#include "cluster/measure/kernels/drmsd.dev.h"

/* sum + (a - b)² */
DEVICE_FN float add_square(float a, float b, float sum)
{
    const float difference = a - b;
    return FMA(difference, difference, sum);
}
#define ADD_TERM(a, b, sum) add_square(a, b, sum)
#include "cluster/measure/kernels/panel_tiles.dev.h"

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
    DECLARE_TILES();
    const int item_row = LOCAL_ID(1), item_column = LOCAL_ID(0);
    const int first_row = GROUP_ID(1) * TILE_ROWS, first_column = GROUP_ID(0) * TILE_COLUMNS;
    float sum[ITEM_ROWS][ITEM_COLUMNS];
    if (!s.diagonal || first_row < first_column + TILE_COLUMNS) {
        clear_sums(sum);
        ADD_SLICE(sum, first_distance(rows, first_row, s.slice), first_distance(columns, first_column, s.slice),
                  s.slice, item_row, item_column);
        store(values, sum, first_row, first_column, item_row, item_column, s);
    }
}
