/* A work-item has one pixel and computes it for PER_ITEM images, so the pixel's place is computed once. All work-items
 * of a group read an image's parameters from the same addresses. */
#include "cryoem/kernels/prepare_images.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef PER_ITEM
#error "PER_ITEM: images a work-item takes"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void prepare_images(
    GLOBAL const qn_complex *RESTRICT spectra, GLOBAL const qn_uint32 *RESTRICT parameters,
    GLOBAL qn_complex *RESTRICT prepared, GLOBAL float *RESTRICT weights, const prepare_scalars s)
{
    const int columns = s.side / 2 + 1, pixels = s.side * columns, pixel = GLOBAL_ID(0);
    const int row = pixel / columns, x = pixel - row * columns, y = row - s.side / 2;
    const bool kept = x * x + y * y <= s.most_squared;
    const float evenly = s.ramp ? prepare_distance(x, y) : 1.0f;
    const int from = (y < 0 ? y + s.side : y) * columns + x;
    if (pixel >= pixels) return;
    for (int first = GLOBAL_ID(1) * PER_ITEM; first < s.image_count; first += GLOBAL_SIZE(1) * PER_ITEM) {
        const int end = MIN(first + PER_ITEM, s.image_count);
        for (int i = first; i < end; i++) {
            const qn_int64 start = (qn_int64)i * pixels;
            qn_complex value = COMPLEX_MAKE(0.0f, 0.0f);
            float weight = 0.0f;
            if (kept) {
                GLOBAL const qn_uint32 *image = parameters + 16 * i;
                const qn_complex turn = prepare_ramp(image, x, y), spectrum = spectra[start + from];
                float factor = BITS_FLOAT(image[PREPARE_WEIGHT]) * evenly;
                weight = factor;
                if (s.contrast) {
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
