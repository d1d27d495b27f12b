/* Histogram of the distances of the pairs of atoms in cell lists.
 *
 * A group takes a task, which is a run of atoms of each set. Its work-items form a grid of ROWS by COLUMNS: rows stride
 * through the first run, columns through the second. Pairs are counted as in distance_histogram.cl: in up to COPIES
 * interleaved histograms in local memory, in several ranges of bins if they do not fit, with carries into the second
 * word of a count. */

#include "pairs/kernels/cell_histogram.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef ROWS
#error "ROWS: work-items with different atoms of the first run"
#endif
#ifndef COPIES
#error "COPIES: histograms of a group, at most"
#endif
#ifndef HISTOGRAM_WORDS
#error "HISTOGRAM_WORDS: counters of a group"
#endif
#ifndef GROUPS
#error "GROUPS: groups for each compute unit, at most"
#endif
#ifndef PERIODICITY
#error "PERIODICITY: 0 none, 1 orthorhombic, other triclinic"
#endif

#define VECTOR_WIDTH 1
#include "pairs/kernels/distance_histogram.dev.h"

#define COLUMNS (GROUP_SIZE / ROWS)
#define MOST_RANGE HISTOGRAM_WORDS /* bins counted at once */
#define MOST_PENDING 0x40000000u   /* pairs after which counts are flushed: far below 2^32 */

typedef struct counting {
    LOCAL_PTR qn_uint32 *histogram;
    GLOBAL const float *squared_edges;
    GLOBAL const float *cell;
    int bins, shifts;             /* of the whole histogram; of the cell */
    int first_bin, range, copies; /* `range` bins from first_bin on are counted */
    float scale, shift, sure; /* distance · scale + shift rounds to the bin; the bin is right if it is within `sure` */
} counting;

DEVICE_FN float square_of(const counting *how, float x, float y, float z)
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

DEVICE_FN void count_pair(const counting *how, qn_float4 a, qn_float4 b)
{
    const float square = square_of(how, a.x - b.x, a.y - b.y, a.z - b.z);
    const float guess = FMA(square * FAST_RSQRT(square), how->scale, how->shift);
    const float rounded = guess + HISTOGRAM_ROUNDER, rest = guess - (rounded - HISTOGRAM_ROUNDER);
    int bin = (int)(FLOAT_BITS(rounded) - HISTOGRAM_ROUNDER_BITS);
    if (!(ABS(rest) <= how->sure)) bin = histogram_find(square, bin, how->squared_edges, how->bins);
    const qn_uint32 place = (qn_uint32)(bin - how->first_bin);
    if (place < (qn_uint32)how->range)
        LOCAL_ATOMIC_ADD_INT(&how->histogram[(int)place * how->copies + (LOCAL_ID(0) & (how->copies - 1))], 1u);
}

DEVICE_FN void count_task(const counting *how, GLOBAL const qn_float4 *first, GLOBAL const qn_float4 *second,
                          qn_int4 task, int unordered)
{
    const int row = LOCAL_ID(0) % ROWS, column = LOCAL_ID(0) / ROWS;
    const int triangular = unordered && task.x == task.z;
    for (int i = task.x + row; i < task.y; i += ROWS) {
        const qn_float4 atom = first[i];
        for (int j = task.z + column; j < task.w; j += COLUMNS)
            if (!triangular || j > i) count_pair(how, atom, second[j]);
    }
}

/* Add the group's counts to those in global memory, and set the group's counts to 0. */
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

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void cell_histogram(
    GLOBAL const qn_float4 *RESTRICT first, GLOBAL const qn_float4 *RESTRICT second,
    GLOBAL const qn_int4 *RESTRICT tasks, GLOBAL const float *RESTRICT squared_edges, GLOBAL const float *RESTRICT cell,
    GLOBAL qn_uint32 *RESTRICT counts, const cell_scalars s)
{
    LOCAL qn_uint32 histogram[HISTOGRAM_WORDS];
    counting how = {histogram, squared_edges, cell, s.bins, s.shifts, 0, 0, 1, s.scale, s.shift, s.sure};
    for (int w = LOCAL_ID(0); w < HISTOGRAM_WORDS; w += GROUP_SIZE) histogram[w] = 0;
    LOCAL_BARRIER();
    for (how.first_bin = 0; how.first_bin < s.bins; how.first_bin += MOST_RANGE) {
        how.range = MIN(s.bins - how.first_bin, MOST_RANGE);
        for (how.copies = COPIES; how.copies > 1 && how.copies * how.range > HISTOGRAM_WORDS;) how.copies /= 2;
        qn_uint32 pending = 0;
        for (int t = GROUP_ID(0); t < s.task_count; t += GROUP_COUNT(0)) {
            const qn_int4 task = tasks[t];
            count_task(&how, first, second, task, s.unordered);
            pending += (qn_uint32)(task.y - task.x) * (qn_uint32)(task.w - task.z);
            if (pending > MOST_PENDING) {
                flush(&how, counts);
                pending = 0;
            }
        }
        flush(&how, counts);
    }
}
