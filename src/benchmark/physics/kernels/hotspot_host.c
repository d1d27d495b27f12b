/* Steps of heat on processor cores: a piece is a tile of the grid with a margin of as many cells as it makes steps,
 * which fits the second-level cache. The steps of a launch are the tunable STEPS. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "benchmark/physics/kernels/hotspot.h"
#include "runtime/host_variant.h"

#include "benchmark/physics/kernels/hotspot.dev.h"

/* Levels without a fused multiply-add round twice, because a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

enum {
    TILE_WIDTH = 256,
    TILE_HEIGHT = 64,
    STEPS_MAX = 10,
    LINE = TILE_WIDTH + 2 * STEPS_MAX + 12, /* floats of a line of scratch memory, whole cache lines */
    LINES = TILE_HEIGHT + 2 * STEPS_MAX + 2,
    AREA = LINE * LINES
};

typedef struct heat_job {
    const float *power, *from;
    float *to, *scratch;
    int width, height, steps;
    float across, down, centre, heating, cooling;
} heat_job;

/* The part of a tile and its margin that lies in the grid. */
typedef struct part {
    int first_x, end_x, first_y, end_y; /* columns and rows of the grid */
} part;

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static int maximum(int a, int b)
{
    return a > b ? a : b;
}

/* Index of a cell in scratch memory. One row and one column before the cells hold values beyond the grid's edge. */
static size_t place(const part *area, int x, int y)
{
    return (size_t)(y - area->first_y + 1) * LINE + (size_t)(x - area->first_x + 1);
}

/* Copy the cells at the grid's edges to the places beyond the edges. */
static void fill_edges(const heat_job *job, const part *area, float *cells, int first_x, int end_x, int first_y,
                       int end_y)
{
    if (first_x == 0)
        for (int y = first_y; y < end_y; y++) cells[place(area, 0, y) - 1] = cells[place(area, 0, y)];
    if (end_x == job->width)
        for (int y = first_y; y < end_y; y++) cells[place(area, end_x - 1, y) + 1] = cells[place(area, end_x - 1, y)];
    const size_t bytes = (size_t)(end_x - first_x) * sizeof(float);
    if (first_y == 0) memcpy(cells + place(area, first_x, 0) - LINE, cells + place(area, first_x, 0), bytes);
    if (end_y == job->height)
        memcpy(cells + place(area, first_x, end_y - 1) + LINE, cells + place(area, first_x, end_y - 1), bytes);
}

static void step_line(const heat_job *job, const float *restrict from, const float *restrict source, float *restrict to,
                      int count)
{
    const float across = job->across, down = job->down, centre = job->centre;
#pragma omp simd
    for (int i = 0; i < count; i++)
        to[i] =
            MULTIPLY_ADD(across, from[i - 1] + from[i + 1],
                         MULTIPLY_ADD(down, from[i - LINE] + from[i + LINE], MULTIPLY_ADD(centre, from[i], source[i])));
}

static qn_status heat_tile(size_t index, int worker, void *user)
{
    const heat_job *job = user;
    const int across = (job->width + TILE_WIDTH - 1) / TILE_WIDTH, steps = job->steps;
    const int x0 = (int)(index % (size_t)across) * TILE_WIDTH, y0 = (int)(index / (size_t)across) * TILE_HEIGHT;
    const int x1 = minimum(x0 + TILE_WIDTH, job->width), y1 = minimum(y0 + TILE_HEIGHT, job->height);
    const part area = {maximum(x0 - steps, 0), minimum(x1 + steps, job->width), maximum(y0 - steps, 0),
                       minimum(y1 + steps, job->height)};
    float *source = job->scratch + (size_t)worker * 3 * AREA, *from = source + AREA, *to = from + AREA;
    for (int y = area.first_y; y < area.end_y; y++) {
        const size_t line = (size_t)y * (size_t)job->width + (size_t)area.first_x;
        float *sources = source + place(&area, area.first_x, y);
        for (int i = 0; i < area.end_x - area.first_x; i++)
            sources[i] = MULTIPLY_ADD(job->heating, job->power[line + (size_t)i], job->cooling);
        memcpy(from + place(&area, area.first_x, y), job->from + line,
               (size_t)(area.end_x - area.first_x) * sizeof(float));
    }
    fill_edges(job, &area, from, area.first_x, area.end_x, area.first_y, area.end_y);
    for (int margin = steps - 1; margin >= 0; margin--) {
        const int left = maximum(x0 - margin, 0), right = minimum(x1 + margin, job->width);
        const int top = maximum(y0 - margin, 0), bottom = minimum(y1 + margin, job->height);
        for (int y = top; y < bottom; y++) {
            const size_t first = place(&area, left, y);
            step_line(job, from + first, source + first, to + first, right - left);
        }
        fill_edges(job, &area, to, left, right, top, bottom);
        float *written = to;
        to = from;
        from = written;
    }
    for (int y = y0; y < y1; y++)
        memcpy(job->to + (size_t)y * (size_t)job->width + (size_t)x0, from + place(&area, x0, y),
               (size_t)(x1 - x0) * sizeof(float));
    return QN_OK;
}

static qn_status hotspot(const qn_host_launch *launch)
{
    const hotspot_scalars *s = launch->arguments[HOTSPOT_SCALARS];
    heat_job job = {.power = launch->arguments[HOTSPOT_POWER],
                    .from = launch->arguments[HOTSPOT_FROM],
                    .to = launch->arguments[HOTSPOT_TO]};
    void *scratch;
    job.width = s->width;
    job.height = s->height;
    job.steps = minimum(s->steps, launch->configuration->value[QN_HOTSPOT_STEPS]);
    job.across = s->across;
    job.down = s->down;
    job.centre = s->centre;
    job.heating = s->heating;
    job.cooling = s->cooling;
    QN_TRY(qn_allocate((size_t)qn_pool_threads(launch->pool) * 3 * AREA, sizeof(float), &scratch));
    job.scratch = scratch;
    const size_t tiles =
        ((size_t)job.width + TILE_WIDTH - 1) / TILE_WIDTH * (((size_t)job.height + TILE_HEIGHT - 1) / TILE_HEIGHT);
    qn_status status = qn_pool_run(launch->pool, tiles, heat_tile, &job);
    qn_release(&scratch);
    *(int32_t *)launch->arguments[HOTSPOT_DONE] = job.steps;
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_hotspot_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_hotspot_host)[] = {hotspot};
