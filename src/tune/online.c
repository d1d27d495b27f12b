/* Online tuning: the door through which the runtime asks for configurations and reports launches. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/model/nominal.h"
#include "tune/online.h"

typedef struct online {
    qn_context *context;
    qn_tune_attach_options options;
    pthread_mutex_t mutex;
    qn_ahead *ahead;
    qn_online_family *families;
    bool warned;
} online;

static qn_online_family *find_family(online *door, const qn_family_launch *launch)
{
    const char *problem_class = launch->problem_class ? launch->problem_class : "";
    const char *definitions = launch->definitions ? launch->definitions : "";
    const qn_device *device = qn_queue_device(launch->queue);
    qn_online_family *family = door->families;
    while (family && !(family->family == launch->family && family->device == device &&
                       strncmp(family->key.problem_class, problem_class, sizeof family->key.problem_class - 1) == 0 &&
                       strcmp(family->definitions, definitions) == 0))
        family = family->next;
    return family;
}

/* A family that cannot be tuned, whatever the reason, runs with its fallback. */
static qn_online_family *add_family(online *door, const qn_family_launch *launch)
{
    qn_online_family *family;
    if (qn_online_family_create(launch, &door->options, &family) == QN_OK) {
        family->next = door->families;
        door->families = family;
        return family;
    }
    if (!door->warned) qn_log(QN_LOG_WARNING, "%s is not tuned: %s", launch->family->name, qn_error_message());
    door->warned = true;
    qn_error_clear();
    return NULL;
}

/* The open round of the launch's queue, taken out of the list when `close`. */
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

static qn_online_round *begin_round(online *door, qn_online_family *family, const qn_family_launch *launch)
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
    qn_online_begin(family, door->ahead, launch, round);
    round->next = family->open;
    family->open = round;
    return round;
}

static const char *choose(qn_family_launch *launch, void *user)
{
    online *door = user;
    const char *origin = NULL;
    qn_work work = {0};
    pthread_mutex_lock(&door->mutex);
    qn_online_family *family = find_family(door, launch);
    if (!family) family = add_family(door, launch);
    qn_online_round *round = NULL;
    if (family)
        round = launch->kernel == 0 ? begin_round(door, family, launch) : find_round(family, launch->queue, false);
    if (round) {
        const qn_kernel_declaration *kernel = &launch->family->kernels[launch->kernel];
        if (kernel->work) kernel->work(launch->problem, &work);
        round->scale += qn_tune_nominal_seconds(&work);
        if (round->event_count == QN_ONLINE_EVENTS && !round->trial) round->timed = false;
        launch->configuration = round->configuration;
        launch->timed = round->timed && round->event_count < QN_ONLINE_EVENTS;
        launch->tag = round;
        origin = round->trial ? "being tried" : family->origin;
    } else if (family) { /* no round was begun: kernels must agree, and the fallback is what everybody knows */
        origin = "fallback";
    }
    pthread_mutex_unlock(&door->mutex);
    return origin;
}

static bool report(const qn_family_launch *launch, qn_status status, qn_event *event, void *user)
{
    online *door = user;
    qn_online_round *round = launch->tag;
    bool again = false;
    if (!round) {
        qn_event_destroy(&event);
        return false;
    }
    pthread_mutex_lock(&door->mutex);
    if (status != QN_OK) {
        const qn_configuration fallback = qn_family_fallback(launch->family);
        again = launch->kernel == 0 && memcmp(&fallback, &launch->configuration, sizeof fallback) != 0;
        qn_online_failed(round->family, round, status);
        round->timed = false;
    } else if (event) {
        round->events[round->event_count++] = event;
        event = NULL;
    }
    pthread_mutex_unlock(&door->mutex);
    qn_event_destroy(&event);
    return again;
}

static void destroy(void *user)
{
    online *door = user;
    qn_ahead_destroy(&door->ahead);
    while (door->families) {
        qn_online_family *family = door->families;
        door->families = family->next;
        qn_online_family_destroy(&family);
    }
    pthread_mutex_destroy(&door->mutex);
    qn_release(&door);
}

/* The attached tuner of a context; NULL. */
static online *find_door(const qn_context *context)
{
    const qn_configuration_source *source = qn_context_configuration_source(context);
    return source->choose == choose ? source->user : NULL;
}

static qn_status attach(qn_context *context, const qn_tune_attach_options *options)
{
    void *memory;
    qn_tune_detach(context);
    if (options->budget < 0 || options->budget > 1)
        QN_FAIL(QN_INVALID_ARGUMENT, "the tuning budget is %g; expected a share, 0 to 1", options->budget);
    if (options->mode == QN_TUNE_OFF) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof(online), &memory));
    online *door = memory;
    door->context = context;
    door->options = *options;
    int threads = qn_context_threads(context) / 2; /* used up for GPUs alone */
    if (threads > QN_ONLINE_MOST_AHEAD) threads = QN_ONLINE_MOST_AHEAD;
    if (threads < 1) threads = 1;
    qn_status status = qn_ahead_create(options->mode == QN_TUNE_ONLINE ? threads : 0, &door->ahead);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    pthread_mutex_init(&door->mutex, NULL);
    qn_context_set_configuration_source(
        context, &(qn_configuration_source){.choose = choose, .report = report, .end = destroy, .user = door});
    return QN_OK;
}

qn_status qn_tune_attach(qn_context *context, const qn_tune_attach_options *options)
{
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = attach(context, options);
    qn_log_return(outer);
    return status;
}

void qn_tune_detach(qn_context *context)
{
    online *door = find_door(context);
    if (!door) return;
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_context_set_configuration_source(context, NULL);
    destroy(door);
    qn_log_return(outer);
}

static void describe(const qn_online_family *family, qn_tune_gain *gain)
{
    const double start = qn_recent_median(&family->start_times), best = qn_recent_median(&family->best_times);
    *gain = (qn_tune_gain){.family = family->family->name,
                           .origin = family->origin,
                           .tests = family->tests,
                           .failed = family->failed,
                           .exploring = family->stage != QN_ONLINE_OVER,
                           .speedup = isfinite(start) && best > 0 && isfinite(best) ? start / best : 1,
                           .lost_seconds = family->lost_s,
                           .device_seconds = family->device_s,
                           .build_seconds = family->build_s};
    if (strcmp(family->origin, "found in this run") != 0) gain->speedup = 1; /* the rest is drift of the machine */
    snprintf(gain->device, sizeof gain->device, "%s", qn_device_get_info(family->device)->identifier);
    snprintf(gain->problem_class, sizeof gain->problem_class, "%s", family->key.problem_class);
    qn_tune_configuration_text(family->family, &family->best, gain->configuration, sizeof gain->configuration);
}

qn_status qn_tune_gains(qn_context *context, qn_tune_gain *gains, size_t capacity, size_t *count)
{
    online *door = find_door(context);
    *count = 0;
    if (!door) return QN_OK;
    pthread_mutex_lock(&door->mutex);
    for (const qn_online_family *family = door->families; family; family = family->next, (*count)++)
        if (*count < capacity) describe(family, &gains[*count]);
    pthread_mutex_unlock(&door->mutex);
    return QN_OK;
}
