/* Any bytes as PDBQT: as one record, and as a file of records whose format is detected by content. */
#define _GNU_SOURCE
#include "compound_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_text(QN_COMPOUND_PDBQT, data, size);
    try_file(data, size);
    return 0;
}
