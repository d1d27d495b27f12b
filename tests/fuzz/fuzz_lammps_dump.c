/* Any bytes as a trajectory whose format is detected by content: mostly LAMMPS dump. */
#define _GNU_SOURCE
#include "trajectory_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_trajectory(data, size);
    return 0;
}
