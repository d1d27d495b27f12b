/* Any bytes as CAVER's PDB of a tunnel. */
#define _GNU_SOURCE
#include "tunnel_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_tunnel(data, size);
    return 0;
}
