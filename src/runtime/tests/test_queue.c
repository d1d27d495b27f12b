/* devices: host opencl:0 cuda:0 checking:host checking:opencl:0 */
/* labels: threads@host */
/* Buffers, queues and events through the public interface, the same on every device. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/kept_buffer.h"

enum { BYTES = 5000 };

static qn_context *context;
static const char *name;
static qn_device *device;
static qn_queue *queue;

static unsigned char expected_byte(size_t i)
{
    return (unsigned char)(i * 37 + i / 256);
}

static qn_buffer *make_buffer(size_t bytes)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, bytes, &buffer));
    return buffer;
}

static void bytes_are_written_copied_and_read(void)
{
    unsigned char given[BYTES], got[BYTES];
    qn_buffer *a = make_buffer(BYTES), *b = make_buffer(BYTES);
    for (size_t i = 0; i < BYTES; i++) given[i] = expected_byte(i);
    CHECK_OK(qn_queue_write(queue, a, 0, given, BYTES, NULL));
    CHECK_OK(qn_queue_fill(queue, b, 0, BYTES, 0xA5, NULL));
    CHECK_OK(qn_queue_fill(queue, b, 7, 3, 0x11, NULL));
    CHECK_OK(qn_queue_copy(queue, a, 1001, b, 503, 2000, NULL));
    CHECK_OK(qn_queue_copy(queue, b, 503, b, 3001, 1500, NULL)); /* within a buffer */
    CHECK_OK(qn_queue_write(queue, b, 4999, given, 1, NULL));
    CHECK_OK(qn_queue_read(queue, b, 1, got + 1, BYTES - 1, NULL));
    CHECK_OK(qn_queue_finish(queue));
    int wrong = 0;
    for (size_t i = 1; i < BYTES; i++) {
        unsigned char expected = i >= 7 && i < 10        ? 0x11
                                 : i >= 503 && i < 2503  ? given[i + 498]
                                 : i >= 3001 && i < 4501 ? given[i - 3001 + 1001]
                                 : i == 4999             ? given[0]
                                                         : 0xA5;
        wrong += got[i] != expected;
    }
    CHECK(wrong == 0);
    qn_buffer_release(&a);
    qn_buffer_release(&b);
}

static void memory_for_copies_is_copied(void)
{
    void *memory = NULL;
    qn_buffer *buffer = make_buffer(BYTES);
    if (!CHECK_OK(qn_host_memory_create(device, 2 * BYTES, &memory))) return;
    unsigned char *bytes = memory;
    for (size_t i = 0; i < BYTES; i++) bytes[i] = expected_byte(i);
    CHECK_OK(qn_queue_write(queue, buffer, 0, bytes, BYTES, NULL));
    CHECK_OK(qn_queue_read(queue, buffer, 100, bytes + BYTES, BYTES - 100, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(memcmp(bytes + 100, bytes + BYTES, BYTES - 100) == 0);
    qn_host_memory_destroy(device, &memory);
    CHECK(memory == NULL);
    qn_host_memory_destroy(device, &memory);
    qn_buffer_release(&buffer);
}

static void commands_of_zero_bytes_succeed(void)
{
    char byte = 1;
    qn_buffer *buffer = make_buffer(16);
    CHECK_OK(qn_queue_write(queue, buffer, 16, &byte, 0, NULL));
    CHECK_OK(qn_queue_read(queue, buffer, 0, &byte, 0, NULL));
    CHECK_OK(qn_queue_fill(queue, buffer, 3, 0, 9, NULL));
    CHECK_OK(qn_queue_copy(queue, buffer, 4, buffer, 4, 0, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(byte == 1);
    qn_buffer_release(&buffer);
}

/* A chain of copies, on two queues in turn. Each copy waits for the one before it. */
static void events_order_two_queues(void)
{
    enum { LINKS = 20, SIZE = 1 << 20 };
    static unsigned char got[SIZE];
    qn_queue *other = NULL;
    qn_buffer *buffers[2] = {make_buffer(SIZE), make_buffer(SIZE)};
    qn_event *event = NULL;
    double seconds = -1;
    CHECK_OK(qn_queue_create(device, &other));
    for (int i = 0; i < LINKS; i++) {
        qn_queue *on = i % 2 ? other : queue;
        qn_event *next = NULL;
        if (event) CHECK_OK(qn_queue_wait_for(on, event));
        if (i == 0)
            CHECK_OK(qn_queue_fill(on, buffers[0], 0, SIZE, 0x3C, &next));
        else
            CHECK_OK(qn_queue_copy(on, buffers[(i + 1) % 2], 0, buffers[i % 2], 0, SIZE, &next));
        qn_event_destroy(&event);
        event = next;
        if (!CHECK(event != NULL)) break;
    }
    bool done = false;
    CHECK_OK(qn_event_done(event, &done)); /* the event may or may not be done yet */
    CHECK_OK(qn_event_wait(event));
    done = false;
    CHECK_OK(qn_event_done(event, &done));
    CHECK(done);
    CHECK_OK(qn_event_seconds(event, &seconds));
    CHECK(seconds >= 0 && seconds < 100);
    CHECK_OK(qn_queue_wait_for(queue, event));
    CHECK_OK(qn_queue_read(queue, buffers[1], 0, got, SIZE, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK(got[0] == 0x3C && got[SIZE - 1] == 0x3C);
    qn_event_destroy(&event);
    qn_event_destroy(&event);
    CHECK(event == NULL);
    qn_buffer_release(&buffers[0]);
    qn_buffer_release(&buffers[1]);
    qn_queue_destroy(&other);
}

static void ranges_are_checked(void)
{
    char data[64] = {0};
    qn_event *event = (qn_event *)data;
    qn_buffer *a = make_buffer(64), *b = make_buffer(32), *none = (qn_buffer *)data;
    CHECK_FAILS(qn_queue_write(queue, a, 1, data, 64, &event), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("64 bytes from byte 1 exceed a buffer of 64 bytes");
    CHECK(event == NULL);
    CHECK_FAILS(qn_queue_read(queue, a, 65, data, 0, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_queue_read(queue, a, (size_t)-1, data, 2, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_queue_fill(queue, a, 8, (size_t)-4, 0, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_queue_copy(queue, a, 0, b, 0, 33, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("buffer of 32 bytes");
    CHECK_FAILS(qn_queue_copy(queue, b, 0, a, 40, 32, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_queue_copy(queue, a, 0, a, 31, 32, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("overlaps itself");
    CHECK_FAILS(qn_buffer_create(device, 0, &none), QN_INVALID_ARGUMENT);
    CHECK(none == NULL);
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&a);
    qn_buffer_release(&b);
}

static void devices_do_not_mix(void)
{
    char data[16] = {0};
    qn_device *other = NULL;
    qn_queue *other_queue = NULL;
    qn_event *event = NULL;
    qn_buffer *buffer = make_buffer(16);
    if (!CHECK_OK(qn_device_open(context, name, &other))) return;
    CHECK_OK(qn_queue_create(other, &other_queue));
    CHECK_FAILS(qn_queue_write(other_queue, buffer, 0, data, 16, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("another device");
    CHECK_OK(qn_queue_write(queue, buffer, 0, data, 16, &event));
    if (event) CHECK_FAILS(qn_queue_wait_for(other_queue, event), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_queue_finish(queue)); /* `data` ends with this function */
    qn_event_destroy(&event);
    qn_queue_destroy(&other_queue);
    qn_device_release(&other);
    qn_buffer_release(&buffer);
}

static void impossible_buffers_are_refused(void)
{
    qn_buffer *buffer = (qn_buffer *)&buffer;
    CHECK_FAILS(qn_buffer_create(device, (size_t)1 << 55, &buffer), QN_OUT_OF_MEMORY);
    CHECK(buffer == NULL);
}

static void a_kept_buffer_is_replaced_when_it_is_too_small(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_reserve(device, 100, &buffer));
    CHECK(buffer && qn_buffer_bytes(buffer) == 100);
    const qn_buffer *first = buffer;
    CHECK_OK(qn_buffer_reserve(device, 60, &buffer));
    CHECK(buffer == first);
    CHECK_OK(qn_buffer_reserve(device, BYTES, &buffer));
    CHECK(buffer && qn_buffer_bytes(buffer) == BYTES);
    CHECK_FAILS(qn_buffer_reserve(device, (size_t)1 << 55, &buffer), QN_OUT_OF_MEMORY);
    CHECK(buffer == NULL);
}

/* Destroying objects after a failure must not change its message. */
static void destroying_keeps_the_error(void)
{
    qn_queue *other = NULL;
    qn_buffer *buffer = make_buffer(16);
    CHECK_OK(qn_queue_create(device, &other));
    CHECK(qn_error_set(QN_INTERNAL, "here.c", 1, "something else") == QN_INTERNAL);
    qn_queue_destroy(&other);
    qn_buffer_release(&buffer);
    CHECK_TEXT(qn_error_message(), "something else");
    qn_error_clear();
}

/* Settling ends the commands before it, and keeps the message of an earlier failure. */
static void settling_ends_commands_and_keeps_the_error(void)
{
    unsigned char given[BYTES], got[BYTES] = {0};
    qn_buffer *buffer = make_buffer(BYTES);
    for (size_t i = 0; i < BYTES; i++) given[i] = expected_byte(i);
    CHECK_OK(qn_queue_write(queue, buffer, 0, given, BYTES, NULL));
    CHECK_OK(qn_queue_read(queue, buffer, 0, got, BYTES, NULL));
    CHECK(qn_error_set(QN_INTERNAL, "here.c", 1, "something else") == QN_INTERNAL);
    qn_queue_settle(queue);
    CHECK_TEXT(qn_error_message(), "something else");
    qn_error_clear();
    CHECK(memcmp(given, got, BYTES) == 0);
    memset(given, 0, BYTES); /* a device that checks would report a write that has not ended */
    CHECK_OK(qn_queue_finish(queue));
    qn_queue_settle(NULL);
    qn_buffer_release(&buffer);
}

static qn_status add_one(void *const *addresses, qn_pool *pool, void *user)
{
    const int *from = addresses[0];
    int *to = addresses[1];
    (void)pool;
    if (!user) return QN_FAIL(QN_CANCELLED, "no count was given");
    for (int i = 0; i < *(int *)user; i++) to[i] = from[i] + 1;
    return QN_OK;
}

static void host_functions_run_in_order(void)
{
    int given[4] = {1, 2, 3, 40}, got[4] = {0}, count = 4;
    qn_event *event = NULL;
    double seconds = -1;
    qn_buffer *buffers[2] = {make_buffer(sizeof given), make_buffer(sizeof given)};
    CHECK_OK(qn_queue_write(queue, buffers[0], 0, given, sizeof given, NULL));
    if (strcmp(qn_device_inner_driver(device), "host") != 0) {
        CHECK_FAILS(qn_queue_call_host(queue, add_one, buffers, 2, &count, NULL), QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS(name);
    } else {
        CHECK_OK(qn_queue_call_host(queue, add_one, buffers, 2, &count, &event));
        CHECK_OK(qn_event_seconds(event, &seconds));
        CHECK(seconds >= 0 && seconds < 10);
        qn_event_destroy(&event);
        CHECK_OK(qn_queue_read(queue, buffers[1], 0, got, sizeof got, NULL));
        CHECK_OK(qn_queue_finish(queue));
        CHECK(got[0] == 2 && got[3] == 41);
        CHECK_FAILS(qn_queue_call_host(queue, add_one, buffers, 2, NULL, NULL), QN_CANCELLED);
        CHECK_MESSAGE_HAS("no count was given");
    }
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&buffers[0]);
    qn_buffer_release(&buffers[1]);
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(bytes_are_written_copied_and_read);
    RUN(memory_for_copies_is_copied);
    RUN(commands_of_zero_bytes_succeed);
    RUN(events_order_two_queues);
    RUN(ranges_are_checked);
    RUN(devices_do_not_mix);
    RUN(impossible_buffers_are_refused);
    RUN(a_kept_buffer_is_replaced_when_it_is_too_small);
    RUN(destroying_keeps_the_error);
    RUN(settling_ends_commands_and_keeps_the_error);
    RUN(host_functions_run_in_order);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
