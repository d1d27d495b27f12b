/* Energies of poses. score_poses.h has the equations and the order of sums, score_poses.dev.h the folding of a pair.
 * Definition: EXACT 1 for correctly rounded results.
 *
 * Shapes: places float4 [x y z 0] of `stride` receptor atoms, a multiple of 8, the last ones without energy. pairs
 * float4 [contact, end, contact ramp, end ramp] in rows of `stride`: row `type` has the first two ramps of a ligand
 * type with each receptor atom, row second_rows[type] (unless that is -1) the second end ramps of pairs that have
 * both a charge and a desolvation term. EXACT: contact and end in angstrom and slopes; else minus their reciprocals
 * and heights. jobs int2; atoms [x y z type]; transforms [12][jobs * poses]; energies [jobs * poses].
 *
 * A work-item holds POSES_PER_ITEM * VECTOR_WIDTH poses and up to ATOMS_PER_ITEM ligand atoms of one type at once. */
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

#include "score/kernels/score_poses.dev.h"
#include "score/kernels/score_poses_ramps.dev.h"

#if RESIDENT
#define SCORE_LIMIT GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT)
#else
#define SCORE_LIMIT GROUP_LIMIT(GROUP_SIZE, 1, 1)
#endif
#if TILE > 0
#define NEAR_MEMORY LOCAL_PTR
#else
#define NEAR_MEMORY GLOBAL
#endif

/* The receptor in device memory. */
typedef struct receptor_view {
    GLOBAL const qn_float4 *places;
    GLOBAL const qn_float4 *pairs;
    GLOBAL const int *second_rows;
    int stride;
} receptor_view;

/* The poses of a work-item among those of a job. */
typedef struct pose_range {
    GLOBAL const float *transforms; /* of the job */
    int first;                      /* pose of the work-item's first vector */
    int step;                       /* distance of its vectors */
    int last;                       /* pose of the last vector, which is repeated beyond the end */
    qn_int64 row;                   /* distance of the twelve numbers of a pose */
} pose_range;

/* Compute the positions of `count` ligand atoms in each pose. */
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

/* Add the pairs of one row with all receptor atoms in their order. */
DEVICE_FN void add_row(receptor_view receptor, int row, LOCAL_PTR qn_float4 *tile, const int count,
                       LANES (*x)[POSES_PER_ITEM], LANES (*y)[POSES_PER_ITEM], LANES (*z)[POSES_PER_ITEM],
                       LANES (*energy)[POSES_PER_ITEM])
{
    GLOBAL const qn_float4 *pairs = receptor.pairs + (qn_int64)row * receptor.stride;
#if TILE > 0
    for (int begin = 0; begin < receptor.stride; begin += TILE) {
        int tiled = MIN(TILE, receptor.stride - begin);
        LOCAL_BARRIER();
        for (int i = LOCAL_ID(0); i < tiled; i += GROUP_SIZE) {
            tile[i] = receptor.places[begin + i];
            tile[TILE + i] = pairs[begin + i];
        }
        LOCAL_BARRIER();
        add_pairs(tile, tile + TILE, tiled, count, x, y, z, energy);
    }
#else
    add_pairs(receptor.places, pairs, receptor.stride, count, x, y, z, energy);
#endif
}

/* Add the energies of `count` ligand atoms of one type to the totals of the poses. */
DEVICE_FN void score_atoms(receptor_view receptor, int type, GLOBAL const qn_float4 *atoms, pose_range range,
                           LOCAL_PTR qn_float4 *tile, const int count, LANES *total)
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
        add_row(receptor, row, tile, count, x, y, z, energy);
    UNROLL
    for (int a = 0; a < count; a++) {
        UNROLL
        for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = total[p] + energy[a][p];
    }
}

/* Number of ligand atoms from `atom` on that are scored together: 1, 2 or 4, all of one type. */
DEVICE_FN int count_alike(GLOBAL const qn_float4 *atoms, int atom, int atom_count)
{
    int alike = 1;
    while (alike < ATOMS_PER_ITEM && atom + alike < atom_count &&
           FLOAT_BITS(atoms[atom + alike].w) == FLOAT_BITS(atoms[atom].w))
        alike++;
    return alike == 3 ? 2 : alike;
}

/* Score GROUP_SIZE * POSES_PER_ITEM * VECTOR_WIDTH poses (x) of one job (y) in each group. */
KERNEL SCORE_LIMIT void score(
    GLOBAL const qn_float4 *RESTRICT places, GLOBAL const qn_float4 *RESTRICT pairs,
    GLOBAL const int *RESTRICT second_rows, GLOBAL const int *RESTRICT jobs, GLOBAL const qn_float4 *RESTRICT atoms,
    GLOBAL const float *RESTRICT transforms, GLOBAL float *RESTRICT energies, const score_scalars s)
{
#if TILE > 0
    LOCAL qn_float4 tile[2 * TILE];
#else
    LOCAL_PTR qn_float4 *tile = 0;
#endif
    receptor_view receptor = {places, pairs, second_rows, s.stride};
    const int job = GROUP_ID(1), atom_count = jobs[2 * job + 1];
    GLOBAL const qn_float4 *job_atoms = atoms + jobs[2 * job];
    pose_range range;
    range.transforms = transforms + (qn_int64)job * s.poses;
    range.first = (GROUP_ID(0) * (GROUP_SIZE * POSES_PER_ITEM) + LOCAL_ID(0)) * VECTOR_WIDTH;
    range.step = GROUP_SIZE * VECTOR_WIDTH;
    range.last = s.poses - VECTOR_WIDTH;
    range.row = (qn_int64)s.job_count * s.poses;
    LANES total[POSES_PER_ITEM];
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = SPLAT(0.0f);
    for (int atom = 0, count; atom < atom_count; atom += count) {
        int type = (int)FLOAT_BITS(job_atoms[atom].w);
        count = count_alike(job_atoms, atom, atom_count);
#if ATOMS_PER_ITEM >= 4
        if (count == 4) score_atoms(receptor, type, job_atoms + atom, range, tile, 4, total);
#endif
#if ATOMS_PER_ITEM >= 2
        if (count == 2) score_atoms(receptor, type, job_atoms + atom, range, tile, 2, total);
#endif
        if (count == 1) score_atoms(receptor, type, job_atoms + atom, range, tile, 1, total);
    }
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) {
        int pose = range.first + p * range.step;
        if (pose <= range.last)
            VEC_STORE(VECTOR_WIDTH, energies + (qn_int64)job * s.poses + pose, total[p]);
    }
}
