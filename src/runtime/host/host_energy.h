/* The host driver's energy group; it counts for CPU devices of every driver. */
#ifndef QN_RUNTIME_HOST_ENERGY_H
#define QN_RUNTIME_HOST_ENERGY_H

#include "runtime/driver.h"

extern const qn_driver_energy qn_host_energy;

#endif
