/* Energy of NVIDIA GPUs through NVML: millijoules since the driver was loaded, updated every 20 to 100 ms. */
#include "runtime/cuda/cuda_energy.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The functions of NVML that are used here (NVML API reference); they return 0 for success. */
typedef struct nvml_meter {
    int (*init)(void);
    int (*handle_by_pci)(const char *pci_address, void **device);
    int (*total_energy)(void *device, unsigned long long *millijoules);
    void *gpu;
} nvml_meter;

static bool counts(const qn_device_info *info)
{
    return info->kind != QN_DEVICE_CPU && info->pci_address[0] && strstr(info->vendor, "NVIDIA");
}

static qn_status open_nvml(const qn_device_info *info, nvml_meter *meter)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return QN_FAIL(QN_UNSUPPORTED, "energy of %s: libnvidia-ml.so.1 not found", info->identifier);
    *(void **)&meter->init = dlsym(library, "nvmlInit_v2");
    *(void **)&meter->handle_by_pci = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&meter->total_energy = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    unsigned long long millijoules;
    if (!meter->init || !meter->handle_by_pci || !meter->total_energy || meter->init() != 0 ||
        meter->handle_by_pci(info->pci_address, &meter->gpu) != 0 || meter->total_energy(meter->gpu, &millijoules) != 0)
        return QN_FAIL(QN_UNSUPPORTED, "energy of %s: NVML does not count it on this device", info->identifier);
    return QN_OK;
}

static qn_status open_meter(const qn_device_info *info, void **meter)
{
    QN_TRY(qn_allocate(1, sizeof(nvml_meter), meter));
    const qn_status status = open_nvml(info, *meter);
    if (status != QN_OK) qn_release(meter);
    return status;
}

static qn_status read_meter(void *opaque, double *joules)
{
    const nvml_meter *meter = opaque;
    unsigned long long millijoules;
    if (meter->total_energy(meter->gpu, &millijoules) != 0)
        return QN_FAIL(QN_DEVICE_LOST, "NVML no longer returns the energy of the device");
    *joules = 1e-3 * (double)millijoules;
    return QN_OK;
}

static void close_meter(void *meter)
{
    qn_release(&meter);
}

const qn_driver_energy qn_cuda_energy = {counts, open_meter, read_meter, close_meter};
