/* Host kernels of warp_frames. A task has a few output rows and goes over them in stretches, within which the field is
 * one polynomial. Places and weights along y are computed for many pixels together; the samples of a pixel are rows of
 * neighbours, which fill vector registers. */
#include "runtime/host_vector.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "movie/warp/kernels/warp_frames.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "movie/warp/kernels/warp_frames.dev.h"

enum { STRETCH = 128, ROWS = 8, TAPS_MAX = 6 }; /* pixels of a stretch, rows of a task */

/* Samples of a row at any address. */
typedef float lanes __attribute__((vector_size(16)));
typedef float lanes_anywhere __attribute__((vector_size(16), aligned(4), may_alias));

/* On instruction sets without a fused multiply-add, round twice: a call of the C library would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

static inline lanes multiply_add(lanes a, lanes b, lanes c)
{
#if defined(__FMA__)
    return _mm_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

static inline lanes splat(float value)
{
    return (lanes){value, value, value, value};
}

/* ---- the field along rows ---- */

typedef struct field_job {
    const float *coefficients;
    float *rows;
    field_scalars s;
} field_job;

static void field_row(const float *coefficients, float v, float *to)
{
    const int below = (int)v < WARP_INTERVALS - 1 ? (int)v : WARP_INTERVALS - 1;
    const float f = v - (float)below, g = 1.0f - f;
    const float weight[4] = {
        g * g * g * (1.0f / 6.0f), MULTIPLY_ADD(f * f, MULTIPLY_ADD(3.0f, f, -6.0f), 4.0f) * (1.0f / 6.0f),
        MULTIPLY_ADD(g * g, MULTIPLY_ADD(3.0f, g, -6.0f), 4.0f) * (1.0f / 6.0f), f * f * f * (1.0f / 6.0f)};
    float column[2 * WARP_SIDE] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2 * WARP_SIDE; j++)
            column[j] = MULTIPLY_ADD(weight[i], coefficients[2 * (below + i) * WARP_SIDE + j], column[j]);
    for (int item = 0; item < WARP_ROW; item++) {
        const float *c = column + 2 * (item / 8) + item % 2;
        to[item] = warp_power(item / 2 % 4, c[0], c[2], c[4], c[6]);
    }
}

static qn_status field_frame(size_t index, int worker, void *user)
{
    const field_job *job = user;
    const float *coefficients = job->coefficients + 2 * WARP_SIDE * WARP_SIDE * job->s.frame[index];
    float *to = job->rows + index * (size_t)job->s.height * WARP_ROW;
    (void)worker;
    for (int row = 0; row < job->s.height; row++, to += WARP_ROW)
        field_row(coefficients, (float)row * job->s.intervals_a_row, to);
    return QN_OK;
}

static qn_status field_rows(const qn_host_launch *launch)
{
    const field_scalars *s = launch->arguments[FIELD_SCALARS];
    field_job job = {launch->arguments[FIELD_COEFFICIENTS], launch->arguments[FIELD_ROWS], *s};
    return qn_pool_run(launch->pool, (size_t)s->frames, field_frame, &job);
}

/* ---- the frames ---- */

typedef struct warp_job {
    const warp_scalars *s;
    const float *grid[WARP_FRAMES_MAX], *rows;
    float *sums;
    int count, taps;               /* of sums */
    float *part, *within;          /* [width] of a column: the fraction of its place, and its place in its interval */
    int *whole;                    /* [width] whole part of its place */
    int begin[WARP_INTERVALS + 1]; /* first column of each interval */
    lanes even[2][4], odd[2][4];   /* terms of the weights of taps 0 to 3, and of 4 and 5 */
} warp_job;

/* Pixels of a stretch in one frame. `line` and `column` are those of the first tap. */
typedef struct stretch {
    int32_t line[STRETCH], column[STRETCH];
    int inside; /* 1: no pixel gathers beyond the border of the grid */
    float z_x[STRETCH], z_y[STRETCH], covered[STRETCH];
    float weight_y[TAPS_MAX][STRETCH];
    float value[WARP_FRAMES_MAX][STRETCH];
} stretch;

static void locate(const warp_job *job, int f, int x, int y, int count, const float *restrict row, stretch *at)
{
    const warp_scalars *s = job->s;
    const qn_int64 place_y = (qn_int64)y * s->step_y;
    const int whole_y = (int)(place_y >> 32), back = 1 - job->taps / 2;
    const int last_line = s->fine_y - job->taps, last_column = s->fine_x - job->taps;
    const float base_y = warp_part(place_y), low_x = s->low_x[f], high_x = s->high_x[f], low_y = s->low_y[f],
                high_y = s->high_y[f];
    const float *restrict part = job->part + x, *restrict within = job->within + x;
    const int *restrict whole = job->whole + x;
    const float a0 = row[0], a1 = row[2], a2 = row[4], a3 = row[6], b0 = row[1], b1 = row[3], b2 = row[5], b3 = row[7];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const float t = within[i];
        const float part_x = part[i] + MULTIPLY_ADD(MULTIPLY_ADD(MULTIPLY_ADD(a3, t, a2), t, a1), t, a0);
        const float part_y = base_y + MULTIPLY_ADD(MULTIPLY_ADD(MULTIPLY_ADD(b3, t, b2), t, b1), t, b0);
        const float down_x = floorf(part_x), down_y = floorf(part_y);
        const int at_x = whole[i] + (int)down_x, at_y = whole_y + (int)down_y;
        const float z_x = (part_x - down_x) - 0.5f, z_y = (part_y - down_y) - 0.5f;
        const float place_in_x = (float)at_x + (z_x + 0.5f), place_in_y = (float)at_y + (z_y + 0.5f);
        const int outside = (place_in_x < low_x) | (place_in_x > high_x) | (place_in_y < low_y) | (place_in_y > high_y);
        at->covered[i] = outside ? 0.0f : 1.0f;
        const int column = outside ? 0 : at_x + back, line = outside ? 0 : at_y + back;
        at->column[i] = column;
        at->line[i] = line;
        at->z_x[i] = z_x;
        at->z_y[i] = z_y;
    }
    int least = 0; /* distance from the border of the grid */
#pragma omp simd reduction(min : least)
    for (int i = 0; i < count; i++) {
        const int before = at->line[i] < at->column[i] ? at->line[i] : at->column[i];
        const int below = last_line - at->line[i], after = last_column - at->column[i];
        const int behind = below < after ? below : after, distance = before < behind ? before : behind;
        least = distance < least ? distance : least;
    }
    at->inside = least >= 0;
}

static void weigh_y(const warp_job *job, int count, const int taps, stretch *at)
{
    for (int p = 0; p < taps / 2; p++) {
        const float *e = job->s->terms + 8 * p, *o = e + 4;
        const float e0 = e[0], e1 = e[1], e2 = e[2], e3 = e[3], o0 = o[0], o1 = o[1], o2 = o[2], o3 = o[3];
        float *restrict first = at->weight_y[p], *restrict last = at->weight_y[taps - 1 - p];
#pragma omp simd
        for (int i = 0; i < count; i++) {
            const float z = at->z_y[i], square = z * z;
            const float even = MULTIPLY_ADD(MULTIPLY_ADD(MULTIPLY_ADD(e3, square, e2), square, e1), square, e0);
            const float odd = MULTIPLY_ADD(MULTIPLY_ADD(MULTIPLY_ADD(o3, square, o2), square, o1), square, o0);
            first[i] = MULTIPLY_ADD(z, odd, even);
            last[i] = MULTIPLY_ADD(-z, odd, even);
        }
    }
}

static inline lanes weigh_x(const lanes even[4], const lanes odd[4], lanes z, lanes square)
{
    const lanes e =
        multiply_add(multiply_add(multiply_add(even[3], square, even[2]), square, even[1]), square, even[0]);
    const lanes o = multiply_add(multiply_add(multiply_add(odd[3], square, odd[2]), square, odd[1]), square, odd[0]);
    return multiply_add(z, o, e);
}

/* Copy the samples of a pixel at the border, where the grid continues at the other side. */
static const float *wrapped_samples(const warp_scalars *s, const float *grid, int line, int column, int taps,
                                    float *copy)
{
    for (int i = 0; i < taps; i++)
        for (int j = 0; j < taps; j++)
            copy[8 * i + j] = grid[(size_t)warp_wrap(line + i, s->fine_y) * (size_t)s->fine_x +
                                   (size_t)warp_wrap(column + j, s->fine_x)];
    return copy;
}

/* Sum over the samples of pixel i; callers pass a constant for `taps`. */
static inline float gather(const warp_job *job, const float *grid, const stretch *at, int i, const int taps)
{
    const warp_scalars *s = job->s;
    float copy[8 * TAPS_MAX];
    const int line = at->line[i], column = at->column[i];
    size_t row = (size_t)s->fine_x;
    const float *from = grid + (ptrdiff_t)line * s->fine_x + column;
    if (__builtin_expect(line < 0 || column < 0 || line + taps > s->fine_y || column + taps > s->fine_x, 0)) {
        from = wrapped_samples(s, grid, line, column, taps, copy);
        row = 8;
    }
    const lanes z = splat(at->z_x[i]), square = z * z;
    lanes sum = splat(at->weight_y[0][i]) * *(const lanes_anywhere *)from;
    for (int k = 1; k < taps; k++)
        sum = multiply_add(splat(at->weight_y[k][i]), *(const lanes_anywhere *)(from + (size_t)k * row), sum);
    sum *= weigh_x(job->even[0], job->odd[0], z, square);
    if (taps == 6) {
        const lanes weights = weigh_x(job->even[1], job->odd[1], z, square);
        float more[2] = {at->weight_y[0][i] * from[4], at->weight_y[0][i] * from[5]};
        for (int k = 1; k < taps; k++)
            for (int j = 0; j < 2; j++)
                more[j] = MULTIPLY_ADD(at->weight_y[k][i], from[(size_t)k * row + 4 + (size_t)j], more[j]);
        sum[0] += more[0] * weights[0];
        sum[1] += more[1] * weights[1];
    }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#if defined(__AVX2__)

/* Number v, 0 to 3, of each half, in all places of that half. */
#define SPREAD(numbers, v) _mm256_permute_ps((numbers), (v)*0x55)

/* Samples of two pixels, a half of a register for each. */
static inline __m256 two_rows(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

static inline __m256 both_halves(lanes half)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(half), half, 1);
}

/* Terms of the weights along x, in both halves. */
typedef struct wide_terms {
    __m256 even[4], odd[4];
} wide_terms;

/* Sums of the columns of two pixels, times the columns' weights. */
static inline __m256 two_columns(const wide_terms *terms, const float *low, const float *high, size_t row,
                                 const __m256 weight_y[4], __m256 z, __m256 square)
{
    const __m256 *e = terms->even, *o = terms->odd;
    __m256 sum = _mm256_mul_ps(weight_y[0], two_rows(low, high));
    for (size_t k = 1; k < 4; k++) sum = _mm256_fmadd_ps(weight_y[k], two_rows(low + k * row, high + k * row), sum);
    const __m256 even =
        _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(e[3], square, e[2]), square, e[1]), square, e[0]);
    const __m256 odd =
        _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(o[3], square, o[2]), square, o[1]), square, o[0]);
    return _mm256_mul_ps(sum, _mm256_fmadd_ps(z, odd, even));
}

/* Eight pixels from i, none at the border: pixels v and v + 4 share a register. The additions are those of `gather`. */
static inline void gather_eight(const wide_terms *terms, const warp_scalars *s, const float *grid, const stretch *at,
                                int i, float *value)
{
    const __m256 z = _mm256_loadu_ps(at->z_x + i), square = _mm256_mul_ps(z, z);
    const size_t row = (size_t)s->fine_x;
    __m256 weight_y[4], columns[4];
#define TWO_PIXELS(v)                                                                                     \
    do {                                                                                                  \
        const float *low = grid + (size_t)at->line[i + (v)] * row + (size_t)at->column[i + (v)];          \
        const float *high = grid + (size_t)at->line[i + (v) + 4] * row + (size_t)at->column[i + (v) + 4]; \
        for (int k = 0; k < 4; k++) weight_y[k] = SPREAD(_mm256_loadu_ps(at->weight_y[k] + i), v);        \
        columns[v] = two_columns(terms, low, high, row, weight_y, SPREAD(z, v), SPREAD(square, v));       \
    } while (0)
    TWO_PIXELS(0);
    TWO_PIXELS(1);
    TWO_PIXELS(2);
    TWO_PIXELS(3);
#undef TWO_PIXELS
    const __m256 first =
        _mm256_add_ps(_mm256_shuffle_ps(columns[0], columns[1], 0x44), _mm256_shuffle_ps(columns[0], columns[1], 0xEE));
    const __m256 second =
        _mm256_add_ps(_mm256_shuffle_ps(columns[2], columns[3], 0x44), _mm256_shuffle_ps(columns[2], columns[3], 0xEE));
    const __m256 all = _mm256_add_ps(_mm256_shuffle_ps(first, second, 0x88), _mm256_shuffle_ps(first, second, 0xDD));
    _mm256_storeu_ps(value, _mm256_mul_ps(all, _mm256_loadu_ps(at->covered + i)));
}

/* As many pixels of a stretch as eights of them contain; returns their number. */
static int gather_eights(const warp_job *job, const float *grid, const stretch *at, int count, float *value)
{
    wide_terms terms;
    int i = 0;
    if (job->taps != 4 || !at->inside) return 0;
    for (int k = 0; k < 4; k++)
        terms.even[k] = both_halves(job->even[0][k]), terms.odd[k] = both_halves(job->odd[0][k]);
    for (; i + 8 <= count; i += 8) gather_eight(&terms, job->s, grid, at, i, value + i);
    return i;
}

#else

static int gather_eights(const warp_job *job, const float *grid, const stretch *at, int count, float *value)
{
    (void)job, (void)grid, (void)at, (void)count, (void)value;
    return 0;
}

#endif

static void frame_stretch(const warp_job *job, int f, int x, int y, int count, const float *row, stretch *at)
{
    const float *grid = job->grid[f];
    float *value = at->value[f];
    locate(job, f, x, y, count, row, at);
    if (job->taps == 4) {
        weigh_y(job, count, 4, at);
        for (int i = gather_eights(job, grid, at, count, value); i < count; i++)
            value[i] = at->covered[i] * gather(job, grid, at, i, 4);
    } else {
        weigh_y(job, count, 6, at);
        for (int i = 0; i < count; i++) value[i] = at->covered[i] * gather(job, grid, at, i, 6);
    }
}

/* A frame without local motion: samples of the grid. */
static void whole_stretch(const warp_job *job, int f, int x, int y, int count, stretch *at)
{
    const warp_scalars *s = job->s;
    const int line = (int)((qn_int64)y * s->step_y >> 32);
    const float *grid = job->grid[f] + (size_t)line * (size_t)s->fine_x;
    const bool covered = (float)line >= s->low_y[f] && (float)line <= s->high_y[f];
    for (int i = 0; i < count; i++) {
        const int column = job->whole[x + i];
        const bool inside = covered && (float)column >= s->low_x[f] && (float)column <= s->high_x[f];
        at->value[f][i] = inside ? grid[column] : 0.0f;
    }
}

/* Add `frames` frames from f to one sum; callers pass a constant, so that the sum stays in registers meanwhile. */
static inline void add_frames(const stretch *at, const float *shares, int f, int count, const int frames,
                              float *restrict to)
{
    float share[4];
    for (int k = 0; k < frames; k++) share[k] = shares[(f + k) * WARP_SUMS_MAX];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        float sum = to[i];
        for (int k = 0; k < frames; k++) sum = MULTIPLY_ADD(share[k], at->value[f + k][i], sum);
        to[i] = sum;
    }
}

static void add_stretch(const warp_job *job, int x, int y, int count, const stretch *at)
{
    const warp_scalars *s = job->s;
    const size_t plane = (size_t)s->width * (size_t)s->height;
    float *to = job->sums + (size_t)y * (size_t)s->width + (size_t)x;
    for (int sum = 0; sum < job->count; sum++, to += plane) {
        const float *shares = s->shares + sum;
        int f = 0;
        for (; f + 4 <= s->frames; f += 4) add_frames(at, shares, f, count, 4, to);
        for (; f + 2 <= s->frames; f += 2) add_frames(at, shares, f, count, 2, to);
        for (; f < s->frames; f++) add_frames(at, shares, f, count, 1, to);
    }
}

static qn_status warp_rows(size_t index, int worker, void *user)
{
    const warp_job *job = user;
    const warp_scalars *s = job->s;
    const int first = (int)index * ROWS, end = first + ROWS < s->height ? first + ROWS : s->height;
    stretch at;
    (void)worker;
    for (int y = first; y < end; y++)
        for (int interval = 0; interval < WARP_INTERVALS; interval++)
            for (int x = job->begin[interval]; x < job->begin[interval + 1]; x += STRETCH) {
                const int left = job->begin[interval + 1] - x, count = left < STRETCH ? left : STRETCH;
                for (int f = 0; f < s->frames; f++) {
                    const size_t row = (size_t)f * (size_t)s->height + (size_t)y;
                    if (job->taps == 1)
                        whole_stretch(job, f, x, y, count, &at);
                    else
                        frame_stretch(job, f, x, y, count, job->rows + row * WARP_ROW + 8 * interval, &at);
                }
                add_stretch(job, x, y, count, &at);
            }
    return QN_OK;
}

/* Places of columns, the same for all rows, and the terms of the weights as vectors. */
static void prepare(warp_job *job)
{
    const warp_scalars *s = job->s;
    job->begin[WARP_INTERVALS] = s->width;
    for (int x = s->width - 1; x >= 0; x--) {
        const qn_int64 place = (qn_int64)x * s->step_x;
        const float v = (float)x * s->intervals_a_pixel;
        const int interval = (int)v < WARP_INTERVALS - 1 ? (int)v : WARP_INTERVALS - 1;
        job->whole[x] = (int)(place >> 32);
        job->part[x] = warp_part(place);
        job->within[x] = v - (float)interval;
        for (int i = interval; i >= 0; i--) job->begin[i] = x;
        for (int i = interval + 1; i < WARP_INTERVALS && x == s->width - 1; i++) job->begin[i] = s->width;
    }
    for (int tap = 0; tap < job->taps; tap++)
        for (int k = 0; k < 4; k++) {
            const int p = tap < job->taps / 2 ? tap : job->taps - 1 - tap;
            const float *terms = s->terms + 8 * p;
            job->even[tap / 4][k][tap % 4] = terms[k];
            job->odd[tap / 4][k][tap % 4] = tap == p ? terms[4 + k] : -terms[4 + k];
        }
}

static qn_status warp_frames(const qn_host_launch *launch)
{
    const warp_scalars *s = launch->arguments[WARP_SCALARS];
    const size_t width = (size_t)s->width;
    void *memory;
    warp_job job = {.s = s, .rows = launch->arguments[WARP_ROWS], .sums = launch->arguments[WARP_SUMS]};
    job.count = (int)(launch->argument_bytes[WARP_SUMS] / (sizeof(float) * width * (size_t)s->height));
    job.taps = s->taps;
    for (int f = 0; f < WARP_FRAMES_MAX; f++) job.grid[f] = launch->arguments[WARP_GRID + f];
    QN_TRY(qn_allocate(3 * width, sizeof(float), &memory));
    job.part = memory;
    job.within = job.part + width;
    job.whole = (int *)(job.within + width);
    prepare(&job);
    const qn_status status = qn_pool_run(launch->pool, ((size_t)s->height + ROWS - 1) / ROWS, warp_rows, &job);
    qn_release(&memory);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_movie_warp_frames_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_movie_warp_frames_host)[] = {field_rows, warp_frames};
