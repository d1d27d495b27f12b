/* Any bytes as the electrons of an EER frame, whose size and code are made from the first bytes. Taking the electrons
 * away again must leave nothing, each electron is counted once, and bands give the same as the whole frame. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/movie/eer_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) abort();
}

enum { HEAD = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD) return 0;
    const qn_eer_code code = {.run_bits = (uint8_t)(1 + data[0] % QN_EER_RUN_BITS_MAX),
                              .x_bits = data[1] % (QN_EER_PLACE_BITS_MAX + 1),
                              .y_bits = data[1] / 16 % (QN_EER_PLACE_BITS_MAX + 1),
                              .pass_has_place = data[2] & 1};
    const int least = code.x_bits < code.y_bits ? code.x_bits : code.y_bits;
    qn_eer_image image = {.width = 1u + data[3],
                          .height = 1u + data[4],
                          .upsampling = 1 << data[5] % (1 + (least < 2 ? least : 2)),
                          .wide = data[2] & 2};
    const size_t pixels = (size_t)image.width * image.height * (size_t)(image.upsampling * image.upsampling);
    const size_t bytes = image.wide ? 2 * pixels : pixels, left = size - HEAD;
    unsigned char *counts = calloc(bytes, 1), *stream = calloc(left + QN_EER_PADDING, 1);
    uint64_t counted = 0;
    demand(counts && stream);
    memcpy(stream, data + HEAD, left);
    image.counts = counts;
    qn_eer_cursor cursor = {.code = code, .stream = stream, .size = left}, again = cursor, banded = cursor;
    const uint64_t electrons = qn_eer_add(&cursor, image.height, 1, &image);
    for (size_t i = 0; i < pixels; i++) counted += image.wide ? ((uint16_t *)image.counts)[i] : counts[i];
    demand(counted == electrons && electrons <= cursor.reached);
    demand(qn_eer_add(&again, image.height, -1, &image) == electrons && again.reached == cursor.reached);
    for (uint32_t row = 1 + data[2] / 4 % image.height;; row += 1 + data[2] / 16) { /* in bands, then taken away */
        qn_eer_add(&banded, row < image.height ? row : image.height, 1, &image);
        if (row >= image.height) break;
    }
    demand(banded.reached == cursor.reached);
    again = (qn_eer_cursor){.code = code, .stream = stream, .size = left};
    qn_eer_add(&again, image.height, -1, &image);
    for (size_t i = 0; i < bytes; i++) demand(counts[i] == 0);
    free(counts);
    free(stream);
    return 0;
}
