/* devices: host opencl:0 cuda:0 checking:host */
/* labels: threads@host */
#define _DEFAULT_SOURCE /* pthread_barrier_t */
/* Several threads on one device, each with its own queue: they build the same programs at the same time and share the
 * pool. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/kernels/measure.h"
#include "runtime/objects.h"

enum {
    THREADS = 4,
    ROUNDS = 200,
    ELEMENTS = 4 * QN_MEASURE_ELEMENTS_STEP,
    PARTIALS = 64,
    CHAINS = QN_MEASURE_CHAINS_STEP
};

typedef struct worker {
    pthread_t thread;
    qn_device *device;
    int number;
    int wrong;
    qn_status status;
    char message[256];
} worker;

static qn_status sum_once(worker *self, qn_queue *queue, qn_buffer *from, qn_buffer *partial, int round)
{
    float values[4 * ELEMENTS], sums[PARTIALS];
    const qn_measure_problem problem = {.elements = ELEMENTS, .partials = PARTIALS};
    double total = 0;
    /* Small integers that differ between threads and rounds, so that sums are exact in any order. */
    for (int i = 0; i < 4 * ELEMENTS; i++) values[i] = (float)((i + self->number * 5 + round) % 23);
    qn_status status = qn_queue_write(queue, from, 0, values, sizeof values, NULL);
    if (status == QN_OK) status = qn_measure_sum(queue, NULL, &problem, from, partial, NULL);
    if (status == QN_OK) status = qn_queue_read(queue, partial, 0, sums, sizeof sums, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    for (int i = 0; i < PARTIALS && status == QN_OK; i++) total += sums[i];
    if (status == QN_OK) self->wrong += total != qn_measure_sum_reference(&problem, values);
    return status;
}

static qn_status count_once(worker *self, qn_queue *queue, qn_buffer *result, int round)
{
    int32_t counters[CHAINS];
    const qn_measure_problem problem = {.chains = CHAINS, .steps = 10 + 3 * self->number + round};
    qn_status status = qn_measure_local_atomic_add(queue, NULL, &problem, result, NULL);
    if (status == QN_OK) status = qn_queue_read(queue, result, 0, counters, sizeof counters, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    for (int i = 0; i < CHAINS && status == QN_OK; i++)
        self->wrong += counters[i] != qn_measure_local_atomic_add_reference(problem.steps);
    return status;
}

static pthread_barrier_t start;

static void *run(void *user)
{
    worker *self = user;
    qn_queue *queue = NULL;
    qn_buffer *from = NULL, *partial = NULL, *result = NULL;
    self->status = qn_queue_create(self->device, &queue);
    if (self->status == QN_OK) self->status = qn_buffer_create(self->device, 16 * ELEMENTS, &from);
    if (self->status == QN_OK) self->status = qn_buffer_create(self->device, 4 * PARTIALS, &partial);
    if (self->status == QN_OK) self->status = qn_buffer_create(self->device, 4 * CHAINS, &result);
    pthread_barrier_wait(&start); /* so that all threads make the first launch, which compiles, at the same time */
    for (int round = 0; round < ROUNDS && self->status == QN_OK; round++) {
        self->status = sum_once(self, queue, from, partial, round);
        if (self->status == QN_OK) self->status = count_once(self, queue, result, round);
    }
    snprintf(self->message, sizeof self->message, "%s", self->status == QN_OK ? "" : qn_error_message());
    qn_buffer_release(&from);
    qn_buffer_release(&partial);
    qn_buffer_release(&result);
    qn_queue_destroy(&queue);
    return NULL;
}

static qn_device *device;

static void threads_do_not_disturb_each_other(void)
{
    worker workers[THREADS];
    memset(workers, 0, sizeof workers);
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i].device = device;
        workers[i].number = i;
        if (!CHECK(pthread_create(&workers[i].thread, NULL, run, &workers[i]) == 0)) return;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (!CHECK(workers[i].status == QN_OK)) fprintf(stderr, "  thread %d: %s\n", i, workers[i].message);
        CHECK(workers[i].wrong == 0);
    }
    pthread_barrier_destroy(&start);
}

static void programs_are_built_once(void)
{
    int programs = 0;
    for (const qn_program_entry *entry = device->programs; entry; entry = entry->next) programs++;
    CHECK(programs == 1);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    /* The pool has three threads even on machines with fewer processors, so that its runs can overlap. */
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 3}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL)) return check_finish();
    RUN(threads_do_not_disturb_each_other);
    RUN(programs_are_built_once);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
