/* Slices on the cores of a processor. A task computes a few rows of an image. The places of many pixels are computed
 * together; the samples of a pixel are rows of neighbours, which fill vector registers. */
#include "runtime/host_vector.h"

#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "project/kernels/project_slices.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "project/kernels/project_slices.dev.h"

enum { STRETCH = 32, ROWS = 16, TAPS_MAX = 6 }; /* pixels of a stretch, rows of a task */
enum { AHEAD = 4 };                             /* samples are prefetched this many pixels ahead */

/* Two samples, at any address. */
typedef float samples __attribute__((vector_size(16)));
typedef float samples_anywhere __attribute__((vector_size(16), aligned(4), may_alias));

/* On instruction sets without a fused multiply-add, round twice: a call of the C library would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* ---- laying out ---- */

typedef struct lay_out_job {
    const float *spectrum;
    float *volume;
    int side, reach, margin, columns, rows;
    float scale;
} lay_out_job;

static qn_status lay_out_plane(size_t plane, int worker, void *user)
{
    const lay_out_job *job = user;
    const int side = job->side, z = within_period((int)plane - job->reach, side);
    const size_t columns = (size_t)(side / 2 + 1);
    (void)worker;
    for (int row = 0; row < job->rows; row++) {
        const int y = within_period(row - job->reach, side);
        float *to = job->volume + 2 * (plane * (size_t)job->rows + (size_t)row) * (size_t)job->columns;
        const float *same =
            job->spectrum +
            2 * columns * ((size_t)(z < 0 ? z + side : z) * (size_t)side + (size_t)(y < 0 ? y + side : y));
        const float *opposite =
            job->spectrum +
            2 * columns * ((size_t)(z > 0 ? side - z : -z) * (size_t)side + (size_t)(y > 0 ? side - y : -y));
        for (int column = 0; column < job->columns; column++) {
            const int x = within_period(column - job->margin, side);
            const float *from = x < 0 ? opposite - 2 * x : same + 2 * x;
            to[2 * column] = job->scale * from[0];
            to[2 * column + 1] = job->scale * (x < 0 ? -from[1] : from[1]);
        }
    }
    return QN_OK;
}

static qn_status lay_out(const qn_host_launch *launch)
{
    const lay_out_scalars *s = launch->arguments[LAY_OUT_SCALARS];
    void *const *arguments = launch->arguments;
    lay_out_job job = {.spectrum = arguments[LAY_OUT_SPECTRUM],
                       .volume = arguments[LAY_OUT_VOLUME],
                       .side = s->side,
                       .reach = s->reach,
                       .columns = s->columns,
                       .scale = s->scale};
    job.rows = 2 * job.reach + 1;
    job.margin = job.columns - job.reach - 1;
    return qn_pool_run(launch->pool, (size_t)job.rows, lay_out_plane, &job);
}

/* ---- slices ---- */

typedef struct slices_job {
    const float *volume, *window, *steps;
    const uint32_t *parameters;
    float *slices;
    int side, columns, most_squared;
    int taps, reach, volume_columns, volume_rows;
    bool ctf;
    size_t pieces; /* tasks of an image */
} slices_job;

/* Places of the pixels of a stretch of a row. For each pixel and axis: the first sample, the row of the window's table,
 * and the fraction of the way to the next row; `sign` is −1 for conjugates. */
typedef struct stretch {
    float between[3][STRETCH], sign[STRETCH];
    int32_t row[3][STRETCH], first[3][STRETCH];
    float re[STRETCH], im[STRETCH];
} stretch;

static void locate(const slices_job *job, const float steps[6], int x, int y, stretch *at)
{
    float coarse[3], fine[3], coarse_rest[3], fine_rest[3];
    for (int i = 0; i < 3; i++) {
        const float up = coarse_step(steps[3 + i]);
        coarse[i] = coarse_step(steps[i]);
        fine[i] = steps[i] - coarse[i];
        coarse_rest[i] = up * (float)y;
        fine_rest[i] = (steps[3 + i] - up) * (float)y;
    }
#pragma omp simd
    for (int i = 0; i < STRETCH; i++) {
        const float along = (float)(x + i);
        at->sign[i] = MULTIPLY_ADD(coarse[0], along, coarse_rest[0]) + MULTIPLY_ADD(fine[0], along, fine_rest[0]) < 0
                          ? -1.0f
                          : 1.0f;
    }
    for (int axis = 0; axis < 3; axis++)
#pragma omp simd
        for (int i = 0; i < STRETCH; i++) {
            const float along = (float)(x + i), sign = at->sign[i];
            const float whole_place = sign * MULTIPLY_ADD(coarse[axis], along, coarse_rest[axis]);
            const float whole = floorf(whole_place);
            const float part = (whole_place - whole) + sign * MULTIPLY_ADD(fine[axis], along, fine_rest[axis]);
            const float carry = floorf(part), place = (part - carry) * WINDOW_INTERVALS;
            const float row = qn_minimum(floorf(place), WINDOW_INTERVALS - 1.0f);
            at->between[axis][i] = place - row;
            at->row[axis][i] = (int32_t)row * job->taps;
            at->first[axis][i] = (int32_t)(whole + carry) + 1 - job->taps / 2;
        }
}

/* Address of the first sample that a pixel gathers. */
static inline const float *samples_of(const slices_job *job, const stretch *at, int i, const int taps)
{
    const size_t x = (size_t)(at->first[0][i] + taps / 2), y = (size_t)(at->first[1][i] + job->reach),
                 z = (size_t)(at->first[2][i] + job->reach);
    return job->volume + 2 * ((z * (size_t)job->volume_rows + y) * (size_t)job->volume_columns + x);
}

static inline samples multiply_add(samples a, samples b, samples c)
{
#if defined(__FMA__)
    return _mm_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

static inline samples two_of(float first, float second)
{
    return (samples){first, first, second, second};
}

/* Sum the samples of pixel i while those of pixel `ahead` are prefetched; callers pass a constant for `taps`. */
static inline void gather(const slices_job *job, const stretch *at, int i, int ahead, const int taps, float value[2])
{
    float weight[3][TAPS_MAX];
    const size_t row = 2 * (size_t)job->volume_columns, plane = row * (size_t)job->volume_rows;
    const float *from = samples_of(job, at, i, taps), *next = samples_of(job, at, ahead, taps);
    samples weight_y[TAPS_MAX], sum[TAPS_MAX / 2] = {{0}}, whole = {0};
    for (int axis = 0; axis < 3; axis++) {
        const float *weights = job->window + at->row[axis][i];
        for (int tap = 0; tap < taps; tap++)
            weight[axis][tap] = MULTIPLY_ADD(at->between[axis][i], weights[taps + tap] - weights[tap], weights[tap]);
    }
    for (int j = 0; j < taps; j++) weight_y[j] = two_of(weight[1][j], weight[1][j]);
    for (int k = 0; k < taps; k++) {
        samples of_plane[TAPS_MAX / 2] = {{0}};
        for (int j = 0; j < taps; j++) {
            const samples_anywhere *here = (const samples_anywhere *)(from + (size_t)k * plane + (size_t)j * row);
            __builtin_prefetch(next + (size_t)k * plane + (size_t)j * row);
            for (int c = 0; c < taps / 2; c++) of_plane[c] = multiply_add(weight_y[j], here[c], of_plane[c]);
        }
        for (int c = 0; c < taps / 2; c++)
            sum[c] = multiply_add(two_of(weight[2][k], weight[2][k]), of_plane[c], sum[c]);
    }
    for (int c = 0; c < taps / 2; c++)
        whole = multiply_add(two_of(weight[0][2 * c], weight[0][2 * c + 1]), sum[c], whole);
    value[0] = whole[0] + whole[2];
    value[1] = whole[1] + whole[3];
}

static inline void gather_stretch(const slices_job *job, stretch *at, int count, const int taps)
{
    for (int i = 0; i < count; i++) {
        float value[2];
        gather(job, at, i, i + AHEAD < count ? i + AHEAD : count - 1, taps, value);
        at->re[i] = value[0];
        at->im[i] = at->sign[i] * value[1];
    }
}

/* Multiply a stretch by the phase of the shift, the weight and the CTF. */
static void finish_stretch(const slices_job *job, const uint32_t *image, const stretch *at, int x, int y, int count,
                           float *to)
{
    uint32_t own[QN_IMAGE_PARAMETERS];
    float factor[STRETCH], shifted[2 * STRETCH];
    memcpy(own, image, sizeof own); /* a local copy: the compiler knows that no store changes it */
    const float weight = qn_bits_float(own[PREPARE_WEIGHT]), decay = qn_bits_float(own[PREPARE_DECAY]);
    for (int i = 0; i < STRETCH; i++) factor[i] = weight;
    if (job->ctf) {
#pragma omp simd
        for (int i = 0; i < STRETCH; i++) factor[i] *= prepare_contrast(own, x + i, y);
        for (int i = 0; i < count && decay != 0; i++) factor[i] *= expf(-decay * (float)((x + i) * (x + i) + y * y));
    }
#pragma omp simd
    for (int i = 0; i < STRETCH; i++) {
        const qn_complex ramp = prepare_ramp(own, x + i, y);
        shifted[2 * i] = factor[i] * (at->re[i] * ramp.x + at->im[i] * ramp.y);
        shifted[2 * i + 1] = factor[i] * (at->im[i] * ramp.x - at->re[i] * ramp.y);
    }
    memcpy(to, shifted, 2 * sizeof(float) * (size_t)count);
}

/* Number of pixels of a row that are computed. */
static int kept_of(const slices_job *job, int y)
{
    const int left = job->most_squared - y * y;
    if (left < 0) return 0;
    int count = (int)sqrtf((float)left) + 1;
    while ((count - 1) * (count - 1) > left) count--;
    while (count * count <= left) count++;
    return count < job->columns ? count : job->columns;
}

static qn_status slice_piece(size_t index, int worker, void *user)
{
    const slices_job *job = user;
    const size_t image = index / job->pieces;
    const int first = (int)(index % job->pieces) * ROWS, end = first + ROWS < job->side ? first + ROWS : job->side;
    stretch at = {.re = {0}};
    (void)worker;
    for (int row = first; row < end; row++) {
        const int y = row < job->side - job->side / 2 ? row : row - job->side, kept = kept_of(job, y);
        float *to = job->slices + 2 * (image * (size_t)job->side + (size_t)row) * (size_t)job->columns;
        for (int x = 0; x < kept; x += STRETCH) {
            const int count = kept - x < STRETCH ? kept - x : STRETCH;
            locate(job, job->steps + 6 * image, x, y, &at);
            if (job->taps == 2)
                gather_stretch(job, &at, count, 2);
            else if (job->taps == 4)
                gather_stretch(job, &at, count, 4);
            else
                gather_stretch(job, &at, count, 6);
            finish_stretch(job, job->parameters + QN_IMAGE_PARAMETERS * image, &at, x, y, count, to + 2 * x);
        }
        memset(to + 2 * kept, 0, 2 * sizeof(float) * (size_t)(job->columns - kept));
    }
    return QN_OK;
}

static qn_status project(const qn_host_launch *launch)
{
    const project_scalars *s = launch->arguments[PROJECT_SCALARS];
    void *const *arguments = launch->arguments;
    const int side = s->image_side, reach = s->reach;
    const size_t slice_bytes = 8 * (size_t)side * (size_t)(side / 2 + 1);
    slices_job job = {.volume = arguments[PROJECT_VOLUME],
                      .window = arguments[PROJECT_WINDOW],
                      .steps = arguments[PROJECT_STEPS],
                      .parameters = arguments[PROJECT_PARAMETERS],
                      .slices = arguments[PROJECT_SLICES],
                      .side = side,
                      .columns = side / 2 + 1,
                      .reach = reach,
                      .volume_columns = s->volume_columns,
                      .volume_rows = 2 * reach + 1,
                      .most_squared = s->most_squared,
                      .ctf = s->ctf != 0,
                      .pieces = ((size_t)side + ROWS - 1) / ROWS};
    job.taps = 2 * (job.volume_columns - reach - 1);
    return qn_pool_run(launch->pool, job.pieces * (launch->argument_bytes[PROJECT_SLICES] / slice_bytes), slice_piece,
                       &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_project_project_slices_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_project_project_slices_host)[] = {lay_out, project};
