/* Energy that a device has used, as its hardware counts it: of GPUs through their driver's library, which updates the
 * values every 20 to 100 ms, of CPU devices through the counters of the machine's processors.
 *
 *     QN_TRY(qn_energy_meter_create(device, &meter));
 *     QN_TRY(qn_energy_meter_read(meter, &before));
 *     …work of a second or more…
 *     QN_TRY(qn_energy_meter_read(meter, &after));
 *     qn_energy_meter_destroy(&meter);
 */
#ifndef QN_RUNTIME_ENERGY_METER_H
#define QN_RUNTIME_ENERGY_METER_H

#include <quern/device.h>

typedef struct qn_energy_meter qn_energy_meter;

/* Errors: QN_UNSUPPORTED, with the reason, if the device has no such counter or this user may not read it. */
QN_MUST_CHECK qn_status qn_energy_meter_create(qn_device *device, qn_energy_meter **meter);
void qn_energy_meter_destroy(qn_energy_meter **meter);

/* Read the joules since some moment in the past; only differences have a meaning. */
QN_MUST_CHECK qn_status qn_energy_meter_read(qn_energy_meter *meter, double *joules);

#endif
