/* Search, description and opening of CUDA devices. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/cuda/cuda_driver.h"

/* Open both libraries and count the devices. QN_NO_DEVICE with the reason if a library is absent or there is no device;
 * then nothing stays open. */
static qn_status open_libraries(qn_cuda_device *device, int *count)
{
    int version = 0;
    QN_TRY(qn_cuda_load(&device->api));
    qn_status status = qn_cuda_check(device, device->api.cuInit(0), "cuInit");
    if (status == QN_OK)
        status = qn_cuda_check(device, device->api.cuDriverGetVersion(&version), "asking for the driver's version");
    if (status == QN_OK) status = qn_cuda_check(device, device->api.cuDeviceGetCount(count), "counting devices");
    if (status == QN_OK && *count == 0)
        status =
            qn_error_set(QN_NO_DEVICE, __FILE__, __LINE__, "the NVIDIA driver is installed but does not find a GPU");
    if (status == QN_OK) status = qn_nvrtc_load(&device->compiler, version / 1000);
    if (status == QN_OK) return QN_OK;
    qn_cuda_unload(&device->api);
    return QN_NO_DEVICE;
}

static void close_libraries(qn_cuda_device *device)
{
    qn_nvrtc_unload(&device->compiler);
    qn_cuda_unload(&device->api);
}

/* Get an attribute; 0: the driver does not know it. */
static int get_attribute(const qn_cuda_api *api, CUdevice id, int attribute)
{
    int value = 0;
    return api->cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, id) == QN_CUDA_SUCCESS ? value : 0;
}

static qn_status describe(qn_cuda_device *device, int number, qn_device_info *info)
{
    const qn_cuda_api *api = &device->api;
    int version = 0;
    size_t memory_bytes = 0;
    memset(info, 0, sizeof *info);
    device->number = number;
    QN_TRY(qn_cuda_check(device, api->cuDeviceGet(&device->id, number), "getting the device"));
    QN_TRY(qn_cuda_check(device, api->cuDeviceGetName(info->name, sizeof info->name, device->id), "getting its name"));
    QN_TRY(qn_cuda_check(device, api->cuDeviceTotalMem_v2(&memory_bytes, device->id), "getting its memory's size"));
    QN_TRY(qn_cuda_check(device, api->cuDriverGetVersion(&version), "asking for the driver's version"));
    device->capability = get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                         get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (api->cuDeviceGetPCIBusId(info->pci_address, sizeof info->pci_address, device->id) != QN_CUDA_SUCCESS)
        info->pci_address[0] = 0;
    for (char *c = info->pci_address; *c; c++) *c = (char)tolower((unsigned char)*c);
    snprintf(info->identifier, sizeof info->identifier, "cuda:%d", number);
    snprintf(info->driver, sizeof info->driver, "cuda");
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
    snprintf(info->driver_version, sizeof info->driver_version, "CUDA %d.%d; NVRTC %d.%d; compute capability %d.%d",
             version / 1000, version % 1000 / 10, device->compiler.major, device->compiler.minor,
             device->capability / 10, device->capability % 10);
    snprintf(info->architecture, sizeof info->architecture, "cuda %d.%d", device->capability / 10,
             device->capability % 10);
    info->kind = QN_DEVICE_GPU;
    info->memory_bytes = memory_bytes;
    info->largest_buffer_bytes = memory_bytes;
    /* Local memory that a kernel may declare, and local room that a launch may get. */
    info->local_memory_bytes =
        (uint64_t)get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info->local_room_bytes =
        (uint64_t)get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (info->local_room_bytes < info->local_memory_bytes) info->local_room_bytes = info->local_memory_bytes;
    info->compute_units = get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->largest_group = get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->subgroup_size = get_attribute(api, device->id, QN_CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    info->rounds_roots = true;
    info->vector_width = 1;
    return QN_OK;
}

/* Make a listing that is not usable; its reason is the error trail's message. */
static void list_absence(qn_device_listing *listing, int number)
{
    memset(listing, 0, sizeof *listing);
    snprintf(listing->info.identifier, sizeof listing->info.identifier, "cuda:%d", number);
    snprintf(listing->info.driver, sizeof listing->info.driver, "cuda");
    snprintf(listing->reason, sizeof listing->reason, "%.255s", qn_error_message());
    qn_error_clear();
}

qn_status qn_cuda_list(qn_device_listing *listings, size_t capacity, size_t *count)
{
    qn_cuda_device *device = NULL;
    int found = 0;
    QN_TRY(qn_allocate(1, sizeof *device, (void **)&device));
    if (open_libraries(device, &found) != QN_OK) {
        *count = 1;
        if (capacity > 0) list_absence(&listings[0], 0);
        qn_error_clear();
        qn_release(&device);
        return QN_OK;
    }
    *count = (size_t)found;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        memset(&listings[i], 0, sizeof listings[i]);
        listings[i].usable = true;
        if (describe(device, (int)i, &listings[i].info) != QN_OK) list_absence(&listings[i], (int)i);
    }
    close_libraries(device);
    qn_release(&device);
    return QN_OK;
}

qn_status qn_cuda_device_open(qn_context *context, int number, const char *inner, qn_driver_device *opened,
                              qn_device_info *info)
{
    qn_cuda_device *device = NULL;
    int count = 0;
    (void)context;
    (void)inner;
    QN_TRY(qn_allocate(1, sizeof *device, (void **)&device));
    pthread_mutex_init(&device->mutex, NULL);
    qn_status status = open_libraries(device, &count);
    if (status != QN_OK) {
        qn_release(&device);
        return status;
    }
    if (number < 0 || number >= count)
        status = qn_error_set(QN_NO_DEVICE, __FILE__, __LINE__, "there is no cuda:%d: the CUDA devices are 0 to %d",
                              number, count - 1);
    if (status == QN_OK) status = describe(device, number, info);
    if (status == QN_OK)
        status = qn_cuda_check(device, device->api.cuDevicePrimaryCtxRetain(&device->context, device->id),
                               "creating a context");
    if (status != QN_OK) {
        close_libraries(device);
        qn_release(&device);
    }
    *opened = device;
    return status;
}

void qn_cuda_device_close(qn_driver_device opaque)
{
    qn_cuda_device *device = opaque;
    if (!device) return;
    qn_cuda_events_clear(device);
    pthread_mutex_destroy(&device->mutex);
    device->api.cuDevicePrimaryCtxRelease_v2(device->id);
    close_libraries(device);
    qn_release(&device);
}
