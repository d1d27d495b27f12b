/* Online tuning as a configuration source: the runtime asks for configurations and reports launches. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "runtime/device.h"
#include "tune/model/nominal.h"
#include "tune/online.h"

typedef struct online {
    qn_context *context;
    qn_tune_attach_options options;
    pthread_mutex_t mutex;
    qn_ahead *ahead;
    qn_online_family *families;
    qn_online_length length;
    bool warned;
} online;

static qn_online_family *find_family(online *tuner, const qn_family_launch *launch)
{
    const char *problem_class = launch->problem_class ? launch->problem_class : "";
    const char *definitions = launch->definitions ? launch->definitions : "";
    const qn_device *device = qn_queue_device(launch->queue);
    qn_online_family *family = tuner->families;
    while (family && !(family->family == launch->family && family->device == device &&
                       strncmp(family->key.problem_class, problem_class, sizeof family->key.problem_class - 1) == 0 &&
                       strcmp(family->definitions, definitions) == 0))
        family = family->next;
    return family;
}

/* Create the state of a family. On failure the family runs with its fallback, and the first failure is logged. */
static qn_online_family *add_family(online *tuner, const qn_family_launch *launch)
{
    qn_online_family *family;
    if (qn_online_family_create(launch, &tuner->options, &tuner->length, &family) == QN_OK) {
        family->next = tuner->families;
        tuner->families = family;
        return family;
    }
    if (!tuner->warned) qn_log(QN_LOG_WARNING, "%s is not tuned: %s", launch->family->name, qn_error_message());
    tuner->warned = true;
    qn_error_clear();
    return NULL;
}

/* Find the open round of a queue. If `close`, also remove the round from the list. */
static qn_online_round *find_round(qn_online_family *family, const qn_queue *queue, bool close)
{
    for (qn_online_round **at = &family->open; *at; at = &(*at)->next) {
        qn_online_round *round = *at;
        if (round->queue != queue) continue;
        if (close) *at = round->next;
        return round;
    }
    return NULL;
}

static qn_online_round *begin_round(online *tuner, qn_online_family *family, const qn_family_launch *launch)
{
    qn_online_round *round = find_round(family, launch->queue, true);
    void *memory;
    if (round) qn_online_close(family, round);
    if (qn_allocate(1, sizeof *round, &memory) != QN_OK) {
        qn_error_clear();
        return NULL;
    }
    round = memory;
    round->family = family;
    round->queue = launch->queue;
    qn_online_begin(family, tuner->ahead, launch, round);
    round->next = family->open;
    family->open = round;
    return round;
}

static const char *choose(qn_family_launch *launch, void *user)
{
    online *tuner = user;
    const char *origin = NULL;
    qn_work work = {0};
    pthread_mutex_lock(&tuner->mutex);
    qn_online_family *family = find_family(tuner, launch);
    if (!family) family = add_family(tuner, launch);
    qn_online_round *round = NULL;
    if (family)
        round = launch->kernel == 0 ? begin_round(tuner, family, launch) : find_round(family, launch->queue, false);
    if (round) {
        const qn_kernel_declaration *kernel = &launch->family->kernels[launch->kernel];
        if (kernel->work) kernel->work(launch->problem, &work);
        round->scale += qn_tune_nominal_seconds(&work);
        if (round->event_count == QN_ONLINE_EVENTS_MAX && !round->trial) round->timed = false;
        launch->configuration = round->configuration;
        launch->timed = round->timed && round->event_count < QN_ONLINE_EVENTS_MAX;
        launch->tag = round;
        origin = round->trial    ? "being tried"
                 : family->found ? "found in this run"
                                 : family->starts[family->start].text;
    } else if (family) { /* without a round the kernels of the family share no choice, so all use the fallback */
        origin = "fallback";
    }
    pthread_mutex_unlock(&tuner->mutex);
    return origin;
}

static bool report(const qn_family_launch *launch, qn_status status, qn_event *event, void *user)
{
    online *tuner = user;
    qn_online_round *round = launch->tag;
    bool again = false;
    if (!round) {
        qn_event_destroy(&event);
        return false;
    }
    pthread_mutex_lock(&tuner->mutex);
    if (status != QN_OK) {
        const qn_configuration fallback = qn_family_fallback(launch->family);
        again = launch->kernel == 0 && memcmp(&fallback, &launch->configuration, sizeof fallback) != 0;
        qn_online_failed(round->family, launch, round, status);
        round->timed = false;
    } else if (event) {
        round->events[round->event_count++] = event;
        event = NULL;
    }
    pthread_mutex_unlock(&tuner->mutex);
    qn_event_destroy(&event);
    return again;
}

static void destroy(void *user)
{
    online *tuner = user;
    int waiting = 0;
    const double started_s = qn_clock_s();
    qn_ahead_destroy(&tuner->ahead);
    const double waited_s = qn_clock_s() - started_s;
    for (const qn_online_family *family = tuner->families; family; family = family->next)
        waiting += family->line_count > 0;
    while (tuner->families) {
        qn_online_family *family = tuner->families;
        tuner->families = family->next;
        qn_online_family_destroy(&family, family->line_count > 0 ? waited_s / waiting : 0);
    }
    pthread_mutex_destroy(&tuner->mutex);
    qn_release(&tuner);
}

/* Return the tuner that is attached to a context; NULL: none. */
static online *find_tuner(const qn_context *context)
{
    const qn_configuration_source *source = qn_context_configuration_source(context);
    return source->choose == choose ? source->user : NULL;
}

static qn_status attach(qn_context *context, const qn_tune_attach_options *options)
{
    void *memory;
    qn_tune_detach(context);
    if (!(options->budget >= 0 && options->budget <= 1))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the tuning budget is %g; expected a share, 0 to 1", options->budget);
    if (options->mode == QN_TUNE_OFF) return QN_OK;
    if (options->mode != QN_TUNE_ONLINE && options->mode != QN_TUNE_KNOWN)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the tuner's mode is %d; expected QN_TUNE_ONLINE, KNOWN or OFF",
                       (int)options->mode);
    QN_TRY(qn_allocate(1, sizeof(online), &memory));
    online *tuner = memory;
    tuner->context = context;
    tuner->options = *options;
    tuner->length = (qn_online_length){.started_s = qn_clock_s(), .expected_s = options->expected_seconds};
    int threads = qn_context_threads(context) / 2; /* builds for a GPU use all of them, for a CPU one */
    if (threads > QN_ONLINE_AHEAD_MAX) threads = QN_ONLINE_AHEAD_MAX;
    if (threads < 1) threads = 1;
    qn_status status = qn_ahead_create(options->mode == QN_TUNE_ONLINE ? threads : 0, &tuner->ahead);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    pthread_mutex_init(&tuner->mutex, NULL);
    qn_context_set_configuration_source(
        context, &(qn_configuration_source){.choose = choose, .report = report, .end = destroy, .user = tuner});
    return QN_OK;
}

qn_status qn_tune_attach(qn_context *context, const qn_tune_attach_options *options)
{
    qn_tune_attach_options own = qn_tune_attach_default_options();
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "tuner's"));
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = attach(context, &own);
    qn_log_return(outer);
    return status;
}

void qn_tune_detach(qn_context *context)
{
    online *tuner = find_tuner(context);
    if (!tuner) return;
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_context_set_configuration_source(context, NULL);
    destroy(tuner);
    qn_log_return(outer);
}

void qn_tune_report_progress(qn_context *context, const qn_progress *progress)
{
    online *tuner = find_tuner(context);
    if (!tuner || progress->total == 0 || progress->total == SIZE_MAX) return;
    pthread_mutex_lock(&tuner->mutex);
    qn_online_length_report(&tuner->length, progress->stage ? progress->stage : "",
                            (double)progress->done / (double)progress->total, qn_clock_s());
    pthread_mutex_unlock(&tuner->mutex);
}

static void describe(const qn_online_family *family, qn_tune_gain *gain)
{
    const qn_online_start *begun = &family->starts[family->start];
    *gain = (qn_tune_gain){.family = family->family->name,
                           .origin = family->found ? QN_TUNE_ORIGIN_RUN : begun->origin,
                           .nearness = family->found ? QN_TUNE_THIS_DEVICE : begun->nearness,
                           .tests = family->tests,
                           .failed = family->failed,
                           .exploring = family->stage != QN_ONLINE_OVER,
                           .speedup = family->speedup,
                           .lost_seconds = family->lost_s,
                           .device_seconds = family->device_s,
                           .build_seconds = family->build_s};
    if (!family->found) snprintf(gain->found_on, sizeof gain->found_on, "%s", begun->found_on);
    snprintf(gain->device, sizeof gain->device, "%s", qn_device_get_info(family->device)->identifier);
    snprintf(gain->problem_class, sizeof gain->problem_class, "%s", family->key.problem_class);
    qn_tune_configuration_text(family->family, &family->best, gain->configuration, sizeof gain->configuration);
}

qn_status qn_tune_gains(qn_context *context, qn_tune_gain *gains, size_t capacity, size_t *count)
{
    online *tuner = find_tuner(context);
    *count = 0;
    if (!tuner) return QN_OK;
    pthread_mutex_lock(&tuner->mutex);
    for (const qn_online_family *family = tuner->families; family; family = family->next, (*count)++)
        if (*count < capacity) describe(family, &gains[*count]);
    pthread_mutex_unlock(&tuner->mutex);
    return QN_OK;
}
