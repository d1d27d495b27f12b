/* Host kernels of correlate. A task has some rows of a patch. The ramp of a frame is a product of a factor of the row
 * and one of the column; factors of columns are computed once for a task. The shifted frames of a row stay in cache
 * between their sum and their products. Real and imaginary parts are apart, as vectors want them. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "movie/align/kernels/correlate.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/correlate.dev.h"

enum { ROWS = 32 }; /* of a task */

typedef struct correlate_job {
    const float *spectra, *filter;
    const uint32_t *turns;
    const int *pairs;
    float *products, *halves;
    correlate_scalars s;
    pairs_scalars p;
    size_t pieces;   /* of a patch */
    float **scratch; /* of the workers; NULL until a worker's first task */
} correlate_job;

/* Ramps of the columns: [frame][re, im][columns] */
static void make_ramps(const uint32_t *turns, int frames, int columns, float *restrict ramps)
{
    for (int t = 0; t < frames; t++) {
        float *restrict re = ramps + (size_t)2 * (size_t)t * (size_t)columns, *restrict im = re + columns;
        const uint32_t turn = turns[2 * t];
#pragma omp simd
        for (int x = 0; x < columns; x++) {
            const qn_complex ramp = correlate_ramp(turn, 0, x, 0);
            re[x] = ramp.x;
            im[x] = ramp.y;
        }
    }
}

/* re, im = from · ramp · factor */
static void shift_row(const float *restrict from, const float *restrict ramp, qn_complex factor, int columns,
                      float *restrict re, float *restrict im)
{
    const float *restrict ramp_re = ramp, *restrict ramp_im = ramp + columns;
#pragma omp simd
    for (int x = 0; x < columns; x++) {
        const float c = ramp_re[x] * factor.x - ramp_im[x] * factor.y;
        const float d = ramp_re[x] * factor.y + ramp_im[x] * factor.x;
        re[x] = from[2 * x] * c - from[2 * x + 1] * d;
        im[x] = from[2 * x] * d + from[2 * x + 1] * c;
    }
}

static void add_row(const float *restrict shifted, int count, float *restrict sum)
{
#pragma omp simd
    for (int i = 0; i < count; i++) sum[i] += shifted[i];
}

static void interleave_row(const float *restrict parts, int columns, float *restrict to)
{
#pragma omp simd
    for (int x = 0; x < columns; x++) {
        to[2 * x] = parts[x];
        to[2 * x + 1] = parts[x + columns];
    }
}

/* to = weight · a · conj(sum − a) */
static void multiply_row(const float *restrict a, const float *restrict sum, const float *restrict weight, int columns,
                         float *restrict to)
{
#pragma omp simd
    for (int x = 0; x < columns; x++) {
        const float re = a[x], im = a[x + columns], other_re = sum[x] - re, other_im = sum[x + columns] - im;
        to[2 * x] = weight[x] * (re * other_re + im * other_im);
        to[2 * x + 1] = weight[x] * (im * other_re - re * other_im);
    }
}

/* One row of a patch. scratch: the sums of even and odd frames and of all, then the shifted frames, each [re,
 * im][columns]. */
static void correlate_row(const correlate_job *job, size_t patch, int row, const float *ramps, float *scratch)
{
    const int columns = job->s.columns, frames = job->s.frames, y = correlate_frequency(row, job->s.rows);
    const size_t width = (size_t)2 * (size_t)columns, image = width * (size_t)job->s.rows;
    const size_t place = width * (size_t)row;
    float *even = scratch, *odd = even + width, *sum = odd + width, *shifted = sum + width;
    const float *from = job->spectra + ((size_t)job->s.first + patch) * (size_t)frames * image + place;
    const uint32_t *turns = job->turns + (size_t)2 * ((size_t)job->s.first + patch) * (size_t)frames;
    memset(even, 0, 2 * width * sizeof(float));
    for (int t = 0; t < frames; t++) {
        float *own = shifted + (size_t)t * width;
        shift_row(from + (size_t)t * image, ramps + (size_t)t * width, correlate_ramp(0, turns[2 * t + 1], 0, y),
                  columns, own, own + columns);
        add_row(own, 2 * columns, t % 2 == 0 ? even : odd);
    }
    for (size_t i = 0; i < width; i++) sum[i] = even[i] + odd[i];
    interleave_row(even, columns, job->halves + 2 * patch * image + place);
    interleave_row(odd, columns, job->halves + (2 * patch + 1) * image + place);
    for (int t = 0; t < frames; t++)
        multiply_row(shifted + (size_t)t * width, sum, job->filter + (size_t)row * (size_t)columns, columns,
                     job->products + (patch * (size_t)frames + (size_t)t) * image + place);
}

static qn_status scratch_of(const correlate_job *job, int worker, size_t floats, float **scratch)
{
    void *memory = job->scratch[worker];
    if (!memory) QN_TRY(qn_allocate(floats, sizeof(float), &memory));
    *scratch = job->scratch[worker] = memory;
    return QN_OK;
}

static qn_status correlate_rows(size_t index, int worker, void *user)
{
    const correlate_job *job = user;
    const size_t patch = index / job->pieces, width = (size_t)2 * (size_t)job->s.columns;
    const int first = (int)(index % job->pieces) * ROWS;
    const int end = first + ROWS < job->s.rows ? first + ROWS : job->s.rows;
    float *ramps;
    QN_TRY(scratch_of(job, worker, width * (size_t)(2 * job->s.frames + 3), &ramps));
    make_ramps(job->turns + (size_t)2 * ((size_t)job->s.first + patch) * (size_t)job->s.frames, job->s.frames,
               job->s.columns, ramps);
    for (int row = first; row < end; row++)
        correlate_row(job, patch, row, ramps, ramps + width * (size_t)job->s.frames);
    return QN_OK;
}

static qn_status shift_rows(size_t index, int worker, void *user)
{
    const correlate_job *job = user;
    const int columns = job->s.columns, first = (int)(index % job->pieces) * ROWS;
    const int end = first + ROWS < job->s.rows ? first + ROWS : job->s.rows;
    const size_t frame = index / job->pieces, width = (size_t)2 * (size_t)columns;
    const size_t image = width * (size_t)job->s.rows, from = ((size_t)job->s.first + frame) * image;
    const uint32_t *turns = job->turns + (size_t)2 * ((size_t)job->s.first + frame);
    float *ramps;
    QN_TRY(scratch_of(job, worker, 2 * width, &ramps));
    make_ramps(turns, 1, columns, ramps);
    for (int row = first; row < end; row++) {
        const size_t place = width * (size_t)row;
        shift_row(job->spectra + from + place, ramps,
                  correlate_ramp(0, turns[1], 0, correlate_frequency(row, job->s.rows)), columns, ramps + width,
                  ramps + width + columns);
        interleave_row(ramps + width, columns, job->products + frame * image + place);
    }
    return QN_OK;
}

static void multiply_pair_row(const float *restrict a, const float *restrict b, const float *restrict weight,
                              int columns, float *restrict to)
{
#pragma omp simd
    for (int x = 0; x < columns; x++) {
        to[2 * x] = weight[x] * (a[2 * x] * b[2 * x] + a[2 * x + 1] * b[2 * x + 1]);
        to[2 * x + 1] = weight[x] * (a[2 * x + 1] * b[2 * x] - a[2 * x] * b[2 * x + 1]);
    }
}

static qn_status multiply_pair(size_t index, int worker, void *user)
{
    const correlate_job *job = user;
    const pairs_scalars *p = &job->p;
    const size_t image = (size_t)2 * (size_t)p->rows * (size_t)p->columns, width = (size_t)2 * (size_t)p->columns;
    const int *pair = job->pairs + 2 * ((size_t)p->first + index);
    const float *a = job->spectra + (size_t)pair[0] * image, *b = job->spectra + (size_t)pair[1] * image;
    (void)worker;
    for (int row = 0; row < p->small_rows; row++) {
        const int from_row = row <= p->small_rows / 2 ? row : row - p->small_rows + p->rows;
        const size_t from = (size_t)from_row * width, small = (size_t)row * (size_t)p->small_columns;
        multiply_pair_row(a + from, b + from, job->filter + small, p->small_columns,
                          job->products + 2 * (index * (size_t)p->small_rows * (size_t)p->small_columns + small));
    }
    return QN_OK;
}

static qn_status run_tasks(const qn_host_launch *launch, correlate_job *job, size_t count, qn_pool_task task)
{
    const int workers = qn_pool_threads(launch->pool);
    void *memory;
    QN_TRY(qn_allocate((size_t)workers, sizeof(float *), &memory));
    job->scratch = memory;
    const qn_status status = qn_pool_run(launch->pool, count, task, job);
    for (int w = 0; w < workers; w++) qn_release(&job->scratch[w]);
    qn_release(&memory);
    return status;
}

static qn_status correlate(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    correlate_job job = {.spectra = arguments[CORRELATE_SPECTRA],
                         .turns = arguments[CORRELATE_TURNS],
                         .filter = arguments[CORRELATE_FILTER],
                         .products = arguments[CORRELATE_PRODUCTS],
                         .halves = arguments[CORRELATE_HALVES],
                         .s = *(const correlate_scalars *)arguments[CORRELATE_SCALARS]};
    job.pieces = ((size_t)job.s.rows + ROWS - 1) / ROWS;
    return run_tasks(launch, &job, job.pieces * launch->geometry.items[1], correlate_rows);
}

static qn_status correlate_pairs(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    correlate_job job = {.spectra = arguments[PAIRS_SPECTRA],
                         .pairs = arguments[PAIRS_PAIRS],
                         .filter = arguments[PAIRS_FILTER],
                         .products = arguments[PAIRS_PRODUCTS],
                         .p = *(const pairs_scalars *)arguments[PAIRS_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[1], multiply_pair, &job);
}

static qn_status shift_spectra(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    correlate_job job = {.spectra = arguments[SHIFT_SPECTRA],
                         .turns = arguments[SHIFT_TURNS],
                         .products = arguments[SHIFT_SHIFTED],
                         .s = *(const correlate_scalars *)arguments[SHIFT_SCALARS]};
    job.pieces = ((size_t)job.s.rows + ROWS - 1) / ROWS;
    return run_tasks(launch, &job, job.pieces * launch->geometry.items[1], shift_rows);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_correlate_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_correlate_host)[] = {correlate, correlate_pairs, shift_spectra};
