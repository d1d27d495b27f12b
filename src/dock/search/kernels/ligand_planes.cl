/* Atoms of a batch of rotations → planes of their boxes, transformed along x and y.
 *
 * Shapes: atoms 8 int32 each (x y z in 1/4096 Å about the rotation centre, 5 spare); rotations 9 int32 each (1/2^30,
 * row-major); positions [slot][3][atoms] in 1/4096 voxel of the box; weights [grids][atoms] in 1/2^20; roots of nx,
 * then of ny; planes [slot][grid][z < BOX][COLUMNS], column kx + WIDTH ky. Weights of grid `trilinear_grid` (-1: none)
 * are spread over the 8 voxels around an atom, those of other grids are added to the nearest voxel.
 *
 * Two real rows g and h are transformed as one complex row, Z = G + i H. Because G(-k) = conj G(k) and H(-k) = conj
 * H(k), G(k) = (Z(k) + conj Z(-k)) / 2 and H(k) = -i (Z(k) - conj Z(-k)) / 2. The two are rows 2 i and 2 i + 1 of one
 * grid if an item's points of a column are all even or all odd (FOLDED), else the same row of two grids. */
#include "dock/search/kernels/ligand_grids.dev.h"
#include "dock/search/kernels/ligand_planes.dev.h"
#include "fft/kernels/line.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef LINES
#error "LINES: lines transformed at once, even"
#endif
#ifndef MOST_LINES
#error "MOST_LINES: for which local memory has room, even"
#endif
#ifndef FOLD_ROWS
#error "FOLD_ROWS: whether neighbouring rows of a grid are transformed as one, or two grids' rows"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that are to share a compute unit"
#endif
#ifndef SPLIT
#error "SPLIT: which radices, 0, 1 or 2"
#endif
#ifndef X_LENGTH
#error "X_LENGTH: cells of a row; its radices with it"
#endif
#ifndef Y_LENGTH
#error "Y_LENGTH: cells of a column; its radices with it"
#endif
#ifndef BOX
#error "BOX: side of the box that holds the ligand"
#endif
#ifndef COLUMNS
#error "COLUMNS: of a plane, with padding"
#endif
#ifndef HALVES
#error "HALVES: 1 where planes are in half precision"
#endif

#define ITEM LOCAL_ID(0)
#define LINES_AT_ONCE (LINES < MOST_LINES ? LINES : MOST_LINES)
#define ATOMS_AT_ONCE 8                                /* atoms that an item reads before it waits for memory */
#define WIDTH (X_LENGTH / 2 + 1)
#define X_R0 LINE_RADIX(X, 0)
#define X_R1 LINE_RADIX(X, 1)
#define X_R2 LINE_RADIX(X, 2)
#define Y_R0 LINE_RADIX(Y, 0)
#define Y_R1 LINE_RADIX(Y, 1)
#define Y_R2 LINE_RADIX(Y, 2)
#define TILE_POINTS (X_LENGTH > Y_LENGTH ? X_LENGTH : Y_LENGTH)
#define FOLDED (FOLD_ROWS && Y_LENGTH / Y_R0 % 2 == 0)
#define GRIDS_OF_GROUP (FOLDED ? 1 : 2)
#define KEPT_ROWS plane_rows(BOX, FOLDED)
#define ROWS plane_rows_at_once(BOX, LINES_AT_ONCE, FOLDED)
#define PAIRS plane_columns_at_once(WIDTH, LINES_AT_ONCE, FOLDED) /* columns: each a line, or one of both grids */

#if HALVES
typedef qn_uint32 plane_value;
#define PLANE_VALUE(value) PACK_HALVES(value)
#else
typedef qn_complex plane_value;
#define PLANE_VALUE(value) (value)
#endif

/* The part of a plane that a group computes, and its inputs. */
typedef struct plane_job {
    GLOBAL const int *positions; /* of its rotation */
    GLOBAL const int *weights;
    int atoms, grids, trilinear_grid;
    int grid, z;                /* the first of the group's grids; the plane */
    int first_column;           /* kx of the part's first column */
    int columns, pitch;         /* columns of the part; distance between kept rows */
    int first_row, last_row;    /* first and last kept row with atoms: rows outside are 0 and are left out */
    LOCAL_PTR int *rows_filled; /* the same while atoms are added */
    float factor; /* multiplies the integers of atoms: their unit, 1/2 for the separation of rows, scale of planes */
} plane_job;

/* An item places one atom (x) of one rotation (y). Beyond the end, a batch repeats the last rotation. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void place(
    GLOBAL const int *RESTRICT atoms, GLOBAL const int *RESTRICT rotations, GLOBAL int *RESTRICT positions,
    const place_scalars s)
{
    int atom = GLOBAL_ID(0), slot = GLOBAL_ID(1);
    if (atom >= s.atom_count) return;
    GLOBAL const int *m = rotations + 9 * MIN(s.first_rotation + slot, s.rotation_count - 1);
    GLOBAL int *position = positions + (qn_int64)slot * 3 * s.atom_count + atom;
    int x = atoms[8 * atom], y = atoms[8 * atom + 1], z = atoms[8 * atom + 2];
    for (int axis = 0; axis < 3; axis++)
        position[axis * s.atom_count] =
            box_coordinate(m[3 * axis], m[3 * axis + 1], m[3 * axis + 2], x, y, z, s.scale, s.box_centre);
}

/* Add the weights of an atom near the plane to the cells of kept rows first_row ... first_row + rows - 1, and record
 * the atom's rows. Cell x of kept row first_row + r has two integers at 2 (x_step x + row_step r): those of a row and
 * of the next one, or of the same row of two grids. */
DEVICE_FN void add_atom(const plane_job *job, int atom, LOCAL_PTR int *cells, int x_step, int row_step, int first_row,
                        int rows)
{
    int x = job->positions[atom], y = job->positions[job->atoms + atom];
    int z = job->positions[2 * job->atoms + atom];
    int first_weight = job->weights[job->grid * job->atoms + atom];
    int second_weight = GRIDS_OF_GROUP == 2 && job->grid + 1 < job->grids ? job->weights[(job->grid + 1) * job->atoms + atom] : 0;
    int upper = job->z - (z >> 12); /* 0 or 1: whether the plane is above the atom */
    for (int which = 0; which < GRIDS_OF_GROUP; which++) {
        int weight = which == 0 ? first_weight : second_weight;
        bool trilinear = job->grid + which == job->trilinear_grid;
        if (weight == 0 || (!trilinear && nearest_voxel(z) != job->z)) continue;
        for (int corner = 0; corner < (trilinear ? 4 : 1); corner++) {
            int column = trilinear ? (x >> 12) + (corner & 1) : nearest_voxel(x);
            int row = trilinear ? (y >> 12) + (corner >> 1) : nearest_voxel(y);
            int share = trilinear ? corner_share(corner | upper << 2, x, y, z, weight) : weight;
            int second = FOLDED ? row & 1 : which;
            if (share == 0) continue;
            row = FOLDED ? row >> 1 : row;
            LOCAL_ATOMIC_MIN_INT(job->rows_filled, row);
            LOCAL_ATOMIC_MAX_INT(job->rows_filled + 1, row);
            row -= first_row;
            if (row >= 0 && row < rows)
                LOCAL_ATOMIC_ADD_INT(cells + 2 * (x_step * column + row_step * row) + second, share);
        }
    }
}

/* Find those of an item's next ATOMS_AT_ONCE atoms, from `first`, that are near the plane. Returns one bit for each. */
DEVICE_FN int find_near(const plane_job *job, int first)
{
    GLOBAL const int *z = job->positions + 2 * job->atoms;
    int near = 0;
    UNROLL
    for (int i = 0; i < ATOMS_AT_ONCE; i++) {
        int atom = first + i * GROUP_SIZE;
        int above = atom < job->atoms ? job->z - (z[atom] >> 12) : -1;
        near |= (above == 0 || above == 1 ? 1 : 0) << i;
    }
    return near;
}

/* Add all atoms; `near`: result of find_near for the item's first atoms. */
DEVICE_FN void add_atoms(const plane_job *job, int near, LOCAL_PTR int *cells, int x_step, int row_step, int first_row,
                         int rows)
{
    for (int first = ITEM; first < job->atoms; first += ATOMS_AT_ONCE * GROUP_SIZE) {
        if (first != ITEM) near = find_near(job, first);
        for (; near != 0; near &= near - 1)
            add_atom(job, first + BIT_COUNT((near & -near) - 1) * GROUP_SIZE, cells, x_step, row_step, first_row, rows);
    }
}

/* First pass of rows first_row ... first_row + ROWS - 1. Cell x of row first_row + r is at cells[x_step x + row_step
 * r], two integers; `cells` may be the tile itself. */
DEVICE_FN void start_rows(const plane_job *job, LOCAL_PTR const qn_complex *cells, int x_step, int row_step,
                          int first_row, LOCAL_PTR qn_complex *tile, LOCAL_PTR const qn_complex *roots)
{
    const int apart = X_LENGTH / X_R0;
    UNROLL_BY(1)
    for (int piece = ITEM; piece < ROWS * apart; piece += GROUP_SIZE) {
        int line = piece % ROWS, p = piece / ROWS;
        LOCAL_PTR const qn_complex *from = cells + row_step * line + x_step * p;
        qn_complex x[16];
        if (first_row + line > job->last_row) continue;
        UNROLL
        for (int k = 0; k < X_R0; k++) {
            x[k] = COMPLEX_MAKE(0.0f, 0.0f);
            if (apart * k < BOX && p + apart * k < BOX) {
                qn_complex bits = from[x_step * apart * k];
                x[k] = COMPLEX_MAKE((float)(int)FLOAT_BITS(bits.x) * job->factor,
                                    (float)(int)FLOAT_BITS(bits.y) * job->factor);
            }
        }
        line_first(X_R0, x, p, roots);
        line_store_first(X_R0, apart, x, p, tile + line, ROWS);
    }
}

/* Middle pass of the tile's lines. */
DEVICE_FN void continue_lines(int r0, int r1, int r2, int lines, LOCAL_PTR qn_complex *tile,
                              LOCAL_PTR const qn_complex *roots)
{
    UNROLL_BY(1)
    for (int piece = ITEM; piece < lines * r0 * r2; piece += GROUP_SIZE)
        line_middle(r0, r1, r2, piece / lines, tile + piece % lines, lines, roots);
}

/* Last pass of rows. If the part is the whole plane, all of a spectrum is kept, else the part's columns and then those
 * at -kx. */
DEVICE_FN void finish_rows(const plane_job *job, LOCAL_PTR const qn_complex *tile, LOCAL_PTR qn_complex *plane,
                           int first_row)
{
    const int apart = X_LENGTH / X_R2;
    UNROLL_BY(1)
    for (int piece = ITEM; piece < ROWS * apart; piece += GROUP_SIZE) {
        int line = piece % ROWS, q = piece / ROWS, own = q - job->first_column;
        int other = job->columns + X_LENGTH - q - job->first_column;
        LOCAL_PTR qn_complex *row = plane + job->pitch * (first_row + line);
        qn_complex x[16];
        if (first_row + line > job->last_row) continue;
        line_last(X_R0, X_R1, X_R2, q, tile + line, ROWS, x);
        if (job->columns == WIDTH) {
            UNROLL
            for (int j = 0; j < X_R2; j++) row[q + apart * j] = x[j];
            continue;
        }
        UNROLL
        for (int j = 0; j < X_R2; j++) {
            if ((qn_uint32)(own + apart * j) < (qn_uint32)job->columns) row[own + apart * j] = x[j];
            if ((qn_uint32)(other - apart * j - job->columns) < (qn_uint32)job->columns) row[other - apart * j] = x[j];
        }
    }
}

DEVICE_FN void transform_rows(const plane_job *job, bool whole, int near, LOCAL_PTR qn_complex *plane,
                              LOCAL_PTR qn_complex *tile, LOCAL_PTR const qn_complex *roots)
{
    for (int first_row = job->first_row; first_row <= job->last_row; first_row += ROWS) {
        if (!whole) {
            for (int i = ITEM; i < ROWS * BOX; i += GROUP_SIZE) tile[i] = COMPLEX_MAKE(0.0f, 0.0f);
            LOCAL_BARRIER();
            add_atoms(job, near, (LOCAL_PTR int *)tile, ROWS, 1, first_row, ROWS);
            LOCAL_BARRIER();
        }
        start_rows(job, whole ? plane + job->pitch * first_row : tile, whole ? 1 : ROWS, whole ? job->pitch : 1,
                   first_row, tile, roots);
        LOCAL_BARRIER();
        if (X_R1 > 1) {
            continue_lines(X_R0, X_R1, X_R2, ROWS, tile, roots);
            LOCAL_BARRIER();
        }
        finish_rows(job, tile, plane, first_row);
        LOCAL_BARRIER();
    }
}

/* First pass of the part's columns first ... first + PAIRS - 1. An item separates the two rows of each kept row and
 * makes two butterflies: at points p and p + 1 of one column, or at point p of the columns of two grids. */
DEVICE_FN void start_columns(const plane_job *job, LOCAL_PTR const qn_complex *plane, int first,
                             LOCAL_PTR qn_complex *tile, LOCAL_PTR const qn_complex *roots)
{
    const int apart = Y_LENGTH / Y_R0, filled = job->last_row - job->first_row + 1, fold = FOLDED ? 2 : 1;
    UNROLL_BY(1)
    for (int piece = ITEM; piece < PAIRS * (apart / fold); piece += GROUP_SIZE) {
        int pair = piece % PAIRS, row = piece / PAIRS, column = first + pair, kx = job->first_column + column;
        LOCAL_PTR const qn_complex *own = plane + job->pitch * row + column;
        int to_other = kx == 0 ? 0 : job->columns == WIDTH ? X_LENGTH - 2 * kx : job->columns; /* -0 is 0 */
        qn_complex g[16], h[16];
        if (column >= job->columns) continue;
        UNROLL
        for (int k = 0; k < Y_R0; k++) {
            g[k] = COMPLEX_MAKE(0.0f, 0.0f);
            h[k] = COMPLEX_MAKE(0.0f, 0.0f);
            if (apart * k < BOX && (qn_uint32)(row + apart / fold * k - job->first_row) < (qn_uint32)filled) {
                qn_complex a = own[job->pitch * (apart / fold) * k];
                qn_complex b = own[job->pitch * (apart / fold) * k + to_other];
                g[k] = COMPLEX_MAKE(a.x + b.x, a.y - b.y);
                h[k] = COMPLEX_MAKE(a.y + b.y, b.x - a.x);
            }
        }
        line_butterfly(Y_R0, g);
        line_butterfly(Y_R0, h);
        int p = fold * row;
        UNROLL
        for (int j = 1; j < Y_R0; j++) {
            g[j] = COMPLEX_MUL(g[j], roots[p * j]);
            h[j] = COMPLEX_MUL(h[j], roots[(FOLDED ? p + 1 : p) * j]);
        }
        line_store_first(Y_R0, apart, g, p, tile + pair, GRIDS_OF_GROUP * PAIRS);
        if (FOLDED)
            line_store_first(Y_R0, apart, h, p + 1, tile + pair, PAIRS);
        else
            line_store_first(Y_R0, apart, h, p, tile + pair + PAIRS, 2 * PAIRS);
    }
}

/* Last pass of columns, into the planes. */
DEVICE_FN void finish_columns(const plane_job *job, LOCAL_PTR const qn_complex *tile, int first, GLOBAL plane_value *to)
{
    const int apart = Y_LENGTH / Y_R2;
    UNROLL_BY(1)
    for (int piece = ITEM; piece < GRIDS_OF_GROUP * PAIRS * apart; piece += GROUP_SIZE) {
        int line = piece % (GRIDS_OF_GROUP * PAIRS), q = piece / (GRIDS_OF_GROUP * PAIRS), which = line / PAIRS;
        int column = first + line - PAIRS * which;
        GLOBAL plane_value *grid = to + (qn_int64)which * BOX * COLUMNS + job->first_column + column + WIDTH * q;
        qn_complex x[16];
        if (column >= job->columns || job->grid + which >= job->grids) continue;
        line_last(Y_R0, Y_R1, Y_R2, q, tile + line, GRIDS_OF_GROUP * PAIRS, x);
        UNROLL
        for (int j = 0; j < Y_R2; j++) grid[WIDTH * apart * j] = PLANE_VALUE(x[j]);
    }
}

DEVICE_FN void transform_columns(const plane_job *job, LOCAL_PTR const qn_complex *plane, LOCAL_PTR qn_complex *tile,
                                 LOCAL_PTR const qn_complex *roots, GLOBAL plane_value *to)
{
    for (int first = 0; first < job->columns; first += PAIRS) {
        start_columns(job, plane, first, tile, roots);
        LOCAL_BARRIER();
        if (Y_R1 > 1) {
            continue_lines(Y_R0, Y_R1, Y_R2, GRIDS_OF_GROUP * PAIRS, tile, roots);
            LOCAL_BARRIER();
        }
        finish_columns(job, tile, first, to);
        LOCAL_BARRIER();
    }
}

/* Set columns first ... last - 1 of the group's grids to 0. */
DEVICE_FN void clear_columns(const plane_job *job, int first, int last, GLOBAL plane_value *to)
{
    for (int i = first + ITEM; i < last; i += GROUP_SIZE) {
        to[i] = PLANE_VALUE(COMPLEX_MAKE(0.0f, 0.0f));
        if (GRIDS_OF_GROUP == 2 && job->grid + 1 < job->grids) to[(qn_int64)BOX * COLUMNS + i] = PLANE_VALUE(COMPLEX_MAKE(0.0f, 0.0f));
    }
}

/* A group computes the columns of one part of plane z, for one or two grids of a rotation. RESIDENT groups, but at most
 * resident_most, share the local memory. */
KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void planes(
    GLOBAL const int *RESTRICT positions, GLOBAL const int *RESTRICT weights, GLOBAL const qn_complex *RESTRICT roots,
    GLOBAL plane_value *RESTRICT planes, const planes_scalars s LOCAL_ROOM_PARAMETER)
{
    const int units = (s.grids + GRIDS_OF_GROUP - 1) / GRIDS_OF_GROUP, parts = GROUP_COUNT(0) / (s.batch * units * BOX);
    const int part = GROUP_ID(0) % parts, z = GROUP_ID(0) / parts % BOX, unit = GROUP_ID(0) / (parts * BOX) % units;
    const int slot = GROUP_ID(0) / (parts * BOX * units), part_columns = plane_part_columns(WIDTH, parts);
    const int share =
        plane_share(X_LENGTH, Y_LENGTH, BOX, LINES_AT_ONCE, FOLDED, MIN(RESIDENT, s.resident_most), s.room);
    const bool whole = plane_bytes(X_LENGTH, Y_LENGTH, BOX, LINES_AT_ONCE, FOLDED, part_columns, true) <= share;
    plane_job job;
    job.positions = positions + (qn_int64)slot * 3 * s.atoms;
    job.weights = weights;
    job.atoms = s.atoms;
    job.grids = s.grids;
    job.trilinear_grid = s.trilinear_grid;
    job.grid = GRIDS_OF_GROUP * unit;
    job.z = z;
    job.first_column = part * part_columns;
    job.columns = MIN(part_columns, WIDTH - job.first_column);
    job.pitch = plane_pitch(X_LENGTH, BOX, part_columns, whole);
    job.factor = (HALVES ? s.plane_scale : 1.0f) * (0.5f / 1048576.0f);
    LOCAL_PTR qn_complex *plane = LOCAL_ROOM(qn_complex);
    LOCAL_PTR qn_complex *tile = plane + KEPT_ROWS * job.pitch;
    LOCAL_PTR qn_complex *x_roots = tile + plane_tile_lines(WIDTH, BOX, LINES_AT_ONCE, FOLDED) * TILE_POINTS;
    LOCAL_PTR qn_complex *y_roots = X_LENGTH == Y_LENGTH ? x_roots : x_roots + X_LENGTH;
    GLOBAL plane_value *to = planes + ((qn_int64)(slot * s.grids + job.grid) * BOX + z) * COLUMNS;
    job.rows_filled = (LOCAL_PTR int *)(y_roots + Y_LENGTH);

    const int near = find_near(&job, ITEM);
    for (int i = ITEM; i < X_LENGTH + (X_LENGTH == Y_LENGTH ? 0 : Y_LENGTH); i += GROUP_SIZE) x_roots[i] = roots[i];
    if (ITEM < 2) job.rows_filled[ITEM] = ITEM == 0 ? KEPT_ROWS : -1;
    if (whole) /* clear two complex numbers at once; the last one may be the first of the tile */
        for (int i = ITEM; i < (KEPT_ROWS * job.pitch + 1) / 2; i += GROUP_SIZE)
            LOCAL_ROOM(qn_float4)[i] = FLOAT4_MAKE(0.0f, 0.0f, 0.0f, 0.0f);
    LOCAL_BARRIER();
    add_atoms(&job, near, (LOCAL_PTR int *)plane, 1, job.pitch, 0, whole ? KEPT_ROWS : 0);
    LOCAL_BARRIER();
    job.first_row = job.rows_filled[0];
    job.last_row = job.rows_filled[1];
    if (job.last_row < 0) { /* an empty plane: each part clears an equal share of all columns and the padding */
        clear_columns(&job, (int)((qn_int64)COLUMNS * part / parts), (int)((qn_int64)COLUMNS * (part + 1) / parts), to);
        return;
    }
    transform_rows(&job, whole, near, plane, tile, x_roots);
    transform_columns(&job, plane, tile, y_roots, to);
    if (part == 0) clear_columns(&job, WIDTH * Y_LENGTH, COLUMNS, to);
}
