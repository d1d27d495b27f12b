/* Layout of a part of a plane in a group's local memory. The kernel and the code that sizes its launch share it.
 *
 * A part of a plane is `columns` consecutive values of kx. A kept row is one complex row made of two real ones: the
 * same row of two grids or, if `folded`, two neighbouring rows of one grid. The group keeps its transform Z at the
 * part's kx and at nx - kx, which are needed to separate the two rows; a part with all columns keeps the whole Z. Local
 * memory also holds a tile through which items exchange points of the lines that are transformed at once, the roots of
 * both axes, and the first and last row that are not empty. If a kept row has room for the box's cells too, the plane
 * is `whole`: all of its atoms are added at once. */
#ifndef QN_DOCK_LIGAND_PLANES_DEV_H
#define QN_DOCK_LIGAND_PLANES_DEV_H

/* Bytes of a compute unit's local memory that CUDA reserves for each group. */
#define PLANE_RESERVED_BYTES 1024

/* Arguments of `place` and `planes`, in order. */
enum { PLACE_ATOMS, PLACE_ROTATIONS, PLACE_POSITIONS, PLACE_SCALARS, PLACE_ARGUMENTS };
enum { PLANES_POSITIONS, PLANES_WEIGHTS, PLANES_ROOTS, PLANES_PLANES, PLANES_SCALARS, PLANES_ARGUMENTS };

typedef struct place_scalars {
    int atom_count, rotation_count;
    int first_rotation; /* of the batch */
    int box_centre;     /* voxel of the rotation centre */
    int scale;          /* 2^20 / spacing in Å */
} place_scalars;

/* nx, ny and box are for the host's kernel; devices compile them into their kernel. */
typedef struct planes_scalars {
    int atoms, grids;
    int trilinear_grid; /* -1: none */
    int batch;          /* rotations */
    int nx, ny, box;
    float plane_scale; /* multiplies planes in half precision */
    int room;          /* bytes of local memory that a group may have */
    int resident_most; /* largest number of groups that share these bytes */
} planes_scalars;

/* Number of kept rows of a plane. */
DEVICE_FN int plane_rows(int box, bool folded)
{
    return folded ? (box + 1) / 2 : box;
}

/* Length of a piece if `count` is divided evenly into as few pieces of at most `most` as possible. */
DEVICE_FN int plane_piece(int count, int most)
{
    int pieces = (count + most - 1) / most;
    return (count + pieces - 1) / pieces;
}

/* Numbers of kept rows and of columns that are transformed at once, with at most `lines` lines. A column is one line
 * for each of the group's grids. */
DEVICE_FN int plane_rows_at_once(int box, int lines, bool folded)
{
    return plane_piece(plane_rows(box, folded), lines);
}

DEVICE_FN int plane_columns_at_once(int width, int lines, bool folded)
{
    return plane_piece(width, folded ? lines : lines / 2);
}

/* Number of lines that the tile has room for. */
DEVICE_FN int plane_tile_lines(int width, int box, int lines, bool folded)
{
    int columns = plane_columns_at_once(width, lines, folded);
    return MAX(plane_rows_at_once(box, lines, folded), folded ? columns : 2 * columns);
}

/* Number of columns of every part but the last, which may have fewer. */
DEVICE_FN int plane_part_columns(int width, int parts)
{
    return (width + parts - 1) / parts;
}

/* Distance between kept rows, in complex numbers; odd, so that accesses along rows and columns spread over all banks.
 */
DEVICE_FN int plane_pitch(int nx, int box, int columns, bool whole)
{
    int kept = MIN(2 * columns, nx);
    return MAX(kept, whole ? box : 0) | 1;
}

/* Bytes of local memory that a group needs. */
DEVICE_FN int plane_bytes(int nx, int ny, int box, int lines, bool folded, int columns, bool whole)
{
    int roots = nx == ny ? nx : nx + ny, tile = plane_tile_lines(nx / 2 + 1, box, lines, folded) * MAX(nx, ny);
    return 8 * (plane_rows(box, folded) * plane_pitch(nx, box, columns, whole) + tile + roots + 1);
}

/* Largest share of `room` bytes for a group if `resident` groups share them, or fewer if these do not fit. */
DEVICE_FN int plane_share(int nx, int ny, int box, int lines, bool folded, int resident, int room)
{
    int share = room;
    for (; resident > 1; resident--) {
        share = (room + PLANE_RESERVED_BYTES) / resident - PLANE_RESERVED_BYTES;
        if (share >= plane_bytes(nx, ny, box, lines, folded, 1, false)) return share;
    }
    return room;
}

#endif
