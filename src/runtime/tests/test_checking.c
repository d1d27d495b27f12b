/* devices: checking:host checking:opencl:0 */
/* The checking driver accepts a kernel that follows its declaration, and reports violations of the declaration. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/device.h"

enum { COUNT = 192, PER_RANGE = 64 /* ints: 256 bytes, the alignment of ranges */ };

/* Variants of the kernel, which otherwise computes z[i] += x[i] and y[i] = 2 x[i]; `place` is the element concerned. */
enum { NOTHING, SKIP_Y, WRITE_X, WRITE_Y_AT, WRITE_Z_AT, WRITE_MINUS_ONE, SKIP_Z };

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static const char *device_name = "checking:host";
static bool on_host;

static const char source[] =
    "KERNEL void work(GLOBAL int *x, GLOBAL int *y, GLOBAL int *z, int n, int mode, int place)\n"
    "{\n"
    "    int i = GLOBAL_ID(0);\n"
    "    if (i >= n) return;\n"
    "    if (!(mode == 1 && i == place)) y[i] = mode == 5 ? -1 : 2 * x[i];\n"
    "    if (!(mode == 6 && i >= place)) z[i] += x[i];\n"
    "    if (i == 0 && mode == 2) x[place] = 12345;\n"
    "    if (i == 0 && mode == 3) y[place] = 12345;\n"
    "    if (i == 0 && mode == 4) z[place] = 12345;\n"
    "}\n";

static qn_status work(const qn_host_launch *launch)
{
    int *x = launch->arguments[0], *y = launch->arguments[1], *z = launch->arguments[2];
    int n = *(int *)launch->arguments[3], mode = *(int *)launch->arguments[4], place = *(int *)launch->arguments[5];
    for (int i = 0; i < n; i++) {
        if (!(mode == SKIP_Y && i == place)) y[i] = mode == WRITE_MINUS_ONE ? -1 : 2 * x[i];
        if (!(mode == SKIP_Z && i >= place)) z[i] += x[i];
    }
    if (mode == WRITE_X) x[place] = 12345;
    if (mode == WRITE_Y_AT) y[place] = 12345;
    if (mode == WRITE_Z_AT) z[place] = 12345;
    return QN_OK;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{COUNT, 1, 1}, {64, 1, 1}};
}

static const qn_argument_declaration declared[] = {{"x", QN_IN, QN_INT32},       {"y", QN_OUT, QN_INT32},
                                                   {"z", QN_INOUT, QN_INT32},    {"n", QN_VALUE, QN_INT32},
                                                   {"mode", QN_VALUE, QN_INT32}, {"place", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"work", declared, 6, geometry, work, NULL}};
static const qn_family family = {.name = "test/work", .source = source, .kernels = kernels, .kernel_count = 1};

/* Buffers of x, y and z. Each range begins 256 bytes after the start of its buffer and ends 256 bytes before the end.
 */
static qn_buffer *buffers[3];
static int32_t x[COUNT], start[COUNT];

static void make_buffers(void)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = 7 * i + 1;
        start[i] = 1000 - i;
    }
    for (int i = 0; i < 3; i++) CHECK_OK(qn_buffer_create(device, 256 + sizeof x + 256, &buffers[i]));
    for (int i = 0; i < 3; i++) CHECK_OK(qn_queue_fill(queue, buffers[i], 0, 256 + sizeof x + 256, 0x33, NULL));
    CHECK_OK(qn_queue_write(queue, buffers[0], 256, x, sizeof x, NULL));
    CHECK_OK(qn_queue_write(queue, buffers[2], 256, start, sizeof start, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

static void drop_buffers(void)
{
    for (int i = 0; i < 3; i++) qn_buffer_release(&buffers[i]);
}

static qn_status run(int mode, int place, qn_event **event)
{
    const qn_argument arguments[] = {qn_argument_range(buffers[0], 256, sizeof x),
                                     qn_argument_range(buffers[1], 256, sizeof x),
                                     qn_argument_range(buffers[2], 256, sizeof x),
                                     qn_argument_int32(COUNT),
                                     qn_argument_int32(mode),
                                     qn_argument_int32(place)};
    return qn_family_run(&family, queue, &(qn_family_call){.arguments = arguments, .argument_count = 6}, event);
}

/* Check y and z after one launch. The driver may launch the kernel twice, which must not change the results. */
static void check_results(bool minus_one, int z_until)
{
    int32_t y[COUNT], z[COUNT];
    int wrong = 0;
    CHECK_OK(qn_queue_read(queue, buffers[1], 256, y, sizeof y, NULL));
    CHECK_OK(qn_queue_read(queue, buffers[2], 256, z, sizeof z, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < COUNT; i++) {
        wrong += y[i] != (minus_one ? -1 : 2 * x[i]);
        wrong += z[i] != start[i] + (i < z_until ? x[i] : 0);
    }
    CHECK(wrong == 0);
}

static void kernels_that_keep_their_declaration_pass(void)
{
    qn_event *event = NULL;
    double seconds = -1;
    make_buffers();
    CHECK_OK(run(NOTHING, 0, &event));
    if (CHECK(event != NULL)) CHECK_OK(qn_event_seconds(event, &seconds));
    CHECK(seconds >= 0 && seconds < 100);
    qn_event_destroy(&event);
    check_results(false, COUNT);
    drop_buffers();
}

/* −1 has the bits with which the driver fills buffers. A second launch distinguishes it from an element that was not
 * written. */
static void minus_one_counts_as_written(void)
{
    qn_event *event = NULL;
    make_buffers();
    CHECK_OK(run(WRITE_MINUS_ONE, 0, &event));
    CHECK(event != NULL);
    qn_event_destroy(&event);
    check_results(true, COUNT);
    drop_buffers();
}

static void inout_may_be_written_in_part(void)
{
    make_buffers();
    CHECK_OK(run(SKIP_Z, 100, NULL));
    check_results(false, 100);
    drop_buffers();
}

static void refuse(int mode, int place, const char *part)
{
    qn_event *event = (qn_event *)&event;
    make_buffers();
    if (!CHECK_FAILS(run(mode, place, &event), QN_CHECK_FAILED))
        fprintf(stderr, "  mode %d, place %d: expected \"%s\"\n", mode, place, part);
    CHECK(event == NULL);
    CHECK_MESSAGE_HAS("test/work");
    CHECK_MESSAGE_HAS("work");
    CHECK_MESSAGE_HAS(part);
    drop_buffers();
}

static void unwritten_elements_are_found(void)
{
    refuse(SKIP_Y, COUNT - 3, "did not write its OUT argument \"y\" at byte 756 (element 189 of 192)");
    refuse(SKIP_Y, 0, "did not write its OUT argument \"y\" at byte 0 (element 0 of 192)");
}

static void writes_to_inputs_are_found(void)
{
    refuse(WRITE_X, 5, "wrote to its IN argument \"x\" at byte 20");
    refuse(WRITE_X, COUNT - 1, "wrote to its IN argument \"x\" at byte 764");
}

static void stray_writes_are_found(void)
{
    refuse(WRITE_Y_AT, COUNT, "wrote at byte 1024 of the buffer of argument \"y\", which has bytes 256 to 1024");
    refuse(WRITE_Y_AT, -1, "wrote at byte 252 of the buffer of argument \"y\"");
    refuse(WRITE_Z_AT, COUNT + PER_RANGE, "wrote past the end of the buffer of argument \"z\": at byte 1280 of 1280");
    refuse(WRITE_Z_AT, COUNT + PER_RANGE + 63, "at byte 1532 of 1280");
    if (on_host) refuse(WRITE_Z_AT, -PER_RANGE - 1, "before the start of the buffer of argument \"z\"");
}

static void overlapping_arguments_are_found(void)
{
    qn_argument arguments[] = {qn_argument_range(NULL, 256, sizeof x),
                               qn_argument_range(NULL, 256, sizeof x),
                               qn_argument_range(NULL, 256, sizeof x),
                               qn_argument_int32(COUNT),
                               qn_argument_int32(NOTHING),
                               qn_argument_int32(0)};
    const qn_family_call call = {.arguments = arguments, .argument_count = 6};
    make_buffers();
    arguments[0].buffer = arguments[1].buffer = buffers[0];
    arguments[2].buffer = buffers[2];
    CHECK_FAILS(qn_family_run(&family, queue, &call, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("\"x\" and \"y\" of work share memory, but \"y\" is written");
    arguments[1].buffer = buffers[1];
    arguments[2].buffer = buffers[0];
    CHECK_FAILS(qn_family_run(&family, queue, &call, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("\"x\" and \"z\"");
    drop_buffers();
}

/* Disjoint ranges of one buffer may be arguments of one launch. */
static void ranges_of_one_buffer_pass(void)
{
    int32_t all[3 * COUNT];
    qn_buffer *buffer = NULL;
    make_buffers();
    CHECK_OK(qn_buffer_create(device, sizeof all, &buffer));
    CHECK_OK(qn_queue_write(queue, buffer, 0, x, sizeof x, NULL));
    CHECK_OK(qn_queue_write(queue, buffer, 2 * sizeof x, start, sizeof start, NULL));
    const qn_argument arguments[] = {
        qn_argument_range(buffer, 0, sizeof x),     qn_argument_range(buffer, sizeof x, sizeof x),
        qn_argument_range(buffer, 2 * sizeof x, 0), qn_argument_int32(COUNT),
        qn_argument_int32(WRITE_MINUS_ONE),         qn_argument_int32(0)};
    CHECK_OK(qn_family_run(&family, queue, &(qn_family_call){.arguments = arguments, .argument_count = 6}, NULL));
    CHECK_OK(qn_queue_read(queue, buffer, 0, all, sizeof all, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(all[COUNT - 1] == x[COUNT - 1] && all[COUNT] == -1 && all[3 * COUNT - 1] == start[COUNT - 1] + x[COUNT - 1]);
    qn_buffer_release(&buffer);
    drop_buffers();
}

/* New memory is filled with bits that cannot be mistaken for a result: NaN as float. */
static void new_buffers_are_filled_with_ff(void)
{
    unsigned char content[300];
    int wrong = 0;
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, sizeof content, &buffer));
    CHECK_OK(qn_queue_read(queue, buffer, 0, content, sizeof content, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (size_t i = 0; i < sizeof content; i++) wrong += content[i] != 0xFF;
    CHECK(wrong == 0);
    qn_buffer_release(&buffer);
}

static qn_status write_at(void *const *addresses, qn_pool *pool, void *user)
{
    (void)pool;
    ((char *)addresses[0])[*(int *)user] = 1;
    return QN_OK;
}

static void writes_of_host_functions_are_checked(void)
{
    if (!on_host) {
        CHECK(true);
        return;
    }
    int inside = 299, past = 300, before = -1;
    qn_event *event = NULL;
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 300, &buffer));
    CHECK_OK(qn_queue_call_host(queue, write_at, &buffer, 1, &inside, NULL));
    CHECK_FAILS(qn_queue_call_host(queue, write_at, &buffer, 1, &past, &event), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("at byte 300 of 300");
    CHECK(event == NULL);
    qn_buffer_release(&buffer);
    CHECK_OK(qn_buffer_create(device, 300, &buffer));
    CHECK_FAILS(qn_queue_call_host(queue, write_at, &buffer, 1, &before, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("1 bytes before the start");
    qn_buffer_release(&buffer);
}

/* Released memory is free again, and the last MiB can be used to its last byte. */
static void memory_ends_where_asked(void)
{
    enum { MIB = 1 << 20 };
    qn_device *small = NULL;
    qn_buffer *first = NULL, *second = NULL;
    setenv("QUERN_CHECKING_MEMORY_MIB", "3 GiB", 1);
    CHECK_FAILS(qn_device_open(context, device_name, &small), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("QUERN_CHECKING_MEMORY_MIB is \"3 GiB\"; expected a whole number from 1");
    setenv("QUERN_CHECKING_MEMORY_MIB", "3", 1);
    CHECK_OK(qn_device_open(context, device_name, &small));
    unsetenv("QUERN_CHECKING_MEMORY_MIB");
    CHECK_OK(qn_buffer_create(small, 2 * MIB, &first));
    CHECK_FAILS(qn_buffer_create(small, MIB + 1, &second), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("a buffer of 1048577 bytes was asked for; 1048576 bytes are left");
    CHECK_OK(qn_buffer_create(small, MIB, &second));
    qn_buffer_release(&first);
    CHECK_OK(qn_buffer_create(small, 2 * MIB, &first));
    qn_buffer_release(&first);
    qn_buffer_release(&second);
    qn_device_release(&small);
}

int main(int argc, char **argv)
{
    if (argc > 1) device_name = argv[1];
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) == QN_NO_DEVICE) check_skip(device_name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    on_host = strcmp(qn_device_inner_driver(device), "host") == 0;
    RUN(kernels_that_keep_their_declaration_pass);
    RUN(minus_one_counts_as_written);
    RUN(inout_may_be_written_in_part);
    RUN(unwritten_elements_are_found);
    RUN(writes_to_inputs_are_found);
    RUN(stray_writes_are_found);
    RUN(overlapping_arguments_are_found);
    RUN(ranges_of_one_buffer_pass);
    RUN(new_buffers_are_filled_with_ff);
    RUN(writes_of_host_functions_are_checked);
    RUN(memory_ends_where_asked);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
