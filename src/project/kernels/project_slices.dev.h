/* Place of a pixel in the volume, computed so that errors do not grow with the side: steps = coarse + fine, with coarse
 * a multiple of 2^-12. Its products with indices below 2^11 and their sums are exact in single precision. The
 * fractional part of a sum and the contribution of fine are both small, so that their rounding errors are small too. */
#include "cryoem/kernels/prepare_images.dev.h"

/* Arguments of `lay_out` and `project_slices`, in order. */
enum { LAY_OUT_SPECTRUM, LAY_OUT_VOLUME, LAY_OUT_SCALARS, LAY_OUT_ARGUMENTS };
enum {
    PROJECT_VOLUME,
    PROJECT_WINDOW,
    PROJECT_STEPS,
    PROJECT_PARAMETERS,
    PROJECT_SLICES,
    PROJECT_SCALARS,
    PROJECT_ARGUMENTS
};

typedef struct lay_out_scalars {
    int side;    /* of the spectrum */
    int reach;   /* farthest sample of the volume along y and z */
    int columns; /* samples of the volume along x */
    float scale; /* multiplies every sample */
} lay_out_scalars;

typedef struct project_scalars {
    int image_side;
    int reach;          /* farthest sample of the volume along y and z */
    int volume_columns; /* samples of the volume along x */
    int most_squared;   /* largest x^2 + y^2 of a pixel that is computed */
    int ctf;            /* 1: apply the CTF */
} project_scalars;

#define WINDOW_INTERVALS 1024.0f

DEVICE_FN float coarse_step(float step)
{
    return ROUND(step * 4096.0f) * (1.0f / 4096.0f);
}

/* The index −⌊side / 2⌋ … ⌈side / 2⌉ − 1 that is equal to `index` modulo `side`. */
DEVICE_FN int within_period(int index, int side)
{
    const int low = side / 2;
    return ((index + low) % side + side) % side - low;
}
