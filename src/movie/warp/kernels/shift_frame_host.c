/* Host kernels of shift_frame: rows are dealt to the pool. The ramp along x is the same for all rows, so a task
 * computes it once for its rows. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "movie/warp/kernels/shift_frame.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/shift_frame.dev.h"

enum { ROWS = 16 }; /* of a task */

/* On instruction sets without a fused multiply-add, round twice: a call of the C library would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

typedef struct shift_job {
    const float *from, *factors;
    float *to, *power;
    float *ramp_x; /* [limit_x + 1][2] */
    shift_scalars s;
} shift_job;

static inline qn_complex product(qn_complex a, qn_complex b)
{
    return COMPLEX_MAKE(MULTIPLY_ADD(a.x, b.x, -(a.y * b.y)), MULTIPLY_ADD(a.x, b.y, a.y * b.x));
}

/* to = row y of the frame, shifted, `count` frequencies from x = 0. */
static void shift_row(const shift_job *job, int y, int count, float *restrict to)
{
    const shift_scalars *s = &job->s;
    const int row = y < 0 ? y + s->from_rows : y;
    const float *restrict from = job->from + 2 * (size_t)row * (size_t)s->from_columns;
    const float *restrict ramp_x = job->ramp_x;
    const qn_complex ramp_y =
        job->factors ? shift_ramp_y(job->factors, *s, y) : shift_ramp((uint32_t)y * (uint32_t)s->turn_y, 1.0f);
#pragma omp simd
    for (int x = 0; x < count; x++) {
        const qn_complex ramp = product(COMPLEX_MAKE(ramp_x[2 * x], ramp_x[2 * x + 1]), ramp_y);
        const qn_complex value = product(COMPLEX_MAKE(from[2 * x], from[2 * x + 1]), ramp);
        to[2 * x] = value.x;
        to[2 * x + 1] = value.y;
    }
}

static qn_complex value_at(const shift_job *job, int x, int y)
{
    const shift_scalars *s = &job->s;
    const float *from = job->from + 2 * ((size_t)(y < 0 ? y + s->from_rows : y) * (size_t)s->from_columns + (size_t)x);
    const qn_complex ramp =
        product(COMPLEX_MAKE(job->ramp_x[2 * x], job->ramp_x[2 * x + 1]), shift_ramp_y(job->factors, *s, y));
    return product(COMPLEX_MAKE(from[0], from[1]), ramp);
}

/* Add the frequencies of the other sign where the grid is just wide enough for both. */
static void fold(const shift_job *job, int y, float *to)
{
    const shift_scalars *s = &job->s;
    const bool folded_y = 2 * y == s->height;
    if (folded_y)
        for (int x = 0; x <= s->limit_x; x++) {
            const qn_complex other = value_at(job, x, -y);
            to[2 * x] += other.x;
            to[2 * x + 1] += other.y;
        }
    if (2 * s->limit_x != s->width) return;
    const int x = s->limit_x;
    const qn_complex other = value_at(job, x, -y);
    to[2 * x] += other.x;
    to[2 * x + 1] -= other.y;
    if (!folded_y) return;
    const qn_complex opposite = value_at(job, x, y);
    to[2 * x] += opposite.x;
    to[2 * x + 1] -= opposite.y;
}

static qn_status shift_rows(size_t index, int worker, void *user)
{
    const shift_job *job = user;
    const shift_scalars *s = &job->s;
    const int first = (int)index * ROWS, end = first + ROWS < s->height ? first + ROWS : s->height;
    const size_t columns = (size_t)(s->width / 2 + 1), kept = (size_t)s->limit_x + 1;
    (void)worker;
    for (int row = first; row < end; row++) {
        const int y = row <= s->height / 2 ? row : row - s->height;
        float *to = job->to + 2 * (size_t)row * columns;
        if ((y < 0 ? -y : y) > s->limit_y) {
            memset(to, 0, 2 * sizeof(float) * columns);
            continue;
        }
        shift_row(job, y, (int)kept, to);
        fold(job, y, to);
        memset(to + 2 * kept, 0, 2 * sizeof(float) * (columns - kept));
        if (y == 0) to[0] = to[1] = 0;
    }
    return QN_OK;
}

static qn_status power_rows(size_t index, int worker, void *user)
{
    enum { STRETCH = 256 };
    const shift_job *job = user;
    const shift_scalars *s = &job->s;
    const int rows = 2 * s->limit_y + 1, columns = s->limit_x + 1;
    const int first = (int)index * ROWS, end = first + ROWS < rows ? first + ROWS : rows;
    (void)worker;
    for (int row = first; row < end; row++) {
        float *restrict group = job->to + 2 * (size_t)row * (size_t)columns;
        float *restrict power = job->power + (size_t)row * (size_t)columns;
        for (int x = 0; x < columns; x += STRETCH) {
            const int count = columns - x < STRETCH ? columns - x : STRETCH;
            float shifted[2 * STRETCH];
            shift_job part = *job;
            part.from += 2 * x, part.ramp_x += 2 * x;
            shift_row(&part, row - s->limit_y, count, shifted);
#pragma omp simd
            for (int i = 0; i < 2 * count; i++)
                group[2 * x + i] = s->first ? shifted[i] : group[2 * x + i] + shifted[i];
            if (!s->last) continue;
#pragma omp simd
            for (int i = x; i < x + count; i++)
                power[i] += sqrtf(MULTIPLY_ADD(group[2 * i], group[2 * i], group[2 * i + 1] * group[2 * i + 1]));
        }
    }
    return QN_OK;
}

static qn_status run(const qn_host_launch *launch, shift_job *job, int rows, qn_pool_task task)
{
    void *memory;
    QN_TRY(qn_allocate(2 * ((size_t)job->s.limit_x + 1), sizeof(float), &memory));
    job->ramp_x = memory;
#pragma omp simd
    for (int x = 0; x <= job->s.limit_x; x++) {
        const float factor = job->factors ? job->factors[x] : 1.0f;
        const qn_complex ramp = shift_ramp((uint32_t)x * (uint32_t)job->s.turn_x, factor);
        job->ramp_x[2 * x] = ramp.x;
        job->ramp_x[2 * x + 1] = ramp.y;
    }
    const qn_status status = qn_pool_run(launch->pool, ((size_t)rows + ROWS - 1) / ROWS, task, job);
    qn_release(&memory);
    return status;
}

static qn_status shift_frame(const qn_host_launch *launch)
{
    const shift_scalars *s = launch->arguments[SHIFT_SCALARS];
    shift_job job = {.from = launch->arguments[SHIFT_FROM],
                     .factors = launch->arguments[SHIFT_FACTORS],
                     .to = launch->arguments[SHIFT_TO],
                     .s = *s};
    return run(launch, &job, s->height, shift_rows);
}

static qn_status add_power(const qn_host_launch *launch)
{
    const shift_scalars *s = launch->arguments[POWER_SCALARS];
    shift_job job = {.from = launch->arguments[POWER_FROM],
                     .to = launch->arguments[POWER_GROUP],
                     .power = launch->arguments[POWER_POWER],
                     .s = *s};
    return run(launch, &job, 2 * s->limit_y + 1, power_rows);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_shift_frame_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_shift_frame_host)[] = {shift_frame, add_power};
