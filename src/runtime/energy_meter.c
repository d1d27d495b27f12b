#include "runtime/energy_meter.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { PACKAGES = 16 };

/* NVML's functions used here (NVML API reference); results are 0 for success. */
typedef struct nvml_api {
    int (*init)(void);
    int (*handle_by_pci)(const char *pci_address, void **device);
    int (*total_energy)(void *device, unsigned long long *millijoules);
} nvml_api;

struct qn_energy_meter {
    nvml_api nvml;
    void *gpu;                     /* NULL: powercap */
    char paths[PACKAGES][80];      /* of the packages' counters */
    double range_joules[PACKAGES]; /* at which a counter starts again from 0 */
    double last[PACKAGES], total;
    int package_count;
};

static qn_status open_nvml(const qn_device_info *info, qn_energy_meter *meter)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) QN_FAIL(QN_UNSUPPORTED, "energy of %s: libnvidia-ml.so.1 is not there", info->identifier);
    *(void **)&meter->nvml.init = dlsym(library, "nvmlInit_v2");
    *(void **)&meter->nvml.handle_by_pci = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&meter->nvml.total_energy = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    unsigned long long millijoules;
    const nvml_api *nvml = &meter->nvml;
    if (!nvml->init || !nvml->handle_by_pci || !nvml->total_energy || nvml->init() != 0 ||
        nvml->handle_by_pci(info->pci_address, &meter->gpu) != 0 || nvml->total_energy(meter->gpu, &millijoules) != 0)
        QN_FAIL(QN_UNSUPPORTED, "energy of %s: NVML does not count it on this device", info->identifier);
    return QN_OK;
}

static bool read_microjoules(const char *path, double *value)
{
    char *data = NULL;
    size_t size;
    if (qn_file_read(path, &data, &size) != QN_OK) {
        qn_error_clear();
        return false;
    }
    char *end;
    *value = strtod(data, &end);
    bool good = end != data;
    qn_release(&data);
    return good;
}

static qn_status open_powercap(const qn_device_info *info, qn_energy_meter *meter)
{
    char range[96];
    for (int i = 0; i < PACKAGES; i++) {
        double value;
        char *path = meter->paths[meter->package_count];
        snprintf(path, sizeof meter->paths[0], "/sys/class/powercap/intel-rapl:%d/energy_uj", i);
        snprintf(range, sizeof range, "/sys/class/powercap/intel-rapl:%d/max_energy_range_uj", i);
        if (!read_microjoules(path, &value)) break;
        meter->last[i] = 1e-6 * value;
        meter->range_joules[i] = read_microjoules(range, &value) ? 1e-6 * value : 0;
        meter->package_count++;
    }
    if (meter->package_count > 0) return QN_OK;
    QN_FAIL(QN_UNSUPPORTED, "energy of %s: /sys/class/powercap/intel-rapl:0/energy_uj cannot be read",
            info->identifier);
}

qn_status qn_energy_meter_create(qn_device *device, qn_energy_meter **meter)
{
    const qn_device_info *info = qn_device_get_info(device);
    void *memory;
    *meter = NULL;
    QN_TRY(qn_allocate(1, sizeof **meter, &memory));
    qn_energy_meter *made = memory;
    qn_status status = QN_OK;
    if (info->kind == QN_DEVICE_CPU)
        status = open_powercap(info, made);
    else if (info->pci_address[0] && strstr(info->vendor, "NVIDIA"))
        status = open_nvml(info, made);
    else
        status = qn_error_set(QN_UNSUPPORTED, __FILE__, __LINE__, "energy of %s: devices of %s do not count it",
                              info->identifier, info->vendor[0] ? info->vendor : "this vendor");
    if (status != QN_OK) {
        qn_release(&made);
        return status;
    }
    *meter = made;
    return QN_OK;
}

void qn_energy_meter_destroy(qn_energy_meter **meter)
{
    if (*meter) qn_release(meter);
}

qn_status qn_energy_meter_read(qn_energy_meter *meter, double *joules)
{
    unsigned long long millijoules;
    if (meter->gpu) {
        if (meter->nvml.total_energy(meter->gpu, &millijoules) != 0)
            QN_FAIL(QN_DEVICE_LOST, "NVML no longer answers for the energy of the device");
        *joules = 1e-3 * (double)millijoules;
        return QN_OK;
    }
    for (int i = 0; i < meter->package_count; i++) {
        double value;
        if (!read_microjoules(meter->paths[i], &value))
            QN_FAIL(QN_IO_ERROR, "cannot read %s any more", meter->paths[i]);
        value *= 1e-6;
        double used = value - meter->last[i];
        if (used < 0) used += meter->range_joules[i];
        meter->last[i] = value;
        meter->total += used;
    }
    *joules = meter->total;
    return QN_OK;
}
