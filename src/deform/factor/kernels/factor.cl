/* Factors K = G S Gᵀ of many states of one plan in single precision. A work-item has one tile of one state; the states
 * of a group lie side by side in memory. The host launches walk for the lower levels, whose subtrees groups can have
 * for themselves; then, level by level: update, diagonal, rows.
 *
 * Lists are those of deform/factor/schedule.h. STRIDE, a constant of the text, is the number of states that the arrays
 * have room for. A tile's sums stay in registers through all of its runs. */
#include "deform/factor/kernels/factor.dev.h"
#include "deform/factor/kernels/panel.dev.h"

#ifndef STATES
#error "STATES: states of a group"
#endif
#ifndef WORKERS
#error "WORKERS: tiles of a group"
#endif
#ifndef BLOCK
#error "BLOCK: freedoms of a tile"
#endif
#ifndef PANEL
#error "PANEL: freedoms of a panel, for the schedule"
#endif
#ifndef LEVELS
#error "LEVELS: levels of walks, for the schedule"
#endif
#ifndef AHEAD
#error "AHEAD: columns of tiles that are loaded before they are used"
#endif
#ifndef STRIDE
#error "STRIDE: states of the arrays"
#endif

#include "deform/factor/kernels/tile.dev.h"

/* Gather a tile's values of K and subtract what earlier panels contribute. */
DEVICE_FN void update_tile(GLOBAL const float *RESTRICT values, GLOBAL const int *RESTRICT map,
                           GLOBAL const int *RESTRICT run_start, GLOBAL const int *RESTRICT runs,
                           GLOBAL const int *RESTRICT signs, GLOBAL float *tiles, int tile, int state)
{
    float sum[BLOCK][BLOCK];
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            const int index = map[(qn_int64)tile * TILE + (k * BLOCK + i)];
            sum[k][i] = index >= 0 ? values[(qn_int64)index * STRIDE + state] : index == -2 ? 1.0f : 0.0f;
        }
    }
    /* The next run is read while the products of one are computed: its tiles would wait for it. */
    const int end = run_start[tile + 1];
    int r = run_start[tile];
    int row = 0, column = 0, count = 0, number = 0;
    if (r < end) {
        row = runs[4 * r];
        column = runs[4 * r + 1];
        count = runs[4 * r + 2];
        number = runs[4 * r + 3];
    }
    while (r < end) {
        r++;
        const int next = MIN(r, end - 1);
        const int next_row = runs[4 * next], next_column = runs[4 * next + 1];
        const int next_count = runs[4 * next + 2], next_number = runs[4 * next + 3];
        GLOBAL const float *a = tiles + AT(row, 0) + state, *b = tiles + AT(column, 0) + state;
        for (int t = 0; t < count; t++) {
            subtract_product(sum, a, b, signs[number + t]);
            a += TILE * STRIDE;
            b += TILE * STRIDE;
        }
        row = next_row;
        column = next_column;
        count = next_count;
        number = next_number;
    }
    store_tile(tiles + AT(tile, 0) + state, sum);
}

/* Factor a panel's own rows, column after column, by all workers of a group. wrong[state]: least place with a wrong
 * pivot. Items without a state (`active` 0) only wait. */
DEVICE_FN void factor_panel(GLOBAL const int *panel, GLOBAL const int *RESTRICT signs, GLOBAL float *tiles,
                            GLOBAL float *diagonals, GLOBAL int *wrong, int state, int active)
{
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    const int worker = LOCAL_ID(1);
    for (int j = 0; j < columns; j++) {
        const int column = store + j * (j + 1) / 2;
        for (int i = j + worker; i < columns && active; i += WORKERS) {
            const int row = store + i * (i + 1) / 2;
            float sum[BLOCK][BLOCK];
            load_tile(sum, tiles + AT(row + j, 0) + state);
            for (int k = 0; k < j; k++)
                subtract_product(sum, tiles + AT(row + k, 0) + state, tiles + AT(column + k, 0) + state,
                                 signs[number + k]);
            if (i == j) {
                const int bad = factor_tile(sum, signs[number + j]);
                if (bad < BLOCK) ATOMIC_MIN_INT(wrong + state, panel[QN_PANEL_PLACE] + j * BLOCK + bad);
                store_tile(diagonals + AT(number + j, 0) + state, sum);
            } else {
                store_tile(tiles + AT(row + j, 0) + state, sum);
            }
        }
        GLOBAL_BARRIER();
        for (int i = j + 1 + worker; i < columns && active; i += WORKERS) {
            GLOBAL float *tile = tiles + AT(store + i * (i + 1) / 2 + j, 0) + state;
            float sum[BLOCK][BLOCK];
            load_tile(sum, tile);
            divide_tile(sum, diagonals + AT(number + j, 0) + state, signs[number + j]);
            store_tile(tile, sum);
        }
        GLOBAL_BARRIER();
    }
}

/* The tiles of row `below` below a panel, column after column. */
DEVICE_FN void divide_row(GLOBAL const int *panel, GLOBAL const int *RESTRICT signs, GLOBAL const float *diagonals,
                          GLOBAL float *tiles, int below, int state)
{
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    const int own = store + columns * (columns + 1) / 2 + below * columns;
    for (int j = 0; j < columns; j++) {
        float sum[BLOCK][BLOCK];
        const int column = store + j * (j + 1) / 2;
        load_tile(sum, tiles + AT(own + j, 0) + state);
        for (int k = 0; k < j; k++)
            subtract_product(sum, tiles + AT(own + k, 0) + state, tiles + AT(column + k, 0) + state, signs[number + k]);
        divide_tile(sum, diagonals + AT(number + j, 0) + state, signs[number + j]);
        store_tile(tiles + AT(own + j, 0) + state, sum);
    }
}

/* Tiles of a level. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void update(GLOBAL const float *RESTRICT values, GLOBAL const int *RESTRICT map,
                                                   GLOBAL const int *RESTRICT run_start,
                                                   GLOBAL const int *RESTRICT runs, GLOBAL const int *RESTRICT signs,
                                                   GLOBAL float *tiles, const factor_scalars s)
{
    const int state = GLOBAL_ID(0), tile = s.first + GLOBAL_ID(1);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    update_tile(values, map, run_start, runs, signs, tiles, tile, state);
}

/* Panels of a level, one for a group. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void diagonal(GLOBAL const int *RESTRICT panels,
                                                     GLOBAL const int *RESTRICT signs, GLOBAL float *tiles,
                                                     GLOBAL float *diagonals, GLOBAL int *wrong, const factor_scalars s)
{
    const int state = GLOBAL_ID(0), active = state < s.states;
    factor_panel(panels + (s.first + GROUP_ID(1)) * QN_PANEL_INTS, signs, tiles, diagonals, wrong, state, active);
}

/* Rows below the panels of a level. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void rows(GLOBAL const int *RESTRICT panels,
                                                 GLOBAL const int *RESTRICT row_panel, GLOBAL const int *RESTRICT signs,
                                                 GLOBAL const float *RESTRICT diagonals, GLOBAL float *tiles,
                                                 const factor_scalars s)
{
    const int state = GLOBAL_ID(0), row = s.first + GLOBAL_ID(1);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + row_panel[row] * QN_PANEL_INTS;
    divide_row(panel, signs, diagonals, tiles, row - panel[QN_PANEL_ROWS], state);
}

/* Walks of the lower levels, one for a group: panel after panel. Without such levels it is empty, since compilers for
 * CPUs take seconds for it. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void walk(GLOBAL const float *RESTRICT values, GLOBAL const int *RESTRICT map,
                                                 GLOBAL const int *RESTRICT run_start, GLOBAL const int *RESTRICT runs,
                                                 GLOBAL const int *RESTRICT signs, GLOBAL const int *RESTRICT panels,
                                                 GLOBAL const int *RESTRICT walk_start,
                                                 GLOBAL const int *RESTRICT walk_panel, GLOBAL float *tiles,
                                                 GLOBAL float *diagonals, GLOBAL int *wrong, const factor_scalars s)
{
#if LEVELS > 0
    const int state = GLOBAL_ID(0), active = state < s.states, own = s.first + GROUP_ID(1), end = walk_start[own + 1];
    for (int w = walk_start[own]; w < end; w++) {
        GLOBAL const int *panel = panels + walk_panel[w] * QN_PANEL_INTS;
        const int columns = panel[QN_PANEL_COLUMNS], below = panel[QN_PANEL_BELOW], store = panel[QN_PANEL_STORE];
        const int stored = columns * (columns + 1) / 2 + below * columns;
        for (int t = LOCAL_ID(1); t < stored && active; t += WORKERS)
            update_tile(values, map, run_start, runs, signs, tiles, store + t, state);
        GLOBAL_BARRIER();
        factor_panel(panel, signs, tiles, diagonals, wrong, state, active);
        for (int b = LOCAL_ID(1); b < below && active; b += WORKERS)
            divide_row(panel, signs, diagonals, tiles, b, state);
        GLOBAL_BARRIER();
    }
#endif
}
