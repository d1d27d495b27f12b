/* Solve K x = b for many states with factors of deform/factor, 1 to 4 right sides at once, in place: x [side][freedom]
 * [state]. Level by level upwards: gather_forward, solve_forward; then downwards: gather_backward, solve_backward.
 *
 * Gatherings are sums in a fixed order: part p adds every eighth run from the p-th on, and the parts follow each other.
 */
#include "deform/factor/kernels/panel.dev.h"
#include "deform/factor/kernels/substitute.dev.h"

#ifndef STATES
#error "STATES: states of a group"
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
#ifndef SIDES
#error "SIDES: right sides"
#endif

#define TILE (BLOCK * BLOCK)
#define AT(tile, index) ((qn_int64)(tile) * (TILE * STRIDE) + (index)*STRIDE)
#define PARTS QN_SUBSTITUTE_PARTS

/* Numbers of a tile's rows; 0 in the padding. */
DEVICE_FN void load_rows(float (*rows)[BLOCK], GLOBAL const float *x, GLOBAL const int *RESTRICT freedoms, int tile,
                         int state, int count)
{
    UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const int freedom = freedoms[tile * BLOCK + i];
        UNROLL
        for (int v = 0; v < SIDES; v++)
            rows[v][i] = freedom >= 0 ? x[((qn_int64)v * count + freedom) * STRIDE + state] : 0.0f;
    }
}

DEVICE_FN void store_rows(const float (*rows)[BLOCK], GLOBAL float *x, GLOBAL const int *RESTRICT freedoms, int tile,
                          int state, int count)
{
    UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const int freedom = freedoms[tile * BLOCK + i];
        UNROLL
        for (int v = 0; v < SIDES; v++)
            if (freedom >= 0) x[((qn_int64)v * count + freedom) * STRIDE + state] = rows[v][i];
    }
}

/* sum −= G y, G a stored tile */
DEVICE_FN void subtract_forward(float (*sum)[BLOCK], GLOBAL const float *RESTRICT tile, const float (*y)[BLOCK])
{
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            const float value = -tile[(k * BLOCK + i) * STRIDE];
            UNROLL
            for (int v = 0; v < SIDES; v++) sum[v][i] = FMA(value, y[v][k], sum[v][i]);
        }
    }
}

/* sum −= Gᵀ x, rows in ascending order */
DEVICE_FN void subtract_backward(float (*sum)[BLOCK], GLOBAL const float *RESTRICT tile, const float (*x)[BLOCK])
{
    UNROLL
    for (int k = 0; k < BLOCK; k++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            const float value = -tile[(k * BLOCK + i) * STRIDE];
            UNROLL
            for (int v = 0; v < SIDES; v++) sum[v][k] = FMA(value, x[v][i], sum[v][k]);
        }
    }
}

/* The parts of a group's work-items become one sum, added to what x holds (times `sign` of each row). */
DEVICE_FN void add_parts(LOCAL_PTR float *room, const float (*sum)[BLOCK], GLOBAL float *x,
                         GLOBAL const int *RESTRICT freedoms, int tile, int state, int active, int count, int negative)
{
    const int lane = LOCAL_ID(0), part = LOCAL_ID(1);
    UNROLL
    for (int v = 0; v < SIDES; v++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) room[((part * SIDES + v) * BLOCK + i) * STATES + lane] = sum[v][i];
    }
    LOCAL_BARRIER();
    for (int each = part; each < SIDES * BLOCK; each += PARTS) {
        const int freedom = freedoms[tile * BLOCK + each % BLOCK];
        if (freedom < 0 || !active) continue;
        GLOBAL float *to = x + ((qn_int64)(each / BLOCK) * count + freedom) * STRIDE + state;
        float value = negative >> (each % BLOCK) & 1 ? -*to : *to;
        UNROLL
        for (int p = 0; p < PARTS; p++) value += room[(p * SIDES * BLOCK + each) * STATES + lane];
        *to = value;
    }
}

/* Tiles of a level: b minus the products with earlier panels. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void gather_forward(GLOBAL const int *RESTRICT gather_start, GLOBAL const int *RESTRICT gathers,
                                          GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                                          GLOBAL float *x, const substitute_scalars s)
{
    LOCAL float room[PARTS * SIDES * BLOCK * STATES];
    const int state = GLOBAL_ID(0), active = state < s.states, tile = s.first + GROUP_ID(1);
    const int end = gather_start[tile + 1];
    float sum[SIDES][BLOCK], y[SIDES][BLOCK];
    UNROLL
    for (int v = 0; v < SIDES; v++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) sum[v][i] = 0.0f;
    }
    for (int r = gather_start[tile] + LOCAL_ID(1); r < end && active; r += PARTS)
        for (int t = 0; t < gathers[4 * r + 1]; t++) {
            load_rows(y, x, freedoms, gathers[4 * r + 2] + t, state, s.freedoms);
            subtract_forward(sum, tiles + AT(gathers[4 * r] + t, 0) + state, y);
        }
    add_parts(room, sum, x, freedoms, tile, state, active, s.freedoms, 0);
}

/* Panels of a level: y = G⁻¹ b among their own rows. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void solve_forward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT freedoms,
                                         GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                                         GLOBAL float *x, const substitute_scalars s)
{
    const int state = GLOBAL_ID(0);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + (s.first + GLOBAL_ID(1)) * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    float sum[SIDES][BLOCK], y[SIDES][BLOCK];
    for (int r = 0; r < columns; r++) {
        GLOBAL const float *diagonal = diagonals + AT(number + r, 0) + state;
        load_rows(sum, x, freedoms, number + r, state, s.freedoms);
        for (int k = 0; k < r; k++) {
            load_rows(y, x, freedoms, number + k, state, s.freedoms);
            subtract_forward(sum, tiles + AT(store + r * (r + 1) / 2 + k, 0) + state, y);
        }
        UNROLL
        for (int j = 0; j < BLOCK; j++) {
            const float inverse = diagonal[(j * BLOCK + j) * STRIDE];
            UNROLL
            for (int v = 0; v < SIDES; v++) sum[v][j] = sum[v][j] * inverse;
            UNROLL
            for (int i = j + 1; i < BLOCK; i++) {
                const float value = -diagonal[(j * BLOCK + i) * STRIDE];
                UNROLL
                for (int v = 0; v < SIDES; v++) sum[v][i] = FMA(value, sum[v][j], sum[v][i]);
            }
        }
        store_rows(sum, x, freedoms, number + r, state, s.freedoms);
    }
}

/* Tiles of a level: S y minus the products with the rows below their panel. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void gather_backward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT tile_panel,
                                           GLOBAL const int *RESTRICT below, GLOBAL const int *RESTRICT signs,
                                           GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                                           GLOBAL float *x, const substitute_scalars s)
{
    LOCAL float room[PARTS * SIDES * BLOCK * STATES];
    const int state = GLOBAL_ID(0), active = state < s.states, tile = s.first + GROUP_ID(1);
    GLOBAL const int *panel = panels + tile_panel[tile] * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], rows = panel[QN_PANEL_BELOW];
    const int store = panel[QN_PANEL_STORE] + columns * (columns + 1) / 2 + tile - panel[QN_PANEL_TILE];
    float sum[SIDES][BLOCK], values[SIDES][BLOCK];
    UNROLL
    for (int v = 0; v < SIDES; v++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) sum[v][i] = 0.0f;
    }
    for (int b = LOCAL_ID(1); b < rows && active; b += PARTS) {
        load_rows(values, x, freedoms, below[panel[QN_PANEL_ROWS] + b], state, s.freedoms);
        subtract_backward(sum, tiles + AT(store + b * columns, 0) + state, values);
    }
    add_parts(room, sum, x, freedoms, tile, state, active, s.freedoms, signs[tile]);
}

/* Panels of a level: x = G⁻ᵀ z among their own columns. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void solve_backward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT freedoms,
                                          GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                                          GLOBAL float *x, const substitute_scalars s)
{
    const int state = GLOBAL_ID(0);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + (s.first + GLOBAL_ID(1)) * QN_PANEL_INTS;
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    float sum[SIDES][BLOCK], values[SIDES][BLOCK];
    for (int c = columns - 1; c >= 0; c--) {
        GLOBAL const float *diagonal = diagonals + AT(number + c, 0) + state;
        load_rows(sum, x, freedoms, number + c, state, s.freedoms);
        for (int r = columns - 1; r > c; r--) {
            load_rows(values, x, freedoms, number + r, state, s.freedoms);
            subtract_backward(sum, tiles + AT(store + r * (r + 1) / 2 + c, 0) + state, values);
        }
        UNROLL
        for (int j = BLOCK - 1; j >= 0; j--) {
            UNROLL
            for (int i = BLOCK - 1; i > j; i--) {
                const float value = -diagonal[(j * BLOCK + i) * STRIDE];
                UNROLL
                for (int v = 0; v < SIDES; v++) sum[v][j] = FMA(value, sum[v][i], sum[v][j]);
            }
            const float inverse = diagonal[(j * BLOCK + j) * STRIDE];
            UNROLL
            for (int v = 0; v < SIDES; v++) sum[v][j] = sum[v][j] * inverse;
        }
        store_rows(sum, x, freedoms, number + c, state, s.freedoms);
    }
}
