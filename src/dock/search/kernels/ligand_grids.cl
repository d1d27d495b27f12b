/* Ligand grids of a batch of rotations: rotate the atoms, add them to integer boxes, convert the boxes to floats.
 *
 * Shapes: atoms 8 int32 each (x y z in 1/4096 Å about the rotation centre, 5 spare); weights [grids][atom_count];
 * rotations 9 int32 each (1/2^30, row-major); boxes [rotation][grids][box^3]; grids [rotation][grids][nz][ny][nx].
 * Weights of grid `trilinear_grid` (-1: none) are spread over the 8 voxels around an atom, those of other grids are
 * added to the nearest voxel. */
#include "dock/search/kernels/ligand_grids.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef VOXELS_PER_ITEM
#error "VOXELS_PER_ITEM: voxels that an item settles"
#endif

/* An item adds one atom (x) of one rotation (y). Beyond the end, a batch repeats the last rotation. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void spread(
    GLOBAL const int *RESTRICT atoms, GLOBAL const int *RESTRICT weights, GLOBAL const int *RESTRICT rotations,
    GLOBAL int *RESTRICT boxes, const spread_scalars s)
{
    int atom = (int)GLOBAL_ID(0), slot = (int)GLOBAL_ID(1);
    int rotation = MIN(s.first_rotation + slot, s.rotation_count - 1);
    if (atom >= s.atom_count) return;
    GLOBAL const int *m = rotations + 9 * rotation;
    int ax = atoms[8 * atom], ay = atoms[8 * atom + 1], az = atoms[8 * atom + 2];
    int x = box_coordinate(m[0], m[1], m[2], ax, ay, az, s.scale, s.box_centre);
    int y = box_coordinate(m[3], m[4], m[5], ax, ay, az, s.scale, s.box_centre);
    int z = box_coordinate(m[6], m[7], m[8], ax, ay, az, s.scale, s.box_centre);
    int volume = s.box * s.box * s.box;
    int nearest = nearest_voxel(x) + s.box * (nearest_voxel(y) + s.box * nearest_voxel(z));
    for (int grid = 0; grid < s.grids; grid++) {
        int weight = weights[grid * s.atom_count + atom];
        GLOBAL int *target = boxes + (qn_int64)(slot * s.grids + grid) * volume;
        if (weight == 0) continue;
        if (grid != s.trilinear_grid) {
            ATOMIC_ADD_INT(target + nearest, weight);
            continue;
        }
        for (int corner = 0; corner < 8; corner++) {
            int cell = (x >> 12) + (corner & 1) +
                       s.box * ((y >> 12) + ((corner >> 1) & 1) + s.box * ((z >> 12) + (corner >> 2)));
            ATOMIC_ADD_INT(target + cell, corner_share(corner, x, y, z, weight));
        }
    }
}

/* An item converts VOXELS_PER_ITEM voxels (x) of one box (y), GROUP_SIZE apart; it reads all of them before it uses the
 * first, to wait for memory once only. The kernel writes the corner of the float grid that the box covers, and sets the
 * box to 0 for the next batch. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void settle(
    GLOBAL int *RESTRICT boxes, GLOBAL float *RESTRICT grids, const settle_scalars s)
{
    int first = (int)GROUP_ID(0) * GROUP_SIZE * VOXELS_PER_ITEM + (int)LOCAL_ID(0), volume = s.box * s.box * s.box;
    qn_int64 slot = (qn_int64)GLOBAL_ID(1);
    GLOBAL int *own = boxes + slot * volume;
    int values[VOXELS_PER_ITEM];
    UNROLL
    for (int i = 0; i < VOXELS_PER_ITEM; i++) {
        int voxel = first + i * GROUP_SIZE;
        values[i] = voxel < volume ? own[voxel] : 0;
    }
    UNROLL
    for (int i = 0; i < VOXELS_PER_ITEM; i++) {
        int voxel = first + i * GROUP_SIZE, row = voxel / s.box, z = row / s.box, y = row - z * s.box, x = voxel - row * s.box;
        if (voxel >= volume) continue;
        if (values[i] != 0) own[voxel] = 0;
        grids[((slot * s.nz + z) * s.ny + y) * s.nx + x] = (float)values[i] * (1.0f / 1048576.0f);
    }
}
