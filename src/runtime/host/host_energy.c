/* Energy of the machine's processors: the counters of their packages in Linux's powercap files. */
#include "runtime/host/host_energy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { PACKAGES_MAX = 16 };

typedef struct package_meter {
    char paths[PACKAGES_MAX][80];      /* of the packages' counters */
    double range_joules[PACKAGES_MAX]; /* value at which a counter wraps to 0 */
    double last[PACKAGES_MAX], total;
    int package_count;
} package_meter;

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

static qn_status open_powercap(const qn_device_info *info, package_meter *meter)
{
    char range[96];
    for (int i = 0; i < PACKAGES_MAX; i++) {
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
    return QN_FAIL(QN_UNSUPPORTED, "energy of %s: /sys/class/powercap/intel-rapl:0/energy_uj cannot be read",
                   info->identifier);
}

static bool counts(const qn_device_info *info)
{
    return info->kind == QN_DEVICE_CPU;
}

static qn_status open_meter(const qn_device_info *info, void **meter)
{
    QN_TRY(qn_allocate(1, sizeof(package_meter), meter));
    const qn_status status = open_powercap(info, *meter);
    if (status != QN_OK) qn_release(meter);
    return status;
}

static qn_status read_meter(void *opaque, double *joules)
{
    package_meter *meter = opaque;
    for (int i = 0; i < meter->package_count; i++) {
        double value;
        if (!read_microjoules(meter->paths[i], &value))
            return QN_FAIL(QN_IO_ERROR, "%s can no longer be read", meter->paths[i]);
        value *= 1e-6;
        double used = value - meter->last[i];
        if (used < 0) used += meter->range_joules[i];
        meter->last[i] = value;
        meter->total += used;
    }
    *joules = meter->total;
    return QN_OK;
}

static void close_meter(void *meter)
{
    qn_release(&meter);
}

const qn_driver_energy qn_host_energy = {counts, open_meter, read_meter, close_meter};
