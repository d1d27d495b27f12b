/* dRMSD by products: with a and b the distances of two structures minus those of a common centre,
 *
 *     |a - b|² = |a|² + |b|² - 2 a·b
 *
 * Per slice of the pairs of atoms, `centre` subtracts the centre from the distances that the family drmsd measured and
 * adds the squares of each structure; `multiply` adds the products of each pair of structures, by half the operations of
 * drmsd. Cancellation makes the squares of near pairs inexact: they are listed, and `repeat` measures them directly. */
#include "runtime/kernels/wide.dev.h"

#include "cluster/measure/kernels/drmsd.dev.h"
#include "cluster/measure/kernels/drmsd_products.dev.h"

#define ADD_TERM(a, b, sum) FMA(a, b, sum)
#include "cluster/measure/kernels/panel_tiles.dev.h"

/* A group has a panel. Each of the PRODUCTS_PARTS items of a structure has a part of the slice. */
KERNEL GROUP_LIMIT(DRMSD_PANEL, PRODUCTS_PARTS, 1) void centre(GLOBAL float *RESTRICT distances,
                                                              GLOBAL const float *RESTRICT centre_distances,
                                                              GLOBAL float *RESTRICT norms, centre_scalars s)
{
    LOCAL float parts[PRODUCTS_PARTS * DRMSD_PANEL];
    const int item = LOCAL_ID(0), part = LOCAL_ID(1), rows = s.slice / PRODUCTS_PARTS;
    GLOBAL float *line = distances + ((qn_int64)GROUP_ID(0) * s.slice + part * rows) * DRMSD_PANEL + item;
    float norm = 0.0f;
    for (int k = 0; k < rows; k += CENTRE_RUN) {
        UNROLL
        for (int i = k; i < k + CENTRE_RUN; i++) {
            const float value = line[i * DRMSD_PANEL] - centre_distances[part * rows + i];
            line[i * DRMSD_PANEL] = value;
            norm = FMA(value, value, norm);
        }
    }
    parts[part * DRMSD_PANEL + item] = norm;
    LOCAL_BARRIER();
    if (part == 0) {
        const int structure = GROUP_ID(0) * DRMSD_PANEL + item;
        float total = s.first ? 0.0f : norms[structure];
        UNROLL
        for (int p = 0; p < PRODUCTS_PARTS; p++) total += parts[p * DRMSD_PANEL + item];
        norms[structure] = total;
    }
}

/* The value of a pair after the last slice. Pairs are listed in no order; near[0] is their number. */
DEVICE_FN float finish(float product, float norms, int pair, GLOBAL int *near, multiply_scalars s)
{
    const float square = FMA(-2.0f, product, norms);
    if (square < s.near_share * norms) {
        const int place = ATOMIC_ADD_INT(near, 1);
        if (place < s.near_room) near[1 + place] = pair;
    }
    return SQRT(FMAX(square, 0.0f) * s.reciprocal);
}

DEVICE_FN void store(GLOBAL float *RESTRICT values, float (*sum)[ITEM_COLUMNS], int first_row, int first_column,
                     int item_row, int item_column, GLOBAL const float *RESTRICT row_norms,
                     GLOBAL const float *RESTRICT column_norms, GLOBAL int *near, multiply_scalars s)
{
    UNROLL
    for (int r = 0; r < ITEM_ROWS; r++) {
        const int row = first_row + LINE_OF(item_row, GROUP_ROWS, r);
        UNROLL
        for (int c = 0; c < ITEM_COLUMNS; c++) {
            const int column = first_column + LINE_OF(item_column, GROUP_COLUMNS, c);
            if (row >= s.row_count || column >= s.column_count || (s.diagonal && row >= column)) continue;
            const qn_int64 place = (qn_int64)row * s.column_count + column;
            const float total = s.first ? sum[r][c] : values[place] + sum[r][c];
            values[place] =
                s.last ? finish(total, row_norms[row] + column_norms[column], (int)place, near, s) : total;
        }
    }
}

KERNEL GROUP_LIMIT_RESIDENT(GROUP_COLUMNS, GROUP_ROWS, 1, RESIDENT) void multiply(
    GLOBAL const float *RESTRICT rows, GLOBAL const float *RESTRICT columns, GLOBAL const float *RESTRICT row_norms,
    GLOBAL const float *RESTRICT column_norms, GLOBAL float *RESTRICT values, GLOBAL int *near, multiply_scalars s)
{
    DECLARE_TILES();
    const int item_row = LOCAL_ID(1), item_column = LOCAL_ID(0);
    const int first_row = GROUP_ID(1) * TILE_ROWS, first_column = GROUP_ID(0) * TILE_COLUMNS;
    float sum[ITEM_ROWS][ITEM_COLUMNS];
    if (!s.diagonal || first_row < first_column + TILE_COLUMNS) {
        clear_sums(sum);
        ADD_SLICE(sum, first_distance(rows, first_row, s.slice), first_distance(columns, first_column, s.slice),
                  s.slice, item_row, item_column);
        store(values, sum, first_row, first_column, item_row, item_column, row_norms, column_norms, near, s);
    }
}

DEVICE_FN float distance_of(GLOBAL const float *positions, int atoms, int a, int b)
{
    const float dx = positions[a] - positions[b];
    const float dy = positions[atoms + a] - positions[atoms + b];
    const float dz = positions[2 * atoms + a] - positions[2 * atoms + b];
    return SQRT(FMA(dz, dz, FMA(dy, dy, dx * dx)));
}

/* A group has every GROUP_COUNT-th of the listed pairs; an item has every PRODUCTS_GROUP-th second atom. */
KERNEL GROUP_LIMIT(PRODUCTS_GROUP, 1, 1) void repeat(GLOBAL const float *RESTRICT rows,
                                                     GLOBAL const float *RESTRICT columns,
                                                     GLOBAL const float *RESTRICT weights,
                                                     GLOBAL const int *RESTRICT near, GLOBAL float *RESTRICT values,
                                                     repeat_scalars s)
{
    LOCAL float parts[PRODUCTS_GROUP];
    const int item = LOCAL_ID(0), count = MIN(near[0], s.near_room);
    for (int i = GROUP_ID(0); i < count; i += GROUP_COUNT(0)) {
        const int pair = near[1 + i];
        GLOBAL const float *first = rows + (qn_int64)(pair / s.column_count) * 3 * s.atoms;
        GLOBAL const float *second = columns + (qn_int64)(pair % s.column_count) * 3 * s.atoms;
        float total = 0.0f;
        for (int b = 1 + item; b < s.atoms; b += PRODUCTS_GROUP) {
            float sum = 0.0f;
            for (int a = 0; a < b; a++) {
                const float weight = weights[a] * weights[b];
                const float difference =
                    weight * distance_of(first, s.atoms, a, b) - weight * distance_of(second, s.atoms, a, b);
                sum = FMA(difference, difference, sum);
            }
            total += sum;
        }
        parts[item] = total;
        LOCAL_BARRIER();
        for (int width = PRODUCTS_GROUP / 2; width > 0; width /= 2) {
            if (item < width) parts[item] += parts[item + width];
            LOCAL_BARRIER();
        }
        if (item == 0) values[pair] = SQRT(parts[0] * s.reciprocal);
        LOCAL_BARRIER();
    }
}
