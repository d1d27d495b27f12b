/* Factors K = G S Gᵀ of many states of one plan in single precision. A work-item has one tile of one state; the states
 * of a group lie side by side in memory. The host launches, level by level: update, then diagonal, then rows.
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
#ifndef STRIDE
#error "STRIDE: states of the arrays"
#endif

#include "deform/factor/kernels/tile.dev.h"

/* Gather the tiles' values of K and subtract what earlier panels contribute. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void update(GLOBAL const float *RESTRICT values, GLOBAL const int *RESTRICT map,
                                                   GLOBAL const int *RESTRICT run_start,
                                                   GLOBAL const int *RESTRICT runs, GLOBAL const int *RESTRICT signs,
                                                   GLOBAL float *tiles, const factor_scalars s)
{
    const int state = GLOBAL_ID(0), tile = s.first + GLOBAL_ID(1);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    float sum[BLOCK][BLOCK];
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            const int index = map[(qn_int64)tile * TILE + (k * BLOCK + i)];
            sum[k][i] = index >= 0 ? values[(qn_int64)index * STRIDE + state] : index == -2 ? 1.0f : 0.0f;
        }
    }
    const int end = run_start[tile + 1];
    for (int r = run_start[tile]; r < end; r++) {
        const int count = runs[4 * r + 2], number = runs[4 * r + 3];
        GLOBAL const float *a = tiles + AT(runs[4 * r], 0) + state, *b = tiles + AT(runs[4 * r + 1], 0) + state;
        for (int t = 0; t < count; t++) {
            subtract_product(sum, a, b, signs[number + t]);
            a += TILE * STRIDE;
            b += TILE * STRIDE;
        }
    }
    store_tile(tiles + AT(tile, 0) + state, sum);
}

/* Factor the panels' own rows, column after column. wrong[state]: least place with a wrong pivot. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void diagonal(GLOBAL const int *RESTRICT panels,
                                                     GLOBAL const int *RESTRICT signs, GLOBAL float *tiles,
                                                     GLOBAL float *diagonals, GLOBAL int *wrong, const factor_scalars s)
{
    const int state = GLOBAL_ID(0), worker = LOCAL_ID(1), active = state < s.states;
    GLOBAL const int *panel = panels + (s.first + GROUP_ID(1)) * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    float sum[BLOCK][BLOCK];
    for (int j = 0; j < columns; j++) {
        const int column = store + j * (j + 1) / 2;
        for (int i = j + worker; i < columns && active; i += WORKERS) {
            const int row = store + i * (i + 1) / 2;
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
            load_tile(sum, tile);
            divide_tile(sum, diagonals + AT(number + j, 0) + state, signs[number + j]);
            store_tile(tile, sum);
        }
        GLOBAL_BARRIER();
    }
}

/* The tiles of a row below a panel, column after column. */
KERNEL GROUP_LIMIT(STATES, WORKERS, 1) void rows(GLOBAL const int *RESTRICT panels,
                                                 GLOBAL const int *RESTRICT row_panel, GLOBAL const int *RESTRICT signs,
                                                 GLOBAL const float *RESTRICT diagonals, GLOBAL float *tiles,
                                                 const factor_scalars s)
{
    const int state = GLOBAL_ID(0), row = s.first + GLOBAL_ID(1);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + row_panel[row] * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    const int own = store + columns * (columns + 1) / 2 + (row - panel[QN_PANEL_ROWS]) * columns;
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
