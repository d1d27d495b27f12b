/* Transposition of a matrix in memory, to[j][i] = from[i][j].
 *
 * A group takes a tile of GROUP_X vectors of columns by GROUP_Y · ROWS rows.
 * LOCAL_TILE 0: an item transposes blocks of VECTOR_WIDTH rows and columns in registers.
 * LOCAL_TILE 1: the tile goes through local memory, so that both its reads and its writes are along rows. */

#include "benchmark/algebra/kernels/transpose.dev.h"

#ifndef GROUP_X
#error "GROUP_X: work-items of a group along columns of the source"
#endif
#ifndef GROUP_Y
#error "GROUP_Y: work-items of a group along rows of the source"
#endif
#ifndef ROWS
#error "ROWS: rows of a work-item"
#endif
#ifndef LOCAL_TILE
#error "LOCAL_TILE: 1 when a tile goes through local memory"
#endif
#ifndef PADDING
#error "PADDING: floats between rows of a tile in local memory"
#endif
#ifndef ORDER
#error "ORDER: groups follow each other 0 along rows, 1 along columns, 2 along diagonals of the source"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif

#include "benchmark/kernels/lanes.dev.h"

#define ITEMS (GROUP_X * GROUP_Y)
#define TILE_COLUMNS (GROUP_X * VECTOR_WIDTH)
#define TILE_ROWS (GROUP_Y * ROWS)
#define PITCH (TILE_COLUMNS + PADDING)

typedef union piece {
    lanes all;
    float each[VECTOR_WIDTH];
} piece;

/* rows, columns: of the source, multiples of 16, so that all of a vector is inside the matrix or none of it */
KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void transpose(GLOBAL const float *RESTRICT from, GLOBAL float *RESTRICT to,
                                                       int rows, int columns)
{
#if ORDER == 0
    const int tile_x = GROUP_ID(0), tile_y = GROUP_ID(1);
#elif ORDER == 1
    const int tile_x = GROUP_ID(1), tile_y = GROUP_ID(0);
#else
    const int tile_y = GROUP_ID(0), tile_x = (GROUP_ID(1) + tile_y) % GROUP_COUNT(1);
#endif
    const int x = LOCAL_ID(0), y = LOCAL_ID(1);
    const int first_row = tile_y * TILE_ROWS, first_column = tile_x * TILE_COLUMNS;
#if LOCAL_TILE
    LOCAL float tile[TILE_ROWS * PITCH];
    piece in[ROWS];
    const int column = first_column + x * VECTOR_WIDTH, item = y * GROUP_X + x;
    UNROLL
    for (int k = 0; k < ROWS; k++) {
        const int row = first_row + y + k * GROUP_Y;
        if (row < rows && column < columns) in[k].all = lanes_load(from + (qn_int64)row * columns + column);
    }
    UNROLL
    for (int k = 0; k < ROWS; k++) {
        UNROLL
        for (int i = 0; i < VECTOR_WIDTH; i++) tile[(y + k * GROUP_Y) * PITCH + x * VECTOR_WIDTH + i] = in[k].each[i];
    }
    LOCAL_BARRIER();
    UNROLL
    for (int k = 0; k < ROWS; k++) {
        const int number = item + k * ITEMS; /* of a vector of the transposed tile */
        const int line = number / (TILE_ROWS / VECTOR_WIDTH);
        const int place = number % (TILE_ROWS / VECTOR_WIDTH) * VECTOR_WIDTH;
        piece out;
        UNROLL
        for (int i = 0; i < VECTOR_WIDTH; i++) out.each[i] = tile[(place + i) * PITCH + line];
        if (first_column + line < columns && first_row + place < rows)
            lanes_store(to + (qn_int64)(first_column + line) * rows + first_row + place, out.all);
    }
#else
    const int column = first_column + x * VECTOR_WIDTH;
    UNROLL
    for (int block = 0; block < ROWS / VECTOR_WIDTH; block++) {
        const int row = first_row + (block * GROUP_Y + y) * VECTOR_WIDTH;
        piece in[VECTOR_WIDTH], out[VECTOR_WIDTH];
        if (row < rows && column < columns) {
            UNROLL
            for (int i = 0; i < VECTOR_WIDTH; i++)
                in[i].all = lanes_load(from + (qn_int64)(row + i) * columns + column);
            UNROLL
            for (int i = 0; i < VECTOR_WIDTH * VECTOR_WIDTH; i++)
                out[i / VECTOR_WIDTH].each[i % VECTOR_WIDTH] = in[i % VECTOR_WIDTH].each[i / VECTOR_WIDTH];
            UNROLL
            for (int i = 0; i < VECTOR_WIDTH; i++)
                lanes_store(to + (qn_int64)(column + i) * rows + row, out[i].all);
        }
    }
#endif
}
