/* Work-items lie along the pixels of an image and take PER_ITEM images each: where a pixel lies is found once, and all
 * that an image needs beside its pixels is read from the same address by a whole group. */
#include "cryoem/kernels/prepare_images.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef PER_ITEM
#error "PER_ITEM: images a work-item takes"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void prepare_images(GLOBAL const qn_complex *RESTRICT spectra,
                                                         GLOBAL const qn_uint32 *RESTRICT parameters,
                                                         GLOBAL qn_complex *RESTRICT prepared,
                                                         GLOBAL float *RESTRICT weights, int side, int images,
                                                         int most_squared, int contrast, int ramp)
{
    const int columns = side / 2 + 1, pixels = side * columns, pixel = GLOBAL_ID(0);
    const int row = pixel / columns, x = pixel - row * columns, y = row - side / 2;
    const bool kept = x * x + y * y <= most_squared;
    const float evenly = ramp ? prepare_distance(x, y) : 1.0f;
    const int from = (y < 0 ? y + side : y) * columns + x;
    if (pixel >= pixels) return;
    for (int first = GLOBAL_ID(1) * PER_ITEM; first < images; first += GLOBAL_SIZE(1) * PER_ITEM) {
        const int end = MIN(first + PER_ITEM, images);
        for (int i = first; i < end; i++) {
            const qn_int64 start = (qn_int64)i * pixels;
            qn_complex value = COMPLEX_MAKE(0.0f, 0.0f);
            float weight = 0.0f;
            if (kept) {
                GLOBAL const qn_uint32 *image = parameters + 16 * i;
                const qn_complex turn = prepare_ramp(image, x, y), spectrum = spectra[start + from];
                float factor = BITS_FLOAT(image[PREPARE_WEIGHT]) * evenly;
                weight = factor;
                if (contrast) {
                    const float decay = BITS_FLOAT(image[PREPARE_DECAY]);
                    float ctf = prepare_contrast(image, x, y);
                    if (decay != 0.0f) ctf *= EXP(-decay * (float)(x * x + y * y));
                    factor *= ctf;
                    weight = factor * ctf;
                }
                value = COMPLEX_MAKE(factor * (spectrum.x * turn.x - spectrum.y * turn.y),
                                     factor * (spectrum.x * turn.y + spectrum.y * turn.x));
            }
            prepared[start + pixel] = value;
            weights[start + pixel] = weight;
        }
    }
}
