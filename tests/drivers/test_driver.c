/* devices: opencl cuda */
/* The contract of a driver (runtime/driver.h): its functions are called directly, without the runtime. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "runtime/driver.h"
#include "runtime/opencl/opencl_driver.h"

extern const qn_driver qn_opencl_driver, qn_cuda_driver;
extern const char qn_runtime_prelude_opencl_source[], qn_runtime_prelude_cuda_source[];

static const qn_driver *driver;
static const char *prelude;
static qn_driver_device device;
static qn_device_info info;

enum { COUNT = 1024 };

static const qn_argument_declaration scale_arguments[] = {
    {"x", QN_IN, QN_FLOAT32},      {"y", QN_INOUT, QN_FLOAT32},   {"factor", QN_VALUE, QN_FLOAT32},
    {"shift", QN_VALUE, QN_INT32}, {"large", QN_VALUE, QN_INT64}, {"mask", QN_VALUE, QN_UINT32},
    {"out", QN_OUT, QN_INT64},     {"n", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration where_arguments[] = {{"out", QN_OUT, QN_INT32}};
static const qn_kernel_declaration scale_kernel = {.name = "scale", .arguments = scale_arguments, .argument_count = 8};
static const qn_kernel_declaration where_kernel = {.name = "where", .arguments = where_arguments, .argument_count = 1};
static const qn_kernel_declaration missing_kernel = {
    .name = "absent", .arguments = where_arguments, .argument_count = 1};
static const qn_family family = {.name = "tests/driver"};

static const char kernel_text[] =
    "KERNEL void scale(GLOBAL const float *x, GLOBAL float *y, float factor, int shift, qn_int64 large,\n"
    "                  qn_uint32 mask, GLOBAL qn_int64 *out, int n)\n"
    "{\n"
    "    int i = GLOBAL_ID(0);\n"
    "    if (i >= n) return;\n"
    "    y[i] = y[i] + x[i] * factor;\n"
    "    out[i] = large + shift + (qn_int64)mask + i;\n"
    "}\n"
    "KERNEL void where(GLOBAL int *out)\n"
    "{\n"
    "    int place = (GLOBAL_ID(2) * GLOBAL_SIZE(1) + GLOBAL_ID(1)) * GLOBAL_SIZE(0) + GLOBAL_ID(0);\n"
    "    out[place] = ((LOCAL_ID(2) * 16 + LOCAL_ID(1)) * 16 + LOCAL_ID(0)) * 65536 +\n"
    "                 (GROUP_ID(2) * 16 + GROUP_ID(1)) * 16 + GROUP_ID(0);\n"
    "}\n";

static qn_status build(const char *kernels, const void *binary, size_t bytes, qn_driver_program *program)
{
    qn_text text = {0};
    const qn_configuration configuration = {{0}};
    qn_status status = qn_text_append(&text, "%s\n#line 1 \"kernels.cl\"\n%s", prelude, kernels);
    if (status == QN_OK) {
        const qn_program_source source = {&family, text.data, "", &configuration};
        status = driver->program_build(device, &source, binary, bytes, program);
    }
    qn_text_clear(&text);
    return status;
}

static void absent_devices_are_refused(void)
{
    qn_driver_device none = NULL;
    qn_device_info ignored;
    CHECK_FAILS(driver->device_open(NULL, 999, NULL, &none, &ignored), QN_NO_DEVICE);
    CHECK_MESSAGE_HAS(":999");
    CHECK_FAILS(driver->device_open(NULL, -1, NULL, &none, &ignored), QN_NO_DEVICE);
}

static void a_device_is_described(void)
{
    qn_device_listing listings[2];
    size_t count = 0;
    CHECK_OK(driver->list(listings, 1, &count));
    CHECK(count >= 1);
    CHECK(listings[0].usable);
    CHECK_TEXT(listings[0].info.identifier, info.identifier);
    CHECK_TEXT(info.driver, driver->name);
    CHECK(info.name[0] && info.vendor[0] && info.driver_version[0]);
    CHECK(info.memory_bytes > 0 && info.largest_buffer_bytes > 0 && info.local_memory_bytes >= 16384);
    CHECK(info.compute_units > 0 && info.largest_group >= 64);
    CHECK(info.kind == QN_DEVICE_CPU ? info.subgroup_size == 1 : info.subgroup_size > 1);
    CHECK(info.kind == QN_DEVICE_CPU ? info.vector_width >= 1 : info.vector_width == 1);
    CHECK(info.pci_address[0] == 0 || strlen(info.pci_address) == strlen("0000:00:00.0"));
}

static void written_bytes_are_read_back(void)
{
    unsigned char given[COUNT], got[COUNT];
    qn_driver_buffer a = NULL, b = NULL, empty = NULL;
    qn_driver_queue queue = NULL;
    for (int i = 0; i < COUNT; i++) given[i] = (unsigned char)(i * 7 + 1);
    CHECK_OK(driver->buffer_create(device, COUNT, &a));
    CHECK_OK(driver->buffer_create(device, COUNT, &b));
    CHECK_OK(driver->buffer_create(device, 0, &empty));
    CHECK_OK(driver->queue_create(device, &queue));
    CHECK_OK(driver->write(device, queue, a, 0, given, COUNT, NULL));
    CHECK_OK(driver->fill(device, queue, b, 0, COUNT, 0xFF, NULL));
    CHECK_OK(driver->fill(device, queue, b, 3, 5, 0x11, NULL));
    CHECK_OK(driver->copy(device, queue, a, 100, b, 201, 300, NULL));
    CHECK_OK(driver->write(device, queue, b, 1000, given, 0, NULL));
    CHECK_OK(driver->read(device, queue, b, 0, got, 0, NULL));
    CHECK_OK(driver->copy(device, queue, a, 0, b, 0, 0, NULL));
    CHECK_OK(driver->fill(device, queue, b, 0, 0, 0, NULL));
    CHECK_OK(driver->read(device, queue, b, 1, got + 1, COUNT - 1, NULL));
    CHECK_OK(driver->queue_finish(device, queue));
    int wrong = 0;
    for (int i = 1; i < COUNT; i++) {
        int expected = i >= 3 && i < 8 ? 0x11 : i >= 201 && i < 501 ? given[i - 101] : 0xFF;
        wrong += got[i] != expected;
    }
    CHECK(wrong == 0);
    driver->queue_destroy(device, queue);
    driver->buffer_destroy(device, a);
    driver->buffer_destroy(device, b);
    driver->buffer_destroy(device, empty);
}

static void events_time_and_order_commands(void)
{
    const size_t bytes = (size_t)16 << 20;
    unsigned char got[16] = {0};
    qn_driver_buffer a = NULL, b = NULL;
    qn_driver_queue first = NULL, second = NULL;
    qn_driver_event filled = NULL, copied = NULL, nothing = NULL, read = NULL;
    double seconds = -1;
    CHECK_OK(driver->buffer_create(device, bytes, &a));
    CHECK_OK(driver->buffer_create(device, bytes, &b));
    CHECK_OK(driver->queue_create(device, &first));
    CHECK_OK(driver->queue_create(device, &second));
    CHECK_OK(driver->fill(device, first, a, 0, bytes, 0x5A, &filled));
    CHECK_OK(driver->queue_wait_for(device, second, filled));
    CHECK_OK(driver->copy(device, second, a, 0, b, 0, bytes, &copied));
    CHECK_OK(driver->write(device, second, b, 0, got, 0, &nothing));
    CHECK_OK(driver->read(device, second, b, bytes - sizeof got, got, sizeof got, &read));
    CHECK_OK(driver->event_wait(device, read));
    CHECK(got[0] == 0x5A && got[sizeof got - 1] == 0x5A);
    CHECK_OK(driver->event_seconds(device, copied, &seconds));
    CHECK(seconds > 0 && seconds < 60);
    CHECK_OK(driver->event_seconds(device, nothing, &seconds));
    CHECK(seconds >= 0 && seconds < 60);
    driver->event_destroy(device, filled);
    driver->event_destroy(device, copied);
    driver->event_destroy(device, nothing);
    driver->event_destroy(device, read);
    driver->queue_destroy(device, first);
    driver->queue_destroy(device, second);
    driver->buffer_destroy(device, a);
    driver->buffer_destroy(device, b);
}

/* Run `scale` on parts of buffers that begin at `offset` bytes, and check that nothing else changed. */
static void launch_scale(qn_driver_kernel kernel, size_t offset)
{
    const size_t bytes = 2 * COUNT * sizeof(int64_t);
    static float x[4 * COUNT], y[4 * COUNT];
    static int64_t out[2 * COUNT];
    qn_driver_buffer buffers[8] = {0}, *x_buffer = &buffers[0], *y_buffer = &buffers[1], *out_buffer = &buffers[6];
    qn_driver_queue queue = NULL;
    qn_driver_event event = NULL;
    double seconds = -1;
    for (int i = 0; i < 4 * COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    memset(out, 0xEE, sizeof out);
    CHECK_OK(driver->buffer_create(device, bytes, x_buffer));
    CHECK_OK(driver->buffer_create(device, bytes, y_buffer));
    CHECK_OK(driver->buffer_create(device, bytes, out_buffer));
    CHECK_OK(driver->queue_create(device, &queue));
    CHECK_OK(driver->write(device, queue, *x_buffer, 0, x, bytes, NULL));
    CHECK_OK(driver->write(device, queue, *y_buffer, 0, y, bytes, NULL));
    CHECK_OK(driver->write(device, queue, *out_buffer, 0, out, bytes, NULL));
    qn_argument arguments[8] = {
        {.offset = offset, .bytes = COUNT * sizeof(float)},     {.offset = offset, .bytes = COUNT * sizeof(float)},
        {.value.float32 = 0.5f, .element = QN_FLOAT32},         {.value.int32 = -3, .element = QN_INT32},
        {.value.int64 = INT64_C(1) << 40, .element = QN_INT64}, {.value.uint32 = 0xFFFFFFFFu, .element = QN_UINT32},
        {.offset = offset, .bytes = COUNT * sizeof(int64_t)},   {.value.int32 = COUNT, .element = QN_INT32},
    };
    const qn_geometry geometry = {{COUNT, 1, 1}, {64, 1, 1}};
    const qn_configuration configuration = {{0}};
    CHECK_OK(driver->launch(device, queue, kernel, &geometry, arguments, buffers, 8, 0, &configuration, &event));
    CHECK_OK(driver->read(device, queue, *y_buffer, 0, y, bytes, NULL));
    CHECK_OK(driver->read(device, queue, *out_buffer, 0, out, bytes, NULL));
    CHECK_OK(driver->queue_finish(device, queue));
    CHECK_OK(driver->event_seconds(device, event, &seconds));
    CHECK(seconds > 0 && seconds < 60);
    int wrong = 0, first = (int)(offset / sizeof(float)), first_out = (int)(offset / sizeof(int64_t));
    for (int i = 0; i < 4 * COUNT; i++)
        wrong += y[i] != (i >= first && i < first + COUNT ? 1.0f + 0.5f * (float)i : 1.0f);
    CHECK(wrong == 0);
    for (int i = 0; i < 2 * COUNT; i++) {
        int64_t untouched = (int64_t)UINT64_C(0xEEEEEEEEEEEEEEEE);
        int64_t expected = (INT64_C(1) << 40) - 3 + INT64_C(0xFFFFFFFF) + (i - first_out);
        wrong += out[i] != (i >= first_out && i < first_out + COUNT ? expected : untouched);
    }
    CHECK(wrong == 0);
    driver->event_destroy(device, event);
    driver->queue_destroy(device, queue);
    for (int i = 0; i < 8; i++) driver->buffer_destroy(device, buffers[i]);
}

static void kernels_run_on_buffer_ranges(void)
{
    qn_driver_program program = NULL;
    qn_driver_kernel kernel = NULL;
    CHECK_OK(build(kernel_text, NULL, 0, &program));
    CHECK_OK(driver->kernel_create(device, program, &scale_kernel, &kernel));
    launch_scale(kernel, 0);
    launch_scale(kernel, 256);
    launch_scale(kernel, 4096);
    if (driver == &qn_opencl_driver) { /* as on a device that allows no sub-buffer at 256 bytes */
        size_t alignment = ((qn_opencl_device *)device)->alignment;
        ((qn_opencl_device *)device)->alignment = 512;
        launch_scale(kernel, 256);
        ((qn_opencl_device *)device)->alignment = alignment;
    }
    driver->kernel_destroy(device, kernel);
    driver->program_destroy(device, program);
}

static void work_items_have_their_ids(void)
{
    enum { X = 8, Y = 6, Z = 4, ALL = X * Y * Z };
    int out[ALL], wrong = 0;
    const qn_geometry geometry = {{X, Y, Z}, {4, 3, 2}};
    const qn_configuration configuration = {{0}};
    qn_driver_program program = NULL;
    qn_driver_kernel kernel = NULL;
    qn_driver_buffer buffer = NULL;
    qn_driver_queue queue = NULL;
    const qn_argument argument = {0};
    CHECK_OK(build(kernel_text, NULL, 0, &program));
    CHECK_OK(driver->kernel_create(device, program, &where_kernel, &kernel));
    CHECK_OK(driver->buffer_create(device, sizeof out, &buffer));
    CHECK_OK(driver->queue_create(device, &queue));
    CHECK_OK(driver->launch(device, queue, kernel, &geometry, &argument, &buffer, 1, 0, &configuration, NULL));
    CHECK_OK(driver->read(device, queue, buffer, 0, out, sizeof out, NULL));
    CHECK_OK(driver->queue_finish(device, queue));
    for (int i = 0; i < ALL; i++) {
        int x = i % X, y = i / X % Y, z = i / (X * Y);
        int local = (z % 2 * 16 + y % 3) * 16 + x % 4, group = (z / 2 * 16 + y / 3) * 16 + x / 4;
        wrong += out[i] != local * 65536 + group;
    }
    CHECK(wrong == 0);
    driver->queue_destroy(device, queue);
    driver->buffer_destroy(device, buffer);
    driver->kernel_destroy(device, kernel);
    driver->program_destroy(device, program);
}

static void a_saved_binary_is_loaded(void)
{
    qn_driver_program program = NULL, again = NULL;
    qn_driver_kernel kernel = NULL;
    void *binary = NULL;
    size_t bytes = 0;
    CHECK_OK(build(kernel_text, NULL, 0, &program));
    CHECK_OK(driver->program_binary(device, program, &binary, &bytes));
    CHECK(bytes > 100);
    CHECK_OK(build("this is not read", binary, bytes, &again));
    if (again) {
        CHECK_OK(driver->kernel_create(device, again, &scale_kernel, &kernel));
        launch_scale(kernel, 0);
        driver->kernel_destroy(device, kernel);
    }
    driver->program_destroy(device, again);
    driver->program_destroy(device, program);
    CHECK_FAILS(build(kernel_text, "no binary at all, but long enough to look at", 44, &program), QN_BUILD_FAILED);
    CHECK_MESSAGE_HAS("tests/driver");
    qn_release(&binary);
}

static void broken_source_is_explained(void)
{
    qn_driver_program program = NULL;
    CHECK_FAILS(build("KERNEL void broken(GLOBAL int *x)\n{\n    x[0] = undeclared_name;\n}\n", NULL, 0, &program),
                QN_BUILD_FAILED);
    CHECK_MESSAGE_HAS("tests/driver");
    /* Messages of NVIDIA's OpenCL compiler name no file, even after #line. */
    if (strcmp(info.driver, "cuda") == 0 || info.kind == QN_DEVICE_CPU) CHECK_MESSAGE_HAS("kernels.cl");
    CHECK_MESSAGE_HAS("undeclared_name");
}

static void wrong_launches_are_refused(void)
{
    qn_driver_program program = NULL;
    qn_driver_kernel kernel = NULL, none = NULL;
    qn_driver_buffer buffer = NULL;
    qn_driver_queue queue = NULL;
    qn_driver_event event = NULL;
    const qn_argument argument = {0};
    const qn_configuration configuration = {{0}};
    const qn_geometry large = {{(size_t)1 << 16, 1, 1}, {(size_t)1 << 16, 1, 1}}, small = {{1, 1, 1}, {1, 1, 1}};
    CHECK_OK(build(kernel_text, NULL, 0, &program));
    CHECK_FAILS(driver->kernel_create(device, program, &missing_kernel, &none), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("absent");
    CHECK_OK(driver->kernel_create(device, program, &where_kernel, &kernel));
    CHECK_OK(driver->buffer_create(device, COUNT, &buffer));
    CHECK_OK(driver->queue_create(device, &queue));
    CHECK_FAILS(driver->launch(device, queue, kernel, &large, &argument, &buffer, 1, 0, &configuration, &event),
                QN_LAUNCH_FAILED);
    CHECK_MESSAGE_HAS("65536");
    CHECK_FAILS(driver->launch(device, queue, kernel, &small, &argument, &buffer, 0, 0, &configuration, &event),
                QN_INVALID_ARGUMENT);
    CHECK_OK(driver->launch(device, queue, kernel, &small, &argument, &buffer, 1, 0, &configuration, NULL));
    CHECK_OK(driver->queue_finish(device, queue));
    driver->queue_destroy(device, queue);
    driver->buffer_destroy(device, buffer);
    driver->kernel_destroy(device, kernel);
    driver->program_destroy(device, program);
}

static void impossible_buffers_are_refused(void)
{
    qn_driver_buffer buffer = NULL;
    CHECK_FAILS(driver->buffer_create(device, (size_t)1 << 50, &buffer), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("1125899906842624 bytes");
}

static void native_handles_are_returned(void)
{
    qn_driver_buffer buffer = NULL;
    qn_driver_queue queue = NULL;
    CHECK_OK(driver->buffer_create(device, COUNT, &buffer));
    CHECK_OK(driver->queue_create(device, &queue));
    CHECK(driver->native_handle(device, NULL, QN_NATIVE_CONTEXT) != NULL);
    CHECK(driver->native_handle(device, queue, QN_NATIVE_QUEUE) == queue);
    CHECK(driver->native_handle(device, buffer, QN_NATIVE_BUFFER) != NULL);
    driver->queue_destroy(device, queue);
    driver->buffer_destroy(device, buffer);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "opencl";
    size_t count = 0;
    qn_device_listing listing;
    driver = strcmp(name, "cuda") == 0 ? &qn_cuda_driver : &qn_opencl_driver;
    prelude = strcmp(name, "cuda") == 0 ? qn_runtime_prelude_cuda_source : qn_runtime_prelude_opencl_source;
    if (!CHECK_OK(driver->list(&listing, 1, &count)) || !CHECK(count > 0)) return check_finish();
    if (!listing.usable) {
        CHECK(listing.reason[0] != 0);
        check_skip(name, listing.reason);
    }
    if (!CHECK_OK(driver->device_open(NULL, 0, NULL, &device, &info))) return check_finish();
    RUN(a_device_is_described);
    RUN(absent_devices_are_refused);
    RUN(written_bytes_are_read_back);
    RUN(events_time_and_order_commands);
    RUN(kernels_run_on_buffer_ranges);
    RUN(work_items_have_their_ids);
    RUN(a_saved_binary_is_loaded);
    RUN(broken_source_is_explained);
    RUN(wrong_launches_are_refused);
    RUN(impossible_buffers_are_refused);
    RUN(native_handles_are_returned);
    driver->device_close(device);
    return check_finish();
}
