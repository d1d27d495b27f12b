/* Fourier reconstruction on processor cores: a piece is a plane of voxels. The voxels of a row that lie near a
 * projection's plane are consecutive, so a division finds them without a test of every voxel. */
#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "benchmark/physics/kernels/fourier_reconstruction.h"
#include "runtime/host_variant.h"

#include "runtime/prelude/prelude_host.h"

#include "benchmark/physics/kernels/fourier_reconstruction.dev.h"

/* Levels without a fused multiply-add round twice, because a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

enum { REACH = 4 };

static const float radius_2 = BLOB_RADIUS * BLOB_RADIUS;

typedef struct volume_job {
    const float *images, *matrices, *blob;
    float *sums, *weights;
    int side, projections;
} volume_job;

/* Get the blob's values at REACH squared distances; they are 0 beyond its radius. */
static inline void read_blob(const float *table, const float squared[REACH], float weight[REACH])
{
#pragma omp simd
    for (int i = 0; i < REACH; i++) {
        const float place = (squared[i] < radius_2 ? squared[i] : radius_2) * BLOB_TABLE_SCALE;
        const int index = (int)place;
        const float value = MULTIPLY_ADD(place - (float)index, table[index + 1] - table[index], table[index]);
        weight[i] = squared[i] <= radius_2 ? value : 0.0f;
    }
}

/* Add the pixels around (x, y) to sum: real, imaginary, weight. For x < 0 the conjugates of the pixels around the
 * opposite point, at the same distances, are added. */
static inline void gather(const volume_job *job, const float *image, float x, float y, float height_2, float sum[3])
{
    /* columns below first_stored are mirrored; for x < 0 column 0 too, so that column 0 of the image itself is read */
    const int half = job->side / 2, first_stored = x < 0;
    const float turn = x < 0 ? -1.0f : 1.0f, u = x * turn, v = y * turn;
    const int first_u = (int)floorf(u - BLOB_RADIUS) + 1, first_v = (int)floorf(v - BLOB_RADIUS) + 1;
    float across[REACH], real = 0, imaginary = 0, total = 0;
    for (int i = 0; i < REACH; i++) across[i] = ((float)(first_u + i) - u) * ((float)(first_u + i) - u);
    for (int j = 0; j < REACH; j++) {
        const float dv = (float)(first_v + j) - v, row_2 = MULTIPLY_ADD(dv, dv, height_2);
        float squared[REACH], weight[REACH];
        if (row_2 > radius_2) continue;
        for (int i = 0; i < REACH; i++) squared[i] = across[i] + row_2;
        read_blob(job->blob, squared, weight);
        for (int i = 0; i < REACH; i++) {
            const int column = first_u + i, sign = column < first_stored ? -1 : 1;
            const size_t place = (size_t)(sign * (first_v + j) + half) * (size_t)(half + 1) + (size_t)(sign * column);
            real = MULTIPLY_ADD(weight[i], image[2 * place], real);
            imaginary = MULTIPLY_ADD(weight[i] * (float)sign, image[2 * place + 1], imaginary);
            total += weight[i];
        }
    }
    sum[0] += real;
    sum[1] += turn * imaginary;
    sum[2] += total;
}

/* Find the voxels *first … *end − 1 of a row that may be within the radius of a plane; height = slope · x + start. Both
 * ends are rounded outwards. */
static void find_stretch(float slope, float start, int columns, int *first, int *end)
{
    *first = 0;
    *end = columns;
    if (fabsf(slope) < 1e-6f) {
        if (fabsf(start) > BLOB_RADIUS + 0.01f) *end = 0;
        return;
    }
    const float a = (-BLOB_RADIUS - start) / slope, b = (BLOB_RADIUS - start) / slope;
    const float low = floorf(a < b ? a : b), high = ceilf(a < b ? b : a);
    if (low > 0) *first = low < (float)columns ? (int)low : columns;
    if (high + 1 < (float)columns) *end = high >= 0 ? (int)high + 1 : 0;
}

static void add_row(const volume_job *job, const float *matrix, const float *image, int y, int z, int columns,
                    float *sums, float *weights)
{
    const float ky = (float)y, kz = (float)z;
    int first, end;
    find_stretch(matrix[8], matrix[9] * ky + matrix[10] * kz, columns, &first, &end);
    for (int x = first; x < end; x++) {
        const float kx = (float)x;
        const float height = MULTIPLY_ADD(matrix[8], kx, MULTIPLY_ADD(matrix[9], ky, matrix[10] * kz));
        if (fabsf(height) > BLOB_RADIUS) continue;
        float sum[3] = {sums[2 * x], sums[2 * x + 1], weights[x]};
        gather(job, image, MULTIPLY_ADD(matrix[0], kx, MULTIPLY_ADD(matrix[1], ky, matrix[2] * kz)),
               MULTIPLY_ADD(matrix[4], kx, MULTIPLY_ADD(matrix[5], ky, matrix[6] * kz)), height * height, sum);
        sums[2 * x] = sum[0];
        sums[2 * x + 1] = sum[1];
        weights[x] = sum[2];
    }
}

static qn_status reconstruct_plane(size_t index, int worker, void *user)
{
    const volume_job *job = user;
    const int half = job->side / 2, z = (int)index - half, farthest = half - 3;
    const size_t columns = (size_t)half + 1, plane = (size_t)job->side * columns;
    float *sums = job->sums + 2 * index * plane, *weights = job->weights + index * plane;
    (void)worker;
    memset(sums, 0, 2 * plane * sizeof(float));
    memset(weights, 0, plane * sizeof(float));
    for (int p = 0; p < job->projections; p++) {
        const float *matrix = job->matrices + 12 * (size_t)p, *image = job->images + 2 * plane * (size_t)p;
        for (int y = -farthest; y <= farthest; y++) {
            const int left = farthest * farthest - y * y - z * z;
            if (left < 0) continue;
            int inside = (int)sqrtf((float)left);
            while (inside * inside > left) inside--;
            while ((inside + 1) * (inside + 1) <= left) inside++;
            const size_t row = (size_t)(y + half) * columns;
            add_row(job, matrix, image, y, z, inside + 1, sums + 2 * row, weights + row);
        }
    }
    return QN_OK;
}

static qn_status reconstruct(const qn_host_launch *launch)
{
    volume_job job = {.images = launch->arguments[RECONSTRUCT_IMAGES],
                      .matrices = launch->arguments[RECONSTRUCT_MATRICES],
                      .blob = launch->arguments[RECONSTRUCT_BLOB],
                      .sums = launch->arguments[RECONSTRUCT_SUMS],
                      .weights = launch->arguments[RECONSTRUCT_WEIGHTS],
                      .side = *(const int32_t *)launch->arguments[RECONSTRUCT_SIDE],
                      .projections = *(const int32_t *)launch->arguments[RECONSTRUCT_PROJECTIONS]};
    return qn_pool_run(launch->pool, (size_t)job.side, reconstruct_plane, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_fourier_reconstruction_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_fourier_reconstruction_host)[] = {reconstruct};
