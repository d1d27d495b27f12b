/* Histogram of the distances of pairs of atoms.
 *
 * A work-item holds ATOMS vectors of VECTOR_WIDTH atoms in registers and takes the atoms of the other set from a tile
 * in local memory, one after the other. Pairs are counted in local memory in up to COPIES histograms side by side
 * (count of bin b in copy c at b · copies + c), so that neighbouring work-items seldom meet; a histogram that does not
 * fit is made in several ranges of bins. Counts have 32 bits there and are added to 64 bits in global memory, the
 * second word of which counts the carries of the first. */

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef ATOMS
#error "ATOMS: vectors of atoms of a work-item"
#endif
#ifndef TILE
#error "TILE: atoms of the other set in local memory"
#endif
#ifndef COPIES
#error "COPIES: histograms of a group, at most"
#endif
#ifndef HISTOGRAM_WORDS
#error "HISTOGRAM_WORDS: counters of a group"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif
#ifndef UNORDERED_MAP
#error "UNORDERED_MAP: 1 lists each unordered pair of tiles once, 0 lists ordered ones and skips half of them"
#endif
#ifndef GROUPS
#error "GROUPS: groups for each compute unit, at most"
#endif
#ifndef PERIODICITY
#error "PERIODICITY: 0 none, 1 orthorhombic, other triclinic"
#endif

#include "trajectory/kernels/distance_histogram.dev.h"

#define SIDE (GROUP_SIZE * ATOMS * VECTOR_WIDTH) /* atoms of a group in each set */
#define MOST_PENDING 0x40000000u                 /* pairs after which counts are flushed: far below 2^32 */

typedef histogram_numbers numbers;

/* What a group counts into and by which rule. */
typedef struct counting {
    LOCAL_PTR qn_uint32 *histogram;
    GLOBAL const float *squared_edges;
    GLOBAL const float *cell;
    int bins, shifts;                   /* of the whole histogram; of the cell */
    int first_bin, range, copies, copy; /* bins first_bin … first_bin + range are counted */
    float scale, shift, sure; /* distance · scale + shift lies around the bin; within `sure` of it the guess is right */
} counting;

DEVICE_FN numbers square_of(const counting *how, numbers x, numbers y, numbers z)
{
#if PERIODICITY == 0
    return histogram_square(x, y, z);
#elif PERIODICITY == 1
    return histogram_square_orthorhombic(how->cell[HISTOGRAM_EDGE_X], how->cell[HISTOGRAM_EDGE_Y],
                                         how->cell[HISTOGRAM_EDGE_Z], x, y, z);
#else
    return histogram_square_triclinic(how->cell, how->shifts, x, y, z);
#endif
}

/* Count one pair unless its bin is not among the first `range` of the range. */
DEVICE_FN void count_pair(const counting *how, float square, float rounded, float rest, int range)
{
    int bin = (int)(FLOAT_BITS(rounded) - HISTOGRAM_ROUNDER_BITS);
    if (!(ABS(rest) <= how->sure)) bin = histogram_find(square, bin, how->squared_edges, how->bins);
    bin -= how->first_bin;
    if ((qn_uint32)bin < (qn_uint32)range) LOCAL_ATOMIC_ADD_INT(&how->histogram[bin * how->copies + how->copy], 1u);
}

/* The pairs of one atom with those of this work-item; where `masked`, only with those of index < `before`. */
DEVICE_FN void count_atom(const counting *how, const numbers at[ATOMS][3], qn_float4 other, int masked, int own,
                          int before)
{
    UNROLL
    for (int a = 0; a < ATOMS; a++) {
        const numbers square = square_of(how, at[a][0] - histogram_splat(other.x), at[a][1] - histogram_splat(other.y),
                                         at[a][2] - histogram_splat(other.z));
        const numbers guess =
            VEC_FMA(square * FAST_RSQRT(square), histogram_splat(how->scale), histogram_splat(how->shift));
        const numbers rounded = guess + histogram_splat(HISTOGRAM_ROUNDER);
        const numbers rest = guess - (rounded - histogram_splat(HISTOGRAM_ROUNDER));
        const int index = own + a * GROUP_SIZE * VECTOR_WIDTH;
#if VECTOR_WIDTH == 1
        count_pair(how, square, rounded, rest, masked && index >= before ? 0 : how->range);
#else
        float squares[VECTOR_WIDTH], all_rounded[VECTOR_WIDTH], rests[VECTOR_WIDTH];
        VEC_STORE(VECTOR_WIDTH, squares, square);
        VEC_STORE(VECTOR_WIDTH, all_rounded, rounded);
        VEC_STORE(VECTOR_WIDTH, rests, rest);
        for (int v = 0; v < VECTOR_WIDTH; v++)
            count_pair(how, squares[v], all_rounded[v], rests[v], masked && index + v >= before ? 0 : how->range);
#endif
    }
}

/* Add the group's counts to all counts and begin anew. */
DEVICE_FN void flush(const counting *how, GLOBAL qn_uint32 *counts)
{
    LOCAL_BARRIER();
    for (int b = LOCAL_ID(0); b < how->range; b += GROUP_SIZE) {
        qn_uint32 total = 0;
        for (int c = 0; c < how->copies; c++) {
            total += how->histogram[b * how->copies + c];
            how->histogram[b * how->copies + c] = 0;
        }
        if (total == 0) continue;
        const qn_uint32 old = ATOMIC_ADD_INT(&counts[2 * (how->first_bin + b)], total);
        if (old + total < old) ATOMIC_ADD_INT(&counts[2 * (how->first_bin + b) + 1], 1u);
    }
    LOCAL_BARRIER();
}

/* Pair `unit` of tiles; false where another one has the same atoms. Of `rows` tiles with themselves: tile r meets the
 * rows / 2 behind it, as on a ring; opposite ones meet once. */
DEVICE_FN int find_tiles(qn_int64 unit, int rows, int columns, int unordered, int *row, int *column)
{
#if UNORDERED_MAP
    if (unordered) {
        *row = (int)(unit % rows);
        *column = *row + (int)(unit / rows);
        if (*column >= rows) *column -= rows;
        return 1;
    }
#endif
    *row = (int)(unit / columns);
    *column = (int)(unit % columns);
    return !unordered || *row <= *column;
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void distance_histogram(
    GLOBAL const qn_float4 *RESTRICT first, GLOBAL const qn_float4 *RESTRICT second,
    GLOBAL const float *RESTRICT squared_edges, GLOBAL const float *RESTRICT cell, GLOBAL qn_uint32 *RESTRICT counts,
    int first_count, int second_count, int unordered, int bins, int shifts, float scale, float shift, float sure)
{
    LOCAL qn_float4 tile[TILE];
    LOCAL qn_uint32 histogram[HISTOGRAM_WORDS];
    const int rows = (first_count + SIDE - 1) / SIDE, columns = (second_count + SIDE - 1) / SIDE;
    qn_int64 units = (qn_int64)rows * columns;
#if UNORDERED_MAP
    if (unordered) units = ((qn_int64)rows * (rows + 1)) / 2;
#endif
    counting how = {histogram, squared_edges, cell, bins, shifts, 0, 0, 1, 0, scale, shift, sure};
    for (int w = LOCAL_ID(0); w < HISTOGRAM_WORDS; w += GROUP_SIZE) histogram[w] = 0;
    for (how.first_bin = 0; how.first_bin < bins; how.first_bin += HISTOGRAM_WORDS) {
        how.range = MIN(bins - how.first_bin, HISTOGRAM_WORDS);
        for (how.copies = COPIES; how.copies > 1 && how.copies * how.range > HISTOGRAM_WORDS;) how.copies /= 2;
        how.copy = LOCAL_ID(0) & (how.copies - 1);
        qn_uint32 pending = 0;
        for (qn_int64 unit = GROUP_ID(0); unit < units; unit += GROUP_COUNT(0)) {
            int row, column;
            if (!find_tiles(unit, rows, columns, unordered, &row, &column)) continue;
            const int own = row * SIDE + LOCAL_ID(0) * VECTOR_WIDTH, end = MIN((column + 1) * SIDE, second_count);
            const int diagonal = unordered && row == column;
            numbers at[ATOMS][3];
            UNROLL
            for (int a = 0; a < ATOMS; a++) {
                float x[VECTOR_WIDTH], y[VECTOR_WIDTH], z[VECTOR_WIDTH];
                UNROLL
                for (int v = 0; v < VECTOR_WIDTH; v++) { /* past the end the first atom, which is not counted */
                    const int index = own + a * GROUP_SIZE * VECTOR_WIDTH + v;
                    const qn_float4 atom = first[index < first_count ? index : 0];
                    x[v] = atom.x;
                    y[v] = atom.y;
                    z[v] = atom.z;
                }
                at[a][0] = VEC_LOAD(VECTOR_WIDTH, x);
                at[a][1] = VEC_LOAD(VECTOR_WIDTH, y);
                at[a][2] = VEC_LOAD(VECTOR_WIDTH, z);
            }
            for (int begin = column * SIDE; begin < end; begin += TILE) {
                const int size = MIN(end - begin, TILE);
                LOCAL_BARRIER();
                for (int t = LOCAL_ID(0); t < size; t += GROUP_SIZE) tile[t] = second[begin + t];
                LOCAL_BARRIER();
                if (diagonal || (row + 1) * SIDE > first_count)
                    for (int t = 0; t < size; t++)
                        count_atom(&how, at, tile[t], 1, own, diagonal ? begin + t : first_count);
                else
                    for (int t = 0; t < size; t++) count_atom(&how, at, tile[t], 0, own, 0);
            }
            pending += (qn_uint32)SIDE * SIDE;
            if (pending > MOST_PENDING) {
                flush(&how, counts);
                pending = 0;
            }
        }
        flush(&how, counts);
    }
}
