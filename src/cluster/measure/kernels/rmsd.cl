/* RMSD after superposition of pairs of structures: whether it is within a cut-off (rmsd_near), or its value
 * (rmsd_values). rmsd.dev.h has the equations.
 *
 * A group makes a tile of TILE_ROWS x TILE_COLUMNS pairs; an item sums the 9 products of ROWS x COLUMNS pairs in
 * registers. Positions go through local memory in steps of STEP atoms, with the next step on its way if there are two
 * buffers. Terms follow in the same place. Pairs that rounding leaves in doubt go into a list. */

#include "cluster/measure/kernels/rmsd.dev.h"

#ifndef GROUP_ROWS
#error "GROUP_ROWS: work-items of a group along the rows"
#endif
#ifndef GROUP_COLUMNS
#error "GROUP_COLUMNS: work-items of a group along the columns"
#endif
#ifndef ROWS
#error "ROWS: rows of a work-item"
#endif
#ifndef COLUMNS
#error "COLUMNS: columns of a work-item"
#endif
#ifndef STEP
#error "STEP: atoms in local memory at a time"
#endif
#ifndef BUFFERS
#error "BUFFERS: steps in local memory, 2: the next one is loaded while one is used"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that must fit a compute unit at once; 0: as the compiler likes"
#endif

#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define TILE_ROWS (GROUP_ROWS * ROWS)
#define TILE_COLUMNS (GROUP_COLUMNS * COLUMNS)
#define STEP_FLOATS (3 * STEP * (TILE_ROWS + TILE_COLUMNS))
#define TERM_FLOATS (RMSD_TERMS * (TILE_ROWS + TILE_COLUMNS))
#define POOL_FLOATS (MAX(BUFFERS * STEP_FLOATS, TERM_FLOATS))
#define WORDS (TILE_COLUMNS / 32)

#if RESIDENT
#define RMSD_LIMIT GROUP_LIMIT_RESIDENT(GROUP_COLUMNS, GROUP_ROWS, 1, RESIDENT)
#else
#define RMSD_LIMIT GROUP_LIMIT(GROUP_COLUMNS, GROUP_ROWS, 1)
#endif

/* Where the tile begins in both sets, and the last structure of each that the launch reads. */
typedef struct tile_place {
    int row, column, last_row, last_column, item;
} tile_place;

DEVICE_FN tile_place find_tile(const rmsd_scalars s)
{
    tile_place place;
    place.row = GROUP_ID(1) * TILE_ROWS;
    place.column = GROUP_ID(0) * TILE_COLUMNS;
    place.last_row = s.first_row + s.rows - 1;
    place.last_column = s.first_column + s.columns - 1;
    place.item = LOCAL_ID(1) * GROUP_COLUMNS + LOCAL_ID(0);
    return place;
}

/* An item copies fours of structures of a tile, the same ones of every LINES_AT_ONCE(width)-th line. Fours after the one
 * with the last structure become copies of that one. */
#define LINES_AT_ONCE(width) (ITEMS / ((width) / 4))

/* Address of the item's first four in line 0 of `lines_each` of a panel. `first`, the tile's first structure, is a
 * multiple of 4. */
DEVICE_FN GLOBAL const float *copy_source(GLOBAL const float *RESTRICT set, int lines_each, int first, int last,
                                          int width, int item)
{
    const int structure = MIN(first + item % (width / 4) * 4, last / 4 * 4);
    const qn_int64 line = (qn_int64)(structure / RMSD_PANEL) * lines_each + item / (width / 4);
    return set + (line * RMSD_PANEL + structure % RMSD_PANEL);
}

/* Copy the item's fours of `lines` lines to [lines][width]. */
DEVICE_FN void copy_lines(LOCAL_PTR float *to, GLOBAL const float *RESTRICT from, int lines, int width, int item)
{
    LOCAL_PTR float *place = to + 4 * item;
    for (int line = item / (width / 4); line < lines; line += LINES_AT_ONCE(width)) {
        ASYNC_COPY(4, place, from);
        place += LINES_AT_ONCE(width) * width;
        from += LINES_AT_ONCE(width) * RMSD_PANEL;
    }
}

/* Copy a step of atoms: lines of the rows, then of the columns. */
DEVICE_FN void copy_step(LOCAL_PTR float *to, GLOBAL const float *RESTRICT rows, GLOBAL const float *RESTRICT columns,
                         int atom, int atoms, int item)
{
    const int lines = 3 * MIN(STEP, atoms - atom), offset = 3 * atom * RMSD_PANEL;
    copy_lines(to, rows + offset, lines, TILE_ROWS, item);
    copy_lines(to + 3 * STEP * TILE_ROWS, columns + offset, lines, TILE_COLUMNS, item);
}

/* Read n adjacent floats, with wide instructions. */
DEVICE_FN void read_adjacent(int n, float *array, LOCAL_PTR const float *from)
{
    if (n == 4) {
        const qn_float4 four = *(LOCAL_PTR const qn_float4 *)from;
        array[0] = four.x, array[1] = four.y, array[2] = four.z, array[3] = four.w;
    } else if (n == 2) {
        const qn_float2 two = *(LOCAL_PTR const qn_float2 *)from;
        array[0] = two.x, array[1] = two.y;
    } else {
        array[0] = from[0];
    }
}

/* Add the products of one atom of the item's structures. */
DEVICE_FN void add_atom(float (*sums)[COLUMNS][9], LOCAL_PTR const float *rows, LOCAL_PTR const float *columns)
{
    float a[3][ROWS], b[3][COLUMNS];
    UNROLL
    for (int axis = 0; axis < 3; axis++) {
        read_adjacent(ROWS, a[axis], rows + axis * TILE_ROWS);
        read_adjacent(COLUMNS, b[axis], columns + axis * TILE_COLUMNS);
    }
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            UNROLL
            for (int e = 0; e < 9; e++) sums[r][c][e] = FMA(a[e / 3][r], b[e % 3][c], sums[r][c][e]);
        }
    }
}

/* Sum the products of all atoms, then load the terms: [RMSD_TERMS][TILE_ROWS], [RMSD_TERMS][TILE_COLUMNS]. */
DEVICE_FN void sum_products(float (*sums)[COLUMNS][9], LOCAL_PTR float *pool, GLOBAL const float *RESTRICT first,
                            GLOBAL const float *RESTRICT first_terms, GLOBAL const float *RESTRICT second,
                            GLOBAL const float *RESTRICT second_terms, const rmsd_scalars s, tile_place place)
{
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            UNROLL
            for (int e = 0; e < 9; e++) sums[r][c][e] = 0.0f;
        }
    }
    const int lines = 3 * s.atoms, row = s.first_row + place.row, column = s.first_column + place.column;
    GLOBAL const float *rows_from = copy_source(first, lines, row, place.last_row, TILE_ROWS, place.item);
    GLOBAL const float *columns_from = copy_source(second, lines, column, place.last_column, TILE_COLUMNS, place.item);
#if BUFFERS == 2
    copy_step(pool, rows_from, columns_from, 0, s.atoms, place.item);
    ASYNC_COMMIT();
#endif
    for (int atom = 0, buffer = 0; atom < s.atoms; atom += STEP, buffer = BUFFERS - 1 - buffer) {
#if BUFFERS == 2
        if (atom + STEP < s.atoms)
            copy_step(pool + (1 - buffer) * STEP_FLOATS, rows_from, columns_from, atom + STEP, s.atoms, place.item);
        ASYNC_COMMIT();
        ASYNC_WAIT(1);
#else
        copy_step(pool, rows_from, columns_from, atom, s.atoms, place.item);
        ASYNC_COMMIT();
        ASYNC_WAIT(0);
#endif
        LOCAL_BARRIER();
        LOCAL_PTR const float *rows = pool + (buffer * STEP_FLOATS + LOCAL_ID(1) * ROWS);
        LOCAL_PTR const float *columns = pool + (buffer * STEP_FLOATS + 3 * STEP * TILE_ROWS + LOCAL_ID(0) * COLUMNS);
        const int atoms = MIN(STEP, s.atoms - atom);
        for (int k = 0; k < atoms; k++) add_atom(sums, rows + 3 * k * TILE_ROWS, columns + 3 * k * TILE_COLUMNS);
        LOCAL_BARRIER();
    }
    rows_from = copy_source(first_terms, RMSD_TERMS, row, place.last_row, TILE_ROWS, place.item);
    columns_from = copy_source(second_terms, RMSD_TERMS, column, place.last_column, TILE_COLUMNS, place.item);
    copy_lines(pool, rows_from, RMSD_TERMS, TILE_ROWS, place.item);
    copy_lines(pool + RMSD_TERMS * TILE_ROWS, columns_from, RMSD_TERMS, TILE_COLUMNS, place.item);
    ASYNC_COMMIT();
    ASYNC_WAIT(0);
    LOCAL_BARRIER();
}

/* The polynomial of the pair at `row` and `column` of the tile. */
DEVICE_FN rmsd_pair pair_at(const float *products, LOCAL_PTR const float *pool, int row, int column)
{
    float first[RMSD_TERMS], second[RMSD_TERMS];
    UNROLL
    for (int t = 0; t < RMSD_TERMS; t++) {
        first[t] = pool[t * TILE_ROWS + row];
        second[t] = pool[RMSD_TERMS * TILE_ROWS + t * TILE_COLUMNS + column];
    }
    return rmsd_pair_of(products, 1, first, second, 1);
}

/* Note a doubtful pair of the launch's tile; both numbers are below 2^16. The count goes on where the list is full. */
DEVICE_FN void note_doubtful(GLOBAL qn_uint32 *RESTRICT doubtful, GLOBAL qn_uint32 *RESTRICT count,
                             const rmsd_scalars s, int row, int column)
{
    const qn_uint32 place = ATOMIC_ADD_INT(count, 1u);
    if (place < (qn_uint32)s.doubtful_capacity) doubtful[place] = ((qn_uint32)row << 16) | (qn_uint32)column;
}

DEVICE_FN int is_wanted(const rmsd_scalars s, int row, int column)
{
    return (row < s.rows) & (column < s.columns) & (!s.triangle | (column > row));
}

/* Bits [rows][(columns + 31) / 32]: bit b of word w is set if the RMSD of column 32 w + b is within the cut-off. */
KERNEL RMSD_LIMIT void rmsd_near(GLOBAL const float *RESTRICT first, GLOBAL const float *RESTRICT first_terms,
                                 GLOBAL const float *RESTRICT second, GLOBAL const float *RESTRICT second_terms,
                                 GLOBAL qn_uint32 *RESTRICT bits, GLOBAL qn_uint32 *RESTRICT doubtful,
                                 GLOBAL qn_uint32 *RESTRICT doubtful_count, const rmsd_scalars s)
{
    LOCAL qn_float4 pool_of_fours[(POOL_FLOATS + 3) / 4];
    LOCAL qn_uint32 near[TILE_ROWS * WORDS];
    LOCAL_PTR float *pool = (LOCAL_PTR float *)pool_of_fours;
    const tile_place place = find_tile(s);
    for (int w = place.item; w < TILE_ROWS * WORDS; w += ITEMS) near[w] = 0u;
    if (!s.triangle || place.column + TILE_COLUMNS > place.row) {
        float sums[ROWS][COLUMNS][9];
        sum_products(sums, pool, first, first_terms, second, second_terms, s, place);
        UNROLL
        for (int r = 0; r < ROWS; r++) {
            const int row = LOCAL_ID(1) * ROWS + r;
            qn_uint32 found = 0u;
            UNROLL
            for (int c = 0; c < COLUMNS; c++) {
                const int column = LOCAL_ID(0) * COLUMNS + c;
                const rmsd_pair pair = pair_at(sums[r][c], pool, row, column);
                const int wanted = is_wanted(s, place.row + row, place.column + column);
                const int side = rmsd_is_near(&pair, s.half_square);
                if (wanted && side > 0) found |= 1u << c;
                if (wanted && side == 0)
                    note_doubtful(doubtful, doubtful_count, s, place.row + row, place.column + column);
            }
            const int bit = LOCAL_ID(0) * COLUMNS;
            if (found) LOCAL_ATOMIC_OR_INT(&near[row * WORDS + bit / 32], found << (bit % 32));
        }
    }
    LOCAL_BARRIER();
    const int words = (s.columns + 31) / 32;
    for (int w = place.item; w < TILE_ROWS * WORDS; w += ITEMS) {
        const int row = place.row + w / WORDS, word = place.column / 32 + w % WORDS;
        if (row < s.rows && word < words) bits[(qn_int64)row * words + word] = near[w];
    }
}

/* Values [rows][columns] in Å. Where pairs with column <= row are left out, they are 0. */
KERNEL RMSD_LIMIT void rmsd_values(GLOBAL const float *RESTRICT first, GLOBAL const float *RESTRICT first_terms,
                                   GLOBAL const float *RESTRICT second, GLOBAL const float *RESTRICT second_terms,
                                   GLOBAL float *RESTRICT values, GLOBAL qn_uint32 *RESTRICT doubtful,
                                   GLOBAL qn_uint32 *RESTRICT doubtful_count, const rmsd_scalars s)
{
    LOCAL qn_float4 pool_of_fours[(POOL_FLOATS + 3) / 4];
    LOCAL_PTR float *pool = (LOCAL_PTR float *)pool_of_fours;
    const tile_place place = find_tile(s);
    const int works = !s.triangle || place.column + TILE_COLUMNS > place.row;
    float sums[ROWS][COLUMNS][9];
    if (works) sum_products(sums, pool, first, first_terms, second, second_terms, s, place);
    UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int row = place.row + LOCAL_ID(1) * ROWS + r;
        UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            const int column = place.column + LOCAL_ID(0) * COLUMNS + c;
            float value = 0.0f;
            if (works && is_wanted(s, row, column)) {
                const int tile_row = LOCAL_ID(1) * ROWS + r, tile_column = LOCAL_ID(0) * COLUMNS + c;
                const rmsd_pair pair = pair_at(sums[r][c], pool, tile_row, tile_column);
                const float half_squares =
                    pool[RMSD_HALF_SQUARE * TILE_ROWS + tile_row] +
                    pool[(RMSD_TERMS * TILE_ROWS) + RMSD_HALF_SQUARE * TILE_COLUMNS + tile_column];
                int in_doubt;
                value = rmsd_value(&pair, half_squares, s.accumulation, &in_doubt);
                if (in_doubt) note_doubtful(doubtful, doubtful_count, s, row, column);
            }
            if (row < s.rows && column < s.columns) values[(qn_int64)row * s.columns + column] = value;
        }
    }
}
