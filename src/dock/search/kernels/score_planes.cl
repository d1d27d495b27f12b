/* Scores of planes of translations, computed from the half spectra of the planes, and the best of the scores.
 *
 * A group computes a part of plane z of an output: it transforms the plane's columns (along y), then the rows of its
 * part (along x), two real rows in one complex transform, and compares the scores while they are in registers. The
 * transforms are done in place in the local room, which holds the rows of the part:
 *
 *     columns  an item's first pass reads products and keeps the outputs in the part's blocks of rows; the later passes
 *              leave each row in the slot where the in-place transform puts it: slot_row() is the y of a slot
 *     rows     slots 2 i and 2 i + 1, with spectra a and b, are one line of complex numbers: a + i b for kx <= nx/2;
 *              other kx are made of the conjugates, because U(-kx, y) = conj U(kx, y)
 *
 * A part is some of the Y_R0 blocks of Y_LENGTH / Y_R0 slots each (every part repeats the first pass). If one block
 * does not fit, a part is some of the Y_R1 pieces of one block; then every part repeats the middle pass too, for a few
 * columns at a time in a separate tile.
 *
 * Shapes: products [output][nz][COLUMNS], column kx + WIDTH ky; partial lists [output][z searched][places], one place
 * for each part of a plane, the other places (FLT_MAX, -1); scores [output][nz][ny][nx]. The best score is the lowest;
 * the lower cell breaks ties. */
#include "dock/search/kernels/cell_order.dev.h"
#include "dock/search/kernels/score_planes.dev.h"
#include "fft/kernels/line.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that are to share a compute unit"
#endif
#ifndef SPLIT
#error "SPLIT: which of the splits of the axes"
#endif

enum {
    NX = X_LENGTH,
    NY = Y_LENGTH,
    X_R0 = LINE_RADIX(X, 0),
    X_R1 = LINE_RADIX(X, 1),
    X_R2 = LINE_RADIX(X, 2),
    Y_R0 = LINE_RADIX(Y, 0),
    Y_R1 = LINE_RADIX(Y, 1),
    Y_R2 = LINE_RADIX(Y, 2),
    ROW_ITEMS = NX / X_R0,           /* items of a row in the first pass */
    ROW_LAST_ITEMS = NX / X_R2,      /* items of a row in the last pass */
    LINES = GROUP_SIZE / ROW_ITEMS,  /* pairs of rows at once: each item makes one butterfly in the first pass */
    BLOCK = NY / Y_R0,               /* slots of a block */
    PAIR_PITCH = 2 * WIDTH | 1,      /* odd, so that neighbouring pairs lie in different banks */
    CHUNK = 8                        /* columns at once if parts are smaller than a block */
};

#if HALVES
typedef qn_uint32 product;
#define PRODUCT(bits) UNPACK_HALVES(bits)
#else
typedef qn_complex product;
#define PRODUCT(value) (value)
#endif

/* Cells searched on an axis: `count` cells from `first`, circular; -size < first <= 0 <= count <= size. */
typedef struct range {
    int first, count;
} range;

/* Slots of a part: a block has Y_R1 pieces of Y_R2 slots. */
typedef struct part {
    int first_block, blocks; /* 1 block if pieces < Y_R1 */
    int first_piece, pieces; /* pieces of each block */
} part;

DEVICE_FN bool is_searched(int index, int size, range searched)
{
    int place = index - searched.first;
    return (place < size ? place : place - size) < searched.count;
}

/* Part `index` of `count` parts; the launch's geometry has a count with which no part is empty. */
DEVICE_FN part part_of(int index, int count)
{
    part own;
    own.first_piece = 0;
    own.pieces = Y_R1;
    if (count <= Y_R0) {
        int blocks = (Y_R0 + count - 1) / count;
        own.first_block = index * blocks;
        own.blocks = MIN(blocks, Y_R0 - own.first_block);
    } else {
        int parts = count / Y_R0, pieces = (Y_R1 + parts - 1) / parts;
        own.first_block = index / parts;
        own.blocks = 1;
        own.first_piece = index % parts * pieces;
        own.pieces = MIN(pieces, Y_R1 - own.first_piece);
    }
    return own;
}

DEVICE_FN int slot_count(part own)
{
    return own.blocks * own.pieces * Y_R2;
}

/* The row that the transform leaves in a slot of the part. */
DEVICE_FN int slot_row(part own, int slot)
{
    int all = BLOCK * own.first_block + Y_R2 * own.first_piece + slot;
    int block = all / BLOCK, rest = all - BLOCK * block, piece = rest / Y_R2;
    return block + Y_R0 * piece + Y_R0 * Y_R1 * (rest - Y_R2 * piece);
}

/* Index of the first number of slot step * count + k; `step` and mostly k are constants. */
DEVICE_FN int slot_place(int step, int count, int k)
{
    if (step % 2 == 0) return PAIR_PITCH * (step / 2 * count + (k >> 1)) + WIDTH * (k & 1);
    int slot = step * count + k;
    return PAIR_PITCH * (slot >> 1) + WIDTH * (slot & 1);
}

/* First pass of item p of a column: outputs x[j] of block j. `item` = kx + WIDTH p, so that reads are coalesced. */
DEVICE_FN void column_first(GLOBAL const product *plane, int item, int p, LOCAL_PTR const qn_complex *roots,
                            qn_complex *x)
{
    UNROLL
    for (int k = 0; k < Y_R0; k++) x[k] = PRODUCT(plane[item + WIDTH * BLOCK * k]);
    line_first(Y_R0, x, p, roots);
}

/* Middle pass of all columns, for parts of whole blocks. */
DEVICE_FN void middle_columns(part own, LOCAL_PTR qn_complex *rows, LOCAL_PTR const qn_complex *roots)
{
    for (int item = (int)LOCAL_ID(0); item < WIDTH * Y_R2 * own.blocks; item += GROUP_SIZE) {
        int place = item / WIDTH, kx = item - WIDTH * place, block = place / Y_R2, p = place - Y_R2 * block;
        qn_complex x[16];
        UNROLL
        for (int k = 0; k < Y_R1; k++) x[k] = rows[slot_place(BLOCK, block, p + Y_R2 * k) + kx];
        line_butterfly(Y_R1, x);
        UNROLL
        for (int j = 0; j < Y_R1; j++)
            rows[slot_place(BLOCK, block, p + Y_R2 * j) + kx] = j ? COMPLEX_MUL(x[j], roots[Y_R0 * p * j]) : x[0];
    }
    LOCAL_BARRIER();
}

/* First and middle pass of all columns, for parts of whole blocks. */
DEVICE_FN void start_columns(GLOBAL const product *plane, part own, LOCAL_PTR qn_complex *rows,
                             LOCAL_PTR const qn_complex *roots)
{
    for (int item = (int)LOCAL_ID(0); item < WIDTH * BLOCK; item += GROUP_SIZE) {
        int p = item / WIDTH, kx = item - WIDTH * p;
        qn_complex x[16];
        column_first(plane, item, p, roots, x);
        UNROLL
        for (int j = 0; j < Y_R0; j++) {
            int block = j - own.first_block;
            if (block >= 0 && block < own.blocks) rows[slot_place(BLOCK, block, p) + kx] = x[j];
        }
    }
    LOCAL_BARRIER();
    if (Y_R1 > 1) middle_columns(own, rows, roots);
}

/* The same for a part that consists of pieces of one block; tile [BLOCK][CHUNK]. */
DEVICE_FN void start_columns_of_pieces(GLOBAL const product *plane, part own, LOCAL_PTR qn_complex *rows,
                                       LOCAL_PTR qn_complex *tile, LOCAL_PTR const qn_complex *roots)
{
    for (int start = 0; start < WIDTH; start += CHUNK) {
        for (int item = (int)LOCAL_ID(0); item < CHUNK * BLOCK; item += GROUP_SIZE) {
            int p = item / CHUNK, kx = start + item - CHUNK * p;
            qn_complex x[16];
            if (kx >= WIDTH) continue;
            column_first(plane, kx + WIDTH * p, p, roots, x);
            UNROLL
            for (int j = 0; j < Y_R0; j++)
                if (j == own.first_block) tile[item] = x[j];
        }
        LOCAL_BARRIER();
        for (int item = (int)LOCAL_ID(0); item < CHUNK * Y_R2; item += GROUP_SIZE) {
            int p = item / CHUNK, kx = start + item - CHUNK * p;
            qn_complex x[16];
            if (kx >= WIDTH) continue;
            UNROLL
            for (int k = 0; k < Y_R1; k++) x[k] = tile[item + CHUNK * Y_R2 * k];
            line_butterfly(Y_R1, x);
            UNROLL
            for (int j = 0; j < Y_R1; j++) {
                int piece = j - own.first_piece;
                if (piece < 0 || piece >= own.pieces) continue;
                rows[slot_place(Y_R2, piece, p) + kx] = j ? COMPLEX_MUL(x[j], roots[Y_R0 * p * j]) : x[0];
            }
        }
        LOCAL_BARRIER();
    }
}

/* Last pass of all columns. For kx = 0 and nx/2, only the real part is kept, because the scores are real. If the number
 * of rows is odd, the last row is paired with zeros. */
DEVICE_FN void finish_columns(part own, LOCAL_PTR qn_complex *rows)
{
    int slots = slot_count(own), items = WIDTH * own.blocks * own.pieces;
    for (int item = (int)LOCAL_ID(0); item < items; item += GROUP_SIZE) {
        int piece = item / WIDTH, kx = item - WIDTH * piece;
        float imaginary = kx == 0 || 2 * kx == NX ? 0.0f : 1.0f;
        qn_complex x[16];
        UNROLL
        for (int k = 0; k < Y_R2; k++) x[k] = rows[slot_place(Y_R2, piece, k) + kx];
        line_butterfly(Y_R2, x);
        UNROLL
        for (int j = 0; j < Y_R2; j++)
            rows[slot_place(Y_R2, piece, j) + kx] = COMPLEX_MAKE(x[j].x, imaginary * x[j].y);
    }
    if (slots % 2 == 1)
        for (int kx = (int)LOCAL_ID(0); kx < WIDTH; kx += GROUP_SIZE)
            rows[slot_place(1, slots, 0) + kx] = COMPLEX_MAKE(0.0f, 0.0f);
    LOCAL_BARRIER();
}

/* Transform the columns of a plane. Afterwards the room holds the rows of the part, then the roots of x and y, then
 * space for a limit. */
DEVICE_FN void make_rows(GLOBAL const product *plane, GLOBAL const qn_complex *roots, part own,
                         LOCAL_PTR qn_complex *rows)
{
    LOCAL_PTR qn_complex *x_roots = rows + PAIR_PITCH * ((slot_count(own) + 1) / 2), *y_roots = x_roots + NX;
    for (int t = (int)LOCAL_ID(0); t < NX + NY; t += GROUP_SIZE) x_roots[t] = roots[t];
    LOCAL_BARRIER();
    if (own.pieces == Y_R1)
        start_columns(plane, own, rows, y_roots);
    else
        start_columns_of_pieces(plane, own, rows, y_roots + NY + 1, y_roots);
    finish_columns(own, rows);
}

/* Point p + ROW_ITEMS k of the line of rows a and b, which are real, so that U(nx - kx) = conj U(kx). */
DEVICE_FN qn_complex line_point(LOCAL_PTR const qn_complex *line, int p, int k)
{
    int t = p + ROW_ITEMS * k;
    bool is_stored = 2 * k + 2 <= X_R0 || (2 * k < X_R0 && 2 * t <= NX); /* conditions on k alone are constants */
    int kx = is_stored ? t : NX - t;
    qn_complex a = line[kx], b = line[WIDTH + kx];
    return is_stored ? COMPLEX_MAKE(a.x - b.y, a.y + b.x) : COMPLEX_MAKE(a.x + b.y, b.x - a.y);
}

/* Middle pass of LINES lines from `first`. */
DEVICE_FN void middle_lines(LOCAL_PTR qn_complex *rows, LOCAL_PTR const qn_complex *roots, int first, int count)
{
    for (int item = (int)LOCAL_ID(0); item < LINES * X_R0 * X_R2; item += GROUP_SIZE) {
        int place = item / LINES, line = first + item - LINES * place;
        if (line < count) line_middle(X_R0, X_R1, X_R2, place, rows + PAIR_PITCH * line, 1, roots);
    }
    LOCAL_BARRIER();
}

/* First and middle pass of LINES lines from `first`. */
DEVICE_FN void start_lines(LOCAL_PTR qn_complex *rows, LOCAL_PTR const qn_complex *roots, int first, int count)
{
    int item = (int)LOCAL_ID(0), p = item / LINES, line = first + item - LINES * p;
    bool is_used = p < ROW_ITEMS && line < count;
    LOCAL_PTR qn_complex *own = rows + PAIR_PITCH * line;
    qn_complex x[16];
    if (is_used) {
        UNROLL
        for (int k = 0; k < X_R0; k++) x[k] = line_point(own, p, k);
        line_first(X_R0, x, p, roots);
    }
    LOCAL_BARRIER(); /* two items read each point */
    if (is_used) line_store_first(X_R0, ROW_ITEMS, x, p, own, 1);
    LOCAL_BARRIER();
    if (X_R1 > 1) middle_lines(rows, roots, first, count);
}

/* Map the bits of a float to an integer, so that integers have the order of the floats. The map is its own inverse. */
DEVICE_FN int ordered_bits(int bits)
{
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

/* Compare the scores x[j] of two rows, at q + ROW_LAST_ITEMS j, with the best so far. cell_a and cell_b: the cells at
 * x = 0 of the rows, -1 for a row that is not searched. `limit`: a score that the group has found. With it, nearly all
 * items skip the second loop, even those that have found no good score yet. */
DEVICE_FN void keep_best(const qn_complex *x, int q, range searched, int cell_a, int cell_b, float limit, float *energy,
                         int *cell)
{
    float lowest_a = x[0].x, lowest_b = x[0].y;
    UNROLL
    for (int j = 1; j < X_R2; j++) {
        lowest_a = FMIN(lowest_a, x[j].x);
        lowest_b = FMIN(lowest_b, x[j].y);
    }
    limit = FMIN(limit, *energy);
    if (!((cell_a >= 0 && lowest_a <= limit) || (cell_b >= 0 && lowest_b <= limit))) return;
    UNROLL
    for (int j = 0; j < X_R2; j++) {
        int at = q + ROW_LAST_ITEMS * j;
        if (!is_searched(at, NX, searched)) continue;
        if (cell_a >= 0 && comes_before(x[j].x, cell_a + at, *energy, *cell)) {
            *energy = x[j].x;
            *cell = cell_a + at;
        }
        if (cell_b >= 0 && comes_before(x[j].y, cell_b + at, *energy, *cell)) {
            *energy = x[j].y;
            *cell = cell_b + at;
        }
    }
}

/* Find the best cell of all items; item 0 writes it. `energies` and `cells` may overwrite the rows. */
DEVICE_FN void merge_group(float energy, int cell, float scale, LOCAL_PTR float *energies, LOCAL_PTR int *cells,
                           GLOBAL float *energy_out, GLOBAL int *cell_out)
{
    int item = (int)LOCAL_ID(0);
    energies[item] = energy;
    cells[item] = cell;
    LOCAL_BARRIER();
    for (int reach = GROUP_SIZE / 2; reach > 0; reach /= 2) {
        if (item < reach && comes_before(energies[item + reach], cells[item + reach], energies[item], cells[item])) {
            energies[item] = energies[item + reach];
            cells[item] = cells[item + reach];
        }
        LOCAL_BARRIER();
    }
    if (item != 0) return;
    *energy_out = cells[0] < 0 ? FLOAT_MAXIMUM : scale * energies[0];
    *cell_out = cells[0];
}

/* A group searches a part (x) of a searched plane (y) of an output (z). */
KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void best(
    GLOBAL const product *RESTRICT products, GLOBAL const qn_complex *RESTRICT roots,
    GLOBAL float *RESTRICT partial_energies, GLOBAL int *RESTRICT partial_cells,
    const best_scalars s LOCAL_ROOM_PARAMETER)
{
    LOCAL_PTR qn_complex *rows = LOCAL_ROOM(qn_complex);
    part own = part_of((int)GROUP_ID(0), (int)GROUP_COUNT(0));
    range searched_x = {s.first_x, s.count_x}, searched_y = {s.first_y, s.count_y};
    int z = s.first_z + (int)GROUP_ID(1), slots = slot_count(own), lines = (slots + 1) / 2;
    qn_int64 output = (qn_int64)GROUP_ID(2), list = (output * GROUP_COUNT(1) + GROUP_ID(1)) * s.places;
    LOCAL_PTR int *group_limit = (LOCAL_PTR int *)(rows + PAIR_PITCH * lines + NX + NY);
    float energy = FLOAT_MAXIMUM;
    int cell = -1;
    if (z < 0) z += s.nz;
    if (LOCAL_ID(0) == 0) *group_limit = ordered_bits((int)FLOAT_BITS(FLOAT_MAXIMUM));
    make_rows(products + (output * s.nz + z) * COLUMNS, roots, own, rows);
    for (int first = 0; first < lines; first += LINES) {
        start_lines(rows, rows + PAIR_PITCH * lines, first, lines);
        float limit = BITS_FLOAT((qn_uint32)ordered_bits(*group_limit));
        for (int item = (int)LOCAL_ID(0); item < LINES * ROW_LAST_ITEMS; item += GROUP_SIZE) {
            int q = item / LINES, line = first + item - LINES * q;
            qn_complex x[16];
            if (line >= lines) continue;
            line_last(X_R0, X_R1, X_R2, q, rows + PAIR_PITCH * line, 1, x);
            int a = slot_row(own, 2 * line), b = slot_row(own, 2 * line + 1);
            bool has_b = 2 * line + 1 < slots && is_searched(b, NY, searched_y);
            keep_best(x, q, searched_x, is_searched(a, NY, searched_y) ? NX * (a + NY * z) : -1,
                      has_b ? NX * (b + NY * z) : -1, limit, &energy, &cell);
        }
        if (energy < limit) LOCAL_ATOMIC_MIN_INT(group_limit, ordered_bits((int)FLOAT_BITS(energy)));
    }
    LOCAL_BARRIER();
    merge_group(energy, cell, s.scale, LOCAL_ROOM(float), LOCAL_ROOM(int) + GROUP_SIZE,
                partial_energies + list + GROUP_ID(0), partial_cells + list + GROUP_ID(0));
    for (int place = (int)GROUP_COUNT(0) + (int)LOCAL_ID(0); GROUP_ID(0) == 0 && place < s.places; place += GROUP_SIZE) {
        partial_energies[list + place] = FLOAT_MAXIMUM;
        partial_cells[list + place] = -1;
    }
}

/* A group writes a part (x) of a plane (y) of an output (z). */
KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void write(
    GLOBAL const product *RESTRICT products, GLOBAL const qn_complex *RESTRICT roots, GLOBAL float *RESTRICT scores,
    const write_scalars s LOCAL_ROOM_PARAMETER)
{
    LOCAL_PTR qn_complex *rows = LOCAL_ROOM(qn_complex);
    part own = part_of((int)GROUP_ID(0), (int)GROUP_COUNT(0));
    int slots = slot_count(own), lines = (slots + 1) / 2;
    qn_int64 plane = (qn_int64)GROUP_ID(2) * GROUP_COUNT(1) + GROUP_ID(1);
    scores += plane * NY * NX;
    make_rows(products + plane * COLUMNS, roots, own, rows);
    for (int first = 0; first < lines; first += LINES) {
        start_lines(rows, rows + PAIR_PITCH * lines, first, lines);
        for (int item = (int)LOCAL_ID(0); item < LINES * ROW_LAST_ITEMS; item += GROUP_SIZE) {
            int q = item / LINES, line = first + item - LINES * q;
            qn_complex x[16];
            if (line >= lines) continue;
            line_last(X_R0, X_R1, X_R2, q, rows + PAIR_PITCH * line, 1, x);
            GLOBAL float *a = scores + NX * slot_row(own, 2 * line), *b = scores + NX * slot_row(own, 2 * line + 1);
            UNROLL
            for (int j = 0; j < X_R2; j++) {
                a[q + ROW_LAST_ITEMS * j] = s.scale * x[j].x;
                if (2 * line + 1 < slots) b[q + ROW_LAST_ITEMS * j] = s.scale * x[j].y;
            }
        }
    }
}

/* A group finds the best of the partial results of one output (y). */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void merge(GLOBAL const float *RESTRICT partial_energies,
                                                GLOBAL const int *RESTRICT partial_cells,
                                                GLOBAL float *RESTRICT best_energies, GLOBAL int *RESTRICT best_cells,
                                                int partials)
{
    LOCAL float local_energy[GROUP_SIZE];
    LOCAL int local_cell[GROUP_SIZE];
    qn_int64 output = (qn_int64)GLOBAL_ID(1), list = output * partials;
    float energy = FLOAT_MAXIMUM;
    int cell = -1;
    for (int i = (int)LOCAL_ID(0); i < partials; i += GROUP_SIZE) {
        if (!comes_before(partial_energies[list + i], partial_cells[list + i], energy, cell)) continue;
        energy = partial_energies[list + i];
        cell = partial_cells[list + i];
    }
    merge_group(energy, cell, 1.0f, local_energy, local_cell, best_energies + output, best_cells + output);
}
