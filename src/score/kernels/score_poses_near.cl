/* Energies of poses from the receptor atoms within reach (score_poses_near.h). An item is a ligand atom in a pose; a
 * bin has the items of one ligand type in one cell. Definition: EXACT 1 for correctly rounded results.
 *
 * Shapes, besides those of score_poses.cl: a launch takes poses first_pose ... first_pose + part - 1 of each job;
 * item (ligand atom, pose) is number atom * part + pose - first_pose. ranges int2 [class][cell]: first entry of a
 * list and number of entries, a multiple of 4; list: receptor atoms. Bin type * cells + cell: item_count [bin], 0
 * between launches; bin_start int2 [bin]: first slot and first block. used_bins: bins with items. bin_of_item (-1:
 * no atom within reach), rank_of_item within its bin. sorted float4 [slot]: x y z item. bin_of_block [block]: a
 * block has NEAR_BLOCK items of a bin, its last one fewer. cursors: number of used bins, of slots and of blocks.
 * item_energies [item]. */

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef VECTORS_PER_ITEM
#error "VECTORS_PER_ITEM: most vectors of items of a work-item, 1, 2 or 4"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: items per vector"
#endif
#ifndef TILE
#error "TILE: receptor atoms in local memory at once, 0: none, they are read from global memory"
#endif
#ifndef UNROLLED
#error "UNROLLED: receptor atoms in a row, 1, 2 or 4"
#endif
#ifndef EXACT
#error "EXACT: 1 for correctly rounded results"
#endif

#include "score/kernels/score_poses.dev.h"
#include "score/kernels/score_poses_ramps.dev.h"

#include "score/kernels/score_poses_near.dev.h"

#define STEP (GROUP_SIZE * VECTORS_PER_ITEM * VECTOR_WIDTH)

/* Position of an atom in the pose whose [R | t] is m. */
DEVICE_FN qn_float4 place_of(qn_float4 atom, const float *m)
{
    return FLOAT4_MAKE(moved_coordinate(m[0], m[1], m[2], m[3], atom.x, atom.y, atom.z),
                       moved_coordinate(m[4], m[5], m[6], m[7], atom.x, atom.y, atom.z),
                       moved_coordinate(m[8], m[9], m[10], m[11], atom.x, atom.y, atom.z), 0.0f);
}

DEVICE_FN void load_pose(GLOBAL const float *transforms, qn_int64 row, float *m)
{
    UNROLL
    for (int k = 0; k < 12; k++) m[k] = transforms[k * row];
}

DEVICE_FN int is_in_reach(GLOBAL const int *ranges, GLOBAL const int *class_of_row, int row, int cell, int cells)
{
    return row >= 0 && ranges[2 * ((qn_int64)class_of_row[row] * cells + cell) + 1] > 0;
}

/* Find the bins of items and their ranks in these, for each pose (x) of each job (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void count_items(
    GLOBAL const int *RESTRICT jobs, GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const float *RESTRICT transforms,
    GLOBAL const int *RESTRICT second_rows, GLOBAL const int *RESTRICT class_of_row, GLOBAL const int *RESTRICT ranges,
    GLOBAL int *RESTRICT item_count, GLOBAL int *RESTRICT used_bins, GLOBAL int *RESTRICT cursors,
    GLOBAL int *RESTRICT bin_of_item, GLOBAL int *RESTRICT rank_of_item, GLOBAL float *RESTRICT item_energies,
    const count_scalars s)
{
    const int pose = GLOBAL_ID(0), job = GROUP_ID(1), cells = s.nx * s.ny * s.nz, first_atom = jobs[2 * job];
    float m[12];
    if (pose >= s.part) return;
    load_pose(transforms + (qn_int64)job * s.poses + s.first_pose + pose, (qn_int64)s.job_count * s.poses, m);
    for (int k = 0; k < jobs[2 * job + 1]; k++) {
        const int item = (first_atom + k) * s.part + pose;
        qn_float4 atom = atoms[first_atom + k], at = place_of(atom, m);
        const int type = (int)FLOAT_BITS(atom.w);
        const int cell = cell_of(cell_along(at.x, s.first_x, s.cells_per_angstrom, s.nx),
                                 cell_along(at.y, s.first_y, s.cells_per_angstrom, s.ny),
                                 cell_along(at.z, s.first_z, s.cells_per_angstrom, s.nz), s.nx, s.ny);
        int bin = -1;
        if (cell >= 0 && (is_in_reach(ranges, class_of_row, type, cell, cells) ||
                          is_in_reach(ranges, class_of_row, second_rows[type], cell, cells)))
            bin = type * cells + cell;
        bin_of_item[item] = bin;
        if (bin >= 0) {
            const int rank = ATOMIC_ADD_INT(&item_count[bin], 1);
            if (rank == 0) used_bins[ATOMIC_ADD_INT(&cursors[0], 1)] = bin;
            rank_of_item[item] = rank;
        } else {
            item_energies[item] = 0.0f;
        }
    }
}

/* Assign slots and blocks to each used bin, in any order. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void place_bins(GLOBAL const int *RESTRICT item_count,
                                                     GLOBAL const int *RESTRICT used_bins, GLOBAL int *RESTRICT cursors,
                                                     GLOBAL int *RESTRICT bin_start)
{
    for (int i = GLOBAL_ID(0); i < cursors[0]; i += GLOBAL_SIZE(0)) {
        const int bin = used_bins[i], count = item_count[bin];
        bin_start[2 * bin] = ATOMIC_ADD_INT(&cursors[1], count);
        bin_start[2 * bin + 1] = ATOMIC_ADD_INT(&cursors[2], (count + NEAR_BLOCK - 1) / NEAR_BLOCK);
    }
}

/* Move items to their slots, for each pose (x) of each job (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void sort_items(
    GLOBAL const int *RESTRICT jobs, GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const float *RESTRICT transforms,
    GLOBAL const int *RESTRICT bin_of_item, GLOBAL const int *RESTRICT rank_of_item,
    GLOBAL const int *RESTRICT bin_start, GLOBAL int *RESTRICT bin_of_block, GLOBAL qn_float4 *RESTRICT sorted,
    const sort_scalars s)
{
    const int pose = GLOBAL_ID(0), job = GROUP_ID(1), first_atom = jobs[2 * job];
    float m[12];
    if (pose >= s.part) return;
    load_pose(transforms + (qn_int64)job * s.poses + s.first_pose + pose, (qn_int64)s.job_count * s.poses, m);
    for (int k = 0; k < jobs[2 * job + 1]; k++) {
        const int item = (first_atom + k) * s.part + pose, bin = bin_of_item[item];
        if (bin < 0) continue;
        const int rank = rank_of_item[item];
        qn_float4 at = place_of(atoms[first_atom + k], m);
        at.w = BITS_FLOAT(item);
        sorted[bin_start[2 * bin] + rank] = at;
        if (rank % NEAR_BLOCK == 0) bin_of_block[bin_start[2 * bin + 1] + rank / NEAR_BLOCK] = bin;
    }
}

/* The receptor and a list of its atoms. */
typedef struct near_view {
    GLOBAL const qn_float4 *places;
    GLOBAL const qn_float4 *pairs; /* of one row */
    GLOBAL const int *list;
    int length;
    LOCAL_PTR qn_float4 *tile;
} near_view;

DEVICE_FN void add_pair(qn_float4 place, qn_float4 pair, const int count, const LANES *x, const LANES *y,
                        const LANES *z, LANES *energy)
{
    UNROLL
    for (int v = 0; v < count; v++) {
        LANES dx = x[v] - SPLAT(place.x), dy = y[v] - SPLAT(place.y), dz = z[v] - SPLAT(place.z);
        LANES r = distance_of(FMA(dz, dz, FMA(dy, dy, FMA(dx, dx, SPLAT(SMALLEST_SQUARE)))));
        energy[v] = add_ramp(energy[v], r, pair.x, pair.z);
        energy[v] = add_ramp(energy[v], r, pair.y, pair.w);
    }
}

/* Add the pairs of `count` vectors of items with the atoms of a list in their order. An `idle` work-item has no
 * items and only helps to load. */
DEVICE_FN void add_list(near_view view, const int idle, const int count, const LANES *x, const LANES *y, const LANES *z,
                        LANES *energy)
{
#if TILE > 0
    for (int begin = 0; begin < view.length; begin += TILE) {
        const int tiled = MIN(TILE, view.length - begin);
        LOCAL_BARRIER();
        for (int i = LOCAL_ID(0); i < tiled; i += GROUP_SIZE) {
            const int j = view.list[begin + i];
            view.tile[i] = view.places[j];
            view.tile[TILE + i] = view.pairs[j];
        }
        LOCAL_BARRIER();
        for (int i = 0; i < tiled && !idle; i += UNROLLED) {
            UNROLL
            for (int k = 0; k < UNROLLED; k++)
                add_pair(view.tile[i + k], view.tile[TILE + i + k], count, x, y, z, energy);
        }
    }
#else
    for (int i = 0; i < view.length && !idle; i += UNROLLED) {
        UNROLL
        for (int k = 0; k < UNROLLED; k++) {
            const int j = view.list[i + k];
            add_pair(view.places[j], view.pairs[j], count, x, y, z, energy);
        }
    }
#endif
}

/* Slot of an element of a vector of this work-item. */
DEVICE_FN int slot_of(int vector, int element)
{
    return (vector * GROUP_SIZE + LOCAL_ID(0)) * VECTOR_WIDTH + element;
}

/* Score the `left` items from `sorted` on, all of one bin, in `count` vectors of each work-item. `second`: the
 * second row of the type and its list. */
DEVICE_FN void score_items(near_view view, near_view second, GLOBAL const qn_float4 *sorted, int left, const int count,
                           GLOBAL float *item_energies)
{
    LANES x[VECTORS_PER_ITEM], y[VECTORS_PER_ITEM], z[VECTORS_PER_ITEM], energy[VECTORS_PER_ITEM];
    int item[VECTORS_PER_ITEM * VECTOR_WIDTH];
    UNROLL
    for (int v = 0; v < count; v++) {
        float at_x[VECTOR_WIDTH], at_y[VECTOR_WIDTH], at_z[VECTOR_WIDTH];
        UNROLL
        for (int e = 0; e < VECTOR_WIDTH; e++) {
            qn_float4 at = sorted[MIN(slot_of(v, e), left - 1)];
            at_x[e] = at.x;
            at_y[e] = at.y;
            at_z[e] = at.z;
            item[v * VECTOR_WIDTH + e] = (int)FLOAT_BITS(at.w);
        }
        x[v] = VEC_LOAD(VECTOR_WIDTH, at_x);
        y[v] = VEC_LOAD(VECTOR_WIDTH, at_y);
        z[v] = VEC_LOAD(VECTOR_WIDTH, at_z);
        energy[v] = SPLAT(0.0f);
    }
    const int idle = slot_of(0, 0) >= left;
    add_list(view, idle, count, x, y, z, energy);
    if (second.length > 0) add_list(second, idle, count, x, y, z, energy);
    UNROLL
    for (int v = 0; v < count; v++) {
        float sum[VECTOR_WIDTH];
        VEC_STORE(VECTOR_WIDTH, sum, energy[v]);
        UNROLL
        for (int e = 0; e < VECTOR_WIDTH; e++)
            if (slot_of(v, e) < left) item_energies[item[v * VECTOR_WIDTH + e]] = sum[e];
    }
}

/* Score all blocks; groups take them in turn. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void score_near(
    GLOBAL const qn_float4 *RESTRICT places, GLOBAL const qn_float4 *RESTRICT pairs,
    GLOBAL const int *RESTRICT second_rows, GLOBAL const int *RESTRICT class_of_row, GLOBAL const int *RESTRICT ranges,
    GLOBAL const int *RESTRICT list, GLOBAL const int *RESTRICT item_count, GLOBAL const int *RESTRICT bin_start,
    GLOBAL const int *RESTRICT bin_of_block, GLOBAL const int *RESTRICT cursors,
    GLOBAL const qn_float4 *RESTRICT sorted, GLOBAL float *RESTRICT item_energies, int stride, int cells)
{
#if TILE > 0
    LOCAL qn_float4 tile[2 * TILE];
#else
    LOCAL_PTR qn_float4 *tile = 0;
#endif
    const int blocks = cursors[2];
    for (int block = GROUP_ID(0); block < blocks; block += GROUP_COUNT(0)) {
        const int bin = bin_of_block[block], type = bin / cells, cell = bin % cells, second = second_rows[type];
        const int done = (block - bin_start[2 * bin + 1]) * NEAR_BLOCK;
        GLOBAL const qn_float4 *items = sorted + bin_start[2 * bin] + done;
        GLOBAL const int *range = ranges + 2 * ((qn_int64)class_of_row[type] * cells + cell);
        near_view first_view = {places, pairs + (qn_int64)type * stride, list + range[0], range[1], tile};
        near_view second_view = {places, pairs, list, 0, tile};
        if (second >= 0) {
            range = ranges + 2 * ((qn_int64)class_of_row[second] * cells + cell);
            second_view.pairs = pairs + (qn_int64)second * stride;
            second_view.list = list + range[0];
            second_view.length = range[1];
        }
        for (int left = MIN(NEAR_BLOCK, item_count[bin] - done); left > 0; left -= STEP, items += STEP) {
#if VECTORS_PER_ITEM >= 4
            if (left > 2 * GROUP_SIZE * VECTOR_WIDTH) {
                score_items(first_view, second_view, items, left, 4, item_energies);
                continue;
            }
#endif
#if VECTORS_PER_ITEM >= 2
            if (left > GROUP_SIZE * VECTOR_WIDTH) {
                score_items(first_view, second_view, items, left, 2, item_energies);
                continue;
            }
#endif
            score_items(first_view, second_view, items, left, 1, item_energies);
        }
    }
}

/* Sum the energies of the ligand atoms, for each pose (x) of each job (y), and set the counts of bins to 0. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void add_items(
    GLOBAL const int *RESTRICT jobs, GLOBAL const float *RESTRICT item_energies, GLOBAL const int *RESTRICT used_bins,
    GLOBAL const int *RESTRICT cursors, GLOBAL int *RESTRICT item_count, GLOBAL float *RESTRICT energies,
    const add_scalars s)
{
    const int pose = GLOBAL_ID(0), job = GROUP_ID(1), first_atom = jobs[2 * job];
    for (int i = job * GLOBAL_SIZE(0) + pose; i < cursors[0]; i += GROUP_COUNT(1) * GLOBAL_SIZE(0))
        item_count[used_bins[i]] = 0;
    if (pose >= s.part) return;
    float total = 0.0f;
    for (int k = 0; k < jobs[2 * job + 1]; k++) total = total + item_energies[(first_atom + k) * s.part + pose];
    energies[(qn_int64)job * s.poses + s.first_pose + pose] = total;
}
