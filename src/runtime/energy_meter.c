/* Energy of a device: calls to the first driver that counts the device's energy. */
#include "runtime/energy_meter.h"

#include "base/error.h"
#include "base/memory.h"
#include "runtime/driver.h"

struct qn_energy_meter {
    const qn_driver_energy *group;
    void *own; /* the driver's object */
};

qn_status qn_energy_meter_create(qn_device *device, qn_energy_meter **meter)
{
    const qn_device_info *info = qn_device_get_info(device);
    const qn_driver_energy *group = NULL;
    *meter = NULL;
    for (int i = 0; qn_drivers[i] && !group; i++)
        if (qn_drivers[i]->energy && qn_drivers[i]->energy->counts(info)) group = qn_drivers[i]->energy;
    if (!group)
        return QN_FAIL(QN_UNSUPPORTED, "energy of %s: devices of %s have no energy counter", info->identifier,
                       info->vendor[0] ? info->vendor : "this vendor");
    QN_TRY(qn_allocate(1, sizeof **meter, (void **)meter));
    (*meter)->group = group;
    const qn_status status = group->open(info, &(*meter)->own);
    if (status != QN_OK) qn_release(meter);
    return status;
}

void qn_energy_meter_destroy(qn_energy_meter **meter)
{
    if (!*meter) return;
    (*meter)->group->close((*meter)->own);
    qn_release(meter);
}

qn_status qn_energy_meter_read(qn_energy_meter *meter, double *joules)
{
    return meter->group->read(meter->own, joules);
}
