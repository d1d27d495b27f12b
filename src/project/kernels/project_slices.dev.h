/* Where a pixel lies in the volume, exactly enough that errors do not grow with the side: steps = coarse + fine, coarse
 * a multiple of 2^-12, so that its products with indices below 2^11 and their sums are exact in single precision; what
 * they leave beside a whole number is small, and so is what fine adds. */
#include "cryoem/kernels/prepare_images.dev.h"

#define WINDOW_INTERVALS 1024.0f

DEVICE_FN float coarse_step(float step)
{
    return ROUND(step * 4096.0f) * (1.0f / 4096.0f);
}

/* Where `index` is in a period of `side` samples, −⌊side / 2⌋ … ⌈side / 2⌉ − 1. */
DEVICE_FN int within_period(int index, int side)
{
    const int low = side / 2;
    return ((index + low) % side + side) % side - low;
}
