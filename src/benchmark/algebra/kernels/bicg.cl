/* Both products of the biconjugate gradient method from one read of the matrix: q = A p, s = Aᵀ r.
 *
 * A group takes TILES · TILE_ROWS rows of GROUP_X · COLUMNS vectors of columns. An item goes down its columns: its sums
 * for s stay in registers; its sums for q go to local memory and are added over the group every TILE_ROWS rows. The
 * sums of the groups are in partial arrays, which gather adds in a fixed order. `parts` holds the number of these
 * arrays, so that gather may run with a different configuration.
 *
 * FUSED 0: the matrix is read twice, by groups of z = 0 for q and by groups of z = 1 for s. */

#include "benchmark/algebra/kernels/bicg.dev.h"

#ifndef GROUP_X
#error "GROUP_X: work-items of a group along columns"
#endif
#ifndef GROUP_Y
#error "GROUP_Y: work-items of a group along rows"
#endif
#ifndef COLUMNS
#error "COLUMNS: vectors of columns of a work-item"
#endif
#ifndef ROWS
#error "ROWS: rows whose elements a work-item loads before it uses them"
#endif
#ifndef TILE_ROWS
#error "TILE_ROWS: rows between two sums over a group"
#endif
#ifndef TILES
#error "TILES: such tiles of a group"
#endif
#ifndef FUSED
#error "FUSED: 1 for both products at once, 0 for one after the other"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif
#ifndef GATHER_SHARE
#error "GATHER_SHARE: work-items that add the partial sums of one result"
#endif

#include "benchmark/kernels/lanes.dev.h"

#define ITEMS (GROUP_X * GROUP_Y)
#define GROUP_ROWS (TILE_ROWS * TILES)
#define PITCH (GROUP_X + 1) /* items that sum different rows use different banks */
#define GATHER_RESULTS 32

/* q_partial: parts[0] arrays of `rows`; s_partial: parts[1] arrays of `columns` */
KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void multiply(GLOBAL const float *RESTRICT matrix, GLOBAL const float *RESTRICT p,
                                                      GLOBAL const float *RESTRICT r, GLOBAL float *RESTRICT q_partial,
                                                      GLOBAL float *RESTRICT s_partial, GLOBAL int *RESTRICT parts,
                                                      int rows, int columns)
{
    LOCAL float shares[TILE_ROWS * PITCH];
    const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;
    const int first = GROUP_ID(1) * GROUP_ROWS, end = MIN(first + GROUP_ROWS, rows);
    const int wants_q = FUSED || GROUP_ID(2) == 0, wants_s = FUSED || GROUP_ID(2) == 1;
    lanes column_p[COLUMNS], column_s[COLUMNS];
    int column[COLUMNS];
    UNROLL
    for (int k = 0; k < COLUMNS; k++) { /* items past the last column go down the first column with p = 0 */
        column[k] = ((GROUP_ID(0) * COLUMNS + k) * GROUP_X + x) * VECTOR_WIDTH;
        column_s[k] = lanes_splat(0.0f);
        column_p[k] = column[k] < columns ? lanes_load(p + column[k]) : lanes_splat(0.0f);
    }
    for (int tile = first; tile < end; tile += TILE_ROWS) {
        for (int t = y * ROWS; t < TILE_ROWS; t += GROUP_Y * ROWS) {
            lanes element[ROWS][COLUMNS];
            UNROLL
            for (int i = 0; i < ROWS; i++) {
                GLOBAL const float *line = matrix + (qn_int64)MIN(tile + t + i, rows - 1) * columns;
                UNROLL
                for (int k = 0; k < COLUMNS; k++)
                    element[i][k] = lanes_load(line + (column[k] < columns ? column[k] : 0));
            }
            UNROLL
            for (int i = 0; i < ROWS; i++) {
                lanes product = lanes_splat(0.0f);
                if (wants_s) {
                    const lanes factor = lanes_splat(tile + t + i < end ? r[tile + t + i] : 0.0f);
                    UNROLL
                    for (int k = 0; k < COLUMNS; k++) column_s[k] = lanes_fma(element[i][k], factor, column_s[k]);
                }
                if (wants_q) {
                    UNROLL
                    for (int k = 0; k < COLUMNS; k++) product = lanes_fma(element[i][k], column_p[k], product);
                    shares[(t + i) * PITCH + x] = lanes_sum(product);
                }
            }
        }
        if (wants_q) { /* the same for all items of the group */
            LOCAL_BARRIER();
            for (int t = item; t < TILE_ROWS; t += ITEMS) {
                float sum = 0.0f;
                UNROLL_BY(8)
                for (int i = 0; i < GROUP_X; i++) sum += shares[t * PITCH + i];
                if (tile + t < end) q_partial[(qn_int64)GROUP_ID(0) * rows + tile + t] = sum;
            }
            LOCAL_BARRIER();
        }
    }
    if (wants_s) {
        GLOBAL float *part = s_partial + (qn_int64)(GROUP_ID(1) * GROUP_Y + y) * columns;
        UNROLL
        for (int k = 0; k < COLUMNS; k++)
            if (column[k] < columns) lanes_store(part + column[k], column_s[k]);
    }
    if (item == 0 && GROUP_ID(0) == 0 && GROUP_ID(1) == 0) {
        parts[0] = GROUP_COUNT(0);
        parts[1] = GROUP_COUNT(1) * GROUP_Y;
    }
}

/* Results are q, then s; the items of a column add the parts of one result. */
KERNEL GROUP_LIMIT(GATHER_RESULTS, GATHER_SHARE, 1) void gather(GLOBAL const float *RESTRICT q_partial,
                                                                GLOBAL const float *RESTRICT s_partial,
                                                                GLOBAL const int *RESTRICT parts,
                                                                GLOBAL float *RESTRICT q, GLOBAL float *RESTRICT s,
                                                                int rows, int columns)
{
    LOCAL float shares[GATHER_SHARE * GATHER_RESULTS];
    const int result = GLOBAL_ID(0), x = LOCAL_ID(0), y = LOCAL_ID(1), is_q = result < rows;
    const int place = is_q ? result : result - rows, length = is_q ? rows : columns;
    GLOBAL const float *from = is_q ? q_partial : s_partial;
    const int count = place < length ? (is_q ? parts[0] : parts[1]) : 0;
    float sum = 0.0f;
    UNROLL_BY(4)
    for (int part = y; part < count; part += GATHER_SHARE) sum += from[(qn_int64)part * length + place];
    shares[y * GATHER_RESULTS + x] = sum;
    LOCAL_BARRIER();
    if (y > 0 || place >= length) return;
    for (int i = 1; i < GATHER_SHARE; i++) sum += shares[i * GATHER_RESULTS + x];
    if (is_q)
        q[place] = sum;
    else
        s[place] = sum;
}
