/* Insertion of slices into a Fourier volume on processor cores. The full planes of many images at a time are laid out
 * with a margin of zeros and four floats for each pixel: real part, imaginary part, weight, 0. Then a piece of work is
 * a bar of voxels: all x of a few y and z. A bar and the parts of images that it gathers fit into a core's cache. No
 * two threads add to the same voxel, and the order of a voxel's additions does not depend on the thread. The layer
 * within r of a slice covers one stretch of each row of voxels. The voxels of many stretches and slices form a batch.
 * Their places in the images are computed with vector instructions, and their pixels are prefetched while the batch
 * before is summed. */
#include "runtime/host_vector.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "reconstruct/kernels/insert_slices.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "reconstruct/kernels/insert_slices.dev.h"

enum { REACH = 4, PIXELS = REACH * REACH, FEW = 2, SETTLE_PIECE = 1 << 16 };
enum { BATCH = 512, BLOCK = 16 }; /* voxels of a batch; of a block whose places are computed together */
enum { Y_BITS = 4, BAR_Y = 1 << Y_BITS, BAR_Z_MAX = 8, BAR_BYTES = 17 << 14 }; /* rows of a bar, bytes of its sums */
enum { X_BITS = 12, PREFETCHED = 4, RUN = 8 }; /* bits of x in a voxel's code; steps of prefetching, of listing */
enum { CHUNK_BYTES = 1 << 28 };                /* bytes of images that are laid out at a time */

/* Rows of T: coordinate i of the image is Σ (coarse[axis][i] + fine[axis][i]) · voxel[axis] over the axes x, y, z. */
typedef struct host_slice {
    float coarse[3][3], fine[3][3]; /* in pixels */
    float normal[3];
    int32_t origin; /* index of pixel (0, 0) in the laid-out planes */
} host_slice;

/* For each voxel: its index in the bar's sums, the index of its first pixel, the offset dx, dy from the voxel to that
 * pixel in radii, and inside = 1 − height² / radius². */
typedef struct batch {
    float dx[BATCH + BLOCK], dy[BATCH + BLOCK], inside[BATCH + BLOCK];
    int32_t pixel[BATCH + BLOCK], voxel[BATCH + BLOCK];
    int count;
} batch;

/* Memory of one worker. */
typedef struct scratch {
    batch batches[2]; /* one batch is filled while the other waits for its pixels */
    int filled;       /* index of the batch that is filled */
    float blob[FEW * FEW][BATCH + BLOCK], together[BATCH + BLOCK][FEW * FEW];
    float limit[BAR_Z_MAX][BAR_Y]; /* the last x of each row of the bar; −1: none */
    float *sums;                   /* of the bar: [z][BAR_Y][columns][4]: real part, imaginary part, weight, 0 */
    int32_t *codes;                /* of voxels: x + 2^X_BITS · (row + BAR_Y · plane) within the bar */
    int code_count;
} scratch;

/* Offsets in radii of pixel 4 j + i of 4 × 4 from the first one. */
typedef struct pixel_offsets {
    float x[PIXELS], y[PIXELS];
} pixel_offsets;

typedef struct insert_job {
    const float *images, *image_weights, *matrices;
    float *numerator, *weight;
    int side, columns, low, operators;
    int first_plane, volume_planes; /* z of the first plane in the volume's buffers, and number of planes there */
    int image_side, image_columns, image_low;
    int first_image, images_end; /* first laid-out image, and the image after the last */
    double spacing;
    float radius, inverse_radius, nearest; /* in pixels; nearest: half a voxel */
    float reach;                           /* largest height of a voxel above a slice (voxels) */
    int pixels_across;                     /* number of pixels that may be within the radius, along a line */
    int most_squared;                      /* largest x² + y² + z² of a voxel that is computed */
    int kept;                              /* largest |x| and |y| of a pixel that is read */
    bool fast;
    float *planes; /* [images_end − first_image][width][width][4] */
    int width, margin, bar_z;
    host_slice *slices; /* of the images that are laid out */
    pixel_offsets offsets;
    scratch *scratches; /* of each worker */
} insert_job;

/* A bar: rows y … end_y − 1 of planes z … end_z − 1. */
typedef struct bar {
    int y, end_y, z, end_z, last_x;
} bar;

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

/* ---- laying out ---- */

static void write_pixel(float *to, float real, float imaginary, float weight)
{
    const float value[4] = {real, imaginary, weight, 0};
    memcpy(to, value, sizeof value);
}

/* Lay out row y from pixel `first` to `last`: pixels with x ≥ 0 are copied, those with x < 0 are conjugates of their
 * mates; pixels that are not read become 0. */
static void lay_out_row(const insert_job *job, const float *image, const float *weights, int y, int first, int last,
                        float *row)
{
    const int kept = y < -job->kept || y > job->kept ? -1 : job->kept;
    const ptrdiff_t columns = job->image_columns, here = (y + job->image_low) * columns;
    const ptrdiff_t mates = (job->image_low - y) * columns;
    int x = first;
    for (; x <= last && x < -kept; x++) write_pixel(row + 4 * x, 0, 0, 0);
    for (; x <= last && x < 0 && x <= kept; x++)
        write_pixel(row + 4 * x, image[2 * (mates - x)], -image[2 * (mates - x) + 1], weights[mates - x]);
    for (; x <= last && x <= kept; x++)
        write_pixel(row + 4 * x, image[2 * (here + x)], image[2 * (here + x) + 1], weights[here + x]);
    for (; x <= last; x++) write_pixel(row + 4 * x, 0, 0, 0);
}

/* Lay out an image. Voxels have x ≥ 0, so an image that is used once is laid out only as far as such voxels reach. */
static qn_status lay_out_image(size_t index, int worker, void *user)
{
    const insert_job *job = user;
    const size_t pixels = (size_t)job->image_side * (size_t)job->image_columns;
    const size_t image = index + (size_t)job->first_image, width = (size_t)job->width;
    const float *matrix = job->matrices + 9 * image;
    const float nearest = -1.5f * (float)(job->pixels_across + 2), farthest = (float)job->margin;
    float *middle = job->planes + 4 * (width * width * index + (width + 1) * (size_t)job->margin);
    (void)worker;
    for (int y = -job->margin; y <= job->margin; y++) {
        const float left = farthest * farthest - (float)(y * y);
        int last = left < 0 ? -1 : (int)sqrtf(left), first = -last;
        if (job->operators == 1 && fabsf(matrix[0]) > 1e-3f) { /* matrix[0] x + matrix[1] y ≥ nearest */
            const float edge = fmaxf(fminf((nearest - matrix[1] * (float)y) / matrix[0], farthest), -farthest);
            if (matrix[0] > 0 && (int)edge > first) first = (int)edge;
            if (matrix[0] < 0 && (int)edge < last) last = (int)edge;
        }
        lay_out_row(job, job->images + 2 * pixels * image, job->image_weights + pixels * image, y, first, last,
                    middle + 4 * (ptrdiff_t)width * y);
    }
    return QN_OK;
}

static qn_status set_slice(size_t index, int worker, void *user)
{
    const insert_job *job = user;
    const float *matrix = job->matrices + 9 * (index + (size_t)job->first_image * (size_t)job->operators);
    host_slice *slice = job->slices + index;
    (void)worker;
    slice->origin =
        (int32_t)(index / (size_t)job->operators) * job->width * job->width + job->margin * (job->width + 1);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) {
            const double entry = (double)matrix[3 * row + i] / job->spacing;
            slice->coarse[row][i] = coarse_part((float)entry);
            slice->fine[row][i] = (float)(entry - (double)slice->coarse[row][i]);
        }
    for (int axis = 0; axis < 3; axis++) slice->normal[axis] = matrix[3 * axis + 2];
    return QN_OK;
}

/* ---- finding ---- */

/* Instruction sets without a fused multiply-add round twice: a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* Compute the places of voxels in the image of a slice, from place `at` of a batch on. Results beyond `count` are never
 * used. The sums of three products with coarse parts are exact. */
static void locate(const insert_job *job, const host_slice *slice, const bar *from, const int32_t *codes, int count,
                   batch *to, int at)
{
    const float(*c)[3] = slice->coarse, (*f)[3] = slice->fine, radius = job->radius, inverse = job->inverse_radius;
    const int32_t width = job->width, columns = job->columns, origin = slice->origin, bar_y = from->y, bar_z = from->z;
    float *dx = to->dx + at, *dy = to->dy + at, *inside = to->inside + at;
    int32_t *pixel = to->pixel + at, *voxel = to->voxel + at;
    for (int block = 0; block < count; block += BLOCK)
#pragma omp simd
        for (int i = block; i < block + BLOCK; i++) {
            const int32_t column = codes[i] & ((1 << X_BITS) - 1), row = codes[i] >> X_BITS;
            const float x = (float)column, y = (float)(bar_y + (row & (BAR_Y - 1))),
                        z = (float)(bar_z + (row >> Y_BITS));
            const float at_x = MULTIPLY_ADD(c[0][0], x, MULTIPLY_ADD(c[1][0], y, c[2][0] * z)), whole_x = rintf(at_x);
            const float at_y = MULTIPLY_ADD(c[0][1], x, MULTIPLY_ADD(c[1][1], y, c[2][1] * z)), whole_y = rintf(at_y);
            const float part_x = (at_x - whole_x) + MULTIPLY_ADD(f[0][0], x, MULTIPLY_ADD(f[1][0], y, f[2][0] * z));
            const float part_y = (at_y - whole_y) + MULTIPLY_ADD(f[0][1], x, MULTIPLY_ADD(f[1][1], y, f[2][1] * z));
            const float height = MULTIPLY_ADD(c[0][2], x, MULTIPLY_ADD(c[1][2], y, c[2][2] * z)) +
                                 MULTIPLY_ADD(f[0][2], x, MULTIPLY_ADD(f[1][2], y, f[2][2] * z));
            const float before_x = floorf(part_x - radius) + 1, before_y = floorf(part_y - radius) + 1;
            const float scaled = height * inverse;
            dx[i] = (before_x - part_x) * inverse;
            dy[i] = (before_y - part_y) * inverse;
            inside[i] = MULTIPLY_ADD(-scaled, scaled, 1.0f);
            pixel[i] = origin + (int32_t)(whole_y + before_y) * width + (int32_t)(whole_x + before_x);
            voxel[i] = row * columns + column;
        }
}

/* Compute the places of voxels as `locate` does, but with the nearest pixel: inside is 1, or 0 if the voxel is too far
 * from the slice. */
static void locate_nearest(const insert_job *job, const host_slice *slice, const bar *from, const int32_t *codes,
                           int count, batch *to, int at)
{
    const float(*c)[3] = slice->coarse, (*f)[3] = slice->fine;
    for (int i = 0; i < count; i++) {
        const int32_t column = codes[i] & ((1 << X_BITS) - 1), row = codes[i] >> X_BITS;
        const float x = (float)column, y = (float)(from->y + (row & (BAR_Y - 1))),
                    z = (float)(from->z + (row >> Y_BITS));
        float whole[3], part[3];
        for (int k = 0; k < 3; k++) {
            const float there = c[0][k] * x + (c[1][k] * y + c[2][k] * z);
            whole[k] = rintf(there);
            part[k] = (there - whole[k]) + (f[0][k] * x + (f[1][k] * y + f[2][k] * z));
        }
        to->inside[at + i] = fabsf(whole[2] + part[2]) <= job->nearest ? 1 : 0;
        to->pixel[at + i] =
            slice->origin + (int32_t)(whole[1] + rintf(part[1])) * job->width + (int32_t)(whole[0] + rintf(part[0]));
        to->voxel[at + i] = row * job->columns + column;
    }
}

/* ---- gathering ---- */

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

/* blob_polynomial of cryoem/kernels/blob.dev.h for a vector of values */
static inline qn_lanes blobs(qn_lanes t)
{
    static const float terms[7] = {-0.0656339119f, 0.341531116f,  0.113066041f,  0.357444433f,
                                   0.142440445f,   0.0443958453f, 0.00174993229f};
    const qn_lanes inside = QN_LANES_WORD(max)(t, qn_lanes_splat(0.0f));
    qn_lanes root = qn_lanes_splat(0.0650061578f);
    for (int i = 0; i < 7; i++) root = qn_lanes_fma(inside, root, qn_lanes_splat(terms[i]));
    return where_positive(t, root * root);
}

/* Load the blob values of pixel `pixel` and those after it, each repeated four times, as many as fit into a register.
 */
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

/* Gather voxel i of a batch from 4 × 4 pixels: value += real part, imaginary part, weight, 0. */
static inline void gather(const insert_job *job, const batch *at, int i, float value[4])
{
    enum { VECTORS = PIXELS / QN_LANES, PER_VECTOR = QN_LANES / 4 };
    const float *pixels = job->planes + 4 * (ptrdiff_t)at->pixel[i];
    const qn_lanes dx = qn_lanes_splat(at->dx[i]), dy = qn_lanes_splat(at->dy[i]);
    qn_lanes blob[VECTORS], sum[2] = {qn_lanes_splat(0), qn_lanes_splat(0)};
    float stored[PIXELS];
    for (int v = 0; v < VECTORS; v++) {
        const qn_lanes x = qn_lanes_load(job->offsets.x + v * QN_LANES) + dx;
        const qn_lanes y = qn_lanes_load(job->offsets.y + v * QN_LANES) + dy;
        const qn_lanes row = qn_lanes_minus_product(qn_lanes_splat(at->inside[i]), y, y);
        blob[v] = blobs(qn_lanes_minus_product(row, x, x));
        if (QN_LANES == 4) qn_lanes_store(stored + v * QN_LANES, blob[v]);
    }
    for (int pixel = 0; pixel < PIXELS; pixel += PER_VECTOR) {
        const qn_lanes four = four_times(stored, blob[pixel / QN_LANES], pixel);
        const qn_lanes from = qn_lanes_load(pixels + 4 * ((ptrdiff_t)(pixel / REACH) * job->width + pixel % REACH));
        sum[pixel / PER_VECTOR % 2] = qn_lanes_fma(four, from, sum[pixel / PER_VECTOR % 2]);
    }
    _mm_storeu_ps(value, _mm_add_ps(_mm_loadu_ps(value), fold(sum[0] + sum[1])));
}

#else

static inline qn_lanes blobs(qn_lanes t)
{
    return blob_polynomial(t);
}

static inline void gather(const insert_job *job, const batch *at, int i, float value[4])
{
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        const float *from = job->planes + 4 * ((ptrdiff_t)at->pixel[i] + pixel / REACH * job->width + pixel % REACH);
        const float x = job->offsets.x[pixel] + at->dx[i], y = job->offsets.y[pixel] + at->dy[i];
        const float blob = blob_polynomial(at->inside[i] - y * y - x * x);
        for (int c = 0; c < 3; c++) value[c] += blob * from[c];
    }
}

#endif

#if defined(__AVX2__) && defined(__FMA__)

/* Transpose the blob values of eight voxels, so that the values of a voxel's 2 × 2 pixels are adjacent. */
static inline void put_together(float blob[FEW * FEW][BATCH + BLOCK], int i, float together[][FEW * FEW])
{
    const __m256 p0 = _mm256_loadu_ps(blob[0] + i), p1 = _mm256_loadu_ps(blob[1] + i);
    const __m256 p2 = _mm256_loadu_ps(blob[2] + i), p3 = _mm256_loadu_ps(blob[3] + i);
    const __m256 low_01 = _mm256_unpacklo_ps(p0, p1), high_01 = _mm256_unpackhi_ps(p0, p1);
    const __m256 low_23 = _mm256_unpacklo_ps(p2, p3), high_23 = _mm256_unpackhi_ps(p2, p3);
    const __m256 v04 = _mm256_shuffle_ps(low_01, low_23, 0x44), v15 = _mm256_shuffle_ps(low_01, low_23, 0xee);
    const __m256 v26 = _mm256_shuffle_ps(high_01, high_23, 0x44), v37 = _mm256_shuffle_ps(high_01, high_23, 0xee);
    _mm256_storeu_ps(together[i], _mm256_permute2f128_ps(v04, v15, 0x20));
    _mm256_storeu_ps(together[i + 2], _mm256_permute2f128_ps(v26, v37, 0x20));
    _mm256_storeu_ps(together[i + 4], _mm256_permute2f128_ps(v04, v15, 0x31));
    _mm256_storeu_ps(together[i + 6], _mm256_permute2f128_ps(v26, v37, 0x31));
}

/* value += Σ blob · pixel over two pixels of a row and two pixels of the next row. */
static inline void add_pixels(const float blob[FEW * FEW], const float *pixel, const float *next, float *value)
{
    const __m256 four = _mm256_broadcast_ps((const __m128 *)blob);
    const __m256 of_row = _mm256_permutevar_ps(four, _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0));
    const __m256 of_next = _mm256_permutevar_ps(four, _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2));
    const __m256 sum = _mm256_fmadd_ps(of_next, _mm256_loadu_ps(next), _mm256_mul_ps(of_row, _mm256_loadu_ps(pixel)));
    const __m128 both = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    _mm_storeu_ps(value, _mm_add_ps(_mm_loadu_ps(value), both));
}

#else

static inline void put_together(float blob[FEW * FEW][BATCH + BLOCK], int i, float together[][FEW * FEW])
{
    for (int voxel = i; voxel < i + 8; voxel++)
        for (int pixel = 0; pixel < FEW * FEW; pixel++) together[voxel][pixel] = blob[pixel][voxel];
}

static inline void add_pixels(const float blob[FEW * FEW], const float *pixel, const float *next, float *value)
{
    float sum[4];
    for (int c = 0; c < 4; c++)
        sum[c] = (blob[0] * pixel[c] + blob[2] * next[c]) + (blob[1] * pixel[4 + c] + blob[3] * next[4 + c]);
    for (int c = 0; c < 4; c++) value[c] += sum[c];
}

#endif

/* Sum a batch of voxels that have at most 2 × 2 pixels within the radius. */
static void sum_few(const insert_job *job, const batch *at, scratch *own)
{
    const qn_lanes step = qn_lanes_splat(job->inverse_radius);
    const int count = at->count;
    for (int i = 0; i < count; i += QN_LANES) {
        const qn_lanes x = qn_lanes_load(at->dx + i), y = qn_lanes_load(at->dy + i), next_x = x + step;
        const qn_lanes next_y = y + step, inside = qn_lanes_load(at->inside + i);
        const qn_lanes row = qn_lanes_minus_product(inside, y, y);
        const qn_lanes next = qn_lanes_minus_product(inside, next_y, next_y);
        qn_lanes_store(own->blob[0] + i, blobs(qn_lanes_minus_product(row, x, x)));
        qn_lanes_store(own->blob[1] + i, blobs(qn_lanes_minus_product(row, next_x, next_x)));
        qn_lanes_store(own->blob[2] + i, blobs(qn_lanes_minus_product(next, x, x)));
        qn_lanes_store(own->blob[3] + i, blobs(qn_lanes_minus_product(next, next_x, next_x)));
    }
    for (int i = 0; i < count; i += 8) put_together(own->blob, i, own->together);
    const ptrdiff_t row = 4 * (ptrdiff_t)job->width;
    const float *planes = job->planes;
    float *sums = own->sums;
    for (int i = 0; i < count; i++) {
        const float *pixel = planes + 4 * (ptrdiff_t)at->pixel[i];
        add_pixels(own->together[i], pixel, pixel + row, sums + 4 * (ptrdiff_t)at->voxel[i]);
    }
}

/* Gather voxels with more than 4 × 4 pixels. */
static void gather_many(const insert_job *job, const batch *at, int i, float value[4])
{
    for (int row = 0; row < job->pixels_across; row++)
        for (int column = 0; column < job->pixels_across; column++) {
            const float *from = job->planes + 4 * ((ptrdiff_t)at->pixel[i] + row * job->width + column);
            const float x = at->dx[i] + (float)column * job->inverse_radius;
            const float y = at->dy[i] + (float)row * job->inverse_radius;
            const float blob = blob_polynomial(at->inside[i] - y * y - x * x);
            for (int c = 0; c < 3; c++) value[c] += blob * from[c];
        }
}

static void sum_batch(const insert_job *job, batch *at, scratch *own)
{
    if (job->fast) {
        for (int i = 0; i < at->count; i++)
            if (at->inside[i] > 0)
                for (int c = 0; c < 3; c++)
                    own->sums[4 * (ptrdiff_t)at->voxel[i] + c] += job->planes[4 * (ptrdiff_t)at->pixel[i] + c];
    } else if (job->pixels_across <= FEW) {
        sum_few(job, at, own);
    } else if (job->pixels_across <= REACH) {
        for (int i = 0; i < at->count; i++)
            if (at->inside[i] > 0) gather(job, at, i, own->sums + 4 * (ptrdiff_t)at->voxel[i]);
    } else {
        for (int i = 0; i < at->count; i++)
            if (at->inside[i] > 0) gather_many(job, at, i, own->sums + 4 * (ptrdiff_t)at->voxel[i]);
    }
    at->count = 0;
}

/* ---- walking ---- */

/* Swap the batches: the pixels of the filled batch are prefetched while the other batch is summed, since
 * processors cannot predict the places of a slice. */
static void change_batch(const insert_job *job, scratch *own)
{
    const batch *full = &own->batches[own->filled];
    const int last = (minimum(job->pixels_across, REACH) - 1) * job->width;
    for (int i = 0; i < full->count; i += PREFETCHED) {
        const float *pixel = job->planes + 4 * (ptrdiff_t)full->pixel[i];
        __builtin_prefetch(pixel);
        __builtin_prefetch(pixel + 4 * (ptrdiff_t)last);
        __builtin_prefetch(own->sums + 4 * (ptrdiff_t)full->voxel[i], 1);
    }
    own->filled ^= 1;
    sum_batch(job, &own->batches[own->filled], own);
}

/* Move the listed voxels into batches. */
static void take_codes(const insert_job *job, const host_slice *slice, const bar *at, scratch *own)
{
    for (int done = 0; done < own->code_count;) {
        batch *to = &own->batches[own->filled];
        const int count = minimum(own->code_count - done, BATCH - to->count);
        (job->fast ? locate_nearest : locate)(job, slice, at, own->codes + done, count, to, to->count);
        to->count += count;
        done += count;
        if (to->count == BATCH) change_batch(job, own);
    }
    own->code_count = 0;
}

/* Cut *first … *last to the range where |slope · i + start| ≤ reach. */
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

/* List the voxels of plane z of a bar that lie within the reach of a slice. A stretch is written in runs of eight;
 * surplus entries are overwritten by the next stretch. */
static void list_plane(const insert_job *job, const host_slice *slice, const bar *at, int z, scratch *own)
{
    const float *limit = own->limit[z - at->z], slope = slice->normal[0];
    const float safe = fabsf(slope) < 1e-6f ? 1e-6f : slope, inverse = 1 / safe, half = job->reach * fabsf(inverse);
    const float start = slice->normal[2] * (float)z, step = slice->normal[1];
    const int runs =
        half < RUN - 1 ? (int)(2 * half + RUN) / RUN : 0; /* 0: long stretches, with a number of runs for each */
    int32_t first[BAR_Y], length[BAR_Y], *codes = own->codes;
    int count = own->code_count;
#pragma omp simd
    for (int row = 0; row < BAR_Y; row++) {
        const float middle = -(start + step * (float)(at->y + row)) * inverse;
        const float low = qn_minimum(qn_maximum(ceilf(middle - half), 0.0f), 8192.0f);
        const float high = qn_minimum(floorf(middle + half), limit[row]);
        first[row] = (int32_t)low;
        length[row] = (int32_t)qn_maximum(high - low + 1.0f, 0.0f);
    }
    for (int row = 0; row < BAR_Y; row++) {
        const int32_t code = ((((z - at->z) * BAR_Y + row)) << X_BITS) + first[row];
        const int written = runs > 0 ? runs : (length[row] + RUN - 1) / RUN;
        for (int run = 0; run < written; run++)
#pragma omp simd
            for (int i = 0; i < RUN; i++) codes[count + RUN * run + i] = code + RUN * run + i;
        count += length[row];
    }
    own->code_count = count;
}

/* Insert a slice into a bar. The heights of a bar's voxels above the slice differ from that of its middle by at most
 * half its extent along the slice's normal. */
static void insert_slice(const insert_job *job, const host_slice *slice, const bar *at, scratch *own)
{
    const float *n = slice->normal, half_x = 0.5f * (float)at->last_x, half_y = 0.5f * (float)(at->end_y - 1 - at->y);
    const float across = job->reach + half_x * fabsf(n[0]) + half_y * fabsf(n[1]);
    const float start = n[0] * half_x + n[1] * ((float)at->y + half_y);
    int z = at->z, last_z = at->end_z - 1;
    const float half_z = 0.5f * (float)(last_z - z);
    if (fabsf(start + n[2] * ((float)z + half_z)) > across + half_z * fabsf(n[2])) return;
    cut(n[2], start, across, &z, &last_z);
    for (; z <= last_z; z++) {
        list_plane(job, slice, at, z, own);
        if (own->code_count >= BATCH) take_codes(job, slice, at, own);
    }
    if (own->code_count > 0) take_codes(job, slice, at, own);
}

/* Add the bar's sums to the volume and set them to 0. */
static void add_bar(const insert_job *job, const bar *from, scratch *own)
{
    for (int z = from->z; z < from->end_z; z++)
        for (int y = from->y; y < from->end_y; y++) {
            const ptrdiff_t row = ((ptrdiff_t)(z - job->first_plane) * job->side + (y + job->low)) * job->columns;
            float *numerator = job->numerator + 2 * row, *weight = job->weight + row;
            float *sums = own->sums + 4 * (ptrdiff_t)((z - from->z) * BAR_Y + y - from->y) * job->columns;
            const int end = (int)own->limit[z - from->z][y - from->y] + 1;
            for (int x = 0; x < end; x++) {
                numerator[2 * x] += sums[4 * x];
                numerator[2 * x + 1] += sums[4 * x + 1];
                weight[x] += sums[4 * x + 2];
            }
            if (end > 0) memset(sums, 0, 4 * sizeof(float) * (size_t)end);
        }
}

/* Find the last x of each row that is in the bar and in the sphere of the limit. Returns the largest x. */
static int set_limits(const insert_job *job, const bar *at, scratch *own)
{
    float last = -1;
    for (int plane = 0; plane < job->bar_z; plane++)
        for (int row = 0; row < BAR_Y; row++) {
            const int y = at->y + row, z = at->z + plane;
            const int left = job->most_squared - (y * y + z * z); /* roots up to 2048 do not round up to integers */
            const bool there = y < at->end_y && z < at->end_z && left >= 0;
            own->limit[plane][row] = there ? fminf(floorf(sqrtf((float)left)), (float)(job->columns - 1)) : -1;
            last = fmaxf(last, own->limit[plane][row]);
        }
    return (int)last;
}

static qn_status insert_bar(size_t index, int worker, void *user)
{
    const insert_job *job = user;
    scratch *own = &job->scratches[worker];
    const int across = (job->side + BAR_Y - 1) / BAR_Y, end = job->side - job->low;
    const int y = (int)index % across * BAR_Y - job->low, z = (int)index / across * job->bar_z + job->first_plane;
    bar at = {y, minimum(y + BAR_Y, end), z, minimum(z + job->bar_z, job->first_plane + job->volume_planes), 0};
    at.last_x = set_limits(job, &at, own);
    if (at.last_x < 0) return QN_OK;
    const int slices = (job->images_end - job->first_image) * job->operators;
    for (int s = 0; s < slices; s++) insert_slice(job, &job->slices[s], &at, own);
    change_batch(job, own);
    change_batch(job, own);
    add_bar(job, &at, own);
    return QN_OK;
}

static qn_status run_job(insert_job *job, int images, size_t chunk, void *pool)
{
    const size_t bars =
        (size_t)((job->side + BAR_Y - 1) / BAR_Y) * (size_t)((job->volume_planes + job->bar_z - 1) / job->bar_z);
    for (int first = 0; first < images; first = job->images_end) {
        job->first_image = first;
        job->images_end = images - first < (int)chunk ? images : first + (int)chunk;
        const size_t laid_out = (size_t)(job->images_end - first);
        QN_TRY(qn_pool_run(pool, laid_out, lay_out_image, job));
        QN_TRY(qn_pool_run(pool, laid_out * (size_t)job->operators, set_slice, job));
        QN_TRY(qn_pool_run(pool, bars, insert_bar, job));
    }
    return QN_OK;
}

/* ---- memory ---- */

static void release_scratches(insert_job *job, int threads)
{
    for (int t = 0; t < threads && job->scratches; t++) {
        void *sums = job->scratches[t].sums, *codes = job->scratches[t].codes;
        qn_release(&sums);
        qn_release(&codes);
    }
    void *scratches = job->scratches;
    qn_release(&scratches);
}

/* There is room for the codes of one plane of a bar in addition to those that do not fill a batch yet. */
static qn_status allocate_scratches(insert_job *job, int threads)
{
    const size_t columns = (size_t)job->columns;
    void *memory;
    QN_TRY(qn_allocate((size_t)threads, sizeof(scratch), &memory));
    job->scratches = memory;
    for (int t = 0; t < threads; t++) {
        QN_TRY(qn_allocate((size_t)BAR_Y * (size_t)job->bar_z * columns, 4 * sizeof(float), &memory));
        job->scratches[t].sums = memory;
        QN_TRY(qn_allocate(2 * BATCH + BAR_Y * columns, sizeof(int32_t), &memory));
        job->scratches[t].codes = memory;
    }
    return QN_OK;
}

static qn_status run_with_memory(insert_job *job, int images, qn_pool *pool)
{
    const int threads = pool ? qn_pool_threads(pool) : 1;
    const size_t plane_bytes = 4 * sizeof(float) * (size_t)job->width * (size_t)job->width;
    size_t chunk = CHUNK_BYTES / plane_bytes;
    size_t capacity = 0;
    void *planes = NULL, *slices = NULL;
    if (chunk > (size_t)images) chunk = (size_t)images;
    if (chunk < 1) chunk = 1;
    QN_TRY(qn_grow(&planes, &capacity, chunk, plane_bytes)); /* allocated for every launch, not cleared */
    job->planes = planes;
    qn_status status = qn_allocate(chunk * (size_t)job->operators, sizeof(host_slice), &slices);
    job->slices = slices;
    if (status == QN_OK) status = allocate_scratches(job, threads);
    if (status == QN_OK) status = run_job(job, images, chunk, pool);
    release_scratches(job, threads);
    qn_release(&slices);
    qn_release(&planes);
    return status;
}

static qn_status insert(const qn_host_launch *launch)
{
    const insert_scalars *s = launch->arguments[INSERT_SCALARS];
    void *const *arguments = launch->arguments;
    const int side = s->side, image_side = s->image_side;
    const int operators = s->operators, images = s->slices / operators;
    const float spacing = s->spacing, radius = s->radius;
    const int across = (int)ceilf(2 * radius / spacing);
    insert_job job = {.images = arguments[INSERT_IMAGES],
                      .image_weights = arguments[INSERT_IMAGE_WEIGHTS],
                      .matrices = arguments[INSERT_MATRICES],
                      .numerator = arguments[INSERT_NUMERATOR],
                      .weight = arguments[INSERT_WEIGHT],
                      .side = side,
                      .columns = side / 2 + 1,
                      .low = side / 2,
                      .operators = operators,
                      .first_plane = s->first_plane - side / 2,
                      .volume_planes = s->planes,
                      .image_side = image_side,
                      .image_columns = image_side / 2 + 1,
                      .image_low = image_side / 2,
                      .spacing = (double)spacing,
                      .radius = radius / spacing,
                      .inverse_radius = spacing / radius,
                      .nearest = 0.5f / spacing,
                      .pixels_across = across,
                      .most_squared = s->most_squared,
                      .kept = s->kept,
                      .fast = s->fast != 0,
                      .margin = (int)(s->most / spacing) + (across > REACH ? 12
                                                            : across > FEW ? 8
                                                                           : 6)};
    job.reach = (job.fast ? 0.5f : radius) + 0.01f;
    job.width = 2 * job.margin + 1;
    job.bar_z = minimum(BAR_Z_MAX, BAR_BYTES / (16 * BAR_Y * job.columns));
    if (job.bar_z < 1) job.bar_z = 1;
    for (int pixel = 0; pixel < PIXELS; pixel++) {
        job.offsets.x[pixel] = (float)(pixel % REACH) * job.inverse_radius;
        job.offsets.y[pixel] = (float)(pixel / REACH) * job.inverse_radius;
    }
    return run_with_memory(&job, images, launch->pool);
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
    settle_job job = {launch->arguments[SETTLE_PARTIAL], launch->arguments[SETTLE_TOTAL],
                      launch->arguments[SETTLE_LOW_PART], (size_t) * (const int64_t *)launch->arguments[SETTLE_COUNT]};
    return qn_pool_run(launch->pool, (job.count + SETTLE_PIECE - 1) / SETTLE_PIECE, settle_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_reconstruct_insert_slices_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_reconstruct_insert_slices_host)[] = {insert, settle};
