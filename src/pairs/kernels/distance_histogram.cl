/* Histogram of the distances of pairs of atoms.
 *
 * A work-item holds ATOMS vectors of VECTOR_WIDTH atoms in registers, and reads the atoms of the other set from a tile
 * in local memory, one by one. Pairs are counted in local memory in up to COPIES interleaved histograms (count of bin b
 * in copy c at b · copies + c), so that neighbouring work-items rarely use the same counter. A histogram that does not
 * fit is counted in several ranges of bins. Counts in local memory have 32 bits. They are added to two words of 32 bits
 * in global memory, the second of which counts the carries of the first. */

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

#include "pairs/kernels/distance_histogram.dev.h"

#define SIDE (GROUP_SIZE * ATOMS * VECTOR_WIDTH) /* atoms of a tile, which a group takes from each set */
#define PAIRS (ATOMS * VECTOR_WIDTH)             /* pairs of a work-item with one other atom */
#define MOST_RANGE (HISTOGRAM_WORDS - 1)         /* bins counted at once; one counter is left for all other pairs */
#define MOST_PENDING 0x40000000u                 /* pairs after which counts are flushed: far below 2^32 */

typedef histogram_numbers numbers;

/* Counters of a group, and the rule by which pairs are counted. */
typedef struct counting {
    LOCAL_PTR qn_uint32 *histogram;
    LOCAL_PTR qn_uint8 *mine; /* this work-item's copy */
    qn_uint32 stride;         /* bytes from one bin of it to the next: an address then takes one multiply-add */
    GLOBAL const float *squared_edges;
    GLOBAL const float *cell;
    int bins, shifts;             /* of the whole histogram; of the cell */
    int first_bin, range, copies; /* `range` bins from first_bin on are counted, then all other pairs in one counter */
    float scale, shift, sure; /* distance · scale + shift rounds to the bin; the bin is right if it is within `sure` */
} counting;

#if PERIODICITY > 1
/* Squares of the nearest images, as in histogram_square_triclinic, but each shift is read once for all atoms. */
DEVICE_FN void find_squares(const counting *how, const numbers at[ATOMS][3], qn_float4 other, numbers squares[ATOMS])
{
    GLOBAL const qn_float4 *all_shifts = (GLOBAL const qn_float4 *)(how->cell + HISTOGRAM_SHIFTS);
    const numbers inner = histogram_splat(how->cell[HISTOGRAM_INNER_SQUARE]);
    numbers x[ATOMS], y[ATOMS], z[ATOMS];
    int outside = 0;
    UNROLL
    for (int a = 0; a < ATOMS; a++) {
        x[a] = at[a][0] - histogram_splat(other.x);
        y[a] = at[a][1] - histogram_splat(other.y);
        z[a] = at[a][2] - histogram_splat(other.z);
        histogram_into_brick(how->cell, &x[a], &y[a], &z[a]);
        squares[a] = histogram_square(x[a], y[a], z[a]);
        outside |= VEC_ANY(VECTOR_WIDTH, squares[a] > inner);
    }
    if (!outside) return;
    for (int s = 0; s < how->shifts; s++) {
        const qn_float4 by = all_shifts[s];
        UNROLL
        for (int a = 0; a < ATOMS; a++)
            squares[a] = FMIN(squares[a], histogram_square(x[a] + histogram_splat(by.x), y[a] + histogram_splat(by.y),
                                                           z[a] + histogram_splat(by.z)));
    }
}
#else
DEVICE_FN void find_squares(const counting *how, const numbers at[ATOMS][3], qn_float4 other, numbers squares[ATOMS])
{
    UNROLL
    for (int a = 0; a < ATOMS; a++) {
        const numbers x = at[a][0] - histogram_splat(other.x), y = at[a][1] - histogram_splat(other.y);
        const numbers z = at[a][2] - histogram_splat(other.z);
#if PERIODICITY == 0
        squares[a] = histogram_square(x, y, z);
#else
        squares[a] = histogram_square_orthorhombic(how->cell[HISTOGRAM_EDGE_X], how->cell[HISTOGRAM_EDGE_Y],
                                                   how->cell[HISTOGRAM_EDGE_Z], x, y, z);
#endif
    }
}
#endif

/* Count the pairs of one atom with the atoms of this work-item; if `masked`, only with those of index < `before`. All
 * bins are guessed before any is looked up or counted, so that the latencies of several pairs overlap. */
DEVICE_FN void count_atom(const counting *how, const numbers at[ATOMS][3], qn_float4 other, int masked, int own,
                          int before)
{
    numbers square[ATOMS];
    float squares[PAIRS], guesses[PAIRS], rests[PAIRS];
    qn_uint32 bins[PAIRS];
    int unsure = 0;
    find_squares(how, at, other, square);
    UNROLL
    for (int a = 0; a < ATOMS; a++) {
        const numbers guess =
            VEC_FMA(square[a] * FAST_RSQRT(square[a]), histogram_splat(how->scale), histogram_splat(how->shift));
        const numbers rounded = guess + histogram_splat(HISTOGRAM_ROUNDER);
        VEC_STORE(VECTOR_WIDTH, squares + a * VECTOR_WIDTH, square[a]);
        VEC_STORE(VECTOR_WIDTH, guesses + a * VECTOR_WIDTH, rounded);
        VEC_STORE(VECTOR_WIDTH, rests + a * VECTOR_WIDTH, guess - (rounded - histogram_splat(HISTOGRAM_ROUNDER)));
    }
    UNROLL
    for (int p = 0; p < PAIRS; p++) {
        bins[p] = FLOAT_BITS(guesses[p]) - (HISTOGRAM_ROUNDER_BITS + (qn_uint32)how->first_bin);
        unsure |= !(ABS(rests[p]) <= how->sure);
    }
    if (unsure) {
        UNROLL
        for (int p = 0; p < PAIRS; p++)
            if (!(ABS(rests[p]) <= how->sure)) {
                const int guess = (int)(bins[p] + (qn_uint32)how->first_bin);
                bins[p] =
                    (qn_uint32)(histogram_find(squares[p], guess, how->squared_edges, how->bins) - how->first_bin);
            }
    }
    UNROLL
    for (int p = 0; p < PAIRS; p++) {
        qn_uint32 bin = MIN(bins[p], (qn_uint32)how->range);
        if (masked && own + p / VECTOR_WIDTH * (GROUP_SIZE * VECTOR_WIDTH) + p % VECTOR_WIDTH >= before)
            bin = (qn_uint32)how->range;
        LOCAL_ATOMIC_ADD_INT((LOCAL_PTR qn_uint32 *)(how->mine + bin * how->stride), 1u);
    }
}

/* Add the group's counts to those in global memory, and set the group's counts to 0. */
DEVICE_FN void flush(const counting *how, GLOBAL qn_uint32 *counts)
{
    LOCAL_BARRIER();
    for (int b = LOCAL_ID(0); b <= how->range; b += GROUP_SIZE) {
        qn_uint32 total = 0;
        for (int c = 0; c < how->copies; c++) {
            total += how->histogram[b * how->copies + c];
            how->histogram[b * how->copies + c] = 0;
        }
        if (b == how->range) total = 0; /* pairs outside of the range */
        if (total == 0) continue;
        const qn_uint32 old = ATOMIC_ADD_INT(&counts[2 * (how->first_bin + b)], total);
        if (old + total < old) ATOMIC_ADD_INT(&counts[2 * (how->first_bin + b) + 1], 1u);
    }
    LOCAL_BARRIER();
}

/* Find pair `unit` of tiles; returns 0 if another pair has the same atoms. In unordered problems, tile r is paired with
 * itself and with about rows / 2 tiles after it, as on a ring; opposite tiles are paired once. */
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
    const distance_scalars s)
{
    LOCAL qn_float4 tile[TILE];
    LOCAL qn_uint32 histogram[HISTOGRAM_WORDS];
    const int rows = (s.first_count + SIDE - 1) / SIDE, columns = (s.second_count + SIDE - 1) / SIDE;
    qn_int64 units = (qn_int64)rows * columns;
#if UNORDERED_MAP
    if (s.unordered) units = ((qn_int64)rows * (rows + 1)) / 2;
#endif
    counting how = {histogram, (LOCAL_PTR qn_uint8 *)histogram, 4, squared_edges, cell, s.bins, s.shifts, 0, 0, 1,
                    s.scale, s.shift, s.sure};
    for (int w = LOCAL_ID(0); w < HISTOGRAM_WORDS; w += GROUP_SIZE) histogram[w] = 0;
    for (how.first_bin = 0; how.first_bin < s.bins; how.first_bin += MOST_RANGE) {
        how.range = MIN(s.bins - how.first_bin, MOST_RANGE);
        for (how.copies = COPIES; how.copies > 1 && how.copies * (how.range + 1) > HISTOGRAM_WORDS;) how.copies /= 2;
        how.mine = (LOCAL_PTR qn_uint8 *)(histogram + (LOCAL_ID(0) & (how.copies - 1)));
        how.stride = 4 * (qn_uint32)how.copies;
        qn_uint32 pending = 0;
        for (qn_int64 unit = GROUP_ID(0); unit < units; unit += GROUP_COUNT(0)) {
            int row, column;
            if (!find_tiles(unit, rows, columns, s.unordered, &row, &column)) continue;
            const int own = row * SIDE + LOCAL_ID(0) * VECTOR_WIDTH, end = MIN((column + 1) * SIDE, s.second_count);
            const int diagonal = s.unordered && row == column;
            numbers at[ATOMS][3];
            UNROLL
            for (int a = 0; a < ATOMS; a++) {
                float x[VECTOR_WIDTH], y[VECTOR_WIDTH], z[VECTOR_WIDTH];
                UNROLL
                for (int v = 0; v < VECTOR_WIDTH; v++) { /* beyond the end take the first atom, which is not counted */
                    const int index = own + a * GROUP_SIZE * VECTOR_WIDTH + v;
                    const qn_float4 atom = first[index < s.first_count ? index : 0];
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
                if (diagonal || (row + 1) * SIDE > s.first_count)
                    for (int t = 0; t < size; t++)
                        count_atom(&how, at, tile[t], 1, own, diagonal ? begin + t : s.first_count);
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
