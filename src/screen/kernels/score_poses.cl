/* Energies of poses: what is computed, in which order, stands in score_poses.h, the folding of a pair in
 * score_poses.dev.h. Definitions: EXACT 1 for correctly rounded roots.
 *
 * Shapes: places float4 [x y z 0] and pairs float4 [contact, end, contact energy, end energy], both of `stride` receptor
 * atoms (a multiple of 8, the last ones without energy): places[stride], pairs[type][stride]. Behind these, from
 * places[stride] and pairs[types * stride] on, second ramps of the few pairs that have both a charge and a desolvation
 * term: those of a type are extra_starts[type] ... extra_starts[type + 1] - 1, in multiples of 8.
 * jobs int2; atoms [x y z type]; transforms [12][jobs * poses]; energies [jobs * poses].
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
#ifndef EXACT
#error "EXACT: 1 for correctly rounded roots"
#endif

#define LANES VEC(float, VECTOR_WIDTH)
#define SPLAT(x) VEC_SPLAT(float, VECTOR_WIDTH, x)
#if TILE > 0
#define NEAR_MEMORY LOCAL_PTR
#else
#define NEAR_MEMORY GLOBAL
#endif

/* Work-items' places among the poses of a job. */
typedef struct pose_range {
    int first;    /* of the work-item's first vector */
    int step;     /* from vector to vector */
    int last;     /* the last vector that exists: beyond it this one is done again */
    qn_int64 row; /* from one of the twelve numbers to the next */
} pose_range;

DEVICE_FN LANES distance_of(LANES square)
{
#if EXACT
    return SQRT(square);
#else
    return square * FAST_RSQRT(square);
#endif
}

/* At most 1 as it is: r is not negative. Saturation from above as well is free where there is such an instruction. */
DEVICE_FN LANES ramp(LANES r, float slope)
{
    LANES height = FMA(r, SPLAT(slope), SPLAT(1.0f));
#if VECTOR_WIDTH == 1
    return SATURATE(height);
#else
    return VEC_SELECT(height > SPLAT(0.0f), height, SPLAT(0.0f));
#endif
}

/* Where the ligand atoms first ... first + count - 1 are in each pose. */
DEVICE_FN void place_atoms(GLOBAL const qn_float4 *atoms, GLOBAL const float *transforms, pose_range range,
                           const int count, LANES (*x)[POSES_PER_ITEM], LANES (*y)[POSES_PER_ITEM],
                           LANES (*z)[POSES_PER_ITEM])
{
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) {
        GLOBAL const float *pose = transforms + MIN(range.first + p * range.step, range.last);
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
                    energy[a][p] = FMA(ramp(r, pair.x), SPLAT(pair.z), energy[a][p]);
                    energy[a][p] = FMA(ramp(r, pair.y), SPLAT(pair.w), energy[a][p]);
                }
            }
        }
    }
}

/* The energies of `count` ligand atoms of one type, each added to the poses' totals. */
DEVICE_FN void score_atoms(GLOBAL const qn_float4 *places, GLOBAL const qn_float4 *pairs,
                           GLOBAL const int *extra_starts, int stride, int types, int type,
                           GLOBAL const qn_float4 *atoms, GLOBAL const float *transforms, pose_range range,
                           LOCAL_PTR qn_float4 *tile, const int count, LANES *total)
{
    LANES x[ATOMS_PER_ITEM][POSES_PER_ITEM], y[ATOMS_PER_ITEM][POSES_PER_ITEM], z[ATOMS_PER_ITEM][POSES_PER_ITEM];
    LANES energy[ATOMS_PER_ITEM][POSES_PER_ITEM];
    place_atoms(atoms, transforms, range, count, x, y, z);
    UNROLL
    for (int a = 0; a < count; a++) {
        UNROLL
        for (int p = 0; p < POSES_PER_ITEM; p++) energy[a][p] = SPLAT(0.0f);
    }
    for (int part = 0; part < 2; part++) { /* all receptor atoms, then the second ramps */
        int extra = extra_starts[type], length = part == 0 ? stride : extra_starts[type + 1] - extra;
        GLOBAL const qn_float4 *part_places = places + (part == 0 ? 0 : stride + extra);
        GLOBAL const qn_float4 *part_pairs = pairs + (part == 0 ? type * stride : types * stride + extra);
#if TILE > 0
        for (int begin = 0; begin < length; begin += TILE) {
            int tiled = MIN(TILE, length - begin);
            LOCAL_BARRIER();
            for (int i = LOCAL_ID(0); i < tiled; i += GROUP_SIZE) {
                tile[i] = part_places[begin + i];
                tile[TILE + i] = part_pairs[begin + i];
            }
            LOCAL_BARRIER();
            add_pairs(tile, tile + TILE, tiled, count, x, y, z, energy);
        }
#else
        add_pairs(part_places, part_pairs, length, count, x, y, z, energy);
#endif
    }
    UNROLL
    for (int a = 0; a < count; a++) {
        UNROLL
        for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = total[p] + energy[a][p];
    }
}

/* One group: GROUP_SIZE * POSES_PER_ITEM * VECTOR_WIDTH poses (x) of one job (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void score(GLOBAL const qn_float4 *RESTRICT places,
                                                GLOBAL const qn_float4 *RESTRICT pairs,
                                                GLOBAL const int *RESTRICT extra_starts,
                                                GLOBAL const int *RESTRICT jobs,
                                                GLOBAL const qn_float4 *RESTRICT atoms,
                                                GLOBAL const float *RESTRICT transforms,
                                                GLOBAL float *RESTRICT energies, int stride, int types, int poses,
                                                int job_count)
{
#if TILE > 0
    LOCAL qn_float4 tile[2 * TILE];
#else
    LOCAL_PTR qn_float4 *tile = 0;
#endif
    const int job = GROUP_ID(1), atom_count = jobs[2 * job + 1];
    const qn_int64 first_pose = (qn_int64)job * poses;
    GLOBAL const qn_float4 *job_atoms = atoms + jobs[2 * job];
    pose_range range;
    range.first = (GROUP_ID(0) * (GROUP_SIZE * POSES_PER_ITEM) + LOCAL_ID(0)) * VECTOR_WIDTH;
    range.step = GROUP_SIZE * VECTOR_WIDTH;
    range.last = poses - VECTOR_WIDTH;
    range.row = (qn_int64)job_count * poses;
    LANES total[POSES_PER_ITEM];
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) total[p] = SPLAT(0.0f);
    for (int atom = 0; atom < atom_count;) {
        int type = (int)FLOAT_BITS(job_atoms[atom].w), alike = 1;
        while (alike < ATOMS_PER_ITEM && atom + alike < atom_count &&
               (int)FLOAT_BITS(job_atoms[atom + alike].w) == type)
            alike++;
#if ATOMS_PER_ITEM >= 4
        if (alike >= 4) {
            score_atoms(places, pairs, extra_starts, stride, types, type, job_atoms + atom, transforms + first_pose,
                        range, tile, 4, total);
            atom += 4;
            continue;
        }
#endif
#if ATOMS_PER_ITEM >= 2
        if (alike >= 2) {
            score_atoms(places, pairs, extra_starts, stride, types, type, job_atoms + atom, transforms + first_pose,
                        range, tile, 2, total);
            atom += 2;
            continue;
        }
#endif
        score_atoms(places, pairs, extra_starts, stride, types, type, job_atoms + atom, transforms + first_pose, range,
                    tile, 1, total);
        atom++;
    }
    UNROLL
    for (int p = 0; p < POSES_PER_ITEM; p++) {
        int pose = range.first + p * range.step;
        if (pose <= range.last) VEC_STORE(VECTOR_WIDTH, energies + first_pose + pose, total[p]);
    }
}
