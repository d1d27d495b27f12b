/* labels: threads */
/* Four contexts in four threads: the log of each gets the messages of its context and no others, one at a time. */
#include "check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "runtime/device.h"
#include "runtime/kernels/measure.h"

enum { CONTEXTS = 4, ROUNDS = 50, PIECES = 20 };

typedef struct listener {
    int number;
    int notes, pieces, foreign, at_once; /* at_once: calls that overlapped */
    atomic_int inside;
} listener;

static void listen(qn_log_level level, const char *message, void *user)
{
    listener *own = user;
    int number = -1, piece = -1;
    (void)level;
    own->at_once += atomic_fetch_add(&own->inside, 1) != 0;
    if (sscanf(message, "context %d piece %d", &number, &piece) == 2) {
        own->pieces++;
        own->foreign += number != own->number;
    } else { /* the origin of a configuration */
        own->notes++;
        own->foreign += !strstr(message, "on host:");
    }
    atomic_fetch_sub(&own->inside, 1);
}

static qn_status log_piece(size_t index, int worker, void *user)
{
    (void)worker;
    qn_log(QN_LOG_NOTE, "context %d piece %zu", *(int *)user, index);
    return QN_OK;
}

/* Log from the threads of the context, as a run of a program does. */
static qn_status log_pieces(qn_context *context, int *number)
{
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = qn_pool_run(qn_context_pool(context), PIECES, log_piece, number);
    qn_log_return(outer);
    return status;
}

static qn_status launch(qn_device *device)
{
    const qn_measure_problem problem = {.chains = QN_MEASURE_CHAINS_STEP, .steps = 5};
    qn_queue *queue = NULL;
    qn_buffer *result = NULL;
    qn_status status = qn_queue_create(device, &queue);
    if (status == QN_OK) status = qn_buffer_create(device, 4 * QN_MEASURE_CHAINS_STEP, &result);
    if (status == QN_OK) status = qn_measure_local_atomic_add(queue, NULL, &problem, result, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_buffer_release(&result);
    qn_queue_destroy(&queue);
    return status;
}

static qn_status work_in_context(void *user)
{
    listener *own = user;
    const qn_context_options options = {
        .size = sizeof options, .threads = 2, .explain = true, .log = listen, .log_user = own};
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_status status = qn_context_create(&options, &context);
    if (status == QN_OK) status = qn_device_open(context, "host", &device);
    if (status == QN_OK) status = launch(device);
    for (int round = 0; round < ROUNDS && status == QN_OK; round++) status = log_pieces(context, &own->number);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return status;
}

static void each_log_gets_the_messages_of_its_context(void)
{
    listener listeners[CONTEXTS];
    qn_thread threads[CONTEXTS];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < CONTEXTS; i++) {
        listeners[i].number = i;
        if (!CHECK_OK(qn_thread_start(&threads[i], work_in_context, &listeners[i]))) return;
    }
    for (int i = 0; i < CONTEXTS; i++) {
        const listener *own = &listeners[i];
        CHECK_OK(qn_thread_join(&threads[i]));
        CHECK(own->notes == 1 && own->pieces == ROUNDS * PIECES);
        CHECK(own->foreign == 0 && own->at_once == 0);
    }
}

int main(void)
{
    RUN(each_log_gets_the_messages_of_its_context);
    return check_finish();
}
