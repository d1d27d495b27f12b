/* Any bytes as a mesh of Gmsh. */
#define _GNU_SOURCE
#include "mesh_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return try_mesh(data, size, '$');
}
