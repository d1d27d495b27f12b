#include "job/devices.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "runtime/device.h"

enum { MOST_LISTED = 64 };

/* Names in a list of devices. */
typedef struct device_names {
    char name[MOST_LISTED][sizeof((qn_device_info *)0)->identifier];
    int count;
} device_names;

static qn_status add_name(device_names *names, const char *list, const char *name, size_t length)
{
    if (names->count == MOST_LISTED)
        return QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": more than %d are named; expected at most that many", list,
                       MOST_LISTED);
    if (length >= sizeof names->name[0]) length = sizeof names->name[0] - 1;
    memcpy(names->name[names->count], name, length);
    names->name[names->count][length] = '\0';
    if (length == 3 && strncmp(name, "all", 3) == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": all means every GPU; expected it alone", list);
    names->count++;
    return QN_OK;
}

/* Whether another driver has listed the same GPU before: CUDA and OpenCL both list it. */
static bool is_listed(const qn_device_listing *listings, const size_t *chosen, int count, const qn_device_info *info)
{
    for (int i = 0; i < count; i++)
        if (info->pci_address[0] && strcmp(info->pci_address, listings[chosen[i]].info.pci_address) == 0) return true;
    return false;
}

/* Add each GPU once. */
static qn_status name_gpus(qn_context *context, device_names *names)
{
    static const char *const drivers[] = {"cuda", "opencl"};
    qn_device_listing listings[MOST_LISTED];
    size_t count, chosen[MOST_LISTED];
    QN_TRY(qn_device_list(context, listings, MOST_LISTED, &count));
    if (count > MOST_LISTED) count = MOST_LISTED;
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++)
        for (size_t i = 0; i < count; i++) {
            const qn_device_info *info = &listings[i].info;
            if (!listings[i].usable || info->kind == QN_DEVICE_CPU || strcmp(info->driver, drivers[d]) != 0 ||
                is_listed(listings, chosen, names->count, info))
                continue;
            chosen[names->count] = i;
            QN_TRY(add_name(names, "all", info->identifier, strlen(info->identifier)));
        }
    return QN_OK;
}

static qn_status name_devices(qn_context *context, const char *list, bool shared, device_names *names)
{
    const bool all = strcmp(list, "all") == 0;
    if (all || (shared && strcmp(list, "auto") == 0)) {
        QN_TRY(name_gpus(context, names));
        if (all && names->count == 0)
            return QN_FAIL(QN_NO_DEVICE,
                           "device all: no GPU was found (quern devices says why); name host to run on the CPU");
        return names->count > 0 ? QN_OK : add_name(names, list, "host", strlen("host"));
    }
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        QN_TRY(add_name(names, list, at, length));
        at += length;
        if (*at == '\0') return QN_OK;
    }
}

static qn_status open_one(qn_context *context, const char *name, qn_device **devices, int *count)
{
    qn_device *device;
    if (*count == QN_DEVICES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "more than %d devices; expected at most that many in a run",
                       QN_DEVICES_MAX);
    QN_TRY(qn_device_open(context, name, &device));
    const qn_device_info *info = qn_device_get_info(device);
    for (int i = 0; i < *count; i++)
        if (strcmp(qn_device_get_info(devices[i])->identifier, info->identifier) == 0) {
            qn_device_release(&device);
            return QN_FAIL(QN_INVALID_ARGUMENT, "device %s is named twice; expected each device once", name);
        }
    devices[(*count)++] = device;
    qn_log(QN_LOG_NOTE, "device: %s (%s)", info->identifier, info->name);
    return QN_OK;
}

qn_status qn_devices_open(qn_context *context, const char *list, const qn_ranks *ranks,
                          qn_device *devices[QN_DEVICES_MAX], int *count)
{
    const int local_count = ranks ? qn_ranks_local_count(ranks) : 1;
    const int local_rank = ranks ? qn_ranks_local_rank(ranks) : 0;
    device_names names = {.count = 0};
    *count = 0;
    QN_TRY(name_devices(context, list ? list : "auto", local_count > 1, &names));
    qn_status status = QN_OK;
    for (int i = 0; i < names.count && status == QN_OK; i++) {
        /* with more ranks than devices, several ranks share a device */
        bool mine = names.count >= local_count ? i % local_count == local_rank : local_rank % names.count == i;
        if (mine) status = open_one(context, names.name[i], devices, count);
    }
    for (int i = 0; status != QN_OK && i < *count; i++) qn_device_release(&devices[i]);
    if (status != QN_OK) *count = 0;
    return status;
}

/* Instruction set of host kernels, whose sums depend on the length of vectors; "" for other devices, whose model
 * decides. */
static const char *instructions(const qn_device_info *device)
{
    const char *level = strstr(device->driver_version, "x86-64-v");
    return level ? level : "";
}

bool qn_devices_are_alike(const qn_device *first, const qn_device *second)
{
    const qn_device_info *a = qn_device_get_info(first), *b = qn_device_get_info(second);
    return strcmp(a->driver, b->driver) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(instructions(a), instructions(b)) == 0;
}

qn_status qn_devices_describe(qn_device *const *devices, int count, qn_text *key)
{
    for (int i = 0; i < count; i++) {
        const qn_device_info *device = qn_device_get_info(devices[i]);
        const char *level = instructions(device);
        bool known = false;
        for (int other = 0; other < i; other++) known |= qn_devices_are_alike(devices[other], devices[i]);
        if (!known)
            QN_TRY(qn_text_append(key, "device=%s %s%s%s\n", device->driver, device->name, *level ? ", " : "", level));
    }
    return QN_OK;
}
