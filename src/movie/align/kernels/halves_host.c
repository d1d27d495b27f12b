/* Host kernels of halves. A task has a patch, or some rows. Sums have the order of the device's lanes. */
#include <string.h>

#include "base/thread_pool.h"
#include "movie/align/kernels/halves.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/align/kernels/halves.dev.h"

enum { ROWS = 16 }; /* of a task */

typedef struct halves_job {
    float *halves, *sums, *plane;
    const float *maps, *weights;
    const int *pixels, *starts;
    halves_scalars s;
} halves_job;

typedef float lane_sums[3][HALVES_LANES];

/* Add the lanes; the totals go to `sums`. */
static void add_lanes(lane_sums lanes, float sums[3])
{
    for (int k = 0; k < 3; k++) {
        for (int upper = HALVES_LANES / 2; upper > 0; upper /= 2)
            for (int lane = 0; lane < upper; lane++) lanes[k][lane] += lanes[k][lane + upper];
        sums[k] = lanes[k][0];
    }
}

static void sum_ring(const halves_job *job, const float *even, const float *odd, int ring, float sums[3])
{
    lane_sums lanes = {{0}};
    const int begin = job->starts[ring], end = job->starts[ring + 1];
    for (int i = begin; i < end; i++) {
        const int pixel = job->pixels[i], lane = (i - begin) % HALVES_LANES;
        const float *e = even + (size_t)2 * (size_t)pixel, *o = odd + (size_t)2 * (size_t)pixel;
        const float times = pixel % job->s.columns == 0 ? 1.0f : 2.0f;
        lanes[0][lane] += times * (e[0] * o[0] + e[1] * o[1]);
        lanes[1][lane] += times * (e[0] * e[0] + e[1] * e[1]);
        lanes[2][lane] += times * (o[0] * o[0] + o[1] * o[1]);
    }
    add_lanes(lanes, sums);
}

static qn_status sum_patch(size_t index, int worker, void *user)
{
    const halves_job *job = user;
    const size_t half = (size_t)2 * (size_t)job->s.rows * (size_t)job->s.columns, rings = (size_t)job->s.rings;
    const float *even = job->halves + 2 * index * half;
    float *sums = job->sums + ((size_t)job->s.first + index) * rings * 3;
    (void)worker;
    for (int ring = 0; ring < job->s.rings; ring++) sum_ring(job, even, even + half, ring, sums + 3 * ring);
    return QN_OK;
}

static qn_status fill_rows(size_t index, int worker, void *user)
{
    const halves_job *job = user;
    const int end = MIN(((int)index + 1) * ROWS, job->s.rows);
    (void)worker;
    for (int row = (int)index * ROWS; row < end; row++)
        for (int x = 0; x < job->s.columns; x++)
            job->plane[(size_t)row * (size_t)job->s.columns + (size_t)x] = halves_filter(job->weights, x, row, &job->s);
    return QN_OK;
}

static qn_status weigh_rows(size_t index, int worker, void *user)
{
    const halves_job *job = user;
    const halves_scalars *s = &job->s;
    const int end = MIN(((int)index + 1) * ROWS, s->rows);
    (void)worker;
    for (int row = (int)index * ROWS; row < end; row++)
        for (int x = 0; x < s->columns; x++) {
            const size_t place = (size_t)row * (size_t)s->columns + (size_t)x;
            const float radius = halves_radius(x, row, s->rows, 1.0f / (float)s->width, 1.0f / (float)s->rows);
            const float weight = radius * SQRT(job->plane[place]);
            for (int h = 0; h < s->halves; h++) {
                float *number = job->halves + 2 * ((size_t)h * (size_t)s->rows * (size_t)s->columns + place);
                number[0] *= weight;
                number[1] *= weight;
            }
        }
    return QN_OK;
}

static qn_status find_centre(size_t index, int worker, void *user)
{
    const halves_job *job = user;
    const halves_scalars *s = &job->s;
    const size_t pixels = (size_t)s->rows * (size_t)s->width;
    const float *even = job->maps + 2 * index * pixels, *odd = even + pixels;
    lane_sums lanes = {{0}};
    int lane = 0;
    (void)worker;
    for (int y = 0; y < s->rows; y++)
        for (int x = 0; x < s->width; x++, even++, odd++, lane = (lane + 1) % HALVES_LANES) {
            const float product = *even * *odd;
            lanes[0][lane] += product;
            lanes[1][lane] += product * ((float)x - 0.5f * (float)(s->width - 1));
            lanes[2][lane] += product * ((float)y - 0.5f * (float)(s->rows - 1));
        }
    add_lanes(lanes, job->sums + 3 * ((size_t)s->first + index));
    return QN_OK;
}

static size_t pieces_of(const halves_scalars *s)
{
    return ((size_t)s->rows + ROWS - 1) / ROWS;
}

static qn_status sum_rings(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    halves_job job = {.halves = arguments[RINGS_HALVES],
                      .pixels = arguments[RINGS_PIXELS],
                      .starts = arguments[RINGS_STARTS],
                      .sums = arguments[RINGS_SUMS],
                      .s = *(const halves_scalars *)arguments[RINGS_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[1], sum_patch, &job);
}

static qn_status fill_filter(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    halves_job job = {.weights = arguments[FILTER_WEIGHTS],
                      .plane = arguments[FILTER_PLANE],
                      .s = *(const halves_scalars *)arguments[FILTER_SCALARS]};
    return qn_pool_run(launch->pool, pieces_of(&job.s), fill_rows, &job);
}

static qn_status weigh_halves(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    halves_job job = {.halves = arguments[WEIGH_HALVES],
                      .plane = arguments[WEIGH_PLANE],
                      .s = *(const halves_scalars *)arguments[WEIGH_SCALARS]};
    return qn_pool_run(launch->pool, pieces_of(&job.s), weigh_rows, &job);
}

static qn_status find_centres(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    halves_job job = {.maps = arguments[CENTRES_MAPS],
                      .sums = arguments[CENTRES_SUMS],
                      .s = *(const halves_scalars *)arguments[CENTRES_SCALARS]};
    return qn_pool_run(launch->pool, launch->geometry.items[0] / HALVES_LANES, find_centre, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_halves_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_halves_host)[] = {sum_rings, fill_filter, weigh_halves, find_centres};
