/* The devices of a run: one, several apart by commas, or all. */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "dock/run.h"
#include "runtime/device.h"

static qn_status add_device(qn_dock_state *run, const char *identifier)
{
    qn_device *device;
    if (run->worker_count == QN_DOCK_MOST_DEVICES)
        QN_FAIL(QN_INVALID_ARGUMENT, "more than %d devices; expected at most that many in a run", QN_DOCK_MOST_DEVICES);
    QN_TRY(qn_device_open(run->context, identifier, &device));
    const qn_device_info *info = qn_device_get_info(device);
    for (int i = 0; i < run->worker_count; i++)
        if (strcmp(qn_device_get_info(run->workers[i].device)->identifier, info->identifier) == 0) {
            qn_device_release(&device);
            QN_FAIL(QN_INVALID_ARGUMENT, "device %s is named twice; expected each device once", identifier);
        }
    run->workers[run->worker_count++].device = device;
    qn_log(QN_LOG_NOTE, "device: %s (%s)", info->identifier, info->name);
    return QN_OK;
}

/* Whether a GPU comes a second time, through another driver: cuda and OpenCL list the same card. */
static bool is_listed(const qn_dock_state *run, const qn_device_info *info)
{
    for (int i = 0; i < run->worker_count; i++) {
        const qn_device_info *other = qn_device_get_info(run->workers[i].device);
        if (info->pci_address[0] && strcmp(info->pci_address, other->pci_address) == 0) return true;
    }
    return false;
}

/* Every GPU once, CUDA first; CPUs only by name, as they would hold a GPU's batches back. */
static qn_status add_all(qn_dock_state *run)
{
    enum { MOST = 64 };
    static const char *const drivers[] = {"cuda", "opencl"};
    qn_device_listing listings[MOST];
    size_t count;
    QN_TRY(qn_device_list(run->context, listings, MOST, &count));
    if (count > MOST) count = MOST;
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++)
        for (size_t i = 0; i < count; i++) {
            const qn_device_info *info = &listings[i].info;
            if (!listings[i].usable || info->kind == QN_DEVICE_CPU || strcmp(info->driver, drivers[d]) != 0 ||
                is_listed(run, info))
                continue;
            QN_TRY(add_device(run, info->identifier));
        }
    if (run->worker_count == 0)
        QN_FAIL(QN_NO_DEVICE, "device all: no GPU was found (quern devices says why); name host to run on the CPU");
    return QN_OK;
}

qn_status qn_dock_open_devices(qn_dock_state *run)
{
    const char *list = run->options->device ? run->options->device : "auto";
    char identifier[64];
    if (strcmp(list, "all") == 0) return add_all(run);
    for (const char *at = list;;) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof identifier) length = sizeof identifier - 1;
        memcpy(identifier, at, length);
        identifier[length] = '\0';
        if (strcmp(identifier, "all") == 0)
            QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": all means every GPU; expected it alone", list);
        QN_TRY(add_device(run, identifier));
        at += strcspn(at, ",");
        if (*at++ == '\0') return QN_OK;
    }
}
