/* Search, description and opening of OpenCL devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/host_variant.h"
#include "runtime/opencl/opencl_driver.h"

enum { PLATFORM_MAX = 32, DEVICE_MAX = 256 };

typedef struct found_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_bitfield type;
    char platform_name[64];
    int order; /* in the library's list */
} found_device;

typedef struct search {
    qn_opencl_api api;
    found_device devices[DEVICE_MAX];
    int count;
} search;

static void get_text(const qn_opencl_api *api, cl_device_id id, cl_uint what, char *text, size_t capacity)
{
    size_t length = 0;
    char *whole = NULL;
    text[0] = 0;
    if (api->clGetDeviceInfo(id, what, 0, NULL, &length) != QN_CL_SUCCESS || length == 0) return;
    if (qn_allocate(length + 1, 1, (void **)&whole) != QN_OK) return;
    if (api->clGetDeviceInfo(id, what, length, whole, NULL) == QN_CL_SUCCESS) {
        const char *start = whole + strspn(whole, " ");
        snprintf(text, capacity, "%s", start);
        for (size_t i = strlen(text); i > 0 && text[i - 1] == ' '; i--) text[i - 1] = 0;
    }
    qn_release(&whole);
}

/* Get a number of a device; 0: the device does not know `what`. */
static cl_ulong get_number(const qn_opencl_api *api, cl_device_id id, cl_uint what, size_t size)
{
    cl_ulong number = 0; /* values are little-endian and at most 8 bytes */
    if (api->clGetDeviceInfo(id, what, size, &number, NULL) != QN_CL_SUCCESS) return 0;
    return number;
}

static bool has_extension(const char *extensions, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = extensions; (at = strstr(at, name)) != NULL; at += length)
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

static void get_pci_address(const qn_opencl_api *api, cl_device_id id, const char *extensions, char *text,
                            size_t capacity)
{
    qn_cl_pci_bus_info bus;
    qn_cl_topology_amd topology;
    text[0] = 0;
    if (has_extension(extensions, "cl_khr_pci_bus_info") &&
        api->clGetDeviceInfo(id, QN_CL_DEVICE_PCI_BUS_INFO_KHR, sizeof bus, &bus, NULL) == QN_CL_SUCCESS) {
        snprintf(text, capacity, "%04x:%02x:%02x.%x", bus.domain, bus.bus, bus.device, bus.function);
    } else if (has_extension(extensions, "cl_nv_device_attribute_query")) {
        cl_uint slot = (cl_uint)get_number(api, id, QN_CL_DEVICE_PCI_SLOT_ID_NV, sizeof slot);
        snprintf(text, capacity, "%04x:%02x:%02x.%x",
                 (unsigned)get_number(api, id, QN_CL_DEVICE_PCI_DOMAIN_ID_NV, sizeof(cl_uint)),
                 (unsigned)get_number(api, id, QN_CL_DEVICE_PCI_BUS_ID_NV, sizeof(cl_uint)), slot >> 3, slot & 7);
    } else if (has_extension(extensions, "cl_amd_device_attribute_query") &&
               api->clGetDeviceInfo(id, QN_CL_DEVICE_TOPOLOGY_AMD, sizeof topology, &topology, NULL) == QN_CL_SUCCESS &&
               topology.type == 1) {
        snprintf(text, capacity, "0000:%02x:%02x.%x", topology.bus, topology.device, topology.function);
    }
}

/* Number of work-items that execute together. */
static int get_subgroup_size(const qn_opencl_api *api, cl_device_id id, cl_bitfield type, const char *extensions)
{
    const int usual = 32;
    cl_ulong size = 0;
    if (type & QN_CL_DEVICE_TYPE_CPU) return 1;
    if (has_extension(extensions, "cl_nv_device_attribute_query"))
        size = get_number(api, id, QN_CL_DEVICE_WARP_SIZE_NV, sizeof(cl_uint));
    if (size == 0 && has_extension(extensions, "cl_amd_device_attribute_query"))
        size = get_number(api, id, QN_CL_DEVICE_WAVEFRONT_WIDTH_AMD, sizeof(cl_uint));
    if (size == 0) size = get_number(api, id, QN_CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t));
    return size > 0 && size <= 1024 ? (int)size : usual;
}

static int get_vector_width(const qn_opencl_api *api, const found_device *found)
{
    if (!(found->type & QN_CL_DEVICE_TYPE_CPU)) return 1;
    cl_ulong width = get_number(api, found->id, QN_CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint));
    return width >= 16 ? 16 : width >= 8 ? 8 : width >= 4 ? 4 : width >= 2 ? 2 : 1;
}

/* An OpenCL CPU is this machine's processor; the architecture of a GPU comes from an extension of its driver. */
static void get_architecture(const qn_opencl_api *api, const found_device *found, const char *extensions, char *text,
                             size_t capacity)
{
    const bool nvidia = has_extension(extensions, "cl_nv_device_attribute_query");
    const bool amd = has_extension(extensions, "cl_amd_device_attribute_query");
    text[0] = 0;
    if (found->type & QN_CL_DEVICE_TYPE_CPU) {
        snprintf(text, capacity, "x86-64-v%d", qn_processor_level());
        return;
    }
    if (!nvidia && !amd) return;
    const cl_uint major = nvidia ? QN_CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV : QN_CL_DEVICE_GFXIP_MAJOR_AMD;
    const cl_uint minor = nvidia ? QN_CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV : QN_CL_DEVICE_GFXIP_MINOR_AMD;
    const unsigned first = (unsigned)get_number(api, found->id, major, sizeof(cl_uint));
    if (first > 0)
        snprintf(text, capacity, "%s %u.%u", nvidia ? "cuda" : "gfx", first,
                 (unsigned)get_number(api, found->id, minor, sizeof(cl_uint)));
}

static void describe(const qn_opencl_api *api, const found_device *found, int number, qn_device_info *info)
{
    cl_device_id id = found->id;
    char extensions[16384], driver[44], device[44];
    memset(info, 0, sizeof *info);
    snprintf(info->identifier, sizeof info->identifier, "opencl:%d", number);
    snprintf(info->driver, sizeof info->driver, "opencl");
    get_text(api, id, QN_CL_DEVICE_NAME, info->name, sizeof info->name);
    get_text(api, id, QN_CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    get_text(api, id, QN_CL_DRIVER_VERSION, driver, sizeof driver);
    get_text(api, id, QN_CL_DEVICE_VERSION, device, sizeof device);
    snprintf(info->driver_version, sizeof info->driver_version, "%s; %s", device, driver);
    get_text(api, id, QN_CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    get_architecture(api, found, extensions, info->architecture, sizeof info->architecture);
    get_pci_address(api, id, extensions, info->pci_address, sizeof info->pci_address);
    info->kind = found->type & QN_CL_DEVICE_TYPE_GPU   ? QN_DEVICE_GPU
                 : found->type & QN_CL_DEVICE_TYPE_CPU ? QN_DEVICE_CPU
                                                       : QN_DEVICE_ACCELERATOR;
    info->memory_bytes = get_number(api, id, QN_CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->largest_buffer_bytes = get_number(api, id, QN_CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info->local_memory_bytes = get_number(api, id, QN_CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    info->local_room_bytes = info->local_memory_bytes;
    info->compute_units = (int)get_number(api, id, QN_CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info->largest_group = (int)get_number(api, id, QN_CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    info->subgroup_size = get_subgroup_size(api, id, found->type, extensions);
    info->vector_width = get_vector_width(api, found);
    info->rounds_roots = (get_number(api, id, QN_CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_bitfield)) &
                          QN_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

/* Get the reason why a device cannot be used; "": it can. */
static void describe_obstacle(const qn_opencl_api *api, cl_device_id id, char *reason, size_t capacity)
{
    char version[64];
    int major = 0, minor = 0;
    reason[0] = 0;
    get_text(api, id, QN_CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
        snprintf(reason, capacity, "the device is of version \"%s\"; OpenCL 1.2 or newer is needed", version);
    else if (!get_number(api, id, QN_CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        snprintf(reason, capacity, "the driver says that the device is not available");
    else if (!get_number(api, id, QN_CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        snprintf(reason, capacity, "the driver has no compiler for the device");
}

/* GPUs come first, so that opencl:0 is a GPU if there is one, and CPUs last. Within a kind devices are sorted by
 * platform name, because the loader's order of platforms depends on the order of files in a folder. */
static int compare_found(const void *first, const void *second)
{
    const found_device *a = first, *b = second;
    int a_rank = a->type & QN_CL_DEVICE_TYPE_GPU ? 0 : a->type & QN_CL_DEVICE_TYPE_CPU ? 2 : 1;
    int b_rank = b->type & QN_CL_DEVICE_TYPE_GPU ? 0 : b->type & QN_CL_DEVICE_TYPE_CPU ? 2 : 1;
    if (a_rank != b_rank) return a_rank - b_rank;
    int names = strcmp(a->platform_name, b->platform_name);
    return names ? names : a->order - b->order;
}

static void search_platform(search *result, cl_platform_id platform)
{
    const cl_bitfield types = QN_CL_DEVICE_TYPE_CPU | QN_CL_DEVICE_TYPE_GPU | QN_CL_DEVICE_TYPE_ACCELERATOR;
    const qn_opencl_api *api = &result->api;
    cl_device_id ids[DEVICE_MAX];
    cl_uint count = 0;
    if (api->clGetDeviceIDs(platform, types, DEVICE_MAX, ids, &count) != QN_CL_SUCCESS) return; /* it has none */
    for (cl_uint i = 0; i < count && i < DEVICE_MAX && result->count < DEVICE_MAX; i++) {
        found_device *found = &result->devices[result->count];
        *found = (found_device){.platform = platform, .id = ids[i], .order = result->count++};
        found->type = get_number(api, ids[i], QN_CL_DEVICE_TYPE, sizeof(cl_bitfield));
        if (api->clGetPlatformInfo(platform, QN_CL_PLATFORM_NAME, sizeof found->platform_name, found->platform_name,
                                   NULL) != QN_CL_SUCCESS)
            found->platform_name[0] = 0;
    }
}

/* Find all devices of all platforms and sort them; the library stays open on success. */
static qn_status search_devices(search *result)
{
    cl_platform_id platforms[PLATFORM_MAX];
    cl_uint count = 0;
    result->count = 0;
    QN_TRY(qn_opencl_load(&result->api));
    cl_int error = result->api.clGetPlatformIDs(PLATFORM_MAX, platforms, &count);
    if (error != QN_CL_SUCCESS || count == 0) {
        qn_opencl_unload(&result->api);
        return QN_FAIL(QN_NO_DEVICE, "libOpenCL.so.1 finds no platform (%s): install a driver such as pocl-opencl-icd",
                       qn_opencl_error_name(error));
    }
    for (cl_uint i = 0; i < count && i < PLATFORM_MAX; i++) search_platform(result, platforms[i]);
    if (result->count == 0) {
        qn_opencl_unload(&result->api);
        return QN_FAIL(QN_NO_DEVICE, "no OpenCL platform has a device");
    }
    qsort(result->devices, (size_t)result->count, sizeof result->devices[0], compare_found);
    return QN_OK;
}

static void list_absence(qn_device_listing *listings, size_t capacity, size_t *count)
{
    *count = 1;
    if (capacity == 0) return;
    memset(&listings[0], 0, sizeof listings[0]);
    snprintf(listings[0].info.identifier, sizeof listings[0].info.identifier, "opencl:0");
    snprintf(listings[0].info.driver, sizeof listings[0].info.driver, "opencl");
    snprintf(listings[0].reason, sizeof listings[0].reason, "%.255s", qn_error_message());
    qn_error_clear();
}

qn_status qn_opencl_list(qn_device_listing *listings, size_t capacity, size_t *count)
{
    search *result = NULL;
    QN_TRY(qn_allocate(1, sizeof *result, (void **)&result));
    if (search_devices(result) != QN_OK) {
        list_absence(listings, capacity, count);
        qn_release(&result);
        return QN_OK;
    }
    *count = (size_t)result->count;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        memset(&listings[i], 0, sizeof listings[i]);
        describe(&result->api, &result->devices[i], (int)i, &listings[i].info);
        describe_obstacle(&result->api, result->devices[i].id, listings[i].reason, sizeof listings[i].reason);
        listings[i].usable = listings[i].reason[0] == 0;
    }
    qn_opencl_unload(&result->api);
    qn_release(&result);
    return QN_OK;
}

static qn_status open_found(const search *result, int number, qn_opencl_device *device, qn_device_info *info)
{
    char reason[256];
    cl_int error;
    if (number < 0 || number >= result->count)
        return QN_FAIL(QN_NO_DEVICE, "there is no opencl:%d: the OpenCL devices are 0 to %d", number,
                       result->count - 1);
    const found_device *found = &result->devices[number];
    describe_obstacle(&result->api, found->id, reason, sizeof reason);
    if (reason[0]) return QN_FAIL(QN_NO_DEVICE, "opencl:%d cannot be used: %s", number, reason);
    device->api = result->api;
    device->id = found->id;
    device->number = number;
    device->alignment = (size_t)get_number(&device->api, device->id, QN_CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint));
    device->alignment = device->alignment >= 8 ? device->alignment / 8 : 1; /* given in bits */
    describe(&device->api, found, number, info);
    device->rounds_divide_and_root = info->rounds_roots;
    device->memory_bytes = info->memory_bytes;
    const cl_context_properties properties[] = {QN_CL_CONTEXT_PLATFORM, (cl_context_properties)found->platform, 0};
    device->context = device->api.clCreateContext(properties, 1, &device->id, NULL, NULL, &error);
    return qn_opencl_check(device, error, "creating a context");
}

qn_status qn_opencl_device_open(qn_context *context, int number, const char *inner, qn_driver_device *opened,
                                qn_device_info *info)
{
    search *result = NULL;
    qn_opencl_device *device = NULL;
    (void)context;
    (void)inner;
    QN_TRY(qn_allocate(1, sizeof *result, (void **)&result));
    qn_status status = search_devices(result);
    if (status != QN_OK) {
        qn_release(&result);
        return status;
    }
    status = qn_allocate(1, sizeof *device, (void **)&device);
    if (status == QN_OK) status = open_found(result, number, device, info);
    if (status != QN_OK) {
        qn_opencl_unload(&result->api);
        qn_release(&device);
    }
    qn_release(&result);
    *opened = device;
    return status;
}

void qn_opencl_device_close(qn_driver_device opaque)
{
    qn_opencl_device *device = opaque;
    if (!device) return;
    device->api.clReleaseContext(device->context);
    qn_opencl_unload(&device->api);
    qn_release(&device);
}
