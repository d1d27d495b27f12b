/* The interface between scatter_slices and the code that launches it. */
#ifndef QN_RECONSTRUCT_SCATTER_SLICES_DEV_H
#define QN_RECONSTRUCT_SCATTER_SLICES_DEV_H

/* Arguments of `scatter_slices`, in order. */
enum {
    SCATTER_IMAGES,
    SCATTER_IMAGE_WEIGHTS,
    SCATTER_MATRICES,
    SCATTER_BLOB_TABLE,
    SCATTER_NUMERATOR,
    SCATTER_WEIGHT,
    SCATTER_SCALARS,
    SCATTER_ARGUMENTS
};

typedef struct scatter_scalars {
    int side;         /* of the volume */
    int image_side;   /* of the images */
    int first_plane;  /* of the volume's part */
    int planes;       /* of the volume's part */
    int operators;    /* of symmetry: slices of an image */
    float spacing;    /* voxels from pixel to pixel */
    float radius;     /* of the blob (voxels) */
    int most_squared; /* largest x^2 + y^2 + z^2 of a voxel that is computed */
    int farthest;     /* largest x^2 + y^2 of a pixel within the radius of such a voxel */
    int kept;         /* largest |x| and |y| of a pixel that is read */
} scatter_scalars;

#endif
