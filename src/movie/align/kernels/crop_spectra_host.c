/* Host kernel of crop_spectra: rows are dealt to the pool. */
#include <string.h>

#include "base/thread_pool.h"
#include "movie/align/kernels/crop_spectra.h"
#include "runtime/host_variant.h"

#include "movie/align/kernels/crop_spectra.dev.h"

enum { ROWS = 32 }; /* of a task */

typedef struct crop_job {
    const float *spectrum;
    float *coarse;
    crop_scalars s;
} crop_job;

static void crop_row(const crop_job *job, int row)
{
    const crop_scalars *s = &job->s;
    float *restrict to = job->coarse + (size_t)2 * (size_t)row * (size_t)s->columns;
    const int from_row = row < s->rows / 2 ? row : row - s->rows + s->from_rows;
    const float *restrict from = job->spectrum + (size_t)2 * (size_t)from_row * (size_t)s->from_columns;
    const float scale = s->scale;
    memset(to, 0, (size_t)s->columns * 2 * sizeof(float));
    if (row == s->rows / 2) return;
#pragma omp simd
    for (int i = 0; i < 2 * (s->columns - 1); i++) to[i] = from[i] * scale;
    if (row == 0) to[0] = to[1] = 0;
}

static qn_status crop_rows(size_t index, int worker, void *user)
{
    const crop_job *job = user;
    const int first = (int)index * ROWS, end = first + ROWS < job->s.rows ? first + ROWS : job->s.rows;
    (void)worker;
    for (int row = first; row < end; row++) crop_row(job, row);
    return QN_OK;
}

static qn_status crop_spectra(const qn_host_launch *launch)
{
    const crop_scalars *s = launch->arguments[CROP_SCALARS];
    crop_job job = {.spectrum = launch->arguments[CROP_SPECTRUM], .s = *s};
    job.coarse =
        (float *)launch->arguments[CROP_STACK] + (size_t)2 * (size_t)s->frame * (size_t)s->rows * (size_t)s->columns;
    return qn_pool_run(launch->pool, ((size_t)s->rows + ROWS - 1) / ROWS, crop_rows, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_crop_spectra_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_crop_spectra_host)[] = {crop_spectra};
