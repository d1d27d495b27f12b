/* Host kernels of find_peaks: a task has a map. */
#include <string.h>

#include "base/thread_pool.h"
#include "movie/align/kernels/find_peaks.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/find_peaks.dev.h"

typedef struct peaks_job {
    const float *maps;
    float *results;
    peaks_scalars s;
} peaks_job;

static const float *row_of(const peaks_job *job, const float *map, int y)
{
    return map + (size_t)(y < 0 ? y + job->s.height : y) * (size_t)job->s.width;
}

static float value_at(const peaks_job *job, const float *map, int x, int y)
{
    return row_of(job, map, y)[x < 0 ? x + job->s.width : x];
}

static qn_status find_peak(size_t index, int worker, void *user)
{
    const peaks_job *job = user;
    const float *map = job->maps + index * (size_t)job->s.width * (size_t)job->s.height;
    float largest = -FLOAT_MAXIMUM;
    int x = 0, y = 0;
    (void)worker;
    for (int v = -job->s.reach_y; v <= job->s.reach_y; v++)
        for (int u = -job->s.reach_x; u <= job->s.reach_x; u++) {
            const float value = value_at(job, map, u, v);
            if (value > largest) largest = value, x = u, y = v;
        }
    const float middle = value_at(job, map, x, y);
    float *peak = job->results + 4 * ((size_t)job->s.first + index);
    peak[0] = (float)x + peaks_offset(value_at(job, map, x - 1, y), middle, value_at(job, map, x + 1, y));
    peak[1] = (float)y + peaks_offset(value_at(job, map, x, y - 1), middle, value_at(job, map, x, y + 1));
    peak[2] = middle;
    peak[3] = x == -job->s.reach_x || x == job->s.reach_x || y == -job->s.reach_y || y == job->s.reach_y ? 1 : 0;
    return QN_OK;
}

static qn_status cut_window(size_t index, int worker, void *user)
{
    const peaks_job *job = user;
    const int reach = job->s.reach_x, across = 2 * reach + 1;
    const float *map = job->maps + index * (size_t)job->s.width * (size_t)job->s.height;
    float *to = job->results + ((size_t)job->s.first + index) * (size_t)across * (size_t)(2 * job->s.reach_y + 1);
    (void)worker;
    for (int y = -job->s.reach_y; y <= job->s.reach_y; y++, to += across) {
        const float *row = row_of(job, map, y);
        memcpy(to, row + job->s.width - reach, (size_t)reach * sizeof(float));
        memcpy(to + reach, row, (size_t)(reach + 1) * sizeof(float));
    }
    return QN_OK;
}

static qn_status run_tasks(const qn_host_launch *launch, qn_pool_task task)
{
    peaks_job job = {.maps = launch->arguments[PEAKS_MAPS],
                     .results = launch->arguments[PEAKS_PEAKS],
                     .s = *(const peaks_scalars *)launch->arguments[PEAKS_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[0] / launch->geometry.group[0], task, &job);
}

static qn_status find_peaks(const qn_host_launch *launch)
{
    return run_tasks(launch, find_peak);
}

static qn_status cut_windows(const qn_host_launch *launch)
{
    return run_tasks(launch, cut_window);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_find_peaks_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_find_peaks_host)[] = {find_peaks, cut_windows};
