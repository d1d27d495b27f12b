/* Direct Fourier reconstruction by gathering: every voxel k of the volume's transform adds up, from each projection,
 * the pixels of its central slice that lie within the blob's radius,
 *     sums[k] = sum of blob(d^2) * pixel,  weights[k] = sum of blob(d^2),
 * where d is the distance from q = M k to the pixel in the plane z = 0.
 *
 * Half of each transform is stored, x = 0 ... side / 2, y and z = -side / 2 ... side / 2 - 1: images
 * [projection][y][x], sums and weights [z][y][x]. matrices [projection][3]: rows of M, the fourth number is unused.
 * Voxels further than side / 2 - 3 from the origin are 0. A group computes a brick of voxels, an item VOXELS_PER_ITEM
 * of them along z. */
#include "benchmark/physics/kernels/fourier_reconstruction.dev.h"

#ifndef BRICK_X
#error "BRICK_X: voxels of a group along x"
#endif
#ifndef BRICK_Y
#error "BRICK_Y: voxels of a group along y"
#endif
#ifndef BRICK_Z
#error "BRICK_Z: work-items of a group along z"
#endif
#ifndef VOXELS_PER_ITEM
#error "VOXELS_PER_ITEM: voxels of an item along z"
#endif
#ifndef BRICK_TEST
#error "BRICK_TEST: whether a group leaves out projections that miss its brick"
#endif
#ifndef PROJECTIONS_PER_PASS
#error "PROJECTIONS_PER_PASS: matrices in local memory at a time; 0: they are read from global memory"
#endif
#ifndef BLOB_SOURCE
#error "BLOB_SOURCE: the blob is 0 computed, read from a table in 1 global, 2 local, 3 constant memory"
#endif
#ifndef SKIP_ROWS
#error "SKIP_ROWS: whether rows of pixels out of reach are left out"
#endif
#ifndef UNROLL_PIXELS
#error "UNROLL_PIXELS: rows of pixels unrolled"
#endif

#define ITEMS (BRICK_X * BRICK_Y * BRICK_Z)
#define ITEM ((LOCAL_ID(2) * BRICK_Y + LOCAL_ID(1)) * BRICK_X + LOCAL_ID(0))
#define REACH 4 /* at least as many pixels of a line as lie within the radius: 2 * 1.9 < 4 */
#define RADIUS_2 (BLOB_RADIUS * BLOB_RADIUS)

#if BLOB_SOURCE == 2
#define TABLE_SPACE LOCAL_PTR const
#elif BLOB_SOURCE == 3
#define TABLE_SPACE CONSTANT_PTR
#else
#define TABLE_SPACE GLOBAL const
#endif
#if BLOB_SOURCE == 3
#define BLOB_SPACE CONSTANT_PTR
#else
#define BLOB_SPACE GLOBAL const
#endif
#if PROJECTIONS_PER_PASS
#define MATRIX_SPACE LOCAL_PTR const
#else
#define MATRIX_SPACE GLOBAL const
#endif

DEVICE_FN float weight_at(TABLE_SPACE float *table, float squared)
{
#if BLOB_SOURCE == 0
    return squared <= RADIUS_2 ? blob_at(squared) : 0.0f;
#else
    const float place = FMIN(squared, RADIUS_2) * BLOB_TABLE_SCALE;
    const int index = (int)place;
    const float low = table[index], high = table[index + 1];
    return squared <= RADIUS_2 ? FMA(place - (float)index, high - low, low) : 0.0f;
#endif
}

/* Add the pixels of one projection around (x, y) to sum: real, imaginary, weight. `height_2`: squared distance from the
 * plane. For x < 0 the conjugates of the pixels around the opposite point, at the same distances, are added. */
DEVICE_FN void gather(float *sum, GLOBAL const qn_complex *RESTRICT image, TABLE_SPACE float *table, int side, float x,
                      float y, float height_2)
{
    const float turn = x < 0.0f ? -1.0f : 1.0f;
    const float u = x * turn, v = y * turn;
    const int first_u = (int)FLOOR(u - BLOB_RADIUS) + 1, first_v = (int)FLOOR(v - BLOB_RADIUS) + 1;
    /* columns below this one are mirrored; for x < 0 column 0 too, so that column 0 of the image itself is read */
    const int first_stored = x < 0.0f ? 1 : 0, columns = side / 2 + 1;
    UNROLL_BY(UNROLL_PIXELS)
    for (int j = 0; j < REACH; j++) {
        const int row = first_v + j;
        const float dv = (float)row - v, row_2 = FMA(dv, dv, height_2);
#if SKIP_ROWS
        if (row_2 > RADIUS_2) continue;
#endif
        UNROLL
        for (int i = 0; i < REACH; i++) {
            const int column = first_u + i;
            const float du = (float)column - u, weight = weight_at(table, FMA(du, du, row_2));
            const bool mirrored = column < first_stored;
            const qn_complex pixel =
                image[((mirrored ? -row : row) + side / 2) * columns + (mirrored ? -column : column)];
            sum[0] = FMA(weight, pixel.x, sum[0]);
            sum[1] = FMA(weight * (mirrored ? -turn : turn), pixel.y, sum[1]);
            sum[2] += weight;
        }
    }
}

/* Write those of an item's voxels that are in the volume. */
DEVICE_FN void write_voxels(GLOBAL qn_complex *RESTRICT sums, GLOBAL float *RESTRICT weights, const float (*sum)[3],
                            int side, int x, int y, int first_z)
{
    const int columns = side / 2 + 1;
    UNROLL
    for (int v = 0; v < VOXELS_PER_ITEM; v++) {
        if (x < columns && y < side / 2 && first_z + v < side / 2) {
            const qn_int64 place = ((qn_int64)(first_z + v + side / 2) * side + (y + side / 2)) * columns + x;
            sums[place] = COMPLEX_MAKE(sum[v][0], sum[v][1]);
            weights[place] = sum[v][2];
        }
    }
}

KERNEL GROUP_LIMIT(BRICK_X, BRICK_Y, BRICK_Z) void reconstruct(GLOBAL const qn_complex *RESTRICT images,
                                                               GLOBAL const qn_float4 *RESTRICT matrices,
                                                               BLOB_SPACE float *RESTRICT blob,
                                                               GLOBAL qn_complex *RESTRICT sums,
                                                               GLOBAL float *RESTRICT weights, int side,
                                                               int projections)
{
    const int columns = side / 2 + 1;
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1) - side / 2;
    const int first_z = GLOBAL_ID(2) * VOXELS_PER_ITEM - side / 2, farthest = side / 2 - 3;
    float sum[VOXELS_PER_ITEM][3];
    UNROLL
    for (int v = 0; v < VOXELS_PER_ITEM; v++) sum[v][0] = sum[v][1] = sum[v][2] = 0.0f;
#if BLOB_SOURCE == 2
    LOCAL float table[BLOB_TABLE_SIZE + 2];
    for (int i = ITEM; i < BLOB_TABLE_SIZE + 2; i += ITEMS) table[i] = blob[i];
    LOCAL_BARRIER();
#else
    TABLE_SPACE float *table = blob;
#endif
#if BRICK_TEST
    const float middle_x = (float)(GROUP_ID(0) * BRICK_X) + 0.5f * (BRICK_X - 1);
    const float middle_y = (float)(GROUP_ID(1) * BRICK_Y - side / 2) + 0.5f * (BRICK_Y - 1);
    const float middle_z = (float)(GROUP_ID(2) * BRICK_Z * VOXELS_PER_ITEM - side / 2) +
                           0.5f * (BRICK_Z * VOXELS_PER_ITEM - 1);
    const float near_2 = 0.25f * ((BRICK_X - 1) * (BRICK_X - 1) + (BRICK_Y - 1) * (BRICK_Y - 1) +
                                  (BRICK_Z * VOXELS_PER_ITEM - 1) * (BRICK_Z * VOXELS_PER_ITEM - 1));
    const float near = SQRT(near_2) + (BLOB_RADIUS + 0.001f); /* 0.001: rounding must not exclude a projection */
#endif
#if PROJECTIONS_PER_PASS
    LOCAL qn_float4 local_matrices[3 * PROJECTIONS_PER_PASS];
    for (int first = 0; first < projections; first += PROJECTIONS_PER_PASS) {
        const int end = MIN(PROJECTIONS_PER_PASS, projections - first);
        LOCAL_BARRIER();
        for (int i = ITEM; i < 3 * end; i += ITEMS) local_matrices[i] = matrices[3 * first + i];
        LOCAL_BARRIER();
        MATRIX_SPACE qn_float4 *matrix = local_matrices;
#else
    {
        const int first = 0, end = projections;
        MATRIX_SPACE qn_float4 *matrix = matrices;
#endif
        for (int p = 0; p < end; p++, matrix += 3) {
            const qn_float4 c = matrix[2];
#if BRICK_TEST
            if (ABS(FMA(c.x, middle_x, FMA(c.y, middle_y, c.z * middle_z))) > near) continue;
#endif
            const qn_float4 a = matrix[0], b = matrix[1];
            GLOBAL const qn_complex *image = images + (qn_int64)(first + p) * side * columns;
            UNROLL
            for (int v = 0; v < VOXELS_PER_ITEM; v++) {
                const float kx = (float)x, ky = (float)y, kz = (float)(first_z + v);
                const float height = FMA(c.x, kx, FMA(c.y, ky, c.z * kz));
                const bool inside = x * x + y * y + (first_z + v) * (first_z + v) <= farthest * farthest;
                if (ABS(height) <= BLOB_RADIUS && inside)
                    gather(sum[v], image, table, side, FMA(a.x, kx, FMA(a.y, ky, a.z * kz)),
                           FMA(b.x, kx, FMA(b.y, ky, b.z * kz)), height * height);
            }
        }
    }
    write_voxels(sums, weights, sum, side, x, y, first_z);
}
