/* Finding and opening devices by every kind of identifier, and their lifetime. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/device.h"

enum { MAX = 64 };

static qn_context *context;

static void the_host_is_listed_first(void)
{
    static qn_device_listing listings[MAX];
    size_t count = 0, all = 0;
    CHECK_OK(qn_device_list(context, listings, MAX, &count));
    CHECK(count >= 3 && count <= MAX); /* host; OpenCL and CUDA have a device or a reason each */
    CHECK_TEXT(listings[0].info.identifier, "host");
    CHECK(listings[0].usable && listings[0].info.kind == QN_DEVICE_CPU);
    for (size_t i = 0; i < count; i++) {
        CHECK(listings[i].info.identifier[0] && listings[i].info.driver[0]);
        CHECK(listings[i].usable ? listings[i].info.name[0] != 0 : listings[i].reason[0] != 0);
    }
    CHECK_OK(qn_device_list(context, NULL, 0, &all));
    CHECK(all == count);
    memset(listings, 0, sizeof listings);
    CHECK_OK(qn_device_list(context, listings, 1, &all));
    CHECK(all == count && listings[0].usable && !listings[1].info.identifier[0]);
}

static void the_host_describes_this_machine(void)
{
    qn_device *device = NULL;
    if (!CHECK_OK(qn_device_open(context, "host", &device))) return;
    const qn_device_info *info = qn_device_get_info(device);
    CHECK_TEXT(info->identifier, "host");
    CHECK_TEXT(info->driver, "host");
    CHECK(info->name[0] && info->driver_version[0]);
    CHECK(strncmp(info->architecture, "x86-64-v", 8) == 0);
    CHECK(strstr(info->driver_version, info->architecture) != NULL);
    CHECK(info->memory_bytes > (uint64_t)1 << 28 && info->memory_bytes < (uint64_t)1 << 50);
    CHECK(info->compute_units == qn_context_threads(context));
    CHECK(info->subgroup_size == 1 && info->vector_width >= 4 && info->largest_group >= 256);
    CHECK(qn_device_context(device) == context);
    CHECK_TEXT(qn_device_inner_driver(device), "host");
    qn_device_release(&device);
    CHECK(device == NULL);
}

static void checking_wraps_a_device(void)
{
    qn_device *device = NULL;
    if (!CHECK_OK(qn_device_open(context, "checking:host", &device))) return;
    CHECK_TEXT(qn_device_get_info(device)->identifier, "checking:host");
    CHECK_TEXT(qn_device_get_info(device)->driver, "checking");
    CHECK_TEXT(qn_device_inner_driver(device), "host");
    CHECK(strncmp(qn_device_get_info(device)->architecture, "x86-64-v", 8) == 0);
    qn_device_release(&device);
    if (qn_device_open(context, "checking:opencl:0", &device) != QN_OK) {
        CHECK(qn_error_message()[0] != 0);
        return;
    }
    CHECK_TEXT(qn_device_get_info(device)->identifier, "checking:opencl:0");
    CHECK_TEXT(qn_device_inner_driver(device), "opencl");
    qn_device_release(&device);
}

/* "auto" is a GPU or the host, never an OpenCL device that is a CPU. */
static void auto_is_a_gpu_or_the_host(void)
{
    qn_device *device = NULL, *again = NULL;
    if (!CHECK_OK(qn_device_open(context, "auto", &device))) return;
    const qn_device_info *info = qn_device_get_info(device);
    CHECK(info->kind == QN_DEVICE_GPU || strcmp(info->identifier, "host") == 0);
    CHECK(strcmp(info->identifier, "auto") != 0);
    CHECK_OK(qn_device_open(context, info->identifier, &again));
    if (again) CHECK_TEXT(qn_device_get_info(again)->name, info->name);
    qn_device_release(&again);
    qn_device_release(&device);
}

static void refuse(const char *identifier, qn_status status, const char *part)
{
    qn_device *device = (qn_device *)&device;
    if (!CHECK_FAILS(qn_device_open(context, identifier, &device), status))
        fprintf(stderr, "  identifier \"%s\"\n", identifier ? identifier : "(null)");
    CHECK(device == NULL);
    CHECK_MESSAGE_HAS(part);
}

static void wrong_identifiers_are_refused(void)
{
    refuse("nonsense", QN_INVALID_ARGUMENT, "\"nonsense\": expected auto, host, opencl:N, cuda:N or checking:DEVICE");
    refuse("", QN_INVALID_ARGUMENT, "expected auto");
    refuse(NULL, QN_INVALID_ARGUMENT, "no device was named");
    refuse("hos", QN_INVALID_ARGUMENT, "\"hos\"");
    refuse("cuda:x", QN_INVALID_ARGUMENT, "\"x\" is not a device number");
    refuse("opencl:-1", QN_INVALID_ARGUMENT, "\"-1\" is not a device number");
    refuse("opencl:1x", QN_INVALID_ARGUMENT, "\"1x\"");
    refuse("opencl:99999999999999999999", QN_INVALID_ARGUMENT, "not a device number");
    refuse("checking", QN_INVALID_ARGUMENT, "expected checking:DEVICE");
    refuse("checking:", QN_INVALID_ARGUMENT, "expected checking:DEVICE");
    refuse("checking:nonsense", QN_INVALID_ARGUMENT, "\"nonsense\"");
    refuse("checking:checking:host", QN_INVALID_ARGUMENT, "not itself");
}

static void absent_devices_are_refused(void)
{
    refuse("cuda:99", QN_NO_DEVICE, "");
    CHECK(qn_error_message()[0] != 0);
    refuse("opencl:99", QN_NO_DEVICE, "");
    CHECK(qn_error_message()[0] != 0);
    refuse("host:1", QN_NO_DEVICE, "host:1");
}

/* A buffer and a queue keep their device open after all other users have released it. */
static void buffers_and_queues_keep_their_device(void)
{
    qn_device *device = NULL;
    qn_buffer *buffer = NULL, *second;
    qn_queue *queue = NULL;
    int value = 42, got = 0;
    if (!CHECK_OK(qn_device_open(context, "host", &device))) return;
    CHECK(qn_device_retain(device) == device);
    qn_device *other = device;
    CHECK_OK(qn_buffer_create(device, sizeof value, &buffer));
    CHECK_OK(qn_queue_create(device, &queue));
    qn_device_release(&device);
    qn_device_release(&other);
    second = qn_buffer_retain(buffer);
    qn_buffer_release(&buffer);
    CHECK(buffer == NULL && qn_buffer_bytes(second) == sizeof value);
    CHECK_TEXT(qn_device_get_info(qn_queue_device(queue))->identifier, "host");
    CHECK_OK(qn_queue_write(queue, second, 0, &value, sizeof value, NULL));
    CHECK_OK(qn_queue_read(queue, second, 0, &got, sizeof got, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(got == 42);
    qn_buffer_release(&second);
    qn_queue_destroy(&queue);
    qn_queue_destroy(&queue); /* NULL by now */
    qn_buffer_release(&second);
    qn_device_release(&device);
}

static void contexts_are_independent(void)
{
    qn_context *one = NULL, *three = NULL;
    CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &one));
    CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 3}, &three));
    CHECK(qn_context_threads(one) == 1 && qn_context_threads(three) == 3);
    CHECK(qn_context_threads(context) >= 1);
    qn_context_destroy(&one);
    qn_context_destroy(&three);
    CHECK(one == NULL);
    qn_context_destroy(&one);
    CHECK_FAILS(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = -1}, &one),
                QN_INVALID_ARGUMENT);
    CHECK(one == NULL);
}

/* Every processor of the last twenty years is within these bounds. They detect a wrong unit or a clock that has
 * stopped. */
static void the_host_can_be_measured(void)
{
    qn_device *device = NULL;
    qn_device_rates rates;
    if (!CHECK_OK(qn_device_open(context, "host", &device))) return;
    CHECK_OK(qn_device_measure(device, &rates));
    CHECK(rates.copy_bytes_per_s > 1e8 && rates.copy_bytes_per_s < 1e13);
    CHECK(rates.read_bytes_per_s > 1e8 && rates.read_bytes_per_s < 1e13);
    CHECK(rates.multiply_adds_per_s > 1e6 && rates.multiply_adds_per_s < 1e14);
    CHECK(rates.reciprocal_roots_per_s > 1e6 && rates.reciprocal_roots_per_s < 1e13);
    CHECK(rates.local_atomics_per_s > 1e6 && rates.local_atomics_per_s < 1e13);
    qn_device_release(&device);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(the_host_is_listed_first);
    RUN(the_host_describes_this_machine);
    RUN(checking_wraps_a_device);
    RUN(auto_is_a_gpu_or_the_host);
    RUN(wrong_identifiers_are_refused);
    RUN(absent_devices_are_refused);
    RUN(buffers_and_queues_keep_their_device);
    RUN(contexts_are_independent);
    RUN(the_host_can_be_measured);
    qn_context_destroy(&context);
    return check_finish();
}
