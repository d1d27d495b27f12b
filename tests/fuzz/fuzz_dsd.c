/* Any bytes as CaverDock's discs of a tunnel. */
#define _GNU_SOURCE
#include "tunnel_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_tunnel(data, size);
    return 0;
}
