/* Solve K x = b for many states with factors of deform/factor, 1 to 4 right sides at once, in place: x [side][freedom]
 * [state]. Level by level upwards: gather_forward, solve_forward; then downwards: gather_backward, solve_backward. Or
 * `walk`, which does all of this in one launch: a group has its states for itself, and barriers between the steps.
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
#ifndef TEAMS
#error "TEAMS: tiles of a group at once in walks; 0: level by level"
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

/* Where the sums of a group's parts meet: [part][side][row][state]. */
#define ROOM (PARTS * SIDES * BLOCK * STATES)

DEVICE_FN void clear_sum(float (*sum)[BLOCK])
{
    UNROLL
    for (int v = 0; v < SIDES; v++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) sum[v][i] = 0.0f;
    }
}

DEVICE_FN void put_part(LOCAL_PTR float *room, const float (*sum)[BLOCK], int part)
{
    const int lane = LOCAL_ID(0);
    UNROLL
    for (int v = 0; v < SIDES; v++) {
        UNROLL
        for (int i = 0; i < BLOCK; i++) room[((part * SIDES + v) * BLOCK + i) * STATES + lane] = sum[v][i];
    }
}

/* The parts become one sum, added to what x holds (minus that where a bit of `negative` is set); each part does some
 * rows. */
DEVICE_FN void add_parts(LOCAL_PTR const float *room, GLOBAL float *x, GLOBAL const int *RESTRICT freedoms, int tile,
                         int part, int state, int count, int negative)
{
    const int lane = LOCAL_ID(0);
    for (int each = part; each < SIDES * BLOCK; each += PARTS) {
        const int freedom = freedoms[tile * BLOCK + each % BLOCK];
        if (freedom < 0) continue;
        GLOBAL float *to = x + ((qn_int64)(each / BLOCK) * count + freedom) * STRIDE + state;
        float value = negative >> (each % BLOCK) & 1 ? -*to : *to;
        UNROLL
        for (int p = 0; p < PARTS; p++) value += room[(p * SIDES * BLOCK + each) * STATES + lane];
        *to = value;
    }
}

/* A part of the products with earlier panels. */
DEVICE_FN void sum_forward(float (*sum)[BLOCK], GLOBAL const int *RESTRICT gather_start,
                           GLOBAL const int *RESTRICT gathers, GLOBAL const int *RESTRICT freedoms,
                           GLOBAL const float *RESTRICT tiles, GLOBAL const float *x, int tile, int part, int state,
                           int count)
{
    const int end = gather_start[tile + 1];
    float y[SIDES][BLOCK];
    for (int r = gather_start[tile] + part; r < end; r += PARTS)
        for (int t = 0; t < gathers[4 * r + 1]; t++) {
            load_rows(y, x, freedoms, gathers[4 * r + 2] + t, state, count);
            subtract_forward(sum, tiles + AT(gathers[4 * r] + t, 0) + state, y);
        }
}

/* A part of the products with the rows below the tile's panel. */
DEVICE_FN void sum_backward(float (*sum)[BLOCK], GLOBAL const int *panel, GLOBAL const int *RESTRICT below,
                            GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                            GLOBAL const float *x, int tile, int part, int state, int count)
{
    const int columns = panel[QN_PANEL_COLUMNS], rows = panel[QN_PANEL_BELOW];
    const int store = panel[QN_PANEL_STORE] + columns * (columns + 1) / 2 + tile - panel[QN_PANEL_TILE];
    float values[SIDES][BLOCK];
    for (int b = part; b < rows; b += PARTS) {
        load_rows(values, x, freedoms, below[panel[QN_PANEL_ROWS] + b], state, count);
        subtract_backward(sum, tiles + AT(store + b * columns, 0) + state, values);
    }
}

/* y = G⁻¹ b among a panel's own rows. */
DEVICE_FN void solve_own_rows(GLOBAL const int *panel, GLOBAL const int *RESTRICT freedoms,
                              GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                              GLOBAL float *x, int state, int count)
{
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    float sum[SIDES][BLOCK], y[SIDES][BLOCK];
    for (int r = 0; r < columns; r++) {
        GLOBAL const float *diagonal = diagonals + AT(number + r, 0) + state;
        load_rows(sum, x, freedoms, number + r, state, count);
        for (int k = 0; k < r; k++) {
            load_rows(y, x, freedoms, number + k, state, count);
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
        store_rows(sum, x, freedoms, number + r, state, count);
    }
}

/* x = G⁻ᵀ z among a panel's own columns. */
DEVICE_FN void solve_own_columns(GLOBAL const int *panel, GLOBAL const int *RESTRICT freedoms,
                                 GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                                 GLOBAL float *x, int state, int count)
{
    const int columns = panel[QN_PANEL_COLUMNS], store = panel[QN_PANEL_STORE], number = panel[QN_PANEL_TILE];
    float sum[SIDES][BLOCK], values[SIDES][BLOCK];
    for (int c = columns - 1; c >= 0; c--) {
        GLOBAL const float *diagonal = diagonals + AT(number + c, 0) + state;
        load_rows(sum, x, freedoms, number + c, state, count);
        for (int r = columns - 1; r > c; r--) {
            load_rows(values, x, freedoms, number + r, state, count);
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
        store_rows(sum, x, freedoms, number + c, state, count);
    }
}

/* Kernels that a configuration does not use are empty, since compilers take seconds for them. */

/* Tiles of a level: b minus the products with earlier panels. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void gather_forward(GLOBAL const int *RESTRICT gather_start, GLOBAL const int *RESTRICT gathers,
                                          GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                                          GLOBAL float *x, const substitute_scalars s)
{
#if TEAMS == 0
    LOCAL float room[ROOM];
    const int state = GLOBAL_ID(0), part = LOCAL_ID(1), active = state < s.states, tile = s.first + GROUP_ID(1);
    float sum[SIDES][BLOCK];
    clear_sum(sum);
    if (active) sum_forward(sum, gather_start, gathers, freedoms, tiles, x, tile, part, state, s.freedoms);
    put_part(room, sum, part);
    LOCAL_BARRIER();
    if (active) add_parts(room, x, freedoms, tile, part, state, s.freedoms, 0);
#endif
}

/* Panels of a level. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void solve_forward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT freedoms,
                                         GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                                         GLOBAL float *x, const substitute_scalars s)
{
#if TEAMS == 0
    const int state = GLOBAL_ID(0);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + (s.first + GLOBAL_ID(1)) * QN_PANEL_INTS;
    solve_own_rows(panel, freedoms, tiles, diagonals, x, state, s.freedoms);
#endif
}

/* Tiles of a level: S y minus the products with the rows below their panel. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void gather_backward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT tile_panel,
                                           GLOBAL const int *RESTRICT below, GLOBAL const int *RESTRICT signs,
                                           GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                                           GLOBAL float *x, const substitute_scalars s)
{
#if TEAMS == 0
    LOCAL float room[ROOM];
    const int state = GLOBAL_ID(0), part = LOCAL_ID(1), active = state < s.states, tile = s.first + GROUP_ID(1);
    GLOBAL const int *panel = panels + tile_panel[tile] * QN_PANEL_INTS;
    float sum[SIDES][BLOCK];
    clear_sum(sum);
    if (active) sum_backward(sum, panel, below, freedoms, tiles, x, tile, part, state, s.freedoms);
    put_part(room, sum, part);
    LOCAL_BARRIER();
    if (active) add_parts(room, x, freedoms, tile, part, state, s.freedoms, signs[tile]);
#endif
}

/* Panels of a level. */
KERNEL GROUP_LIMIT(STATES, PARTS,
                   1) void solve_backward(GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT freedoms,
                                          GLOBAL const float *RESTRICT tiles, GLOBAL const float *RESTRICT diagonals,
                                          GLOBAL float *x, const substitute_scalars s)
{
#if TEAMS == 0
    const int state = GLOBAL_ID(0);
    if (state >= s.states || GLOBAL_ID(1) >= s.count) return;
    GLOBAL const int *panel = panels + (s.first + GLOBAL_ID(1)) * QN_PANEL_INTS;
    solve_own_columns(panel, freedoms, tiles, diagonals, x, state, s.freedoms);
#endif
}

/* All levels upwards and downwards. A group has TEAMS teams of as many work-items as a sum has parts: a team takes a
 * tile of the level at a time, and a work-item a panel. level_tile, level_panel: first tile and first panel of each of
 * the `count` levels, and their ends. */
KERNEL GROUP_LIMIT(STATES, PARTS *(TEAMS > 0 ? TEAMS : 1),
                   1) void walk(GLOBAL const int *RESTRICT level_tile, GLOBAL const int *RESTRICT level_panel,
                                GLOBAL const int *RESTRICT gather_start, GLOBAL const int *RESTRICT gathers,
                                GLOBAL const int *RESTRICT panels, GLOBAL const int *RESTRICT tile_panel,
                                GLOBAL const int *RESTRICT below, GLOBAL const int *RESTRICT signs,
                                GLOBAL const int *RESTRICT freedoms, GLOBAL const float *RESTRICT tiles,
                                GLOBAL const float *RESTRICT diagonals, GLOBAL float *x, const substitute_scalars s)
{
#if TEAMS > 0
    LOCAL float rooms[TEAMS * ROOM];
    const int state = GLOBAL_ID(0), worker = LOCAL_ID(1), part = worker % PARTS, team = worker / PARTS;
    const int active = state < s.states;
    LOCAL_PTR float *room = rooms + team * ROOM;
    float sum[SIDES][BLOCK];
    for (int level = 0; level < s.count; level++) {
        const int last = level_tile[level + 1], end = level_panel[level + 1];
        /* Nothing is before the first level. */
        for (int first = level == 0 ? last : level_tile[level]; first < last; first += TEAMS) {
            const int tile = first + team, used = active && tile < last;
            clear_sum(sum);
            if (used) sum_forward(sum, gather_start, gathers, freedoms, tiles, x, tile, part, state, s.freedoms);
            put_part(room, sum, part);
            LOCAL_BARRIER();
            if (used) add_parts(room, x, freedoms, tile, part, state, s.freedoms, 0);
            GLOBAL_BARRIER();
        }
        for (int p = level_panel[level] + worker; p < end && active; p += PARTS * TEAMS)
            solve_own_rows(panels + p * QN_PANEL_INTS, freedoms, tiles, diagonals, x, state, s.freedoms);
        GLOBAL_BARRIER();
    }
    for (int level = s.count - 1; level >= 0; level--) {
        const int last = level_tile[level + 1], end = level_panel[level + 1];
        for (int first = level_tile[level]; first < last; first += TEAMS) {
            const int tile = first + team, used = active && tile < last;
            clear_sum(sum);
            if (used)
                sum_backward(sum, panels + tile_panel[tile] * QN_PANEL_INTS, below, freedoms, tiles, x, tile, part,
                             state, s.freedoms);
            put_part(room, sum, part);
            LOCAL_BARRIER();
            if (used) add_parts(room, x, freedoms, tile, part, state, s.freedoms, signs[tile]);
            GLOBAL_BARRIER();
        }
        for (int p = level_panel[level] + worker; p < end && active; p += PARTS * TEAMS)
            solve_own_columns(panels + p * QN_PANEL_INTS, freedoms, tiles, diagonals, x, state, s.freedoms);
        GLOBAL_BARRIER();
    }
#endif
}
