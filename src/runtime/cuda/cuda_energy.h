/* The CUDA driver's energy group; it counts for NVIDIA GPUs under every driver. */
#ifndef QN_RUNTIME_CUDA_ENERGY_H
#define QN_RUNTIME_CUDA_ENERGY_H

#include "runtime/driver.h"

extern const qn_driver_energy qn_cuda_energy;

#endif
