/* Heat on a chip: in each step every cell gains heat from its power, loses heat to the air and exchanges heat with its
 * four neighbours,
 *     t' = centre * t + across * (west + east) + down * (north + south) + heating * power + cooling;
 * at the edge of the grid a cell is its own neighbour.
 *
 * A group makes up to STEPS steps of a region of BLOCK_X * TILE_X by BLOCK_Y * TILE_Y cells. It writes only cells that
 * are at least STEPS away from the region's border, because the others lack neighbours. An item has TILE_X by TILE_Y
 * adjacent cells in registers, and writes their edges to local memory for its neighbours. */

#include "benchmark/physics/kernels/hotspot.dev.h"

#ifndef BLOCK_X
#error "BLOCK_X: work-items of a group along x"
#endif
#ifndef BLOCK_Y
#error "BLOCK_Y: work-items of a group along y"
#endif
#ifndef TILE_X
#error "TILE_X: cells of an item along x"
#endif
#ifndef TILE_Y
#error "TILE_Y: cells of an item along y"
#endif
#ifndef STEPS
#error "STEPS: steps of a launch"
#endif
#ifndef UNROLL_STEPS
#error "UNROLL_STEPS: steps unrolled"
#endif
#ifndef POWER_MEMORY
#error "POWER_MEMORY: power is kept in 0 global memory, 1 registers, 2 local memory"
#endif
#ifndef EDGE_BUFFERS
#error "EDGE_BUFFERS: 1 or 2 sets of edges in local memory; 2 need one barrier a step instead of two"
#endif

#define ITEMS (BLOCK_X * BLOCK_Y)
#define INNER_WIDTH (BLOCK_X * TILE_X - 2 * STEPS)
#define INNER_HEIGHT (BLOCK_Y * TILE_Y - 2 * STEPS)
#define EDGES (2 * TILE_X + 2 * TILE_Y)

/* Edges [EDGES][ITEMS]: an item's first row, last row, first column, last column */
#define FIRST_ROW 0
#define LAST_ROW TILE_X
#define FIRST_COLUMN (2 * TILE_X)
#define LAST_COLUMN (2 * TILE_X + TILE_Y)

DEVICE_FN void show_edges(LOCAL_PTR float *edges, float (*cell)[TILE_X], int item)
{
    UNROLL
    for (int i = 0; i < TILE_X; i++) {
        edges[(FIRST_ROW + i) * ITEMS + item] = cell[0][i];
        edges[(LAST_ROW + i) * ITEMS + item] = cell[TILE_Y - 1][i];
    }
    UNROLL
    for (int j = 0; j < TILE_Y; j++) {
        edges[(FIRST_COLUMN + j) * ITEMS + item] = cell[j][0];
        edges[(LAST_COLUMN + j) * ITEMS + item] = cell[j][TILE_X - 1];
    }
}

/* Make one step of an item's cells; x, y: position of its first cell in the grid of width by height. */
DEVICE_FN void step_cells(float (*cell)[TILE_X], float (*source)[TILE_X], LOCAL_PTR const float *edges, int x, int y,
                          int width, int height, float centre, float across, float down)
{
    const int column = LOCAL_ID(0), row = LOCAL_ID(1);
    const int west = row * BLOCK_X + MAX(column - 1, 0), east = row * BLOCK_X + MIN(column + 1, BLOCK_X - 1);
    const int north = MAX(row - 1, 0) * BLOCK_X + column, south = MIN(row + 1, BLOCK_Y - 1) * BLOCK_X + column;
    float above[TILE_X], old[TILE_X];
    UNROLL
    for (int i = 0; i < TILE_X; i++) above[i] = edges[(LAST_ROW + i) * ITEMS + north];
    UNROLL
    for (int j = 0; j < TILE_Y; j++) {
        const float left = edges[(LAST_COLUMN + j) * ITEMS + west];
        const float right = edges[(FIRST_COLUMN + j) * ITEMS + east];
        UNROLL
        for (int i = 0; i < TILE_X; i++) old[i] = cell[j][i];
        UNROLL
        for (int i = 0; i < TILE_X; i++) {
            float w = i > 0 ? old[MAX(i - 1, 0)] : left, e = i < TILE_X - 1 ? old[MIN(i + 1, TILE_X - 1)] : right;
            float n = above[i];
            float s = j < TILE_Y - 1 ? cell[MIN(j + 1, TILE_Y - 1)][i] : edges[(FIRST_ROW + i) * ITEMS + south];
            if (x + i == 0) w = old[i];
            if (x + i == width - 1) e = old[i];
            if (y + j == 0) n = old[i];
            if (y + j == height - 1) s = old[i];
            cell[j][i] = FMA(across, w + e, FMA(down, n + s, FMA(centre, old[i], source[j][i])));
        }
        UNROLL
        for (int i = 0; i < TILE_X; i++) above[i] = old[i];
    }
}

/* Compute the heat that each of an item's cells gets from power and air in a step. */
DEVICE_FN void read_sources(float (*source)[TILE_X], GLOBAL const float *RESTRICT power, int x, int y, int width,
                            int height, float heating, float cooling)
{
    UNROLL
    for (int j = 0; j < TILE_Y; j++) {
        GLOBAL const float *line = power + (qn_int64)CLAMP(y + j, 0, height - 1) * width;
        UNROLL
        for (int i = 0; i < TILE_X; i++)
            source[j][i] = FMA(heating, line[CLAMP(x + i, 0, width - 1)], cooling);
    }
}

/* done: number of steps of this launch, for callers that do not know the configuration. */
KERNEL GROUP_LIMIT(BLOCK_X, BLOCK_Y, 1) void hotspot(
    GLOBAL const float *RESTRICT power, GLOBAL const float *RESTRICT from, GLOBAL float *RESTRICT to,
    GLOBAL int *RESTRICT done, const hotspot_scalars s)
{
    LOCAL float edges[EDGE_BUFFERS * EDGES * ITEMS];
#if POWER_MEMORY == 2
    LOCAL float sources[TILE_X * TILE_Y * ITEMS];
#endif
    const int item = LOCAL_ID(1) * BLOCK_X + LOCAL_ID(0), count = MIN(s.steps, STEPS);
    const int first_x = GROUP_ID(0) * INNER_WIDTH, first_y = GROUP_ID(1) * INNER_HEIGHT;
    const int x = first_x - STEPS + LOCAL_ID(0) * TILE_X, y = first_y - STEPS + LOCAL_ID(1) * TILE_Y;
    float cell[TILE_Y][TILE_X], source[TILE_Y][TILE_X];
    UNROLL
    for (int j = 0; j < TILE_Y; j++) {
        GLOBAL const float *line = from + (qn_int64)CLAMP(y + j, 0, s.height - 1) * s.width;
        UNROLL
        for (int i = 0; i < TILE_X; i++) cell[j][i] = line[CLAMP(x + i, 0, s.width - 1)];
    }
#if POWER_MEMORY > 0
    read_sources(source, power, x, y, s.width, s.height, s.heating, s.cooling);
#endif
#if POWER_MEMORY == 2
    UNROLL
    for (int k = 0; k < TILE_X * TILE_Y; k++) sources[k * ITEMS + item] = source[k / TILE_X][k % TILE_X];
#endif
    UNROLL_BY(UNROLL_STEPS)
    for (int step = 0; step < count; step++) {
        LOCAL_PTR float *shown = edges + step % EDGE_BUFFERS * (EDGES * ITEMS);
        show_edges(shown, cell, item);
        LOCAL_BARRIER();
#if POWER_MEMORY == 0
        read_sources(source, power, x, y, s.width, s.height, s.heating, s.cooling);
#elif POWER_MEMORY == 2
        UNROLL
        for (int k = 0; k < TILE_X * TILE_Y; k++) source[k / TILE_X][k % TILE_X] = sources[k * ITEMS + item];
#endif
        step_cells(cell, source, shown, x, y, s.width, s.height, s.centre, s.across, s.down);
#if EDGE_BUFFERS == 1
        LOCAL_BARRIER();
#endif
    }
    UNROLL
    for (int j = 0; j < TILE_Y; j++) {
        UNROLL
        for (int i = 0; i < TILE_X; i++) {
            const int column = x + i - first_x, row = y + j - first_y;
            if (column >= 0 && column < INNER_WIDTH && x + i < s.width && row >= 0 && row < INNER_HEIGHT &&
                y + j < s.height)
                to[(qn_int64)(y + j) * s.width + (x + i)] = cell[j][i];
        }
    }
    if (GLOBAL_ID(0) == 0 && GLOBAL_ID(1) == 0) done[0] = count;
}
