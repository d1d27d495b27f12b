/* Any bytes as an XTC trajectory, and as the compressed positions of one frame, whose header is made from the
 * first four bytes. */
#define _GNU_SOURCE
#include "trajectory_trip.h"

#include "format/trajectory/xtc_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decode in memory of the exact size, so that the address sanitizer sees every access outside. */
static void try_positions(const uint8_t *data, size_t size)
{
    qn_xtc_packed packed = {.precision = 1000, .atom_count = data[0], .small = data[1] & 127};
    for (int k = 0; k < 3; k++) {
        packed.least[k] = -(int32_t)(1u << (data[2] + k) % 30);
        packed.most[k] = (int32_t)(1u << (data[3] + k) % 30);
    }
    packed.size = size - 4;
    uint8_t *copy = malloc(packed.size + !packed.size);
    float *positions_nm = malloc((packed.atom_count + !packed.atom_count) * 3 * sizeof(float));
    demand(copy && positions_nm);
    memcpy(copy, data + 4, packed.size);
    packed.data = copy;
    size_t byte;
    const char *wrong = qn_xtc_unpack(&packed, positions_nm, &byte);
    demand(byte <= packed.size && (!wrong || wrong[0]));
    free(positions_nm);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_trajectory(data, size);
    if (size >= 4) try_positions(data, size);
    return 0;
}
