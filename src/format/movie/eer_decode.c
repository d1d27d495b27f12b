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

enum { PLACES = 1 << 2 * QN_EER_PLACE_BITS_MAX, BAND_BYTES = 1 << 18 };

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

/* `wide` is a constant in each call, so that each compiles to a loop of its own. */
static inline uint64_t add(qn_eer_cursor *cursor, uint32_t end_row, int change, bool wide, qn_eer_image *image)
{
    const qn_eer_code *code = &cursor->code;
    const unsigned char *stream = cursor->stream;
    const int run_bits = code->run_bits, place_bits = code->x_bits + code->y_bits;
    const int bits_to_pass = run_bits + (code->pass_has_place ? place_bits : 0);
    const uint64_t pass = (1u << run_bits) - 1, places = (1u << place_bits) - 1;
    const uint64_t upsampling = (uint64_t)image->upsampling, end = (uint64_t)image->width * end_row;
    /* pixels that are counted in the rows of a camera row after its first one */
    const uint64_t beyond_row = image->width * upsampling * (upsampling - 1);
    const uint64_t bits = 8 * (uint64_t)cursor->size;
    uint64_t bit = cursor->bit, pixel = cursor->pixel, reached = cursor->reached, found = 0;
    uint64_t row_end = (pixel / image->width + 1) * image->width, base = pixel / image->width * beyond_row;
    uint32_t offsets[PLACES];
    make_offsets(code, image, offsets);
    while (pixel < end && bit + (uint64_t)run_bits <= bits) {
        const uint64_t word = load_little(stream + bit / 8) >> bit % 8, run = word & pass;
        reached = pixel + run;
        if (run == pass) {
            pixel = reached;
            bit += (uint64_t)bits_to_pass;
            continue;
        }
        if (reached >= end || bit + (uint64_t)(run_bits + place_bits) > bits) break; /* read again for the next rows */
        pixel = reached;
        while (pixel >= row_end) {
            row_end += image->width;
            base += beyond_row;
        }
        const uint64_t at = upsampling * pixel + base + offsets[word >> run_bits & places];
        if (wide)
            ((uint16_t *)image->counts)[at] = (uint16_t)(((uint16_t *)image->counts)[at] + change);
        else
            ((uint8_t *)image->counts)[at] = (uint8_t)(((uint8_t *)image->counts)[at] + change);
        reached = ++pixel;
        found++;
        bit += (uint64_t)(run_bits + place_bits);
    }
    cursor->bit = bit;
    cursor->pixel = pixel;
    cursor->reached = reached;
    return found;
}

uint64_t qn_eer_add(qn_eer_cursor *cursor, uint32_t end_row, int change, qn_eer_image *image)
{
    return image->wide ? add(cursor, end_row, change, true, image) : add(cursor, end_row, change, false, image);
}

void qn_eer_add_frames(qn_eer_cursor *cursors, size_t count, qn_eer_image *image)
{
    const size_t row_bytes = (size_t)image->width * (size_t)(image->upsampling * image->upsampling) *
                             (image->wide ? sizeof(uint16_t) : sizeof(uint8_t));
    const uint32_t rows = row_bytes < BAND_BYTES ? (uint32_t)(BAND_BYTES / row_bytes) : 1;
    for (uint32_t row = 0; row < image->height; row += rows) {
        const uint32_t end = image->height - row < rows ? image->height : row + rows;
        for (size_t i = 0; i < count; i++) qn_eer_add(&cursors[i], end, 1, image);
    }
}
