/* devices: host opencl:0 cuda:0 checking:host */
/* The trace of commands: what it counts, and that it is off unless it was asked for. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/trace.h"

enum { BYTES = 1 << 20, TIMES = 3 };

static const char *name;
static char table[4096];

static void keep(qn_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    snprintf(table + strlen(table), sizeof table - strlen(table), "%s\n", message);
}

/* Run some commands; without a table, the device is not traced. */
static void run_commands(bool adds_device)
{
    qn_context_options options = qn_context_default_options();
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_queue *queue = NULL;
    qn_buffer *buffer = NULL;
    const qn_device_rates rates = {.copy_bytes_per_s = 1, .read_bytes_per_s = 1};
    options.log = keep;
    table[0] = '\0';
    CHECK_OK(qn_context_create(&options, &context));
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    CHECK(qn_trace_wants_device(device) == adds_device);
    if (adds_device) CHECK_OK(qn_trace_add_device(device, &rates));
    CHECK(!qn_trace_wants_device(device));
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_buffer_create(device, BYTES, &buffer));
    for (int i = 0; i < TIMES; i++) CHECK_OK(qn_queue_fill(queue, buffer, 0, BYTES, 1, NULL));
    CHECK_OK(qn_queue_copy(queue, buffer, 0, buffer, BYTES / 2, BYTES / 4, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&buffer);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
}

/* The number after a command's name. */
static int times_of(const char *command)
{
    const char *line = strstr(table, command);
    return line ? atoi(line + strlen(command)) : 0;
}

static void commands_are_counted(void)
{
    CHECK(setenv("QUERN_TRACE", "1", 1) == 0);
    run_commands(true);
    CHECK(strstr(table, "1 waits for queues") != NULL);
    CHECK(times_of("\nfill ") == TIMES);
    CHECK(times_of("\ncopy ") == 1);
    CHECK(strstr(table, "read ") == NULL);
}

static void nothing_is_traced_without_the_setting(void)
{
    CHECK(unsetenv("QUERN_TRACE") == 0);
    run_commands(false);
    CHECK(strstr(table, "trace") == NULL);
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : "host";
    RUN(commands_are_counted);
    RUN(nothing_is_traced_without_the_setting);
    return check_finish();
}
