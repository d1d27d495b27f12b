/* Windows on the cores of a processor: a task takes some of them. */
#include "base/thread_pool.h"
#include "movie/motion/kernels/field_value.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/motion/kernels/field_value.dev.h"

enum { PIECE = 256 }; /* lines or windows of a task */

typedef struct field_job {
    float *windows;
    const float *coefficients, *places;
    float *values;
    int count, side, columns;
} field_job;

static qn_status sum_part(size_t index, int worker, void *user)
{
    const field_job *job = user;
    const int area = job->side * job->side;
    float *sums = job->values + index * (size_t)area;
    (void)worker;
    for (int k = 0; k < area; k++) sums[k] = 0;
    for (int w = (int)index; w < job->count; w += FIELD_PARTS)
        for (int k = 0; k < area; k++) sums[k] += job->coefficients[(size_t)w * (size_t)area + (size_t)k];
    return QN_OK;
}

static qn_status sum(const qn_host_launch *launch)
{
    const field_scalars *s = launch->arguments[SUM_SCALARS];
    field_job job = {.coefficients = launch->arguments[SUM_WINDOWS],
                     .values = launch->arguments[SUM_SUMS],
                     .count = s->windows,
                     .side = s->side};
    return qn_pool_run(launch->pool, FIELD_PARTS, sum_part, &job);
}

static qn_status filter_piece(size_t index, int worker, void *user)
{
    const field_job *job = user;
    const int first = (int)index * PIECE, end = MIN(first + PIECE, job->count), side = job->side;
    (void)worker;
    for (int item = first; item < end; item++) {
        float *window = job->windows + (size_t)(item / side) * (size_t)(side * side);
        filter_line(window + item % side * (job->columns ? 1 : side), side, job->columns ? side : 1);
    }
    return QN_OK;
}

static qn_status filter(const qn_host_launch *launch)
{
    const filter_scalars *s = launch->arguments[FILTER_SCALARS];
    field_job job = {
        .windows = launch->arguments[FILTER_WINDOWS], .count = s->lines, .side = s->side, .columns = s->columns};
    return qn_pool_run(launch->pool, (size_t)(s->lines + PIECE - 1) / PIECE, filter_piece, &job);
}

static qn_status value_piece(size_t index, int worker, void *user)
{
    const field_job *job = user;
    const int first = (int)index * PIECE, end = MIN(first + PIECE, job->count);
    (void)worker;
    for (int item = first; item < end; item++)
        field_at(job->coefficients + (size_t)item * (size_t)(job->side * job->side), job->side, job->places[2 * item],
                 job->places[2 * item + 1], job->values + 3 * (size_t)item);
    return QN_OK;
}

static qn_status value(const qn_host_launch *launch)
{
    const field_scalars *s = launch->arguments[FIELD_SCALARS];
    field_job job = {.coefficients = launch->arguments[FIELD_COEFFICIENTS],
                     .places = launch->arguments[FIELD_PLACES],
                     .values = launch->arguments[FIELD_VALUES],
                     .count = s->windows,
                     .side = s->side};
    return qn_pool_run(launch->pool, (size_t)(s->windows + PIECE - 1) / PIECE, value_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_field_value_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_field_value_host)[] = {filter, value, sum};
