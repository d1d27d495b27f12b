/* Common code of the host kernels of pair histograms. The bins of an atom with a row of atoms are computed in vectors.
 * They are then counted one by one in several histograms in turn, so that no count waits for the one before. A pair
 * whose guess is not sure gets the bin after all others, and is looked up in a second pass over the row.
 *
 * Included by *_host.c only, each of which is compiled once per instruction set. */
#ifndef QN_PAIRS_HISTOGRAM_ROWS_H
#define QN_PAIRS_HISTOGRAM_ROWS_H

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "pairs/kernels/distance_histogram.h"
#include "runtime/prelude/prelude_host.h"

#define VECTOR_WIDTH 1
#include "pairs/kernels/distance_histogram.dev.h"

enum { SIDE = 512 };                             /* atoms of a tile: its coordinates and bins stay in the first cache */
enum { COPIES = 4 };                             /* of a histogram, if all of them fit into the first cache too */
enum { SMALL = 4096 };                           /* most bins of such a histogram */
static const uint64_t MOST_PENDING = 0x40000000; /* pairs after which counts are flushed: far below 2^32 */

typedef struct atom_rows {
    const float *x, *y, *z;
    size_t count;
} atom_rows;

typedef struct worker_counts {
    uint32_t *copies; /* [rule->copies][stride] */
    uint64_t *totals; /* one per bin */
    uint64_t pending; /* number of pairs counted in `copies` since the last flush */
} worker_counts;

/* The rule by which pairs are counted, and the counters. */
typedef struct histogram_rule {
    const float *squared_edges, *cell;
    int bins, shifts, shape;
    float scale, shift, sure;
    size_t stride, copies;
    worker_counts *workers;
} histogram_rule;

/* Differences of a row in the brick, which triclinic images need; squares; bins. */
typedef struct row_scratch {
    float x[SIDE], y[SIDE], z[SIDE], square[SIDE];
    uint32_t bin[SIDE];
} row_scratch;

static inline uint32_t guess_bin(float square, float scale, float shift, float sure, int bins)
{
    const float most = (float)bins + 0.25f; /* certainly beyond the last bin; NaN becomes this too */
    float guess = FMA(sqrtf(square), scale, shift);
    guess = guess < most ? guess : most;
    const float whole = histogram_whole(guess);
    return ABS(guess - whole) <= sure ? (uint32_t)(int32_t)whole : (uint32_t)(bins + 1);
}

static void squares_open(const atom_rows *other, size_t begin, size_t count, const float at[3], row_scratch *row)
{
    const float *x = other->x + begin, *y = other->y + begin, *z = other->z + begin;
    const float ax = at[0], ay = at[1], az = at[2];
    float *square = row->square;
#pragma omp simd
    for (size_t j = 0; j < count; j++) square[j] = histogram_square(ax - x[j], ay - y[j], az - z[j]);
}

static void squares_orthorhombic(const float *cell, const atom_rows *other, size_t begin, size_t count,
                                 const float at[3], row_scratch *row)
{
    const float *x = other->x + begin, *y = other->y + begin, *z = other->z + begin;
    const float ax = at[0], ay = at[1], az = at[2];
    const float ex = cell[HISTOGRAM_EDGE_X], ey = cell[HISTOGRAM_EDGE_Y], ez = cell[HISTOGRAM_EDGE_Z];
    float *square = row->square;
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        square[j] = histogram_square_orthorhombic(ex, ey, ez, ax - x[j], ay - y[j], az - z[j]);
}

static void squares_triclinic(const float *cell, int shifts, const atom_rows *other, size_t begin, size_t count,
                              const float at[3], row_scratch *row)
{
    const float *x = other->x + begin, *y = other->y + begin, *z = other->z + begin;
    const float ax = at[0], ay = at[1], az = at[2];
    float *square = row->square, *dx = row->x, *dy = row->y, *dz = row->z, brick[HISTOGRAM_SHIFTS];
    memcpy(brick, cell, sizeof brick); /* a copy, so that the compiler knows that stores to the row do not change it */
#pragma omp simd
    for (size_t j = 0; j < count; j++) {
        float to_x = ax - x[j], to_y = ay - y[j], to_z = az - z[j];
        histogram_into_brick(brick, &to_x, &to_y, &to_z);
        dx[j] = to_x;
        dy[j] = to_y;
        dz[j] = to_z;
        square[j] = histogram_square(to_x, to_y, to_z);
    }
    for (int s = 0; s < shifts; s++) {
        const float shift[3] = {cell[HISTOGRAM_SHIFTS + 4 * s], cell[HISTOGRAM_SHIFTS + 4 * s + 1],
                                cell[HISTOGRAM_SHIFTS + 4 * s + 2]};
#pragma omp simd
        for (size_t j = 0; j < count; j++)
            square[j] = FMIN(square[j], histogram_square_shifted(shift, dx[j], dy[j], dz[j]));
    }
}

static void find_bins(const histogram_rule *rule, size_t count, row_scratch *row)
{
    const float scale = rule->scale, shift = rule->shift, sure = rule->sure;
    const int bins = rule->bins;
    const float *square = row->square;
    uint32_t *bin = row->bin;
#pragma omp simd
    for (size_t j = 0; j < count; j++) bin[j] = guess_bin(square[j], scale, shift, sure, bins);
}

/* Count a row's bins, then look up and count those that were not sure. */
static void count_bins(const histogram_rule *rule, size_t count, const row_scratch *row, worker_counts *mine)
{
    const size_t unsure = (size_t)rule->bins + 1, step = rule->copies == COPIES ? rule->stride : 0;
    uint32_t *a = mine->copies, *b = a + step, *c = b + step, *d = c + step;
    a[unsure] = b[unsure] = c[unsure] = d[unsure] = 0;
    size_t j = 0;
    for (; j + COPIES <= count; j += COPIES) {
        a[row->bin[j]]++;
        b[row->bin[j + 1]]++;
        c[row->bin[j + 2]]++;
        d[row->bin[j + 3]]++;
    }
    for (; j < count; j++) a[row->bin[j]]++;
    if ((a[unsure] | b[unsure] | c[unsure] | d[unsure]) == 0) return;
    for (j = 0; j < count; j++)
        if (row->bin[j] == unsure) {
            const int guess = (int)FMIN(sqrtf(row->square[j]) * rule->scale, (float)rule->bins);
            a[histogram_find(row->square[j], guess, rule->squared_edges, rule->bins)]++;
        }
}

static void flush(const histogram_rule *rule, worker_counts *mine)
{
    for (size_t copy = 0; copy < rule->copies; copy++)
        for (size_t bin = 0; bin < (size_t)rule->bins; bin++)
            mine->totals[bin] += mine->copies[copy * rule->stride + bin];
    memset(mine->copies, 0, rule->copies * rule->stride * sizeof *mine->copies);
    mine->pending = 0;
}

/* Copy x, y and z of packed atoms into three rows; `memory` is to be released. */
static qn_status make_rows(const float *packed, size_t count, float **memory, atom_rows *rows)
{
    void *made;
    QN_TRY(qn_allocate(3 * count, sizeof(float), &made));
    *memory = made;
    float *x = made, *y = x + count, *z = y + count;
    for (size_t i = 0; i < count; i++) {
        x[i] = packed[4 * i];
        y[i] = packed[4 * i + 1];
        z[i] = packed[4 * i + 2];
    }
    *rows = (atom_rows){x, y, z, count};
    return QN_OK;
}

/* Allocate the counts of all workers, each worker's on cache lines of its own. */
static qn_status make_workers(histogram_rule *rule, size_t workers, uint32_t **copies, uint64_t **totals)
{
    void *memory;
    QN_TRY(qn_allocate(workers, sizeof *rule->workers, &memory));
    rule->workers = memory;
    QN_TRY(qn_allocate(workers * rule->copies * rule->stride, sizeof(uint32_t), &memory));
    *copies = memory;
    QN_TRY(qn_allocate(workers * rule->stride, sizeof(uint64_t), &memory));
    *totals = memory;
    for (size_t w = 0; w < workers; w++)
        rule->workers[w] = (worker_counts){*copies + w * rule->copies * rule->stride, *totals + w * rule->stride, 0};
    return QN_OK;
}

/* Count the pairs of an atom with `count` ≤ SIDE other atoms from `begin` on. */
static void count_row(const histogram_rule *rule, const float at[3], const atom_rows *other, size_t begin, size_t count,
                      row_scratch *row, worker_counts *mine)
{
    if (rule->shape == QN_BOX_NONE)
        squares_open(other, begin, count, at, row);
    else if (rule->shape == QN_BOX_ORTHORHOMBIC)
        squares_orthorhombic(rule->cell, other, begin, count, at, row);
    else
        squares_triclinic(rule->cell, rule->shifts, other, begin, count, at, row);
    find_bins(rule, count, row);
    count_bins(rule, count, row, mine);
}

/* Run `task` for units 0 … units − 1 on the pool, then add the counts of the workers. */
static qn_status run_units(histogram_rule *rule, qn_pool *pool, size_t units, qn_pool_task task, void *job,
                           uint64_t *counts)
{
    const size_t workers = pool ? (size_t)qn_pool_threads(pool) : 1;
    uint32_t *copies = NULL;
    uint64_t *totals = NULL;
    rule->stride = ((size_t)rule->bins + 2 + 31) / 16 * 16;
    rule->copies = rule->bins <= SMALL ? COPIES : 1;
    qn_status status = make_workers(rule, workers, &copies, &totals);
    if (status == QN_OK) status = qn_pool_run(pool, units, task, job);
    for (size_t w = 0; status == QN_OK && w < workers; w++) {
        flush(rule, &rule->workers[w]);
        for (size_t bin = 0; bin < (size_t)rule->bins; bin++) counts[bin] += rule->workers[w].totals[bin];
    }
    qn_release(&copies);
    qn_release(&totals);
    qn_release(&rule->workers);
    return status;
}

#endif
