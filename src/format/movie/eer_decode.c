#include "format/movie/eer_decode.h"

#include <string.h>

static inline uint64_t load_little(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

enum { PLACES = 1 << 2 * QN_EER_PLACE_BITS_MAX };

/* Where an electron is counted, relative to the first counted pixel of its camera pixel, for each place. */
static void make_offsets(const qn_eer_code *code, const qn_eer_image *image, uint32_t offsets[PLACES])
{
    const uint32_t x_places = 1u << code->x_bits, y_places = 1u << code->y_bits;
    const uint32_t row = image->width * (uint32_t)image->upsampling;
    for (uint32_t y = 0; y < y_places; y++)
        for (uint32_t x = 0; x < x_places; x++) {
            const uint32_t from_left = x ^ x_places / 2, from_first_row = y ^ y_places / 2;
            offsets[y * x_places + x] = from_left * (uint32_t)image->upsampling / x_places +
                                        row * (from_first_row * (uint32_t)image->upsampling / y_places);
        }
}

/* `counts` is a constant in each call, so that each compiles to a loop of its own. */
static inline uint64_t add(const qn_eer_code *code, const unsigned char *stream, size_t size, int change, bool wide,
                           qn_eer_image *image, uint64_t *electrons)
{
    const int run_bits = code->run_bits, place_bits = code->x_bits + code->y_bits;
    const int bits_to_pass = run_bits + (code->pass_has_place ? place_bits : 0);
    const uint64_t pass = (1u << run_bits) - 1, places = (1u << place_bits) - 1;
    const uint64_t upsampling = (uint64_t)image->upsampling, pixels = (uint64_t)image->width * image->height;
    /* pixels that are counted in the rows of a camera row after its first one */
    const uint64_t beyond_row = image->width * upsampling * (upsampling - 1);
    const uint64_t bits = 8 * (uint64_t)size;
    uint64_t bit = 0, pixel = 0, row_end = image->width, base = 0, found = 0;
    uint32_t offsets[PLACES];
    make_offsets(code, image, offsets);
    while (pixel < pixels && bit + (uint64_t)run_bits <= bits) {
        const uint64_t word = load_little(stream + bit / 8) >> bit % 8, run = word & pass;
        pixel += run;
        bit += (uint64_t)(run == pass ? bits_to_pass : run_bits);
        if (run == pass || pixel >= pixels) continue;
        if (bit + (uint64_t)place_bits > bits) break;
        while (pixel >= row_end) {
            row_end += image->width;
            base += beyond_row;
        }
        const uint64_t at = upsampling * pixel + base + offsets[word >> run_bits & places];
        if (wide)
            ((uint16_t *)image->counts)[at] = (uint16_t)(((uint16_t *)image->counts)[at] + change);
        else
            ((uint8_t *)image->counts)[at] = (uint8_t)(((uint8_t *)image->counts)[at] + change);
        pixel++;
        found++;
        bit += (uint64_t)place_bits;
    }
    if (electrons) *electrons += found;
    return pixel;
}

uint64_t qn_eer_add(const qn_eer_code *code, const unsigned char *stream, size_t size, int change, qn_eer_image *image,
                    uint64_t *electrons)
{
    return image->wide ? add(code, stream, size, change, true, image, electrons)
                       : add(code, stream, size, change, false, image, electrons);
}
