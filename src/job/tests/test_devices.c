/* labels: threads */
#include "check.h"

#include <string.h>

#include "job/devices.h"

static qn_context *context;
static qn_device *devices[QN_DEVICES_MAX];
static int count;

static void refused(const char *list, qn_status status, const char *part)
{
    CHECK_FAILS(qn_devices_open(context, list, NULL, devices, &count), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(count == 0);
}

static void lists_are_opened_in_order(void)
{
    CHECK_OK(qn_devices_open(context, "checking:host,host", NULL, devices, &count));
    if (!CHECK(count == 2)) return;
    CHECK_TEXT(qn_device_get_info(devices[0])->identifier, "checking:host");
    CHECK_TEXT(qn_device_get_info(devices[1])->identifier, "host");
    for (int i = 0; i < count; i++) qn_device_release(&devices[i]);
    CHECK_OK(qn_devices_open(context, NULL, NULL, devices, &count)); /* auto */
    CHECK(count == 1);
    qn_device_release(&devices[0]);
}

static void invalid_lists_are_refused_and_leave_no_device_open(void)
{
    refused("host,host", QN_INVALID_ARGUMENT, "named twice");
    refused("host,all", QN_INVALID_ARGUMENT, "expected it alone");
    refused("host,", QN_INVALID_ARGUMENT, "");
    refused("host,abacus", QN_INVALID_ARGUMENT, "abacus");
    refused("host,cuda:77", QN_NO_DEVICE, "");
}

/* The checking driver counts as a different model from the host. Several devices of one model are described once. */
static void each_model_is_described_once(void)
{
    qn_text key = {0}, again = {0};
    CHECK_OK(qn_devices_open(context, "host,checking:host", NULL, devices, &count));
    if (!CHECK(count == 2)) return;
    qn_device *const repeated[] = {devices[0], devices[1], devices[0], devices[1]};
    CHECK(qn_devices_are_alike(devices[0], devices[0]) && !qn_devices_are_alike(devices[0], devices[1]));
    CHECK_OK(qn_devices_describe(devices, 2, &key));
    CHECK_OK(qn_devices_describe(repeated, 4, &again));
    CHECK_TEXT(again.data, key.data);
    CHECK(strncmp(key.data, "device=host ", 12) == 0 && strstr(key.data, "\ndevice=checking"));
    for (int i = 0; i < count; i++) qn_device_release(&devices[i]);
    qn_text_clear(&key);
    qn_text_clear(&again);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return check_finish();
    RUN(lists_are_opened_in_order);
    RUN(invalid_lists_are_refused_and_leave_no_device_open);
    RUN(each_model_is_described_once);
    qn_context_destroy(&context);
    return check_finish();
}
