/* devices: checking:host checking:opencl:0 */
/* The checking driver reports commands of two queues that use the same bytes in any order, and host memory that changes
 * while a command uses it; it accepts what waits. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/device.h"

enum { COUNT = 128, BYTES = COUNT * (int)sizeof(int32_t), HALF = BYTES / 2 };

static qn_context *context;
static qn_device *device;
static qn_queue *queues[3];
static qn_buffer *buffer, *other;
static bool on_host;

static const char source[] = "KERNEL void add(GLOBAL int *x, GLOBAL int *y, int n)\n"
                             "{\n"
                             "    int i = GLOBAL_ID(0);\n"
                             "    if (i < n) y[i] += x[i];\n"
                             "}\n";

static qn_status add(const qn_host_launch *launch)
{
    const int *x = launch->arguments[0];
    int *y = launch->arguments[1];
    for (int i = 0; i < *(int *)launch->arguments[2]; i++) y[i] += x[i];
    return QN_OK;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    (void)configuration, (void)problem;
    return (qn_geometry){{64, 1, 1}, {64, 1, 1}};
}

static const qn_argument_declaration declared[] = {
    {"x", QN_IN, QN_INT32}, {"y", QN_INOUT, QN_INT32}, {"n", QN_VALUE, QN_INT32}};
static const qn_kernel_declaration kernels[] = {{"add", declared, 3, geometry, add, NULL}};
static const qn_family family = {.name = "test/add", .source = source, .kernels = kernels, .kernel_count = 1};

/* Add the first 64 numbers of `from` to those of `to`. */
static qn_status launch(qn_queue *queue, qn_buffer *from, qn_buffer *to, qn_event **event)
{
    const qn_argument arguments[] = {qn_argument_range(from, 0, HALF), qn_argument_range(to, 0, HALF),
                                     qn_argument_int32(64)};
    return qn_family_run(&family, queue, &(qn_family_call){.arguments = arguments, .argument_count = 3}, event);
}

static int32_t given[COUNT], got[COUNT];

static void begin(void)
{
    for (int i = 0; i < COUNT; i++) given[i] = 3 * i + 1;
    for (int i = 0; i < 3; i++) CHECK_OK(qn_queue_create(device, &queues[i]));
    CHECK_OK(qn_buffer_create(device, BYTES, &buffer));
    CHECK_OK(qn_buffer_create(device, BYTES, &other));
    CHECK_OK(qn_queue_fill(queues[0], buffer, 0, BYTES, 0, NULL));
    CHECK_OK(qn_queue_fill(queues[0], other, 0, BYTES, 0, NULL));
    CHECK_OK(qn_queue_finish(queues[0]));
}

static void end(void)
{
    for (int i = 0; i < 3; i++) qn_queue_destroy(&queues[i]);
    qn_buffer_release(&buffer);
    qn_buffer_release(&other);
}

/* A command of `queue` that uses the first half of `buffer`, or all of it. */
typedef enum command { WRITE, READ, COPY_FROM, COPY_TO, FILL, LAUNCH_FROM, LAUNCH_TO, COMMANDS } command;

static const char *const names[COMMANDS] = {"a write", "a read",          "a copy",         "a copy",
                                            "a fill",  "add of test/add", "add of test/add"};
static const bool writes[COMMANDS] = {[WRITE] = true, [COPY_TO] = true, [FILL] = true, [LAUNCH_TO] = true};

static qn_status run(command chosen, qn_queue *queue, qn_buffer *extra, qn_event **event)
{
    switch (chosen) {
    case WRITE: return qn_queue_write(queue, buffer, 0, given, HALF, event);
    case READ: return qn_queue_read(queue, buffer, 0, queue == queues[0] ? got : got + COUNT / 2, HALF, event);
    case COPY_FROM: return qn_queue_copy(queue, buffer, 0, extra, 0, HALF, event);
    case COPY_TO: return qn_queue_copy(queue, extra, 0, buffer, 0, HALF, event);
    case FILL: return qn_queue_fill(queue, buffer, 0, HALF, 7, event);
    case LAUNCH_FROM: return launch(queue, buffer, extra, event);
    case LAUNCH_TO: return launch(queue, extra, buffer, event);
    default: return QN_FAIL(QN_INVALID_ARGUMENT, "no command");
    }
}

/* Each pair of commands on two queues: without a wait only two that read pass, with a wait every pair does. */
static void every_pair_of_commands_needs_a_wait(void)
{
    for (int first = 0; first < COMMANDS; first++)
        for (int second = 0; second < COMMANDS; second++)
            for (int waits = 0; waits < 2; waits++) {
                qn_buffer *third = NULL;
                qn_event *event = NULL;
                begin();
                CHECK_OK(qn_buffer_create(device, BYTES, &third));
                CHECK_OK(run((command)first, queues[0], other, &event));
                if (waits) CHECK_OK(qn_queue_wait_for(queues[1], event));
                const bool passes = waits || !(writes[first] || writes[second]);
                if (passes) CHECK_OK(run((command)second, queues[1], third, NULL));
                if (!passes && CHECK_FAILS(run((command)second, queues[1], third, NULL), QN_CHECK_FAILED)) {
                    char pair[100];
                    snprintf(pair, sizeof pair, "%s and then %s of another queue use bytes 0 to 256 of a buffer of 512",
                             names[first], names[second]);
                    CHECK_MESSAGE_HAS(pair);
                    CHECK_MESSAGE_HAS(writes[first] && writes[second] ? "both write"
                                      : writes[first]                 ? "the first writes"
                                                                      : "the second writes");
                }
                qn_event_destroy(&event);
                end();
                qn_buffer_release(&third);
            }
}

static void other_bytes_need_no_wait(void)
{
    begin();
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, HALF, NULL));
    CHECK_OK(qn_queue_write(queues[1], buffer, HALF, given, HALF, NULL));
    CHECK_FAILS(qn_queue_write(queues[2], buffer, HALF - 1, given, 1, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("bytes 255 to 256");
    CHECK_FAILS(qn_queue_write(queues[0], buffer, HALF, given, 1, NULL), QN_CHECK_FAILED);
    CHECK_OK(qn_queue_write(queues[1], buffer, BYTES - 4, given, 4, NULL)); /* of its own queue, in order */
    CHECK_OK(qn_queue_write(queues[0], buffer, BYTES - 4, given, 0, NULL)); /* no bytes */
    end();
}

/* A later command of a queue stands for an earlier one only if it does as much. */
static void earlier_commands_still_count(void)
{
    begin();
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, NULL));
    CHECK_OK(qn_queue_read(queues[0], buffer, 0, got, BYTES, NULL));
    CHECK_OK(qn_queue_fill(queues[0], buffer, 0, HALF, 1, NULL));
    CHECK_FAILS(qn_queue_copy(queues[1], buffer, HALF, other, 0, HALF, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("a write and then a copy");
    CHECK_FAILS(qn_queue_fill(queues[1], buffer, 0, 4, 1, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("both write");
    end();
}

/* Queue 2 waits for queue 1, which waits for queue 0. An event of before the command orders nothing. */
static void order_goes_through_other_queues(void)
{
    qn_event *events[2] = {NULL, NULL}, *early = NULL;
    begin();
    CHECK_OK(qn_queue_fill(queues[0], other, 0, BYTES, 1, &early));
    CHECK_OK(run(WRITE, queues[0], NULL, &events[0]));
    CHECK_OK(qn_queue_wait_for(queues[2], early));
    CHECK_FAILS(run(FILL, queues[2], NULL, NULL), QN_CHECK_FAILED);
    CHECK_OK(qn_queue_wait_for(queues[1], events[0]));
    CHECK_FAILS(run(FILL, queues[2], NULL, NULL), QN_CHECK_FAILED);
    CHECK_OK(qn_queue_fill(queues[1], other, 0, 4, 1, &events[1])); /* also after the fill of queue 0 */
    CHECK_OK(qn_queue_wait_for(queues[2], events[1]));
    CHECK_OK(run(FILL, queues[2], NULL, NULL));
    for (int i = 0; i < 2; i++) qn_event_destroy(&events[i]);
    qn_event_destroy(&early);
    end();
}

/* How the host learns that a command is over: each orders it before every later command. */
static void waits_of_the_host_count(void)
{
    for (int way = 0; way < 5; way++) {
        qn_event *event = NULL;
        bool done = false;
        double seconds;
        begin();
        CHECK_OK(run(WRITE, queues[0], NULL, &event));
        CHECK_FAILS(run(FILL, queues[1], NULL, NULL), QN_CHECK_FAILED);
        if (way == 0) CHECK_OK(qn_event_wait(event));
        if (way == 1) CHECK_OK(qn_queue_finish(queues[0]));
        if (way == 2) CHECK(qn_event_done(event, &done) == QN_OK && done);
        if (way == 3) CHECK_OK(qn_event_seconds(event, &seconds));
        if (way == 4) qn_queue_destroy(&queues[0]);
        CHECK_OK(run(FILL, queues[1], NULL, NULL));
        qn_event_destroy(&event);
        end();
    }
}

/* A wait for one command says nothing of the next one of its queue. */
static void waits_of_the_host_end_at_their_command(void)
{
    qn_event *event = NULL;
    begin();
    CHECK_OK(qn_queue_fill(queues[0], other, 0, 4, 1, &event));
    CHECK_OK(run(WRITE, queues[0], NULL, NULL));
    CHECK_OK(qn_event_wait(event));
    CHECK_FAILS(run(FILL, queues[1], NULL, NULL), QN_CHECK_FAILED);
    qn_event_destroy(&event);
    end();
}

/* Of a command that a library gives to the native queue, only its buffers are known. */
static void commands_of_libraries_are_in_order(void)
{
    qn_event *event = NULL;
    begin();
    CHECK_OK(qn_queue_note_native_use(queues[0], buffer, HALF, false));
    CHECK_OK(run(READ, queues[1], NULL, NULL));
    CHECK_OK(qn_queue_write(queues[1], buffer, HALF, given, HALF, NULL));
    CHECK_FAILS(run(FILL, queues[2], NULL, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("a library's command and then a fill of another queue use bytes 0 to 256");
    CHECK_OK(qn_queue_note_native_use(queues[0], other, BYTES, true));
    CHECK_OK(qn_queue_fill(queues[0], other, HALF, 4, 0, &event)); /* an event of after the library's commands */
    CHECK_FAILS(qn_queue_fill(queues[2], other, 0, 4, 0, NULL), QN_CHECK_FAILED);
    CHECK_OK(qn_queue_wait_for(queues[2], event));
    CHECK_OK(qn_queue_fill(queues[2], other, 0, 4, 0, NULL));
    CHECK_FAILS(qn_queue_note_native_use(queues[0], other, BYTES + 1, true), QN_INVALID_ARGUMENT);
    qn_event_destroy(&event);
    end();
}

/* A queue that takes the number of a destroyed one does not take its order. */
static void new_queues_are_in_no_order(void)
{
    qn_event *event = NULL;
    begin();
    CHECK_OK(qn_queue_fill(queues[1], other, 0, 4, 1, NULL));
    CHECK_OK(qn_queue_fill(queues[1], other, 0, 4, 1, &event));
    qn_queue_destroy(&queues[1]);
    CHECK_OK(qn_queue_create(device, &queues[1]));
    CHECK_OK(run(WRITE, queues[1], NULL, NULL));
    CHECK_OK(qn_queue_wait_for(queues[0], event)); /* of the destroyed queue */
    CHECK_FAILS(run(FILL, queues[0], NULL, NULL), QN_CHECK_FAILED);
    qn_event_destroy(&event);
    end();
}

static void memory_of_writes_keeps_its_bytes(void)
{
    qn_event *event = NULL;
    begin();
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, NULL));
    CHECK_OK(qn_queue_finish(queues[0]));
    given[5] = -1; /* after the wait */
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, &event));
    CHECK_OK(qn_queue_fill(queues[0], other, 0, BYTES, 3, NULL));
    given[7] = -1;
    CHECK_FAILS(qn_queue_finish(queues[0]), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("byte 28 of the 512 bytes of host memory of a write changed");
    CHECK_OK(qn_queue_finish(queues[0])); /* reported once */
    CHECK_OK(qn_event_wait(event));
    qn_event_destroy(&event);

    /* A wait of another queue, for which the host waits, counts too. */
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, &event));
    CHECK_OK(qn_queue_wait_for(queues[1], event));
    CHECK_OK(qn_queue_finish(queues[1]));
    given[7] = 22;
    CHECK_OK(qn_queue_finish(queues[0]));
    qn_event_destroy(&event);
    end();
}

static void reads_arrive_when_the_host_waits(void)
{
    qn_event *event = NULL;
    begin();
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, NULL));
    CHECK_OK(qn_queue_read(queues[0], buffer, 0, got, HALF, &event));
    CHECK_OK(qn_queue_read(queues[0], buffer, HALF, got + COUNT / 2, HALF, NULL));
    CHECK(got[0] == -1 && got[COUNT - 1] == -1);
    CHECK_OK(qn_event_wait(event));
    CHECK(memcmp(got, given, HALF) == 0 && got[COUNT / 2] == -1);
    CHECK_OK(qn_queue_finish(queues[0]));
    CHECK(memcmp(got, given, BYTES) == 0);
    qn_event_destroy(&event);
    end();
}

/* Commands of a queue may use the same host memory one after the other. */
static void memory_goes_from_command_to_command(void)
{
    int32_t memory[COUNT];
    begin();
    memcpy(memory, given, sizeof memory);
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, memory, HALF, NULL));
    CHECK_OK(qn_queue_fill(queues[0], other, 0, BYTES, 2, NULL));
    CHECK_OK(qn_queue_read(queues[0], other, 0, memory, BYTES, NULL)); /* over the memory of the write */
    CHECK_OK(qn_queue_read(queues[0], buffer, 0, memory, HALF, NULL)); /* over half of that of the read */
    CHECK_OK(qn_queue_write(queues[0], other, 0, memory, HALF, NULL)); /* of what was read */
    CHECK_OK(qn_queue_read(queues[0], other, 0, got, BYTES, NULL));
    CHECK_OK(qn_queue_finish(queues[0]));
    CHECK(memcmp(memory, given, HALF) == 0 && memory[COUNT - 1] == 0x02020202);
    CHECK(memcmp(got, given, HALF) == 0 && got[COUNT - 1] == 0x02020202);

    /* A write of memory in whose middle a read arrives. */
    CHECK_OK(qn_queue_fill(queues[0], other, 0, BYTES, 5, NULL));
    CHECK_OK(qn_queue_read(queues[0], other, 0, memory + 8, 16, NULL));
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, memory, BYTES, NULL));
    CHECK_OK(qn_queue_read(queues[0], buffer, 0, got, BYTES, NULL));
    CHECK_OK(qn_queue_finish(queues[0]));
    CHECK(got[7] == given[7] && got[8] == 0x05050505 && got[11] == 0x05050505 && got[12] == given[12]);
    end();
}

static qn_status add_memory(void *const *addresses, qn_pool *pool, void *user)
{
    (void)pool;
    *(int32_t *)user += *(int32_t *)addresses[0];
    return QN_OK;
}

static void host_functions_are_in_order(void)
{
    int32_t memory = 0;
    if (!on_host) {
        CHECK(true);
        return;
    }
    begin();
    CHECK_OK(qn_queue_write(queues[0], buffer, 0, given, BYTES, NULL));
    CHECK_FAILS(qn_queue_call_host(queues[1], add_memory, &buffer, 1, &memory, NULL), QN_CHECK_FAILED);
    CHECK_MESSAGE_HAS("a write and then a host function of another queue use bytes 0 to 512");
    CHECK_OK(qn_queue_read(queues[0], buffer, 4, &memory, 4, NULL));
    CHECK_OK(qn_queue_call_host(queues[0], add_memory, &buffer, 1, &memory, NULL));
    CHECK(memory == given[1] + given[0]);
    CHECK_FAILS(run(FILL, queues[1], NULL, NULL), QN_CHECK_FAILED);
    end();
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "checking:host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL)) return check_finish();
    on_host = strcmp(qn_device_inner_driver(device), "host") == 0;
    RUN(every_pair_of_commands_needs_a_wait);
    RUN(other_bytes_need_no_wait);
    RUN(earlier_commands_still_count);
    RUN(order_goes_through_other_queues);
    RUN(waits_of_the_host_count);
    RUN(waits_of_the_host_end_at_their_command);
    RUN(commands_of_libraries_are_in_order);
    RUN(new_queues_are_in_no_order);
    RUN(memory_of_writes_keeps_its_bytes);
    RUN(reads_arrive_when_the_host_waits);
    RUN(memory_goes_from_command_to_command);
    RUN(host_functions_are_in_order);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
