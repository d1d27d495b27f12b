/* The place of a voxel in an image is computed so exactly that errors do not grow with the side. The matrix is
 * T = coarse + fine. `coarse` is a multiple of 2^-12, so its products with indices up to 2^11 and their sums are exact
 * in single precision. Their whole parts are removed before the products of `fine`, which are small, are added. */
#include "cryoem/kernels/blob.dev.h"

/* Arguments of `insert_slices` and `settle`, in order. */
enum {
    INSERT_IMAGES,
    INSERT_IMAGE_WEIGHTS,
    INSERT_MATRICES,
    INSERT_BLOB_TABLE,
    INSERT_NUMERATOR,
    INSERT_WEIGHT,
    INSERT_SCALARS,
    INSERT_ARGUMENTS
};
enum { SETTLE_PARTIAL, SETTLE_TOTAL, SETTLE_LOW_PART, SETTLE_COUNT, SETTLE_ARGUMENTS };

typedef struct insert_scalars {
    int side;         /* of the volume */
    int image_side;   /* of the images */
    int first_plane;  /* of the volume's part */
    int planes;       /* of the volume's part */
    int operators;    /* of symmetry: slices of an image */
    int slices;       /* images times operators */
    float spacing;    /* voxels from pixel to pixel */
    float radius;     /* of the blob (voxels) */
    float most;       /* largest |f| of a voxel that is computed (voxels) */
    int most_squared; /* largest x^2 + y^2 + z^2 of a voxel that is computed */
    int kept;         /* largest |x| and |y| of a pixel that is read */
    int fast;         /* 1: a voxel takes its nearest pixel, without the blob */
} insert_scalars;

DEVICE_FN float coarse_part(float entry)
{
    return ROUND(entry * 4096.0f) * (1.0f / 4096.0f);
}

/* The axis along which a slice is walked: the one with the largest component of the slice's normal. The projection of
 * the slice onto the plane of the other two axes is the largest. */
DEVICE_FN int walked_axis(float normal_x, float normal_y, float normal_z)
{
    const float x = ABS(normal_x), y = ABS(normal_y), z = ABS(normal_z);
    return z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
}

/* sum + its rounding error = a + b, for all sizes of a and b (Knuth, The Art of Computer Programming 2, 4.2.2). */
DEVICE_FN float two_sum(float a, float b, float *error)
{
    const float sum = a + b, b_there = sum - a, a_there = sum - b_there;
    *error = (a - a_there) + (b - b_there);
    return sum;
}
