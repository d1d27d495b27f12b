/* Energy that a device has used, as it counts it itself: NVIDIA GPUs through NVML (millijoules since the driver was
 * loaded, updated every 20 to 100 ms), the host and other CPU devices through Linux' powercap files (packages).
 *
 *     QN_TRY(qn_energy_meter_create(device, &meter));
 *     QN_TRY(qn_energy_meter_read(meter, &before));  …work of a second or so…  QN_TRY(qn_energy_meter_read(meter,
 * &after)); qn_energy_meter_destroy(&meter);
 */
#ifndef QN_RUNTIME_ENERGY_METER_H
#define QN_RUNTIME_ENERGY_METER_H

#include <quern/device.h>

typedef struct qn_energy_meter qn_energy_meter;

/* Errors: QN_UNSUPPORTED, with the reason, where the device or this user has no such counter. */
QN_MUST_CHECK qn_status qn_energy_meter_create(qn_device *device, qn_energy_meter **meter);
void qn_energy_meter_destroy(qn_energy_meter **meter);

/* Joules since some moment in the past; differences count. */
QN_MUST_CHECK qn_status qn_energy_meter_read(qn_energy_meter *meter, double *joules);

#endif
