/* Where a voxel lies in an image, exactly enough that errors do not grow with the side: T = coarse + fine, coarse a
 * multiple of 2^-12, so that its products with indices below 2^11 and their sums are exact in single precision; what
 * they leave beside a whole number is small, and so is what fine adds. */
#include "cryoem/kernels/blob.dev.h"

DEVICE_FN float coarse_part(float entry)
{
    return ROUND(entry * 4096.0f) * (1.0f / 4096.0f);
}

/* The axis along which a slice is walked, of its normal's components: the other two are those on which it projects
 * largest. */
DEVICE_FN int walked_axis(float normal_x, float normal_y, float normal_z)
{
    const float x = ABS(normal_x), y = ABS(normal_y), z = ABS(normal_z);
    return z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
}

/* sum + its rounding error = a + b, whatever their sizes (Knuth, The Art of Computer Programming 2, 4.2.2). */
DEVICE_FN float two_sum(float a, float b, float *error)
{
    const float sum = a + b, b_there = sum - a, a_there = sum - b_there;
    *error = (a - a_there) + (b - b_there);
    return sum;
}
