/* Any bytes handed to the reader of Amber parm7 files. */
#include "topology_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_topology(&qn_topology_parm7, data, size);
    return 0;
}
