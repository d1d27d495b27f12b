/* Insertion of slices into a Fourier volume by scattering: each pixel is added to the voxels within the radius with
 * atomics. A work-item adds one pixel of the half x ≥ 0 and the mate of this pixel; insert_slices.h describes the
 * arrays. */
#include "reconstruct/kernels/insert_slices.dev.h"
#include "reconstruct/kernels/scatter_slices.dev.h"

#ifndef BLOCK_DIM_X
#error "BLOCK_DIM_X: pixels of a group along x"
#endif
#ifndef BLOCK_DIM_Y
#error "BLOCK_DIM_Y: pixels of a group along y"
#endif
#ifndef PRECOMPUTE_BLOB
#error "PRECOMPUTE_BLOB: whether the blob is read from a table"
#endif

#define REACH 4 /* voxels within the radius, along a line: 2 * radius < 4 */

DEVICE_FN float blob_at(GLOBAL const float *table, float inside)
{
#if PRECOMPUTE_BLOB
    const float place = FMIN(FMA(inside, -BLOB_TABLE_INTERVALS, BLOB_TABLE_INTERVALS), BLOB_TABLE_INTERVALS);
    const int index = (int)place;
    const float low = table[index], high = table[index + 1];
    return inside > 0.0f ? FMA(place - (float)index, high - low, low) : 0.0f;
#else
    return blob_polynomial(inside);
#endif
}

/* Add to voxel x, y, z, if it is stored and computed. */
DEVICE_FN void add_to_voxel(GLOBAL float *numerator, GLOBAL float *weight, const scatter_scalars s, int x, int y, int z,
                            float real, float imaginary, float pixel_weight)
{
    const int low = s.side / 2, columns = s.side / 2 + 1, plane = z + low - s.first_plane;
    if (x < 0 || x >= columns || y < -low || y >= s.side - low || plane < 0 || plane >= s.planes) return;
    if (x * x + y * y + z * z > s.most_squared) return;
    const qn_int64 place = ((qn_int64)plane * s.side + (y + low)) * columns + x;
    ATOMIC_ADD_FLOAT(numerator + 2 * place, real);
    ATOMIC_ADD_FLOAT(numerator + 2 * place + 1, imaginary);
    ATOMIC_ADD_FLOAT(weight + place, pixel_weight);
}

KERNEL GROUP_LIMIT(BLOCK_DIM_X, BLOCK_DIM_Y, 1) void scatter_slices(
    GLOBAL const qn_complex *RESTRICT images, GLOBAL const float *RESTRICT image_weights,
    GLOBAL const float *RESTRICT matrices, GLOBAL const float *RESTRICT blob_table, GLOBAL float *RESTRICT numerator,
    GLOBAL float *RESTRICT weight, const scatter_scalars s)
{
    const int low = s.image_side / 2, columns = s.image_side / 2 + 1, x = GLOBAL_ID(0), y = GLOBAL_ID(1) - low,
              slice = GLOBAL_ID(2);
    if (x > s.kept || MAX(y, -y) > s.kept || x * x + y * y > s.farthest) return;
    GLOBAL const float *matrix = matrices + 9 * slice;
    const qn_int64 place = ((qn_int64)(slice / s.operators) * s.image_side + (y + low)) * columns + x;
    const qn_complex pixel = images[place];
    const float pixel_weight = image_weights[place], inverse = 1.0f / s.radius;
    int first[3];
    float d_2[3][REACH];
    UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const float m = matrix[3 * axis], n = matrix[3 * axis + 1];
        const float a = coarse_part(m * s.spacing), b = coarse_part(n * s.spacing);
        const float at = FMA(a, (float)x, b * (float)y), whole = ROUND(at);
        const float part = (at - whole) + FMA(FMA(m, s.spacing, -a), (float)x, FMA(n, s.spacing, -b) * (float)y);
        const float before = FLOOR(part - s.radius) + 1.0f;
        first[axis] = (int)(whole + before);
        UNROLL
        for (int i = 0; i < REACH; i++) {
            const float d = (before + (float)i - part) * inverse;
            d_2[axis][i] = d * d;
        }
    }
    for (int k = 0; k < REACH; k++)
        for (int j = 0; j < REACH; j++) {
            const float row = 1.0f - d_2[2][k] - d_2[1][j];
            if (row <= 0.0f) continue;
            UNROLL
            for (int i = 0; i < REACH; i++) {
                const float blob = blob_at(blob_table, row - d_2[0][i]);
                const int vx = first[0] + i, vy = first[1] + j, vz = first[2] + k;
                if (blob == 0.0f) continue;
                const float real = blob * pixel.x, imaginary = blob * pixel.y, add = blob * pixel_weight;
                if (vx >= 0)
                    add_to_voxel(numerator, weight, s, vx, vy, vz, real, imaginary, add);
                if (vx <= 0 && x > 0)
                    add_to_voxel(numerator, weight, s, -vx, -vy, -vz, real, -imaginary, add);
            }
        }
}
