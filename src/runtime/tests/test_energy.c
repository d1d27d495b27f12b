/* devices: host opencl:0 cuda:0 */
/* Energy counter of a device, if it has one: under load it grows by a plausible amount. */
#include "check.h"

#include <time.h>

#include "runtime/energy_meter.h"

static qn_device *device;

static double now_seconds(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void devices_count_or_give_a_reason(void)
{
    qn_energy_meter *meter = NULL;
    qn_device_rates rates;
    double before = 0, after = 0;
    qn_status status = qn_energy_meter_create(device, &meter);
    if (status != QN_OK) {
        CHECK(status == QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("energy of ");
        CHECK(meter == NULL);
        return;
    }
    CHECK_OK(qn_energy_meter_read(meter, &before));
    double start = now_seconds();
    CHECK_OK(qn_device_measure(device, &rates)); /* takes some seconds */
    double seconds = now_seconds() - start;
    CHECK_OK(qn_energy_meter_read(meter, &after));
    double watts = (after - before) / seconds;
    CHECK(watts > 0.5 && watts < 2000);
    qn_energy_meter_destroy(&meter);
    CHECK(meter == NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (CHECK(device != NULL)) RUN(devices_count_or_give_a_reason);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
