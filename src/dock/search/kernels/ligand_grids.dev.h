/* Exact placement of ligand atoms in integers. All devices and the rescoring on the host use it and get the same bits.
 *
 * Lengths are in 1/4096 Å, matrix elements in 1/2^30, voxel coordinates in 1/4096 voxel, atom weights in 1/2^20. */
#ifndef QN_DOCK_LIGAND_GRIDS_DEV_H
#define QN_DOCK_LIGAND_GRIDS_DEV_H

/* Arguments of `spread` and `settle`, in order. */
enum { SPREAD_ATOMS, SPREAD_WEIGHTS, SPREAD_ROTATIONS, SPREAD_BOXES, SPREAD_SCALARS, SPREAD_ARGUMENTS };
enum { SETTLE_BOXES, SETTLE_GRIDS, SETTLE_SCALARS, SETTLE_ARGUMENTS };

typedef struct spread_scalars {
    int atom_count, rotation_count;
    int first_rotation; /* of the batch */
    int box;            /* side in voxels */
    int box_centre;     /* voxel of the rotation centre */
    int scale;          /* 2^20 / spacing in Å */
    int grids;
    int trilinear_grid; /* -1: none */
} spread_scalars;

typedef struct settle_scalars {
    int box;        /* side in voxels */
    int nx, ny, nz; /* sides of the grids */
} settle_scalars;

/* Shift a signed number right and round to nearest, halves up. */
DEVICE_FN qn_int64 rounded_shift(qn_int64 value, int bits)
{
    return (value + ((qn_int64)1 << (bits - 1))) >> bits;
}

/* Coordinate along one axis, in 1/4096 voxel of the ligand box: `row` is that axis' row of the matrix, `scale` is
 * 2^20 / spacing in Å, `box_centre` the voxel of the rotation centre. */
DEVICE_FN int box_coordinate(int row_x, int row_y, int row_z, int x, int y, int z, int scale, int box_centre)
{
    qn_int64 turned = rounded_shift((qn_int64)row_x * x + (qn_int64)row_y * y + (qn_int64)row_z * z, 30);
    return (int)rounded_shift(turned * scale, 20) + (box_centre << 12);
}

/* Nearest voxel of a coordinate. */
DEVICE_FN int nearest_voxel(int coordinate)
{
    return (coordinate + 2048) >> 12;
}

/* Share of `weight` that trilinear spreading gives to a corner 0 … 7: bit 0 is set for the upper voxel along x, bit 1
 * along y, bit 2 along z. */
DEVICE_FN int corner_share(int corner, int x, int y, int z, int weight)
{
    int fx = x & 4095, fy = y & 4095, fz = z & 4095;
    qn_int64 share = (qn_int64)((corner & 1) ? fx : 4096 - fx) * ((corner & 2) ? fy : 4096 - fy);
    share *= (corner & 4) ? fz : 4096 - fz; /* at most 2^36 */
    return (int)rounded_shift(share * weight, 36);
}

#endif
