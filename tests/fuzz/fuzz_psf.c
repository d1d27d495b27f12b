/* Any bytes handed to the reader of PSF files. */
#include "topology_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_topology(&qn_topology_psf, data, size);
    return 0;
}
