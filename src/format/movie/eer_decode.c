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

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { PLACES = 1 << 2 * QN_EER_PLACE_BITS_MAX, BAND_BYTES = 1 << 17 };

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

/* Bits of a run, of a run and a place, and of the largest run and what follows it. */
typedef struct layout {
    int run_bits, code_bits, pass_bits;
} layout;

/* Where the electrons of a camera row are counted: at `base` + upsampling · pixel + the offset of the place. */
typedef struct camera_row {
    uint64_t end;  /* the first pixel of the next camera row */
    uint64_t base; /* pixels counted in the camera rows before it, less `upsampling` for each of their camera pixels */
} camera_row;

static inline void next_row(uint64_t width, uint64_t upsampling, camera_row *r)
{
    r->end += width;
    r->base += width * upsampling * (upsampling - 1);
}

static inline void count(void *counts, bool wide, uint64_t at, int change)
{
    if (wide)
        ((uint16_t *)counts)[at] = (uint16_t)(((uint16_t *)counts)[at] + change);
    else
        ((uint8_t *)counts)[at] = (uint8_t)(((uint8_t *)counts)[at] + change);
}

/* All codes up to the pixel `end` that lie in whole words of the stream. Each call has constants for `l` and `wide`, so
 * that it compiles to a loop of its own. A largest run adds 0 at the pixel that it reaches: the processor cannot
 * foresee which codes are largest runs, so a branch would cost more. */
static ALWAYS_INLINE uint64_t add_words(qn_eer_cursor *cursor, uint64_t end, int change, layout l, bool wide,
                                        const uint32_t *offsets, camera_row r, const qn_eer_image *image)
{
    const uint64_t largest = (1u << l.run_bits) - 1, places = (1u << (l.code_bits - l.run_bits)) - 1;
    const uint64_t width = image->width, upsampling = (uint64_t)image->upsampling;
    const uint64_t stream_bits = 8 * (uint64_t)cursor->size;
    const unsigned char *stream = cursor->stream;
    void *counts = image->counts;
    uint64_t bit = cursor->bit, pixel = cursor->pixel, found = 0;
    for (bool inside = true; inside && bit + 64 <= stream_bits;) {
        uint64_t word = load_little(stream + bit / 8) >> bit % 8;
        for (int i = 0; i < 57 / l.code_bits; i++) {
            const uint64_t run = word & largest, at = pixel + run;
            const uint64_t is_electron = (run + 1) >> l.run_bits ^ 1;
            const uint64_t bits = (uint64_t)l.pass_bits + is_electron * (uint64_t)(l.code_bits - l.pass_bits);
            inside = at < end;
            if (!inside) break;
            while (at >= r.end) next_row(width, upsampling, &r);
            count(counts, wide, upsampling * at + r.base + offsets[word >> l.run_bits & places],
                  change * (int)is_electron);
            word >>= bits;
            bit += bits;
            pixel = at + is_electron;
            found += is_electron;
        }
    }
    cursor->bit = bit;
    cursor->pixel = pixel;
    return found;
}

/* The last codes up to the pixel `end` or up to the end of the stream. */
static uint64_t add_rest(qn_eer_cursor *cursor, uint64_t end, int change, layout l, const uint32_t *offsets,
                         camera_row r, const qn_eer_image *image)
{
    const uint64_t largest = (1u << l.run_bits) - 1, places = (1u << (l.code_bits - l.run_bits)) - 1;
    const uint64_t upsampling = (uint64_t)image->upsampling, bits = 8 * (uint64_t)cursor->size;
    uint64_t found = 0;
    cursor->reached = cursor->pixel;
    while (cursor->pixel < end && cursor->bit + (uint64_t)l.run_bits <= bits) {
        const uint64_t word = load_little(cursor->stream + cursor->bit / 8) >> cursor->bit % 8, run = word & largest;
        cursor->reached = cursor->pixel + run;
        if (run == largest) {
            cursor->pixel = cursor->reached;
            cursor->bit += (uint64_t)l.pass_bits;
            continue;
        }
        if (cursor->reached >= end) break; /* the code is read again for the rows that follow */
        if (cursor->bit + (uint64_t)l.code_bits > bits) break;
        while (cursor->reached >= r.end) next_row(image->width, upsampling, &r);
        count(image->counts, image->wide, upsampling * cursor->reached + r.base + offsets[word >> l.run_bits & places],
              change);
        cursor->pixel = ++cursor->reached;
        cursor->bit += (uint64_t)l.code_bits;
        found++;
    }
    return found;
}

static camera_row row_of(uint64_t pixel, const qn_eer_image *image)
{
    const uint64_t y = pixel / image->width, upsampling = (uint64_t)image->upsampling;
    return (camera_row){.end = (y + 1) * image->width, .base = y * image->width * upsampling * (upsampling - 1)};
}

uint64_t qn_eer_add(qn_eer_cursor *cursor, uint32_t end_row, int change, qn_eer_image *image)
{
    const qn_eer_code *code = &cursor->code;
    const int code_bits = code->run_bits + code->x_bits + code->y_bits;
    const layout l = {code->run_bits, code_bits, code->pass_has_place ? code_bits : code->run_bits};
    const layout runs_of_7 = {7, 11, 7}, runs_of_8 = {8, 12, 12};
    const uint64_t end = (uint64_t)image->width * end_row;
    const camera_row r = row_of(cursor->pixel, image);
    uint32_t offsets[PLACES];
    uint64_t found;
    make_offsets(code, image, offsets);
    if (image->wide)
        found = add_words(cursor, end, change, l, true, offsets, r, image);
    else if (memcmp(&l, &runs_of_7, sizeof l) == 0)
        found = add_words(cursor, end, change, runs_of_7, false, offsets, r, image);
    else if (memcmp(&l, &runs_of_8, sizeof l) == 0)
        found = add_words(cursor, end, change, runs_of_8, false, offsets, r, image);
    else
        found = add_words(cursor, end, change, l, false, offsets, r, image);
    return found + add_rest(cursor, end, change, l, offsets, row_of(cursor->pixel, image), image);
}

void qn_eer_add_frames(qn_eer_cursor *cursors, size_t frames, bool first, qn_eer_image *image)
{
    const size_t row_bytes = (size_t)image->width * (size_t)(image->upsampling * image->upsampling) *
                             (image->wide ? sizeof(uint16_t) : sizeof(uint8_t));
    const uint32_t rows = row_bytes < BAND_BYTES ? (uint32_t)(BAND_BYTES / row_bytes) : 1;
    for (uint32_t row = 0; row < image->height; row += rows) {
        const uint32_t end = image->height - row < rows ? image->height : row + rows;
        if (first) memset((char *)image->counts + row * row_bytes, 0, (end - row) * row_bytes);
        for (size_t i = 0; i < frames; i++) qn_eer_add(&cursors[i], end, 1, image);
    }
}
