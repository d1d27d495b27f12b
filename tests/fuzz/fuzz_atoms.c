/* Any bytes handed to the readers of text topologies without bonds: tables of atoms, GRO, PDB, mmCIF. */
#include "topology_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_topology(&qn_topology_table, data, size);
    try_topology(&qn_topology_gro, data, size);
    try_topology(&qn_topology_structure, data, size);
    return 0;
}
