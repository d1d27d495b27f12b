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

/* A frame and how far it is decoded. */
typedef struct qn_eer_cursor {
    qn_eer_code code;
    const unsigned char *stream; /* `size` bytes and QN_EER_PADDING more that may be read */
    size_t size;
    uint64_t bit, pixel; /* passed so far; 0 at the beginning */
    uint64_t reached;    /* the pixel of the code that was read last */
} qn_eer_cursor;

/* Add `change` (1 or −1, modulo the count's range) for each electron up to the camera row `end_row`. After the last
 * row, cursor->reached is width · height, or the frame is broken; then the same calls with −1, from the beginning, take
 * the same electrons away again. Returns the electrons. */
uint64_t qn_eer_add(qn_eer_cursor *cursor, uint32_t end_row, int change, qn_eer_image *image);

/* Add the electrons of frames, band by band, so that a band of the image stays in the cache while all frames add to it:
 * single electrons lie so far apart that each would fetch a line of memory. `first`: all counts are 0 before. */
void qn_eer_add_frames(qn_eer_cursor *cursors, size_t frames, bool first, qn_eer_image *image);

#endif
