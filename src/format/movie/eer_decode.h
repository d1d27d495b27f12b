/* The electrons of one EER frame (Guo et al. 2020, IUCrJ 7, 860). A frame is a stream of bits, the lowest bit of a byte
 * first: for each electron the pixels passed since the one after the electron before, row by row (the run), then its
 * place inside its pixel. The largest run has no electron: it only passes pixels. Runs go on to the last pixel. In the
 * oldest files, those of compression 65000, the largest run too has bits of a place, which mean nothing. */
#ifndef QN_FORMAT_MOVIE_EER_DECODE_H
#define QN_FORMAT_MOVIE_EER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QN_EER_RUN_BITS_MAX = 16,
    QN_EER_PLACE_BITS_MAX = 4,
    QN_EER_PADDING = 8 /* bytes after the stream that may be read */
};

/* Bits of a code: the run, then the place along x, then along y. The highest bit of a place is inverted, so that 0 is
 * the pixel's middle. */
typedef struct qn_eer_code {
    uint8_t run_bits; /* 1 to QN_EER_RUN_BITS_MAX */
    uint8_t x_bits, y_bits;
    bool pass_has_place; /* whether bits of a place follow the largest run */
} qn_eer_code;

typedef struct qn_eer_image {
    uint32_t width, height; /* of the camera; width · height < 2^31 */
    int upsampling;         /* pixels counted a side of a camera pixel: 1, 2, 4, with as many bits of place at least */
    bool wide;              /* counts are uint16_t, else uint8_t */
    void *counts;           /* [height · upsampling][width · upsampling] */
} qn_eer_image;

/* Add `change` (1 or −1, modulo the count's range) for each electron of a stream of `size` bytes and QN_EER_PADDING
 * more. Returns the pixel reached: width · height, or the frame is broken. Then the same call with −1 takes the same
 * electrons away again. `electrons` (may be NULL) counts them. */
uint64_t qn_eer_add(const qn_eer_code *code, const unsigned char *stream, size_t size, int change, qn_eer_image *image,
                    uint64_t *electrons);

#endif
