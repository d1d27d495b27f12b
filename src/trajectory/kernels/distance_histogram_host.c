/* Host kernel of distance_histogram: an atom against a row of atoms in the vectors of the processor gives a row of
 * bins, which are then counted one by one in several histograms in turn, so that no count waits for the one before.
 * A pair whose guess is not sure gets the bin past all others; rows that have one are looked at again. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "trajectory/kernels/distance_histogram.h"

#define VECTOR_WIDTH 1
#include "trajectory/kernels/distance_histogram.dev.h"

enum { SIDE = 512 };   /* atoms of a tile: its coordinates and bins stay in the first cache */
enum { COPIES = 4 };   /* of a histogram, where it is small enough for them to stay there too */
enum { SMALL = 4096 }; /* bins of such a one */
static const uint64_t MOST_PENDING = 0x40000000; /* pairs after which counts are flushed: far below 2^32 */

typedef struct atom_rows {
    const float *x, *y, *z;
    size_t count;
} atom_rows;

typedef struct worker_counts {
    uint32_t *copies; /* COPIES of `stride` */
    uint64_t *totals; /* one per bin */
    uint64_t pending;
} worker_counts;

typedef struct histogram_job {
    atom_rows first, second;
    const float *squared_edges, *cell;
    int unordered, bins, shifts;
    float scale, shift, sure;
    size_t rows, columns, stride, copies;
    int shape;
    worker_counts *workers;
} histogram_job;

/* The row's differences in the brick, as the triclinic images need them. */
typedef struct row_scratch {
    float x[SIDE], y[SIDE], z[SIDE], square[SIDE];
    uint32_t bin[SIDE];
} row_scratch;

static inline uint32_t guess_bin(float square, float scale, float shift, float sure, int bins)
{
    const float most = (float)bins + 0.25f; /* surely beyond; takes what is not a number too */
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
    memcpy(brick, cell, sizeof brick); /* which no store to the row can change */
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

static void find_bins(const histogram_job *job, size_t count, row_scratch *row)
{
    const float scale = job->scale, shift = job->shift, sure = job->sure;
    const int bins = job->bins;
    const float *square = row->square;
    uint32_t *bin = row->bin;
#pragma omp simd
    for (size_t j = 0; j < count; j++) bin[j] = guess_bin(square[j], scale, shift, sure, bins);
}

/* Count a row's bins, then those that were not sure. */
static void count_bins(const histogram_job *job, size_t count, const row_scratch *row, worker_counts *mine)
{
    const size_t unsure = (size_t)job->bins + 1, step = job->copies == COPIES ? job->stride : 0;
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
            const int guess = (int)FMIN(sqrtf(row->square[j]) * job->scale, (float)job->bins);
            a[histogram_find(row->square[j], guess, job->squared_edges, job->bins)]++;
        }
}

static void flush(const histogram_job *job, worker_counts *mine)
{
    for (size_t copy = 0; copy < job->copies; copy++)
        for (size_t bin = 0; bin < (size_t)job->bins; bin++)
            mine->totals[bin] += mine->copies[copy * job->stride + bin];
    memset(mine->copies, 0, job->copies * job->stride * sizeof *mine->copies);
    mine->pending = 0;
}

/* One pair of tiles: tile `row` of the first set meets the tiles behind it, as on a ring (see distance_histogram.cl).
 */
static qn_status count_tiles(size_t unit, int worker, void *user)
{
    const histogram_job *job = user;
    worker_counts *mine = &job->workers[worker];
    const size_t row_tile = job->unordered ? unit % job->rows : unit / job->columns;
    const size_t column = job->unordered ? (row_tile + unit / job->rows) % job->rows : unit % job->columns;
    const size_t i_end = row_tile * SIDE + SIDE < job->first.count ? row_tile * SIDE + SIDE : job->first.count;
    const size_t j_end = column * SIDE + SIDE < job->second.count ? column * SIDE + SIDE : job->second.count;
    row_scratch row;
    if (mine->pending > MOST_PENDING) flush(job, mine);
    for (size_t i = row_tile * SIDE; i < i_end; i++) {
        const size_t begin = job->unordered && row_tile == column ? i + 1 : column * SIDE, count = j_end - begin;
        const float at[3] = {job->first.x[i], job->first.y[i], job->first.z[i]};
        if (job->shape == QN_BOX_NONE)
            squares_open(&job->second, begin, count, at, &row);
        else if (job->shape == QN_BOX_ORTHORHOMBIC)
            squares_orthorhombic(job->cell, &job->second, begin, count, at, &row);
        else
            squares_triclinic(job->cell, job->shifts, &job->second, begin, count, at, &row);
        find_bins(job, count, &row);
        count_bins(job, count, &row, mine);
    }
    mine->pending += SIDE * SIDE;
    return QN_OK;
}

/* x, y, z of packed atoms as three rows in memory of their own. */
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

/* Every worker's counts apart by more than a line of the cache. */
static qn_status make_workers(histogram_job *job, size_t workers, uint32_t **copies, uint64_t **totals)
{
    void *memory;
    QN_TRY(qn_allocate(workers, sizeof *job->workers, &memory));
    job->workers = memory;
    QN_TRY(qn_allocate(workers * job->copies * job->stride, sizeof(uint32_t), &memory));
    *copies = memory;
    QN_TRY(qn_allocate(workers * job->stride, sizeof(uint64_t), &memory));
    *totals = memory;
    for (size_t w = 0; w < workers; w++)
        job->workers[w] = (worker_counts){*copies + w * job->copies * job->stride, *totals + w * job->stride, 0};
    return QN_OK;
}

static qn_status run_job(histogram_job *job, qn_pool *pool, uint64_t *counts)
{
    const size_t workers = pool ? (size_t)qn_pool_threads(pool) : 1;
    const size_t units = job->unordered ? job->rows * (job->rows + 1) / 2 : job->rows * job->columns;
    uint32_t *copies = NULL;
    uint64_t *totals = NULL;
    qn_status status = make_workers(job, workers, &copies, &totals);
    if (status == QN_OK) status = qn_pool_run(pool, units, count_tiles, job);
    for (size_t w = 0; status == QN_OK && w < workers; w++) {
        flush(job, &job->workers[w]);
        for (size_t bin = 0; bin < (size_t)job->bins; bin++) counts[bin] += job->workers[w].totals[bin];
    }
    qn_release(&copies);
    qn_release(&totals);
    qn_release(&job->workers);
    return status;
}

static qn_status distance_histogram(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    const size_t first_count = (size_t) * (const int32_t *)arguments[5],
                 second_count = (size_t) * (const int32_t *)arguments[6];
    float *first = NULL, *second = NULL;
    histogram_job job = {.squared_edges = arguments[2],
                         .cell = arguments[3],
                         .unordered = *(const int32_t *)arguments[7],
                         .bins = *(const int32_t *)arguments[8],
                         .shifts = *(const int32_t *)arguments[9],
                         .scale = *(const float *)arguments[10],
                         .shift = *(const float *)arguments[11],
                         .sure = *(const float *)arguments[12],
                         .shape = (int)((const float *)arguments[3])[HISTOGRAM_SHAPE],
                         .rows = (first_count + SIDE - 1) / SIDE,
                         .columns = (second_count + SIDE - 1) / SIDE};
    job.stride = ((size_t)job.bins + 2 + 31) / 16 * 16;
    job.copies = job.bins <= SMALL ? COPIES : 1;
    qn_status status = make_rows(arguments[0], first_count, &first, &job.first);
    job.second = job.first;
    if (status == QN_OK && !job.unordered) status = make_rows(arguments[1], second_count, &second, &job.second);
    if (status == QN_OK) status = run_job(&job, launch->pool, arguments[4]);
    qn_release(&first);
    qn_release(&second);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_trajectory_distance_histogram_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_trajectory_distance_histogram_host)[] = {distance_histogram};
