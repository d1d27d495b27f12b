/* Any bytes as a packed molecule and as a packed library. Checksums are corrected, so that the code behind them is
 * reached. */
#define _GNU_SOURCE
#include "compound_trip.h"

#include <zlib.h>

#include "format/compound/packed_library_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void store(uint8_t *bytes, uint64_t value)
{
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

static void try_molecule(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 5);
    demand(copy != NULL);
    if (size) memcpy(copy + 4, data, size);
    copy[size + 4] = 0;
    store(copy, crc32(0, copy + 4, (uInt)size));
    qn_compound_record record = {.format = QN_COMPOUND_PACKED, .path = "in", .text = (char *)copy, .size = size + 4};
    qn_compound *c = NULL;
    qn_status status = qn_compound_read(&record, &c);
    demand(status == QN_OK ? c != NULL : c == NULL && status == QN_BAD_FORMAT && qn_error_message()[0] != '\0');
    if (status == QN_OK && c->atom_count > 0 && c->conformer_count > 0) round_trip(c, QN_COMPOUND_PACKED);
    qn_compound_destroy(&c);
    free(copy);
}

static void try_library(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    demand(copy != NULL);
    memcpy(copy, data, size);
    memcpy(copy, QN_PACKED_MAGIC, QN_PACKED_MAGIC_BYTES);
    uint64_t index = 0;
    for (int i = 0; i < 8; i++) index |= (uint64_t)copy[QN_PACKED_INDEX_AT + i] << 8 * i;
    if (index < size) store(copy + QN_PACKED_INDEX_SUM_AT, crc32(0, copy + index, (uInt)(size - index)));
    store(copy + QN_PACKED_HEADER_SUM_AT, crc32(0, copy, QN_PACKED_HEADER_SUM_AT));
    try_file(copy, size);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_molecule(data, size);
    if (size >= QN_PACKED_HEADER_BYTES) try_library(data, size);
    return 0;
}
