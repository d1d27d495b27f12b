/* Any bytes handed to the reader of GROMACS run input files. */
#include "topology_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_topology(&qn_topology_tpr, data, size);
    return 0;
}
