/* Host kernels of weigh_sums: rows are dealt to the pool. */
#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "movie/warp/kernels/weigh_sums.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/weigh_sums.dev.h"

enum { ROWS = 16 }; /* of a task */

/* On instruction sets without a fused multiply-add, round twice: a call of the C library would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

typedef struct weigh_job {
    const float *from, *weights;
    float *to;
    weigh_scalars s;
    void (*row)(const struct weigh_job *job, int row);
    int rows;
} weigh_job;

static void pad_row(const weigh_job *job, int row)
{
    const weigh_scalars *s = &job->s;
    const size_t width = (size_t)s->width, padded = (size_t)s->padded_width;
    float *to = job->to + (size_t)row * padded;
    const size_t kept = row < s->height ? width : 0;
    const size_t from = ((size_t)s->index * (size_t)s->height + (size_t)row) * width;
    if (kept > 0) memcpy(to, job->from + from, kept * sizeof *to);
    memset(to + kept, 0, (padded - kept) * sizeof *to);
}

static void weigh_row(const weigh_job *job, int row)
{
    const weigh_scalars s = job->s;
    const int columns = s.padded_width / 2 + 1, y = row <= s.padded_height / 2 ? row : row - s.padded_height;
    const float *restrict weights = job->weights + (size_t)s.index * (size_t)s.bins;
    const float *restrict from = job->from + 2 * (size_t)row * (size_t)columns;
    float *restrict to = job->to + 2 * (size_t)row * (size_t)columns;
    const float up = (float)y * s.bins_y;
#pragma omp simd
    for (int x = 0; x < columns; x++) {
        const float along = (float)x * s.bins_x, place = sqrtf(MULTIPLY_ADD(along, along, up * up));
        const int bin = (int)place < s.bins - 2 ? (int)place : s.bins - 2;
        const float weight = MULTIPLY_ADD(place - (float)bin, weights[bin + 1] - weights[bin], weights[bin]);
        to[2 * x] = MULTIPLY_ADD(weight, from[2 * x], s.first ? 0.0f : to[2 * x]);
        to[2 * x + 1] = MULTIPLY_ADD(weight, from[2 * x + 1], s.first ? 0.0f : to[2 * x + 1]);
    }
}

static void crop_row(const weigh_job *job, int row)
{
    const weigh_scalars *s = &job->s;
    const size_t width = (size_t)s->width;
    const float *restrict from = job->from + (size_t)row * (size_t)s->padded_width;
    float *restrict to = job->to + ((size_t)s->index * (size_t)s->height + (size_t)row) * width;
    const float scale = s->scale;
#pragma omp simd
    for (size_t x = 0; x < width; x++) to[x] = from[x] * scale;
}

static void raise_row(const weigh_job *job, int row)
{
    const weigh_scalars *s = &job->s;
    const size_t width = (size_t)s->width;
    float *restrict to = job->to + ((size_t)s->index * (size_t)s->height + (size_t)row) * width;
    const float offset = s->offset;
#pragma omp simd
    for (size_t x = 0; x < width; x++) to[x] += offset;
}

static qn_status some_rows(size_t index, int worker, void *user)
{
    const weigh_job *job = user;
    const int first = (int)index * ROWS, end = first + ROWS < job->rows ? first + ROWS : job->rows;
    (void)worker;
    for (int row = first; row < end; row++) job->row(job, row);
    return QN_OK;
}

static qn_status run(const qn_host_launch *launch, weigh_job *job)
{
    return qn_pool_run(launch->pool, ((size_t)job->rows + ROWS - 1) / ROWS, some_rows, job);
}

static qn_status pad_sum(const qn_host_launch *launch)
{
    const weigh_scalars *s = launch->arguments[PAD_SCALARS];
    weigh_job job = {.from = launch->arguments[PAD_SUMS],
                     .to = launch->arguments[PAD_PADDED],
                     .s = *s,
                     .row = pad_row,
                     .rows = s->padded_height};
    return run(launch, &job);
}

static qn_status weigh_sum(const qn_host_launch *launch)
{
    const weigh_scalars *s = launch->arguments[WEIGH_SCALARS];
    weigh_job job = {.from = launch->arguments[WEIGH_SPECTRUM],
                     .weights = launch->arguments[WEIGH_WEIGHTS],
                     .to = launch->arguments[WEIGH_WEIGHTED],
                     .s = *s,
                     .row = weigh_row,
                     .rows = s->padded_height};
    return run(launch, &job);
}

static qn_status crop_sum(const qn_host_launch *launch)
{
    const weigh_scalars *s = launch->arguments[CROP_SCALARS];
    weigh_job job = {.from = launch->arguments[CROP_PADDED],
                     .to = launch->arguments[CROP_SUMS],
                     .s = *s,
                     .row = crop_row,
                     .rows = s->height};
    return run(launch, &job);
}

static qn_status raise_sum(const qn_host_launch *launch)
{
    const weigh_scalars *s = launch->arguments[RAISE_SCALARS];
    weigh_job job = {.to = launch->arguments[RAISE_SUMS], .s = *s, .row = raise_row, .rows = s->height};
    return run(launch, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_weigh_sums_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_weigh_sums_host)[] = {pad_sum, weigh_sum, crop_sum, raise_sum};
