/* The kernels of correct_frames on processor cores. A task is a row of blocks, whose lanes are vectors. */
#include <string.h>

#include "base/thread_pool.h"
#include "movie/correct/kernels/correct_frames.h"
#include "runtime/host_variant.h"

#include "movie/correct/kernels/correct_frames.dev.h"

typedef struct correct_job {
    const correct_scalars *s;
    const void *samples;
    const float *gain, *dark;
    float *frame, *sums;
} correct_job;

/* Samples first … first + count − 1 as floats. */
static void load_samples(const correct_job *job, size_t first, int count, float *restrict values)
{
    switch (job->s->kind) {
    case SAMPLES_UINT8: {
        const uint8_t *restrict from = (const uint8_t *)job->samples + first;
#pragma omp simd
        for (int i = 0; i < count; i++) values[i] = (float)from[i];
        break;
    }
    case SAMPLES_INT8: {
        const int8_t *restrict from = (const int8_t *)job->samples + first;
#pragma omp simd
        for (int i = 0; i < count; i++) values[i] = (float)from[i];
        break;
    }
    case SAMPLES_UINT16: {
        const uint16_t *restrict from = (const uint16_t *)job->samples + first;
#pragma omp simd
        for (int i = 0; i < count; i++) values[i] = (float)from[i];
        break;
    }
    case SAMPLES_INT16: {
        const int16_t *restrict from = (const int16_t *)job->samples + first;
#pragma omp simd
        for (int i = 0; i < count; i++) values[i] = (float)from[i];
        break;
    }
    default: memcpy(values, (const float *)job->samples + first, sizeof(float) * (size_t)count);
    }
}

/* Rows of all frames: their sums stay in the cache meanwhile. */
static qn_status sum_rows(size_t block_y, int worker, void *user)
{
    const correct_job *job = user;
    const size_t width = (size_t)job->s->width, first = block_y * CORRECT_ROWS * width;
    const size_t height = (size_t)job->s->height, last = (block_y + 1) * CORRECT_ROWS;
    const size_t end = (last < height ? last : height) * width;
    correct_job frame = *job;
    (void)worker;
    for (int f = 0; f < job->s->frame_count; f++) {
        frame.samples = (const uint32_t *)job->samples + (size_t)f * (size_t)job->s->frame_words;
        for (size_t at = first; at < end; at += CORRECT_COLUMNS) {
            const int count = end - at < CORRECT_COLUMNS ? (int)(end - at) : CORRECT_COLUMNS;
            float values[CORRECT_COLUMNS], *restrict sums = job->sums + at;
            load_samples(&frame, at, count, values);
#pragma omp simd
            for (int i = 0; i < count; i++) sums[i] += values[i];
        }
    }
    return QN_OK;
}

/* Correct a row of a block; `values` becomes the row. */
static void correct_row(const correct_job *job, size_t at, int count, float *restrict values)
{
    const float *restrict gain = job->gain + at;
    load_samples(job, at, count, values);
    if (job->s->has_dark) {
        const float *restrict dark = job->dark + at;
#pragma omp simd
        for (int i = 0; i < count; i++) values[i] -= dark[i];
    }
#pragma omp simd
    for (int i = 0; i < count; i++) values[i] = gain[i] == 0 ? 0 : values[i] * gain[i];
}

static float add_lanes(float lanes[CORRECT_LANES])
{
    for (int half = CORRECT_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) lanes[lane] += lanes[lane + half];
    return lanes[0];
}

static float correct_block(const correct_job *job, int block_x, int block_y)
{
    const correct_scalars *s = job->s;
    const int x = block_x * CORRECT_COLUMNS, first = block_y * CORRECT_ROWS;
    const int count = s->width - x < CORRECT_COLUMNS ? s->width - x : CORRECT_COLUMNS;
    const int end = first + CORRECT_ROWS < s->height ? first + CORRECT_ROWS : s->height;
    float lanes[CORRECT_LANES] = {0}, values[CORRECT_COLUMNS];
    for (int y = first; y < end; y++) {
        correct_row(job, (size_t)y * (size_t)s->width + (size_t)x, count, values);
        memcpy(job->frame + (size_t)y * (size_t)s->padded_width + x, values, sizeof(float) * (size_t)count);
        int i = 0;
        for (; i + CORRECT_LANES <= count; i += CORRECT_LANES) {
#pragma omp simd
            for (int lane = 0; lane < CORRECT_LANES; lane++) lanes[lane] += values[i + lane];
        }
        for (int lane = 0; i + lane < count; lane++) lanes[lane] += values[i + lane];
    }
    return add_lanes(lanes);
}

static qn_status correct_rows(size_t block_y, int worker, void *user)
{
    const correct_job *job = user;
    (void)worker;
    for (int block_x = 0; block_x < job->s->blocks_x; block_x++)
        job->sums[block_y * (size_t)job->s->blocks_x + (size_t)block_x] = correct_block(job, block_x, (int)block_y);
    return QN_OK;
}

static qn_status sum_frames(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    correct_job job = {.s = arguments[SUM_SCALARS], .samples = arguments[SUM_SAMPLES], .sums = arguments[SUM_SUMS]};
    return qn_pool_run(launch->pool, (size_t)job.s->blocks_y, sum_rows, &job);
}

static qn_status correct_frame(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    correct_job job = {.s = arguments[CORRECT_SCALARS],
                       .samples = arguments[CORRECT_SAMPLES],
                       .gain = arguments[CORRECT_GAIN],
                       .dark = arguments[CORRECT_DARK],
                       .frame = arguments[CORRECT_FRAME],
                       .sums = arguments[CORRECT_SUMS]};
    return qn_pool_run(launch->pool, (size_t)job.s->blocks_y, correct_rows, &job);
}

static qn_status frame_mean(const qn_host_launch *launch)
{
    const correct_scalars *s = launch->arguments[MEAN_SCALARS];
    const float *sums = launch->arguments[MEAN_SUMS];
    float *mean = launch->arguments[MEAN_MEAN], lanes[CORRECT_LANES] = {0};
    for (int i = 0; i < s->blocks_x * s->blocks_y; i++) lanes[i % CORRECT_LANES] += sums[i];
    *mean = add_lanes(lanes) * s->mean_of_sum;
    return QN_OK;
}

static qn_status fill_frame(const qn_host_launch *launch)
{
    const correct_scalars *s = launch->arguments[FILL_SCALARS];
    const int32_t *moves = launch->arguments[FILL_MOVES];
    const float mean = *(const float *)launch->arguments[FILL_MEAN];
    float *frame = launch->arguments[FILL_FRAME];
    const size_t stride = (size_t)s->padded_width;
    for (size_t y = 0; y < (size_t)s->padded_height; y++)
        for (size_t x = y < (size_t)s->height ? (size_t)s->width : 0; x < stride; x++) frame[y * stride + x] = mean;
    for (size_t i = 0; i < (size_t)s->move_count; i++)
        frame[moves[2 * i]] = moves[2 * i + 1] < 0 ? mean : frame[moves[2 * i + 1]];
    return QN_OK;
}

static qn_status set_gain(const qn_host_launch *launch)
{
    const correct_scalars *s = launch->arguments[SET_SCALARS];
    const int32_t *pixels = launch->arguments[SET_PIXELS];
    const float *values = launch->arguments[SET_VALUES];
    float *gain = launch->arguments[SET_GAIN];
    for (int i = 0; i < s->move_count; i++) gain[pixels[i]] = values[i];
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_correct_frames_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_correct_frames_host)[] = {sum_frames, correct_frame, frame_mean,
                                                                        fill_frame, set_gain};
