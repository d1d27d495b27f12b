/* Energies of poses: what is computed, in which order, stands in score_poses.h, the folding of a pair in
 * score_poses.dev.h. Definitions: EXACT 1 for correctly rounded results; CULL 1 to leave out receptor atoms beyond reach.
 *
 * Shapes: places float4 [x y z 0] of `stride` receptor atoms, a multiple of 8, the last ones without energy. pairs
 * float4 [contact, end, contact ramp, end ramp] in rows of `stride`: row `type` has the first two ramps of a ligand type
 * with each receptor atom, row second_rows[type] (unless that is -1) the second end ramps of pairs that have both a
 * charge and a desolvation term. EXACT: contact and end in angstrom and slopes; else minus their reciprocals and heights.
 * jobs int2; atoms [x y z type]; transforms [12][jobs * poses]; energies [jobs * poses]. Culling takes receptor atoms in
 * blocks of `block_atoms`, a multiple of 8, at most MOST_BLOCKS of them: masks [cell][words] has the bits of the blocks
 * in reach of a cell.
 *
 * A work-item holds POSES_PER_ITEM * VECTOR_WIDTH poses and up to ATOMS_PER_ITEM ligand atoms of one type at once. */
#include "screen/kernels/score_poses.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef POSES_PER_ITEM
#error "POSES_PER_ITEM: vectors of poses of a work-item"
#endif
#ifndef ATOMS_PER_ITEM
#error "ATOMS_PER_ITEM: most ligand atoms at once, 1, 2 or 4"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: poses per vector"
#endif
#ifndef TILE
#error "TILE: receptor atoms in local memory at once, 0: none, they are read from global memory"
#endif
#ifndef UNROLLED
#error "UNROLLED: receptor atoms in a row, 1 ... 8"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that must fit a compute unit at once; 0: as the compiler likes"
#endif
#ifndef EXACT
#error "EXACT: 1 for correctly rounded results"
#endif
#ifndef CULL
#error "CULL: 1 to leave out receptor atoms beyond reach"
#endif

#if RESIDENT
#define SCORE_LIMIT GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT)
#else
#define SCORE_LIMIT GROUP_LIMIT(GROUP_SIZE, 1, 1)
#endif
#define MOST_BLOCKS 1024
#define LANES VEC(float, VECTOR_WIDTH)
#define SPLAT(x) VEC_SPLAT(float, VECTOR_WIDTH, x)
#if TILE > 0
#define NEAR_MEMORY LOCAL_PTR
#else
#define NEAR_MEMORY GLOBAL
#endif

/* The receptor as it is in memory and, culling, the list of its blocks that count. */
typedef struct receptor_view {
    GLOBAL const qn_float4 *places;
    GLOBAL const qn_float4 *pairs;
    GLOBAL const int *second_rows;
    GLOBAL const int *masks;
    int stride;
    float first_x, first_y, first_z, cells_per_angstrom;
    int nx, ny, nz, block_atoms, words;
    LOCAL_PTR int *blocks; /* MOST_BLOCKS, then their bits */
} receptor_view;

/* A work-item's places among the poses of a job. */
typedef struct pose_range {
    GLOBAL const float *transforms; /* of the job */
    int first;                      /* of the work-item's first vector */
    int step;                       /* from vector to vector */
    int last;                       /* the last vector that exists: beyond it this one is done again */
    qn_int64 row;                   /* from one of the twelve numbers to the next */
} pose_range;

DEVICE_FN LANES distance_of(LANES square)
{
#if EXACT
    return NORMAL_SQRT(square);
#else
    return square * FAST_RSQRT(square);
#endif
}

DEVICE_FN LANES add_ramp(LANES energy, LANES r, float end, float ramp)
{
#if EXACT && VECTOR_WIDTH == 1
    LANES bent = end - FMIN(r, end);
#elif EXACT
    LANES bent = SPLAT(end) - VEC_SELECT(r < SPLAT(end), r, SPLAT(end));
#else
    LANES bent = SATURATE(FMA(r, SPLAT(end), SPLAT(1.0f)));
#endif
    return FMA(bent, SPLAT(ramp), energy);
}

/* Where `count` ligand atoms are in each pose. */
DEVICE_FN void place_atoms(GLOBAL const qn_float4 *atoms, pose_range range, const int count,
                           LANES (*x)[POSES_PER_ITEM], LANES (*y)[POSES_PER_ITEM], LANES (*z)[POSES_PER_ITEM])
{
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) {
        GLOBAL const float *pose = range.transforms + MIN(range.first + p * range.step, range.last);
        LANES m[12];
        UNROLL
        for (int k = 0; k < 12; k++) m[k] = VEC_LOAD(VECTOR_WIDTH, pose + k * range.row);
        UNROLL
        for (int a = 0; a < count; a++) {
            LANES ax = SPLAT(atoms[a].x), ay = SPLAT(atoms[a].y), az = SPLAT(atoms[a].z);
            x[a][p] = FMA(m[2], az, FMA(m[1], ay, FMA(m[0], ax, m[3])));
            y[a][p] = FMA(m[6], az, FMA(m[5], ay, FMA(m[4], ax, m[7])));
            z[a][p] = FMA(m[10], az, FMA(m[9], ay, FMA(m[8], ax, m[11])));
        }
    }
}

/* Add the pairs of `count` ligand atoms with `length` receptor atoms, a multiple of UNROLLED. */
DEVICE_FN void add_pairs(NEAR_MEMORY const qn_float4 *places, NEAR_MEMORY const qn_float4 *pairs, int length,
                         const int count, LANES (*x)[POSES_PER_ITEM], LANES (*y)[POSES_PER_ITEM],
                         LANES (*z)[POSES_PER_ITEM], LANES (*energy)[POSES_PER_ITEM])
{
    for (int j = 0; j < length; j += UNROLLED) {
        UNROLL
        for (int k = 0; k < UNROLLED; k++) {
            qn_float4 place = places[j + k], pair = pairs[j + k];
            UNROLL
            for (int a = 0; a < count; a++) {
                UNROLL
                for (int p = 0; p < POSES_PER_ITEM; p++) {
                    LANES dx = x[a][p] - SPLAT(place.x), dy = y[a][p] - SPLAT(place.y), dz = z[a][p] - SPLAT(place.z);
                    LANES r = distance_of(FMA(dz, dz, FMA(dy, dy, FMA(dx, dx, SPLAT(SMALLEST_SQUARE)))));
                    energy[a][p] = add_ramp(energy[a][p], r, pair.x, pair.z);
                    energy[a][p] = add_ramp(energy[a][p], r, pair.y, pair.w);
                }
            }
        }
    }
}

#if CULL
/* Add the bits of the blocks in reach of `count` ligand atoms in this work-item's poses to the group's. */
DEVICE_FN void mark_blocks(receptor_view receptor, GLOBAL const qn_float4 *atoms, const int count, pose_range range)
{
    for (int p = 0; p < POSES_PER_ITEM * VECTOR_WIDTH; p++) {
        int vector = MIN(range.first + p / VECTOR_WIDTH * range.step, range.last);
        GLOBAL const float *m = range.transforms + vector + p % VECTOR_WIDTH;
        for (int a = 0; a < count; a++) {
            float moved[3];
            UNROLL
            for (int axis = 0; axis < 3; axis++) {
                GLOBAL const float *row = m + 4 * axis * range.row;
                moved[axis] = moved_coordinate(row[0], row[range.row], row[2 * range.row], row[3 * range.row],
                                               atoms[a].x, atoms[a].y, atoms[a].z);
            }
            int x = cell_along(moved[0], receptor.first_x, receptor.cells_per_angstrom, receptor.nx);
            int y = cell_along(moved[1], receptor.first_y, receptor.cells_per_angstrom, receptor.ny);
            int z = cell_along(moved[2], receptor.first_z, receptor.cells_per_angstrom, receptor.nz);
            if (x < 0 || y < 0 || z < 0) continue;
            GLOBAL const int *mask = receptor.masks + (qn_int64)(x + receptor.nx * (y + receptor.ny * z)) * receptor.words;
            for (int w = 0; w < receptor.words; w++)
                if (mask[w] & ~receptor.blocks[MOST_BLOCKS + w])
                    LOCAL_ATOMIC_OR_INT(&receptor.blocks[MOST_BLOCKS + w], mask[w]);
        }
    }
}

/* List the blocks in reach of any pose of the group, in their order; returns how many. */
DEVICE_FN int list_blocks(receptor_view receptor, GLOBAL const qn_float4 *atoms, const int count, pose_range range)
{
    int listed = 0;
    LOCAL_BARRIER();
    for (int w = LOCAL_ID(0); w < receptor.words; w += GROUP_SIZE) receptor.blocks[MOST_BLOCKS + w] = 0;
    LOCAL_BARRIER();
    mark_blocks(receptor, atoms, count, range);
    LOCAL_BARRIER();
    for (int w = 0; w < receptor.words; w++) {
        int bits = receptor.blocks[MOST_BLOCKS + w], place = listed;
        listed += BIT_COUNT(bits);
        if (w % GROUP_SIZE != LOCAL_ID(0)) continue;
        for (int bit = 0; bit < 32; bit++)
            if (bits >> bit & 1) receptor.blocks[place++] = 32 * w + bit;
    }
    LOCAL_BARRIER();
    return listed;
}
#endif

/* The index of the i-th receptor atom that counts. */
DEVICE_FN int receptor_atom(receptor_view receptor, int i)
{
#if CULL
    return receptor.blocks[i / receptor.block_atoms] * receptor.block_atoms + i % receptor.block_atoms;
#else
    return i;
#endif
}

/* Add the pairs of one row with the receptor atoms that count, `length` of them, in their order. */
DEVICE_FN void add_row(receptor_view receptor, int row, int length, LOCAL_PTR qn_float4 *tile, const int count,
                       LANES (*x)[POSES_PER_ITEM], LANES (*y)[POSES_PER_ITEM], LANES (*z)[POSES_PER_ITEM],
                       LANES (*energy)[POSES_PER_ITEM])
{
    GLOBAL const qn_float4 *pairs = receptor.pairs + (qn_int64)row * receptor.stride;
#if TILE > 0
    for (int begin = 0; begin < length; begin += TILE) {
        int tiled = MIN(TILE, length - begin);
        LOCAL_BARRIER();
        for (int i = LOCAL_ID(0); i < tiled; i += GROUP_SIZE) {
            int j = receptor_atom(receptor, begin + i);
            tile[i] = receptor.places[j];
            tile[TILE + i] = pairs[j];
        }
        LOCAL_BARRIER();
        add_pairs(tile, tile + TILE, tiled, count, x, y, z, energy);
    }
#elif CULL
    for (int begin = 0; begin < length; begin += receptor.block_atoms) {
        int j = receptor_atom(receptor, begin);
        add_pairs(receptor.places + j, pairs + j, receptor.block_atoms, count, x, y, z, energy);
    }
#else
    add_pairs(receptor.places, pairs, length, count, x, y, z, energy);
#endif
}

/* The energies of `count` ligand atoms of one type, each added to the poses' totals. */
DEVICE_FN void score_atoms(receptor_view receptor, int length, int type, GLOBAL const qn_float4 *atoms,
                           pose_range range, LOCAL_PTR qn_float4 *tile, const int count, LANES *total)
{
    LANES x[ATOMS_PER_ITEM][POSES_PER_ITEM], y[ATOMS_PER_ITEM][POSES_PER_ITEM], z[ATOMS_PER_ITEM][POSES_PER_ITEM];
    LANES energy[ATOMS_PER_ITEM][POSES_PER_ITEM];
    place_atoms(atoms, range, count, x, y, z);
    UNROLL
    for (int a = 0; a < count; a++) {
        UNROLL
        for (int p = 0; p < POSES_PER_ITEM; p++) energy[a][p] = SPLAT(0.0f);
    }
    for (int row = type; row >= 0; row = row == type ? receptor.second_rows[type] : -1)
        add_row(receptor, row, length, tile, count, x, y, z, energy);
    UNROLL
    for (int a = 0; a < count; a++) {
        UNROLL
        for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = total[p] + energy[a][p];
    }
}

/* How many ligand atoms from `atom` on to score at once: 1, 2 or 4, all of one type. */
DEVICE_FN int count_alike(GLOBAL const qn_float4 *atoms, int atom, int atom_count)
{
    int alike = 1;
    while (alike < ATOMS_PER_ITEM && atom + alike < atom_count &&
           FLOAT_BITS(atoms[atom + alike].w) == FLOAT_BITS(atoms[atom].w))
        alike++;
    return alike == 3 ? 2 : alike;
}

/* One group: GROUP_SIZE * POSES_PER_ITEM * VECTOR_WIDTH poses (x) of one job (y). */
KERNEL SCORE_LIMIT void score(
    GLOBAL const qn_float4 *RESTRICT places, GLOBAL const qn_float4 *RESTRICT pairs,
    GLOBAL const int *RESTRICT second_rows, GLOBAL const int *RESTRICT masks, GLOBAL const int *RESTRICT jobs,
    GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const float *RESTRICT transforms, GLOBAL float *RESTRICT energies,
    int stride, int poses, int job_count, float first_x, float first_y, float first_z, float cells_per_angstrom,
    int nx, int ny, int nz, int block_atoms, int words, int exact, int cull)
{
#if TILE > 0
    LOCAL qn_float4 tile[2 * TILE];
#else
    LOCAL_PTR qn_float4 *tile = 0;
#endif
#if CULL
    LOCAL int blocks[MOST_BLOCKS + MOST_BLOCKS / 32];
#else
    LOCAL_PTR int *blocks = 0;
#endif
    receptor_view receptor = {places,  pairs,   second_rows,        masks, stride, first_x,     first_y,
                              first_z, cells_per_angstrom, nx,    ny,     nz,          block_atoms, words, blocks};
    const int job = GROUP_ID(1), atom_count = jobs[2 * job + 1];
    GLOBAL const qn_float4 *job_atoms = atoms + jobs[2 * job];
    pose_range range;
    range.transforms = transforms + (qn_int64)job * poses;
    range.first = (GROUP_ID(0) * (GROUP_SIZE * POSES_PER_ITEM) + LOCAL_ID(0)) * VECTOR_WIDTH;
    range.step = GROUP_SIZE * VECTOR_WIDTH;
    range.last = poses - VECTOR_WIDTH;
    range.row = (qn_int64)job_count * poses;
    LANES total[POSES_PER_ITEM];
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = SPLAT(0.0f);
    for (int atom = 0, count; atom < atom_count; atom += count) {
        int type = (int)FLOAT_BITS(job_atoms[atom].w), length = stride;
        count = count_alike(job_atoms, atom, atom_count);
#if CULL
        length = list_blocks(receptor, job_atoms + atom, count, range) * block_atoms;
#endif
#if ATOMS_PER_ITEM >= 4
        if (count == 4) score_atoms(receptor, length, type, job_atoms + atom, range, tile, 4, total);
#endif
#if ATOMS_PER_ITEM >= 2
        if (count == 2) score_atoms(receptor, length, type, job_atoms + atom, range, tile, 2, total);
#endif
        if (count == 1) score_atoms(receptor, length, type, job_atoms + atom, range, tile, 1, total);
    }
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) {
        int pose = range.first + p * range.step;
        if (pose <= range.last)
            VEC_STORE(VECTOR_WIDTH, energies + (qn_int64)job * poses + pose, total[p]);
    }
}
