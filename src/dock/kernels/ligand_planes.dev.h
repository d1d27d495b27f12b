/* How a group lays out its part of a plane in local memory: the kernel and who sizes its launch must agree.
 *
 * A part of a plane is `columns` values of kx from a first one on. For each row of the box the group keeps the packed
 * transform Z of both grids there and, as taking the grids apart needs them, at nx - kx; a part that is all columns
 * keeps Z as it is. Beside these lines there are a tile through which items exchange points of as many lines as are
 * transformed at once, the roots of both axes, and the first and last row that are not empty. Where a row has room for
 * the box's cells too, the plane is `whole`: all of its atoms are added at once. */
#ifndef QN_DOCK_LIGAND_PLANES_DEV_H
#define QN_DOCK_LIGAND_PLANES_DEV_H

/* What CUDA keeps of a compute unit's local memory for itself, of each group. */
#define PLANE_RESERVED_BYTES 1024

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
DEVICE_FN int plane_bytes(int nx, int ny, int box, int lines, int columns, bool whole)
{
    int roots = nx == ny ? nx : nx + ny;
    return 8 * (box * plane_pitch(nx, box, columns, whole) + lines * MAX(nx, ny) + roots + 1);
}

/* Most that a group may take of `room` bytes when `resident` groups are to share it, or fewer where they cannot. */
DEVICE_FN int plane_share(int nx, int ny, int box, int lines, int resident, int room)
{
    int share = room;
    for (; resident > 1; resident--) {
        share = (room + PLANE_RESERVED_BYTES) / resident - PLANE_RESERVED_BYTES;
        if (share >= plane_bytes(nx, ny, box, lines, 1, false)) return share;
    }
    return room;
}

#endif
