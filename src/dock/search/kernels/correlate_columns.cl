/* Second of the three steps of the fused rotation: transform the ligand's columns along z, multiply them by the
 * receptor's spectra, sum over grids, transform back.
 *
 *     products[s][r][z] = sum over kz of (sum over g of conj(receptor[s][g][kz]) * L[r][g][kz]) exp(-2 pi i kz z / nz),
 *     L[r][g][kz] = sum over z < BOX of planes[r][g][z] exp(-2 pi i kz z / nz)
 *
 * The last grids may have a receptor that is common to all sets. They are summed first, once for a group's sets.
 *
 * Shapes: see rotation_grid.h. A group has OWN_COLUMNS neighbouring columns (neighbouring items) of ROTATIONS_PER_GROUP
 * rotations, and ITEMS items for each column of each rotation. The spectrum of a ligand column stays in the registers
 * that hold it after the last pass of its transform: it is multiplied and summed there, and the first pass of the
 * transform back starts from there. Groups are numbered by rotation first, then by tile of columns, so that consecutive
 * groups find the receptor's columns in the cache. With LOCAL_RECEPTOR, the rotations of a group also share these
 * columns through local memory, because the cache of a GPU is too slow to be read for every rotation. */
#include "dock/search/kernels/correlate_columns.dev.h"
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
#ifndef LOCAL_RECEPTOR
#error "LOCAL_RECEPTOR: whether the receptor's columns are copied to local memory"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that a compute unit is to have room for"
#endif
#ifndef SPLIT
#error "SPLIT: which radices"
#endif
#ifndef LARGEST_GROUP
#error "LARGEST_GROUP: work-items that a group may have"
#endif
#ifndef ROOM
#error "ROOM: bytes of local memory that a group may have"
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

/* As many columns as there is room for, at least two because columns are copied in pairs, and as many turns as the
 * limit of the group's size requires. shape_of() computes the same. */
#define ROOTS_ROOM ((Z_LENGTH + 1) / 2 * 2) /* tiles begin at multiples of 16 bytes */
#define TILES (ROTATIONS_PER_GROUP + LOCAL_RECEPTOR * SETS_PER_GROUP)
#define HAS_ROOM(count) (8 * (ROOTS_ROOM + Z_LENGTH * (count)*TILES) <= ROOM)
#define FEWER_COLUMNS(divisor) MAX(COLUMNS_AT_ONCE / (divisor), 2)
enum {
    OWN_COLUMNS = HAS_ROOM(COLUMNS_AT_ONCE)    ? COLUMNS_AT_ONCE
                  : HAS_ROOM(FEWER_COLUMNS(2)) ? FEWER_COLUMNS(2)
                  : HAS_ROOM(FEWER_COLUMNS(4)) ? FEWER_COLUMNS(4)
                  : HAS_ROOM(FEWER_COLUMNS(8)) ? FEWER_COLUMNS(8)
                                               : FEWER_COLUMNS(16)
};
#define LINES (OWN_COLUMNS * ROTATIONS_PER_GROUP)
#define LEAST_TURNS ((LAST_ITEMS * LINES + LARGEST_GROUP - 1) / LARGEST_GROUP)
#define OWN_TURNS (TURNS > LEAST_TURNS ? TURNS : LEAST_TURNS)
#define ITEMS ((LAST_ITEMS + OWN_TURNS - 1) / OWN_TURNS)
#define GROUP_SIZE (LINES * ITEMS)
#define FIRST_TURNS ((FIRST_ITEMS + ITEMS - 1) / ITEMS)
#define READ_POINTS ((BOX + FIRST_ITEMS - 1) / FIRST_ITEMS) /* points k < READ_POINTS of a first butterfly are read */
#define TILE (Z_LENGTH * OWN_COLUMNS)

#if HALVES
typedef qn_uint32 stored;
#define LOAD_STORED(value) UNPACK_HALVES(value)
#define TO_STORED(value) PACK_HALVES(value)
#else
typedef qn_complex stored;
#define LOAD_STORED(value) (value)
#define TO_STORED(value) (value)
#endif

/* Read the points of a column for an item's first butterflies: 0 above the box. */
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

/* First pass of a ligand column, into the tile. */
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
        line_store_first(R0, FIRST_ITEMS, x, p, tile, OWN_COLUMNS);
    }
}

/* Middle pass of a column. */
DEVICE_FN void middle_pass(int first, int middle, int last, int item, LOCAL_PTR qn_complex *tile,
                           LOCAL_PTR const qn_complex *roots)
{
    if (middle == 1) return;
    for (int i = item; i < first * last; i += ITEMS) line_middle(first, middle, last, i, tile, OWN_COLUMNS, roots);
    LOCAL_BARRIER();
}

/* Read the values of a receptor column at an item's frequencies. */
DEVICE_FN void read_receptor(GLOBAL const qn_complex *column, int q, qn_complex values[R2])
{
    UNROLL
    for (int j = 0; j < R2; j++)
        values[j] = q < LAST_ITEMS ? column[(q + LAST_ITEMS * j) * COLUMNS] : COMPLEX_MAKE(0.0f, 0.0f);
}

/* Start to copy the receptor's columns of a grid, two columns at once, into one tile for each of the group's sets. */
DEVICE_FN void copy_receptor(GLOBAL const qn_complex *receptor, qn_int64 set_step, int sets, int first_column,
                             LOCAL_PTR qn_complex *copy)
{
    for (int s = 0; s < sets; s++)
        for (int i = (int)LOCAL_ID(0); i < TILE / 2; i += GROUP_SIZE) {
            int column = MIN(first_column + i % (OWN_COLUMNS / 2) * 2, COLUMNS - 2);
            ASYNC_COPY(4, copy + s * TILE + 2 * i, receptor + s * set_step + i / (OWN_COLUMNS / 2) * COLUMNS + column);
        }
    ASYNC_COMMIT();
}

/* sum += conj(receptor) * ligand */
DEVICE_FN void add_product(qn_complex a, qn_complex b, qn_complex *sum)
{
    *sum = COMPLEX_MAKE(FMA(a.x, b.x, FMA(a.y, b.y, sum->x)), FMA(a.x, b.y, FMA(-a.y, b.x, sum->y)));
}

/* Last pass of a grid's column, and its products. `receptor`: the column's first value of this grid in the first set;
 * sets are `set_step` apart. `copy`: the same in local memory. `early`: values of the first set that were read ahead.
 */
DEVICE_FN void multiply_grid(GLOBAL const qn_complex *receptor, qn_int64 set_step, int sets, int item,
                             LOCAL_PTR const qn_complex *copy, LOCAL_PTR const qn_complex *tile,
                             qn_complex early[OWN_TURNS][R2], qn_complex sums[SETS_PER_GROUP][OWN_TURNS][R2])
{
    UNROLL
    for (int turn = 0; turn < OWN_TURNS; turn++) {
        int q = item + turn * ITEMS;
        qn_complex x[R2];
        if (q >= LAST_ITEMS) continue;
        line_last(R0, R1, R2, q, tile, OWN_COLUMNS, x);
        UNROLL
        for (int s = 0; s < SETS_PER_GROUP; s++) {
            qn_complex values[R2];
            if (s >= sets) continue;
#if LOCAL_RECEPTOR
            UNROLL
            for (int j = 0; j < R2; j++) values[j] = copy[s * TILE + OWN_COLUMNS * (q + LAST_ITEMS * j)];
#else
            read_receptor(receptor + s * set_step, q, values);
#endif
            UNROLL
            for (int j = 0; j < R2; j++) add_product(AHEAD / 2 > s ? early[turn][j] : values[j], x[j], &sums[s][turn][j]);
        }
    }
}

/* The columns that a group computes. */
typedef struct columns_job {
    GLOBAL const stored *planes; /* the item's column of the first grid */
    GLOBAL const qn_complex *receptor; /* column 0 of the first grid in the group's first set */
    GLOBAL const qn_complex *common;   /* column 0 of the first common grid */
    int own, grids, sets;              /* grids before the common ones; all grids; sets of the group */
    int first_column, lane, column;    /* first column of the group; the item's column in the group and in the plane */
    int item;                          /* number of the item among those of its column */
} columns_job;

/* The grid that is the step-th in the sum: the common grids come first. */
DEVICE_FN int grid_of_step(const columns_job *job, int step)
{
    const int common = job->grids - job->own;
    return step < common ? job->own + step : step - common;
}

/* Start the sums of all sets from the sum of the common grids, which is that of the first set. */
DEVICE_FN void share_sums(qn_complex sums[SETS_PER_GROUP][OWN_TURNS][R2])
{
    UNROLL
    for (int set = 1; set < SETS_PER_GROUP; set++) {
        UNROLL
        for (int turn = 0; turn < OWN_TURNS; turn++) {
            UNROLL
            for (int j = 0; j < R2; j++) sums[set][turn][j] = sums[0][turn][j];
        }
    }
}

/* Sum the products over all grids. */
DEVICE_FN void add_grids(const columns_job *job, LOCAL_PTR qn_complex *tile, LOCAL_PTR qn_complex *copy,
                         LOCAL_PTR const qn_complex *roots, qn_complex sums[SETS_PER_GROUP][OWN_TURNS][R2])
{
    const qn_int64 grid_step = (qn_int64)Z_LENGTH * COLUMNS, set_step = job->own * grid_step;
    const int item = job->item;
    qn_complex points[FIRST_TURNS][READ_POINTS], early[OWN_TURNS][R2];
    for (int step = 0; step < job->grids; step++) {
        const int grid = grid_of_step(job, step), is_common = grid >= job->own, sets = is_common ? 1 : job->sets;
        GLOBAL const qn_complex *receptor =
            is_common ? job->common + (grid - job->own) * grid_step : job->receptor + grid * grid_step;
        GLOBAL const stored *ligand = job->planes + (qn_int64)grid * BOX * COLUMNS;
        if (LOCAL_RECEPTOR) copy_receptor(receptor, set_step, sets, job->first_column, copy);
        if (AHEAD % 2 == 0 ? true : step == 0) read_points(ligand, item, points);
        transform_points(points, item, tile, roots);
        if (AHEAD % 2 == 0 ? false : step + 1 < job->grids)
            read_points(job->planes + (qn_int64)grid_of_step(job, step + 1) * BOX * COLUMNS, item, points);
        if (AHEAD >= 2) {
            UNROLL
            for (int turn = 0; turn < OWN_TURNS; turn++)
                read_receptor(receptor + job->column, item + turn * ITEMS, early[turn]);
        }
        if (LOCAL_RECEPTOR) ASYNC_WAIT(0);
        LOCAL_BARRIER();
        middle_pass(R0, R1, R2, item, tile, roots);
        if (step == job->grids - job->own) share_sums(sums);
        multiply_grid(receptor + job->column, set_step, sets, item, copy + job->lane, tile, early, sums);
        LOCAL_BARRIER();
    }
}

/* First pass of the transform back of a sum, into the tile; `factor` corrects for the scales of intermediates. */
DEVICE_FN void transform_back(qn_complex sum[OWN_TURNS][R2], float factor, int item, LOCAL_PTR qn_complex *tile,
                              LOCAL_PTR const qn_complex *roots)
{
    UNROLL
    for (int turn = 0; turn < OWN_TURNS; turn++) {
        int q = item + turn * ITEMS;
        if (q >= LAST_ITEMS) continue;
        if (HALVES) {
            UNROLL
            for (int j = 0; j < R2; j++) sum[turn][j] = COMPLEX_SCALE(sum[turn][j], factor);
        }
        line_first(R2, sum[turn], q, roots);
        line_store_first(R2, LAST_ITEMS, sum[turn], q, tile, OWN_COLUMNS);
    }
}

DEVICE_FN void store_products(GLOBAL stored *column, int item, LOCAL_PTR const qn_complex *tile)
{
    for (int q = item; q < FIRST_ITEMS; q += ITEMS) {
        qn_complex x[R0];
        line_last(R2, R1, R0, q, tile, OWN_COLUMNS, x);
        UNROLL
        for (int j = 0; j < R0; j++) column[(q + FIRST_ITEMS * j) * COLUMNS] = TO_STORED(x[j]);
    }
}

/* A group computes a tile of columns of some rotations (both x, rotations first) in some sets (y). */
KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void correlate_columns(
    GLOBAL const stored *RESTRICT planes, GLOBAL const qn_complex *RESTRICT receptor,
    GLOBAL const qn_complex *RESTRICT all_roots, GLOBAL stored *RESTRICT products,
    const columns_scalars s LOCAL_ROOM_PARAMETER)
{
    const int lane = (int)LOCAL_ID(0) % OWN_COLUMNS, line = (int)LOCAL_ID(0) % LINES, own = line / OWN_COLUMNS;
    const int rotation_groups = (s.rotations + ROTATIONS_PER_GROUP - 1) / ROTATIONS_PER_GROUP;
    const int rotation = (int)GROUP_ID(0) % rotation_groups * ROTATIONS_PER_GROUP + own;
    const int first_set = (int)GROUP_ID(1) * SETS_PER_GROUP;
    const qn_int64 grid_step = (qn_int64)Z_LENGTH * COLUMNS;
    LOCAL_PTR qn_complex *roots = LOCAL_ROOM(qn_complex);
    LOCAL_PTR qn_complex *tile = roots + ROOTS_ROOM + own * TILE + lane;
    LOCAL_PTR qn_complex *copy = roots + ROOTS_ROOM + ROTATIONS_PER_GROUP * TILE;
    qn_complex sums[SETS_PER_GROUP][OWN_TURNS][R2];
    columns_job job;
    job.first_column = (int)GROUP_ID(0) / rotation_groups * OWN_COLUMNS;
    job.lane = lane;
    job.column = MIN(job.first_column + lane, COLUMNS - 1);
    job.item = (int)LOCAL_ID(0) / LINES;
    job.planes = planes + (qn_int64)MIN(rotation, s.rotations - 1) * s.grids * BOX * COLUMNS + job.column;
    job.own = s.grids - s.common;
    job.receptor = receptor + first_set * job.own * grid_step;
    job.common = receptor + s.sets * job.own * grid_step;
    job.grids = s.grids;
    job.sets = MIN(s.sets - first_set, SETS_PER_GROUP);
    const bool is_stored = rotation < s.rotations && job.first_column + lane < COLUMNS;

    for (int t = (int)LOCAL_ID(0); t < Z_LENGTH; t += GROUP_SIZE) roots[t] = all_roots[s.first_root + t];
    UNROLL
    for (int set = 0; set < SETS_PER_GROUP; set++) {
        UNROLL
        for (int turn = 0; turn < OWN_TURNS; turn++) {
            UNROLL
            for (int j = 0; j < R2; j++) sums[set][turn][j] = COMPLEX_MAKE(0.0f, 0.0f);
        }
    }
    LOCAL_BARRIER();
    add_grids(&job, tile, copy, roots, sums);
    UNROLL
    for (int set = 0; set < SETS_PER_GROUP; set++) {
        if (set >= job.sets) continue; /* the same for all items */
        transform_back(sums[set], s.factor, job.item, tile, roots);
        LOCAL_BARRIER();
        middle_pass(R2, R1, R0, job.item, tile, roots);
        if (is_stored)
            store_products(products + ((qn_int64)(first_set + set) * s.rotations + rotation) * grid_step + job.column,
                           job.item, tile);
        LOCAL_BARRIER();
    }
}
