/* A schedule for the kernels of batched factors: a plan cut into square tiles, and which of them need which.
 *
 * Columns of a front are cut into tiles of `block` freedoms (the last one padded with unit pivots), and these into
 * panels of at most `panel_tiles` tile columns. Rows follow the tiles of their own columns. Panels and the tiles of
 * their columns are numbered by level: a panel needs panels of lower levels only.
 *
 * Stored tiles: each panel has its own rows, row r with its r + 1 tiles, then the rows below with a tile for each
 * column, all row by row. Value (i, k) of a tile, row i and column k, is at block · k + i. Arrays of states are
 * [tile][value][state].
 *
 * All lists are int32 as kernels take them. */
#ifndef QN_DEFORM_FACTOR_SCHEDULE_H
#define QN_DEFORM_FACTOR_SCHEDULE_H

#include "deform/factor/plan.h"

#include "deform/factor/kernels/panel.dev.h"

typedef struct qn_factor_schedule {
    int block, panel_tiles;
    int levels, walk_levels; /* as asked for, and as there are */
    int walk_count, panel_count, tile_count, stored_count, run_count, level_count, row_count, freedom_count,
        value_count;
    int *level_panel; /* level_count + 1: first panel of a level */
    int *level_tile;  /* level_count + 1: first tile of a level's panels */
    int *level_store; /* level_count + 1: first stored tile */
    int *level_row;   /* level_count + 1: first row below */
    int *panels;      /* panel_count × QN_PANEL_INTS */
    int *signs;       /* of a tile: bit k: the pivot of column k is negative */
    int *freedoms;    /* tile_count × block: freedom of a row; −1: padding */
    int *tile_panel;  /* tile_count: panel of each tile */
    int *below;       /* row_count: tile number of each row below, by panels */
    int *row_panel;   /* row_count: panel of each row below */
    int *map;         /* stored_count × block²: index of the value of K; −1: zero; −2: one */
    /* Stored tile t is updated by runs run_start[t] … run_start[t + 1] − 1, in ascending order of columns. A run is 4
     * integers: stored tile of the row, stored tile of the column's row, number of tiles, tile number of the first. */
    int *run_start; /* stored_count + 1 */
    int *runs;
    /* Tile row t has earlier columns in runs of 4 integers: stored tile, number of tiles, tile number of the first, 0.
     */
    int *gather_start; /* tile_count + 1 */
    int *gathers;
    /* The first walk_levels levels are subtrees of panels, which share nothing; walk w has the panels walk_panel[
     * walk_start[w]] …, children before parents. */
    int *walk_start; /* walk_count + 1 */
    int *walk_panel;
    double multiply_adds; /* of the plan: least work of a state */
    double plan_values;
} qn_factor_schedule;

/* block: 1 … 16; panel_tiles ≥ 1; walk_levels: at most, ≥ 0. QN_UNSUPPORTED if a list would not fit 2^31 − 1. */
QN_MUST_CHECK qn_status qn_factor_schedule_create(const qn_factor_plan *plan, int block, int panel_tiles,
                                                  int walk_levels, qn_factor_schedule **schedule);
void qn_factor_schedule_destroy(qn_factor_schedule **schedule);

#endif
