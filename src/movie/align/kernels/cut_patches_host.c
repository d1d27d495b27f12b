/* Host kernel of cut_patches: a task has one patch of one frame. */
#include "base/thread_pool.h"
#include "movie/align/kernels/cut_patches.h"
#include "runtime/host_variant.h"

#include "movie/align/kernels/cut_patches.dev.h"

typedef struct cut_job {
    const float *frames, *taper;
    const int *corners;
    float *patches;
    cut_scalars s;
} cut_job;

static double sum_row(const float *restrict row, int count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int x = 0; x < count; x++) sum += row[x];
    return (double)sum;
}

static void taper_row(const float *restrict row, const float *restrict taper, float mean, float factor, int count,
                      float *restrict to)
{
#pragma omp simd
    for (int x = 0; x < count; x++) to[x] = (row[x] - mean) * (taper[x] * factor);
}

static qn_status cut_patch(size_t index, int worker, void *user)
{
    const cut_job *job = user;
    const cut_scalars *s = &job->s;
    const size_t patch = index / (size_t)s->frames, frame = index % (size_t)s->frames, width = (size_t)s->width;
    const int *corner = job->corners + 2 * ((size_t)s->first + patch);
    const float *from = job->frames + (frame * (size_t)s->height + (size_t)corner[1]) * width + corner[0];
    float *to = job->patches + index * (size_t)s->patch_width * (size_t)s->patch_height;
    double sum = 0;
    (void)worker;
    for (int y = 0; y < s->patch_height; y++) sum += sum_row(from + (size_t)y * width, s->patch_width);
    const float mean = (float)(sum / ((double)s->patch_width * s->patch_height));
    for (int y = 0; y < s->patch_height; y++)
        taper_row(from + (size_t)y * width, job->taper, mean, job->taper[s->patch_width + y], s->patch_width,
                  to + (size_t)y * (size_t)s->patch_width);
    return QN_OK;
}

static qn_status cut_patches(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    cut_job job = {.frames = arguments[CUT_FRAMES],
                   .taper = arguments[CUT_TAPER],
                   .corners = arguments[CUT_CORNERS],
                   .patches = arguments[CUT_PATCHES],
                   .s = *(const cut_scalars *)arguments[CUT_SCALARS]};
    return qn_pool_run(launch->pool, (size_t)job.s.frames * launch->geometry.items[1], cut_patch, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_cut_patches_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_cut_patches_host)[] = {cut_patches};
