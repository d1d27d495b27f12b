/* How a group lays out its part of a plane in local memory: the kernel and who sizes its launch must agree.
 *
 * A part of a plane is `columns` values of kx from a first one on. Kept rows are two real ones in one complex: row of
 * two grids or, `folded`, two neighbouring rows of one grid. Of each the group keeps the transform Z there and, as
 * taking the rows apart needs them, at nx - kx; a part that is all columns
 * keeps Z as it is. Beside these lines there are a tile through which items exchange points of as many lines as are
 * transformed at once, the roots of both axes, and the first and last row that are not empty. Where a row has room for
 * the box's cells too, the plane is `whole`: all of its atoms are added at once. */
#ifndef QN_DOCK_LIGAND_PLANES_DEV_H
#define QN_DOCK_LIGAND_PLANES_DEV_H

/* What CUDA keeps of a compute unit's local memory for itself, of each group. */
#define PLANE_RESERVED_BYTES 1024

/* Kept rows of a plane. */
DEVICE_FN int plane_rows(int box, bool folded)
{
    return folded ? (box + 1) / 2 : box;
}

/* A count cut evenly into as few pieces of at most `most` as there can be: the length of a piece. */
DEVICE_FN int plane_piece(int count, int most)
{
    int pieces = (count + most - 1) / most;
    return (count + pieces - 1) / pieces;
}

/* Kept rows, and columns, that are transformed at once where at most `lines` lines are. A column is a line of each of
 * the group's grids. */
DEVICE_FN int plane_rows_at_once(int box, int lines, bool folded)
{
    return plane_piece(plane_rows(box, folded), lines);
}

DEVICE_FN int plane_columns_at_once(int width, int lines, bool folded)
{
    return plane_piece(width, folded ? lines : lines / 2);
}

/* Lines that the tile has room for. */
DEVICE_FN int plane_tile_lines(int width, int box, int lines, bool folded)
{
    int columns = plane_columns_at_once(width, lines, folded);
    return MAX(plane_rows_at_once(box, lines, folded), folded ? columns : 2 * columns);
}

/* Columns of every part but the last, which may have fewer. */
DEVICE_FN int plane_part_columns(int width, int parts)
{
    return (width + parts - 1) / parts;
}

/* From one row to the next, in complex numbers; odd, so that neither rows nor columns meet in a few banks. */
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

/* Most that a group may take of `room` bytes when `resident` groups are to share it, or fewer where they cannot. */
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
