/* Second third of the fused rotation: z transforms of the ligand's columns, products with the receptor's spectra summed
 * over grids, transform back.
 *
 *     products[s][r][z] = sum over kz of (sum over g of conj(receptor[s][g][kz]) * L[r][g][kz]) exp(-2 pi i kz z / nz),
 *     L[r][g][kz] = sum over z < BOX of planes[r][g][z] exp(-2 pi i kz z / nz)
 *
 * Shapes: see rotation_grid.h. A group has COLUMNS_AT_ONCE neighbouring columns (neighbouring items) of
 * ROTATIONS_PER_GROUP rotations, and ITEMS items for each column. The spectrum of a ligand column never leaves the
 * registers in which the last pass of its transform ends: there it is multiplied and added up, and from there the first
 * pass of the transform back begins. Groups of one tile of columns follow one another through the rotations, so that
 * they find the receptor's columns in the cache. */
#include "fft/kernels/line.dev.h"

#ifndef COLUMNS_AT_ONCE
#error "COLUMNS_AT_ONCE: columns of a group"
#endif
#ifndef TURNS
#error "TURNS: butterflies of the last pass that an item makes one after the other"
#endif
#ifndef ROTATIONS_PER_GROUP
#error "ROTATIONS_PER_GROUP: rotations that share one read of the receptor"
#endif
#ifndef SETS_PER_GROUP
#error "SETS_PER_GROUP: coefficient sets that share the ligand's transforms"
#endif
#ifndef AHEAD
#error "AHEAD: what is read before it is needed: 1 the ligand's columns, 2 the receptor's, 3 both"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that a compute unit is to have room for"
#endif
#ifndef SPLIT
#error "SPLIT: which radices"
#endif
#ifndef BOX
#error "BOX: planes of the ligand's box"
#endif
#ifndef COLUMNS
#error "COLUMNS: of a plane"
#endif
#ifndef HALVES
#error "HALVES: whether intermediates are in half precision"
#endif

#define R0 LINE_RADIX(Z, 0)
#define R1 LINE_RADIX(Z, 1)
#define R2 LINE_RADIX(Z, 2)
#define FIRST_ITEMS (Z_LENGTH / R0)
#define LAST_ITEMS (Z_LENGTH / R2)
#define ITEMS ((LAST_ITEMS + TURNS - 1) / TURNS)
#define GROUP_SIZE (COLUMNS_AT_ONCE * ITEMS)
#define FIRST_TURNS ((FIRST_ITEMS + ITEMS - 1) / ITEMS)
#define READ_POINTS ((BOX + FIRST_ITEMS - 1) / FIRST_ITEMS) /* points k < READ_POINTS of a first butterfly are read */
#define TILE (Z_LENGTH * COLUMNS_AT_ONCE)

#if HALVES
typedef qn_uint32 stored;
#define LOAD_STORED(value) UNPACK_HALVES(value)
#define TO_STORED(value) PACK_HALVES(value)
#else
typedef qn_complex stored;
#define LOAD_STORED(value) (value)
#define TO_STORED(value) (value)
#endif

/* Points of a column that an item's first butterflies take: 0 above the box. */
DEVICE_FN void read_points(GLOBAL const stored *column, int item, qn_complex points[FIRST_TURNS][READ_POINTS])
{
    UNROLL
    for (int turn = 0; turn < FIRST_TURNS; turn++) {
        UNROLL
        for (int k = 0; k < READ_POINTS; k++) {
            int p = item + turn * ITEMS, z = p + FIRST_ITEMS * k;
            points[turn][k] = p < FIRST_ITEMS && z < BOX ? LOAD_STORED(column[z * COLUMNS]) : COMPLEX_MAKE(0.0f, 0.0f);
        }
    }
}

/* First pass of a ligand column into the tile. */
DEVICE_FN void transform_points(qn_complex points[FIRST_TURNS][READ_POINTS], int item, LOCAL_PTR qn_complex *tile,
                                LOCAL_PTR const qn_complex *roots)
{
    UNROLL
    for (int turn = 0; turn < FIRST_TURNS; turn++) {
        int p = item + turn * ITEMS;
        qn_complex x[R0];
        UNROLL
        for (int k = 0; k < R0; k++) x[k] = k < READ_POINTS ? points[turn][k] : COMPLEX_MAKE(0.0f, 0.0f);
        if (p >= FIRST_ITEMS) continue;
        line_first(R0, x, p, roots);
        line_store_first(R0, FIRST_ITEMS, x, p, tile, COLUMNS_AT_ONCE);
    }
}

/* Middle passes of all tiles. */
DEVICE_FN void middle_passes(int first, int middle, int last, int item, LOCAL_PTR qn_complex *tile,
                             LOCAL_PTR const qn_complex *roots)
{
    if (middle == 1) return;
    for (int r = 0; r < ROTATIONS_PER_GROUP; r++)
        for (int i = item; i < first * last; i += ITEMS)
            line_middle(first, middle, last, i, tile + r * TILE, COLUMNS_AT_ONCE, roots);
    LOCAL_BARRIER();
}

/* Values of a receptor column at an item's frequencies. */
DEVICE_FN void read_receptor(GLOBAL const qn_complex *column, int q, qn_complex values[R2])
{
    UNROLL
    for (int j = 0; j < R2; j++)
        values[j] = q < LAST_ITEMS ? column[(q + LAST_ITEMS * j) * COLUMNS] : COMPLEX_MAKE(0.0f, 0.0f);
}

/* sum += conj(receptor) * ligand */
DEVICE_FN void add_products(const qn_complex receptor[R2], const qn_complex ligand[R2], qn_complex sum[R2])
{
    UNROLL
    for (int j = 0; j < R2; j++) {
        qn_complex a = receptor[j], b = ligand[j];
        sum[j] = COMPLEX_MAKE(FMA(a.x, b.x, FMA(a.y, b.y, sum[j].x)), FMA(a.x, b.y, FMA(-a.y, b.x, sum[j].y)));
    }
}

/* Last passes of a grid's columns, and their products. `receptor` is the column's first value of this grid in the first
 * set; sets lie `set_step` apart. */
DEVICE_FN void multiply_grid(GLOBAL const qn_complex *receptor, qn_int64 set_step, int sets, int item,
                             LOCAL_PTR const qn_complex *tile, qn_complex early[TURNS][R2],
                             qn_complex sums[SETS_PER_GROUP][ROTATIONS_PER_GROUP][TURNS][R2])
{
    UNROLL
    for (int turn = 0; turn < TURNS; turn++) {
        int q = item + turn * ITEMS;
        qn_complex x[ROTATIONS_PER_GROUP][R2];
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_GROUP; r++)
            if (q < LAST_ITEMS) line_last(R0, R1, R2, q, tile + r * TILE, COLUMNS_AT_ONCE, x[r]);
        UNROLL
        for (int s = 0; s < SETS_PER_GROUP; s++) {
            qn_complex values[R2];
            if (s >= sets || q >= LAST_ITEMS) continue;
            if (s > 0 || AHEAD < 2) read_receptor(receptor + s * set_step, q, values);
            UNROLL
            for (int r = 0; r < ROTATIONS_PER_GROUP; r++)
                add_products(s > 0 || AHEAD < 2 ? values : early[turn], x[r], sums[s][r][turn]);
        }
    }
}

/* Transform of a sum back; `factor` is what intermediates' scales ask for. */
DEVICE_FN void transform_back(qn_complex sum[TURNS][R2], float factor, int item, LOCAL_PTR qn_complex *tile,
                              LOCAL_PTR const qn_complex *roots)
{
    UNROLL
    for (int turn = 0; turn < TURNS; turn++) {
        int q = item + turn * ITEMS;
        if (q >= LAST_ITEMS) continue;
        if (HALVES) {
            UNROLL
            for (int j = 0; j < R2; j++) sum[turn][j] = COMPLEX_SCALE(sum[turn][j], factor);
        }
        line_first(R2, sum[turn], q, roots);
        line_store_first(R2, LAST_ITEMS, sum[turn], q, tile, COLUMNS_AT_ONCE);
    }
}

DEVICE_FN void store_products(GLOBAL stored *column, int item, LOCAL_PTR const qn_complex *tile)
{
    for (int q = item; q < FIRST_ITEMS; q += ITEMS) {
        qn_complex x[R0];
        line_last(R2, R1, R0, q, tile, COLUMNS_AT_ONCE, x);
        UNROLL
        for (int j = 0; j < R0; j++) column[(q + FIRST_ITEMS * j) * COLUMNS] = TO_STORED(x[j]);
    }
}

KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void correlate_columns(
    GLOBAL const stored *RESTRICT planes, GLOBAL const qn_complex *RESTRICT receptor,
    GLOBAL const qn_complex *RESTRICT all_roots, GLOBAL stored *RESTRICT products, int grids, int rotations, int sets,
    int first_root, float factor, int nz, int box, int columns LOCAL_ROOM_PARAMETER)
{
    LOCAL_PTR qn_complex *roots = LOCAL_ROOM(qn_complex);
    const int lane = (int)LOCAL_ID(0) % COLUMNS_AT_ONCE, item = (int)LOCAL_ID(0) / COLUMNS_AT_ONCE;
    LOCAL_PTR qn_complex *tile = roots + Z_LENGTH + lane;
    const int rotation_groups = (rotations + ROTATIONS_PER_GROUP - 1) / ROTATIONS_PER_GROUP;
    const int first_rotation = (int)GROUP_ID(0) % rotation_groups * ROTATIONS_PER_GROUP;
    const int column = MIN((int)GROUP_ID(0) / rotation_groups * COLUMNS_AT_ONCE + lane, COLUMNS - 1);
    const int first_set = (int)GROUP_ID(1) * SETS_PER_GROUP, own_sets = MIN(sets - first_set, SETS_PER_GROUP);
    const qn_int64 grid_step = (qn_int64)Z_LENGTH * COLUMNS;
    GLOBAL const qn_complex *receptor_column = receptor + first_set * grids * grid_step + column;
    qn_complex sums[SETS_PER_GROUP][ROTATIONS_PER_GROUP][TURNS][R2], early[TURNS][R2];
    qn_complex points[ROTATIONS_PER_GROUP][FIRST_TURNS][READ_POINTS];

    for (int t = (int)LOCAL_ID(0); t < Z_LENGTH; t += GROUP_SIZE) roots[t] = all_roots[first_root + t];
    UNROLL
    for (int s = 0; s < SETS_PER_GROUP; s++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_GROUP; r++) {
            UNROLL
            for (int turn = 0; turn < TURNS; turn++) {
                UNROLL
                for (int j = 0; j < R2; j++) sums[s][r][turn][j] = COMPLEX_MAKE(0.0f, 0.0f);
            }
        }
    }
    LOCAL_BARRIER();
    for (int grid = 0; grid < grids; grid++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_GROUP; r++) {
            const qn_int64 first_plane = ((qn_int64)MIN(first_rotation + r, rotations - 1) * grids + grid) * BOX;
            if (grid == 0 || !(AHEAD & 1)) read_points(planes + first_plane * COLUMNS + column, item, points[r]);
            transform_points(points[r], item, tile + r * TILE, roots);
            if ((AHEAD & 1) && grid + 1 < grids)
                read_points(planes + (first_plane + BOX) * COLUMNS + column, item, points[r]);
        }
        if (AHEAD & 2) {
            UNROLL
            for (int turn = 0; turn < TURNS; turn++) read_receptor(receptor_column + grid * grid_step, item + turn * ITEMS, early[turn]);
        }
        LOCAL_BARRIER();
        middle_passes(R0, R1, R2, item, tile, roots);
        multiply_grid(receptor_column + grid * grid_step, grids * grid_step, own_sets, item, tile, early, sums);
        LOCAL_BARRIER();
    }
    for (int s = 0; s < own_sets; s++) {
        UNROLL
        for (int r = 0; r < ROTATIONS_PER_GROUP; r++) {
            UNROLL
            for (int each = 0; each < SETS_PER_GROUP; each++)
                if (each == s) transform_back(sums[each][r], factor, item, tile + r * TILE, roots);
        }
        LOCAL_BARRIER();
        middle_passes(R2, R1, R0, item, tile, roots);
        for (int r = 0; r < ROTATIONS_PER_GROUP; r++) {
            if (first_rotation + r >= rotations) continue;
            const qn_int64 output = (qn_int64)(first_set + s) * rotations + first_rotation + r;
            store_products(products + output * grid_step + column, item, tile + r * TILE);
        }
        LOCAL_BARRIER();
    }
}
