/* Slices into a Fourier volume on processor cores. Of many images at a time the full planes are laid out with a margin
 * of zeros, four floats to a pixel: real part, imaginary part, weight, 0. Then a piece of work is a bar of voxels, all
 * x of a few y and z, small enough for a core's cache, as are the parts of images that it meets: no two threads meet,
 * and a voxel's sum has the same order whoever computes it. Of each row of voxels a slice's slab covers one stretch;
 * where its voxels lie in the image is found many at once, and what each gathers are 4 × 4 pixels, whose distances,
 * blobs and products fill whole registers. */
#define _DEFAULT_SOURCE /* madvise */
#include "runtime/host_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "reconstruct/kernels/insert_slices.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "reconstruct/kernels/insert_slices.dev.h"

enum { REACH = 4, PIXELS = REACH * REACH, STRETCH = 64, BLOCK = 16, SETTLE_PIECE = 1 << 16 };
enum { BAR_Y = 16, BAR_Z = 8 }; /* rows of a bar */
enum { CHUNK_BYTES = 1 << 28 }; /* of images laid out at a time */

typedef struct insert_job {
    const float *images, *image_weights, *matrices;
    float *numerator, *weight;
    int side, columns, low, operators;
    int first_plane, volume_planes; /* of the volume: those that are there, by z */
    int image_side, image_columns, image_low;
    int first_image, images_end; /* those that are laid out */
    double spacing;
    float radius, inverse_radius, nearest; /* in pixels; nearest: half a voxel */
    float farthest, reach;                 /* in voxels; reach: of the slab, from its middle */
    int pixels_across;                     /* that may be within the radius, along a line */
    int most_squared;
    bool fast;
    float *planes; /* [images_end − first_image][width][width][4] */
    int width, margin;
    float *bars; /* of each worker [BAR_Z][BAR_Y][columns][4]: real part, imaginary part, weight, 0 */
} insert_job;

/* Rows of T and components of q: a coordinate of the image is Σ (coarse + fine) over the axes x, y, z. */
typedef struct host_slice {
    const float *plane;
    float coarse[3][3], fine[3][3];
    float normal[3];
} host_slice;

/* ---- laying out ---- */

static float *pixel_at(const insert_job *job, float *plane, int x, int y)
{
    return plane + 4 * ((ptrdiff_t)(y + job->margin) * job->width + x + job->margin);
}

/* Pixels x ≥ 0 as they are, those with x < 0 as conjugates of their mates; nothing beyond `most`. */
static qn_status lay_out_image(size_t index, int worker, void *user)
{
    const insert_job *job = user;
    const size_t pixels = (size_t)job->image_side * (size_t)job->image_columns,
                 image = index + (size_t)job->first_image;
    const float *from = job->images + 2 * pixels * image, *weights = job->image_weights + pixels * image;
    const size_t floats = 4 * (size_t)job->width * (size_t)job->width;
    const int most = (int)sqrtf((float)job->most_squared);
    float *plane = job->planes + floats * index;
    (void)worker;
    memset(plane, 0, floats * sizeof(float));
    for (int y = -most; y <= most; y++) {
        for (int x = 0; x * x + y * y <= job->most_squared; x++) {
            const size_t place = (size_t)(y + job->image_low) * (size_t)job->image_columns + (size_t)x;
            const float value[4] = {from[2 * place], from[2 * place + 1], weights[place], 0};
            const float mate[4] = {value[0], -value[1], value[2], 0};
            memcpy(pixel_at(job, plane, x, y), value, sizeof value);
            if (x > 0) memcpy(pixel_at(job, plane, -x, -y), mate, sizeof mate);
        }
    }
    return QN_OK;
}

/* ---- gathering ---- */

/* Where the voxels of a stretch of a row lie: the first of their 4 × 4 pixels, its distance from them in radii, and
 * 1 − height² / radius². */
typedef struct stretch {
    float dx[STRETCH], dy[STRETCH], inside[STRETCH];
    int32_t place[STRETCH];
} stretch;

/* Levels without a fused multiply-add round twice instead of calling the C library for each. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

static void locate(const insert_job *job, const host_slice *slice, int x, int y, int z, int count, stretch *at)
{
    float coarse[3], fine[3];
    for (int i = 0; i < 3; i++) {
        coarse[i] = slice->coarse[1][i] * (float)y + slice->coarse[2][i] * (float)z;
        fine[i] = slice->fine[1][i] * (float)y + slice->fine[2][i] * (float)z;
    }
    const float radius = job->radius, inverse = job->inverse_radius;
    const float coarse_x = slice->coarse[0][0], coarse_y = slice->coarse[0][1], coarse_z = slice->coarse[0][2];
    const float fine_x = slice->fine[0][0], fine_y = slice->fine[0][1], fine_z = slice->fine[0][2];
    const int32_t width = job->width, origin = job->margin * (job->width + 1);
    for (int block = 0; block < count; block += BLOCK)
#pragma omp simd
        for (int i = block; i < block + BLOCK; i++) { /* those beyond the end are nowhere used */
            const float along = (float)(x + i);
            const float at_x = MULTIPLY_ADD(coarse_x, along, coarse[0]), whole_x = rintf(at_x);
            const float at_y = MULTIPLY_ADD(coarse_y, along, coarse[1]), whole_y = rintf(at_y);
            const float part_x = (at_x - whole_x) + MULTIPLY_ADD(fine_x, along, fine[0]);
            const float part_y = (at_y - whole_y) + MULTIPLY_ADD(fine_y, along, fine[1]);
            const float height = MULTIPLY_ADD(coarse_z, along, coarse[2]) + MULTIPLY_ADD(fine_z, along, fine[2]);
            const float before_x = floorf(part_x - radius) + 1, before_y = floorf(part_y - radius) + 1;
            const float scaled = height * inverse;
            at->dx[i] = (before_x - part_x) * inverse;
            at->dy[i] = (before_y - part_y) * inverse;
            at->inside[i] = MULTIPLY_ADD(-scaled, scaled, 1.0f);
            at->place[i] = 4 * (origin + (int32_t)(whole_y + before_y) * width + (int32_t)(whole_x + before_x));
        }
}

/* Pixel 4 j + i of the 4 × 4, in radii from the first. */
typedef struct pixel_offsets {
    float x[PIXELS], y[PIXELS];
} pixel_offsets;

#ifdef QN_LANES_WORD

static inline qn_lanes where_positive(qn_lanes t, qn_lanes value)
{
#if defined(__AVX512F__)
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(t, _mm512_setzero_ps(), _CMP_GT_OQ), value);
#elif defined(__AVX2__)
    return _mm256_and_ps(_mm256_cmp_ps(t, _mm256_setzero_ps(), _CMP_GT_OQ), value);
#else
    return _mm_and_ps(_mm_cmpgt_ps(t, _mm_setzero_ps()), value);
#endif
}

/* blob_polynomial of insert_slices.dev.h */
static inline qn_lanes blobs(qn_lanes t)
{
    static const float terms[10] = {-2.25563701f, 3.88903892f,     -3.1735309f,    2.10275821f,     -0.575692405f,
                                    0.204267875f, -0.00509471278f, 0.00361584311f, 0.000132864104f, 3.0815639e-06f};
    const qn_lanes inside = QN_LANES_WORD(max)(t, qn_lanes_splat(0.0f));
    qn_lanes sum = qn_lanes_splat(0.810138066f);
    for (int i = 0; i < 10; i++) sum = qn_lanes_fma(inside, sum, qn_lanes_splat(terms[i]));
    return where_positive(t, sum);
}

/* The blobs of as many pixels as four to a lane fit, from the `pixel`-th of `blob` on, each four times. */
static inline qn_lanes four_times(const float *blob, qn_lanes loaded, int pixel)
{
#if defined(__AVX512F__)
    const __m512i lane = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    (void)blob;
    return _mm512_permutexvar_ps(_mm512_add_epi32(lane, _mm512_set1_epi32(pixel)), loaded);
#elif defined(__AVX2__)
    (void)blob;
    return _mm256_permutevar8x32_ps(
        loaded, _mm256_add_epi32(_mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0), _mm256_set1_epi32(pixel % 8)));
#else
    (void)loaded;
    return _mm_set1_ps(blob[pixel]);
#endif
}

static inline __m128 fold(qn_lanes sum)
{
#if defined(__AVX512F__)
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined(__AVX2__)
    return _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
#else
    return sum;
#endif
}

/* value += real part, imaginary part, weight, 0 of voxel i of a stretch. */
static inline void gather(const float *plane, int width, const pixel_offsets *offsets, const stretch *at, int i,
                          float value[4])
{
    enum { VECTORS = PIXELS / QN_LANES, PER_VECTOR = QN_LANES / 4 };
    const float *pixels = plane + at->place[i];
    const qn_lanes dx = qn_lanes_splat(at->dx[i]), dy = qn_lanes_splat(at->dy[i]);
    qn_lanes blob[VECTORS], sum[2] = {qn_lanes_splat(0), qn_lanes_splat(0)};
    float stored[PIXELS];
    for (int v = 0; v < VECTORS; v++) {
        const qn_lanes x = qn_lanes_load(offsets->x + v * QN_LANES) + dx;
        const qn_lanes y = qn_lanes_load(offsets->y + v * QN_LANES) + dy;
        const qn_lanes row = qn_lanes_minus_product(qn_lanes_splat(at->inside[i]), y, y);
        blob[v] = blobs(qn_lanes_minus_product(row, x, x));
        if (QN_LANES == 4) qn_lanes_store(stored + v * QN_LANES, blob[v]);
    }
    for (int pixel = 0; pixel < PIXELS; pixel += PER_VECTOR) {
        const qn_lanes four = four_times(stored, blob[pixel / QN_LANES], pixel);
        const qn_lanes from = qn_lanes_load(pixels + 4 * ((size_t)(pixel / REACH) * (size_t)width + pixel % REACH));
        sum[pixel / PER_VECTOR % 2] = qn_lanes_fma(four, from, sum[pixel / PER_VECTOR % 2]);
    }
    _mm_storeu_ps(value, _mm_add_ps(_mm_loadu_ps(value), fold(sum[0] + sum[1])));
}

#else

static inline void gather(const float *plane, int width, const pixel_offsets *offsets, const stretch *at, int i,
                          float value[4])
{
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        const float *from = plane + at->place[i] + 4 * (pixel / REACH * width + pixel % REACH);
        const float x = offsets->x[pixel] + at->dx[i], y = offsets->y[pixel] + at->dy[i];
        const float blob = blob_polynomial(at->inside[i] - y * y - x * x);
        for (int c = 0; c < 3; c++) value[c] += blob * from[c];
    }
}

#endif

/* The same where more than 4 × 4 pixels may be within the radius. */
static void gather_many(const insert_job *job, const float *plane, const stretch *at, int i, float value[4])
{
    for (int row = 0; row < job->pixels_across; row++)
        for (int column = 0; column < job->pixels_across; column++) {
            const float *from = plane + at->place[i] + 4 * (row * job->width + column);
            const float x = at->dx[i] + (float)column * job->inverse_radius;
            const float y = at->dy[i] + (float)row * job->inverse_radius;
            const float blob = blob_polynomial(at->inside[i] - y * y - x * x);
            for (int c = 0; c < 3; c++) value[c] += blob * from[c];
        }
}

/* Voxels x … x + count − 1 of a row; `sums` are those of the row, four floats each. */
static void insert_stretch(const insert_job *job, const host_slice *slice, const pixel_offsets *offsets, int x, int y,
                           int z, int count, float *sums)
{
    stretch at;
    locate(job, slice, x, y, z, count, &at);
    if (job->pixels_across > REACH) {
        for (int i = 0; i < count; i++)
            if (at.inside[i] > 0) gather_many(job, slice->plane, &at, i, sums + 4 * (x + i));
        return;
    }
    for (int i = 0; i < count; i++) /* a tenth of the time: no processor guesses where a slice leads */
        for (int row = 0; row < REACH; row++)
            __builtin_prefetch(slice->plane + at.place[i] + 4 * (ptrdiff_t)row * job->width);
    for (int i = 0; i < count; i++)
        if (at.inside[i] > 0) gather(slice->plane, job->width, offsets, &at, i, sums + 4 * (x + i));
}

/* The nearest pixel, with weight 1, for voxels within half a voxel of the slice. */
static void insert_nearest(const insert_job *job, const host_slice *slice, int x, int y, int z, int count, float *sums)
{
    const float p[2] = {(float)y, (float)z};
    for (int along = x; along < x + count; along++) {
        float whole[3], part[3];
        for (int i = 0; i < 3; i++) {
            const float at =
                slice->coarse[0][i] * (float)along + (slice->coarse[1][i] * p[0] + slice->coarse[2][i] * p[1]);
            whole[i] = rintf(at);
            part[i] = (at - whole[i]) +
                      (slice->fine[0][i] * (float)along + (slice->fine[1][i] * p[0] + slice->fine[2][i] * p[1]));
        }
        if (fabsf(whole[2] + part[2]) > job->nearest) continue;
        const int u = (int)(whole[0] + rintf(part[0])), v = (int)(whole[1] + rintf(part[1]));
        const float *from = slice->plane + 4 * ((ptrdiff_t)(v + job->margin) * job->width + u + job->margin);
        for (int c = 0; c < 3; c++) sums[4 * along + c] += from[c];
    }
}

/* ---- walking ---- */

/* *first … *last are cut to where |slope · i + start| ≤ reach. */
static void cut(float slope, float start, float reach, int *first, int *last)
{
    if (fabsf(slope) < 1e-6f) {
        if (fabsf(start) > reach + 0.1f) *last = *first - 1;
        return;
    }
    const float a = (-reach - start) / slope, b = (reach - start) / slope;
    const float low = ceilf(a < b ? a : b), high = floorf(a < b ? b : a);
    if (low > (float)*first) *first = low <= (float)*last ? (int)low : *last + 1;
    if (high < (float)*last) *last = high >= (float)*first ? (int)high : *first - 1;
}

/* A bar: rows y … end_y − 1 of planes z … end_z − 1. */
typedef struct bar {
    int y, end_y, z, end_z;
    float *sums;
} bar;

static void insert_row(const insert_job *job, const host_slice *slice, const pixel_offsets *offsets, int y, int z,
                       float *sums)
{
    const float left = job->farthest * job->farthest - (float)(y * y + z * z);
    int x = 0, last = left < 0 ? -1 : (int)sqrtf(left);
    if (last > job->columns - 1) last = job->columns - 1;
    cut(slice->normal[0], slice->normal[1] * (float)y + slice->normal[2] * (float)z, job->reach, &x, &last);
    for (; x <= last; x += STRETCH) {
        const int count = last - x + 1 < STRETCH ? last - x + 1 : STRETCH;
        if (job->fast)
            insert_nearest(job, slice, x, y, z, count, sums);
        else
            insert_stretch(job, slice, offsets, x, y, z, count, sums);
    }
}

/* Heights in a row are from n·y + n·z to that and `across`. Whether any row was hit. */
static bool insert_slice(const insert_job *job, const host_slice *slice, const pixel_offsets *offsets, const bar *at)
{
    const float *n = slice->normal, across = n[0] * (float)(job->columns - 1);
    int z = at->z, last_z = at->end_z - 1;
    const float middle_y = 0.5f * (float)(at->y + at->end_y - 1), half_y = 0.5f * (float)(at->end_y - 1 - at->y);
    cut(n[2], n[1] * middle_y + 0.5f * across, job->reach + 0.5f * fabsf(across) + half_y * fabsf(n[1]), &z, &last_z);
    const bool hit = z <= last_z;
    for (; z <= last_z; z++) {
        int y = at->y, last_y = at->end_y - 1;
        cut(n[1], n[2] * (float)z + 0.5f * across, job->reach + 0.5f * fabsf(across), &y, &last_y);
        for (; y <= last_y; y++)
            insert_row(job, slice, offsets, y, z,
                       at->sums + 4 * (ptrdiff_t)((z - at->z) * BAR_Y + y - at->y) * job->columns);
    }
    return hit;
}

static void set_slice(const insert_job *job, int index, host_slice *slice)
{
    const float *matrix = job->matrices + 9 * (size_t)index;
    const size_t plane = (size_t)(index / job->operators - job->first_image);
    slice->plane = job->planes + 4 * plane * (size_t)job->width * (size_t)job->width;
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) {
            const double entry = (double)matrix[3 * row + i] / job->spacing;
            slice->coarse[row][i] = coarse_part((float)entry);
            slice->fine[row][i] = (float)(entry - (double)slice->coarse[row][i]);
        }
    for (int axis = 0; axis < 3; axis++) slice->normal[axis] = matrix[3 * axis + 2];
}

static void add_bar(const insert_job *job, const bar *from)
{
    for (int z = from->z; z < from->end_z; z++)
        for (int y = from->y; y < from->end_y; y++) {
            const size_t row =
                ((size_t)(z - job->first_plane) * (size_t)job->side + (size_t)(y + job->low)) * (size_t)job->columns;
            const float *sums = from->sums + 4 * (ptrdiff_t)((z - from->z) * BAR_Y + y - from->y) * job->columns;
            for (int x = 0; x < job->columns; x++) {
                job->numerator[2 * (row + (size_t)x)] += sums[4 * x];
                job->numerator[2 * (row + (size_t)x) + 1] += sums[4 * x + 1];
                job->weight[row + (size_t)x] += sums[4 * x + 2];
            }
        }
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static qn_status insert_bar(size_t index, int worker, void *user)
{
    const insert_job *job = user;
    const int across = (job->side + BAR_Y - 1) / BAR_Y, end = job->side - job->low;
    const size_t floats = 4 * (size_t)BAR_Y * BAR_Z * (size_t)job->columns;
    const int y = (int)index % across * BAR_Y - job->low, z = (int)index / across * BAR_Z + job->first_plane;
    const int end_z = minimum(z + BAR_Z, job->first_plane + job->volume_planes);
    const bar piece = {y, minimum(y + BAR_Y, end), z, end_z, job->bars + floats * (size_t)worker};
    bool hit = false;
    pixel_offsets offsets;
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        offsets.x[pixel] = (float)(pixel % REACH) * job->inverse_radius;
        offsets.y[pixel] = (float)(pixel / REACH) * job->inverse_radius;
    }
    memset(piece.sums, 0, floats * sizeof(float));
    for (int s = job->first_image * job->operators; s < job->images_end * job->operators; s++) {
        host_slice slice;
        set_slice(job, s, &slice);
        if (insert_slice(job, &slice, &offsets, &piece)) hit = true;
    }
    if (hit) add_bar(job, &piece);
    return QN_OK;
}

static qn_status run_job(insert_job *job, int images, size_t chunk, void *pool)
{
    const size_t bars = (size_t)((job->side + BAR_Y - 1) / BAR_Y) * (size_t)((job->volume_planes + BAR_Z - 1) / BAR_Z);
    for (int first = 0; first < images; first = job->images_end) {
        job->first_image = first;
        job->images_end = images - first < (int)chunk ? images : first + (int)chunk;
        QN_TRY(qn_pool_run(pool, (size_t)(job->images_end - first), lay_out_image, job));
        QN_TRY(qn_pool_run(pool, bars, insert_bar, job));
    }
    return QN_OK;
}

/* Uninitialised, and in large pages where there are such: clearing the many small ones of so much memory, again in each
 * launch, takes as long as a third of the inserting. */
static qn_status allocate_planes(size_t count, size_t bytes, void **planes)
{
    const size_t page = (size_t)1 << 21, rounded = (count * bytes + page - 1) / page * page;
    *planes = aligned_alloc(page, rounded);
    if (!*planes) QN_FAIL(QN_OUT_OF_MEMORY, "cannot allocate %zu images of %zu bytes", count, bytes);
#ifdef MADV_HUGEPAGE
    (void)madvise(*planes, rounded, MADV_HUGEPAGE); /* advice: that it was not taken does no harm */
#endif
    return QN_OK;
}

static qn_status insert(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    const int side = *(const int32_t *)arguments[6], image_side = *(const int32_t *)arguments[7];
    const int operators = *(const int32_t *)arguments[10], images = *(const int32_t *)arguments[11] / operators;
    const int threads = launch->pool ? qn_pool_threads(launch->pool) : 1;
    const float spacing = *(const float *)arguments[12], radius = *(const float *)arguments[13];
    const int most_squared = *(const int32_t *)arguments[15], across = (int)ceilf(2 * radius / spacing);
    insert_job job = {.images = arguments[0],
                      .image_weights = arguments[1],
                      .matrices = arguments[2],
                      .numerator = arguments[4],
                      .weight = arguments[5],
                      .side = side,
                      .columns = side / 2 + 1,
                      .low = side / 2,
                      .operators = operators,
                      .first_plane = *(const int32_t *)arguments[8] - side / 2,
                      .volume_planes = *(const int32_t *)arguments[9],
                      .image_side = image_side,
                      .image_columns = image_side / 2 + 1,
                      .image_low = image_side / 2,
                      .spacing = (double)spacing,
                      .radius = radius / spacing,
                      .inverse_radius = spacing / radius,
                      .nearest = 0.5f / spacing,
                      .farthest = *(const float *)arguments[14] + radius + 0.01f,
                      .pixels_across = across,
                      .most_squared = most_squared,
                      .fast = *(const int32_t *)arguments[16] != 0,
                      .margin = (int)sqrtf((float)most_squared) + (across > REACH ? 10 : 7)};
    job.reach = (job.fast ? 0.5f : radius) + 0.01f;
    job.width = 2 * job.margin + 1;
    const size_t plane_bytes = 4 * sizeof(float) * (size_t)job.width * (size_t)job.width;
    size_t chunk = CHUNK_BYTES / plane_bytes;
    void *planes, *bars = NULL;
    if (chunk > (size_t)images) chunk = (size_t)images;
    if (chunk < 1) chunk = 1;
    QN_TRY(allocate_planes(chunk, plane_bytes, &planes));
    qn_status status = qn_allocate((size_t)threads * BAR_Y * BAR_Z, 4 * sizeof(float) * (size_t)job.columns, &bars);
    job.planes = planes;
    job.bars = bars;
    if (status == QN_OK) status = run_job(&job, images, chunk, launch->pool);
    free(planes);
    qn_release(&bars);
    return status;
}

/* ---- settling ---- */

typedef struct settle_job {
    float *partial, *total, *low_part;
    size_t count;
} settle_job;

static qn_status settle_piece(size_t index, int worker, void *user)
{
    const settle_job *job = user;
    const size_t first = index * SETTLE_PIECE;
    const size_t end = job->count - first < SETTLE_PIECE ? job->count : first + SETTLE_PIECE;
    float *restrict partial = job->partial, *restrict total = job->total, *restrict low_part = job->low_part;
    (void)worker;
#pragma omp simd
    for (size_t i = first; i < end; i++) {
        float error;
        total[i] = two_sum(total[i], partial[i], &error);
        low_part[i] += error;
        partial[i] = 0;
    }
    return QN_OK;
}

static qn_status settle(const qn_host_launch *launch)
{
    settle_job job = {launch->arguments[0], launch->arguments[1], launch->arguments[2],
                      (size_t) * (const int64_t *)launch->arguments[3]};
    return qn_pool_run(launch->pool, (job.count + SETTLE_PIECE - 1) / SETTLE_PIECE, settle_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_reconstruct_insert_slices_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_reconstruct_insert_slices_host)[] = {insert, settle};
