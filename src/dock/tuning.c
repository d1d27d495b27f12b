/* The tuner of a run: how it is asked for, what it may cost, what it gained. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <quern/tune.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "dock/run.h"
#include "runtime/device.h"

/* Transforms of a rotation take 2.5 N log2 N operations each and most of its time. The rates are rough, and low rather
 * than high; they only decide whether a run is long. */
static const double cpu_core_rate = 2e9, gpu_rate = 3e11, long_run_s = 60, longest_exploring_s = 120;

static const char *mode_of(const qn_dock_options *options)
{
    const char *mode = options->tune ? options->tune : "auto", *chosen = getenv("QUERN_TUNE");
    return strcmp(mode, "auto") == 0 && chosen && *chosen ? chosen : mode;
}

static qn_status read_budget(const char *text, double *share)
{
    char *end;
    *share = 0;
    if (!text) return QN_OK;
    *share = strtod(text, &end);
    bool percent = *end == '%';
    if (percent) *share /= 100;
    if (end == text || end[percent] || !(*share > 0 && *share <= 1))
        QN_FAIL(QN_INVALID_ARGUMENT, "the tuning budget is \"%s\"; expected a share of the search such as 5%%", text);
    return QN_OK;
}

qn_status qn_dock_tuning_check(const qn_dock_options *options)
{
    static const char *const modes[] = {"auto", "online", "offline", "known", "off"};
    double share;
    const char *mode = mode_of(options);
    QN_TRY(read_budget(options->tune_budget, &share));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i]) == 0) return QN_OK;
    QN_FAIL(QN_INVALID_ARGUMENT, "tuning is \"%s\"; expected auto, online, offline, known or off", mode);
}

static double estimate_seconds(const qn_dock_state *run)
{
    double volume = (double)qn_dock_grid_volume(&run->grid), rate = 0;
    double transforms = (double)run->rotation_count * (run->energy.grid_count + (double)run->energy.set_count);
    for (int i = 0; i < run->worker_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->workers[i].device);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    return transforms * 2.5 * volume * log2(volume) / rate;
}

qn_status qn_dock_tuning_start(qn_dock_state *run)
{
    const char *mode = mode_of(run->options);
    qn_tune_attach_options options = {.mode = QN_TUNE_KNOWN, .expected_seconds = estimate_seconds(run)};
    bool by_itself = strcmp(mode, "auto") == 0;
    if (strcmp(mode, "off") == 0) return QN_OK;
    /* a program that attached its own tuner, or tests that set configurations, know better */
    if (by_itself && qn_context_configuration_source(run->context)->choose) return QN_OK;
    run->tunes_first = strcmp(mode, "offline") == 0;
    if (run->tunes_first || strcmp(mode, "online") == 0 || (by_itself && estimate_seconds(run) > long_run_s))
        options.mode = QN_TUNE_ONLINE;
    QN_TRY(read_budget(run->options->tune_budget, &options.budget));
    if (run->tunes_first) options.budget = 1;
    if (qn_tune_store_open(NULL, &run->tune_store) != QN_OK) {
        qn_log(QN_LOG_WARNING, "tuning results are not kept: %s", qn_error_message());
        qn_error_clear();
    }
    options.store = run->tune_store;
    qn_status status = qn_tune_attach(run->context, &options);
    run->tunes = status == QN_OK;
    if (status != QN_OK) qn_tune_store_close(&run->tune_store);
    return status;
}

/* Whether the tuner has more to try; a search that was not begun has. */
static qn_status is_exploring(const qn_dock_state *run, bool *exploring)
{
    enum { MOST = 64 };
    qn_tune_gain gains[MOST];
    size_t count;
    QN_TRY(qn_tune_gains(run->context, gains, MOST, &count));
    *exploring = count == 0;
    for (size_t i = 0; i < count && i < MOST; i++) *exploring |= gains[i].exploring;
    return QN_OK;
}

qn_status qn_dock_tuning_explore(qn_dock_state *run, qn_dock_search *search)
{
    const size_t each = run->energy.set_count * (size_t)run->options->per_rotation;
    double start_s = qn_dock_clock_s();
    bool exploring = true;
    void *hits;
    if (!run->tunes_first) return QN_OK;
    QN_TRY(qn_allocate((size_t)qn_dock_search_batch(search) * each, sizeof(qn_dock_hit), &hits));
    qn_status status = QN_OK;
    while (status == QN_OK && exploring && qn_dock_clock_s() - start_s < longest_exploring_s) {
        status = qn_dock_search_submit(search, 0, 0);
        if (status == QN_OK) status = qn_dock_search_collect(search, 0, hits);
        if (status == QN_OK) status = is_exploring(run, &exploring);
    }
    qn_release(&hits);
    return status;
}

void qn_dock_tuning_finish(qn_dock_state *run)
{
    enum { MOST = 64 };
    qn_tune_gain gains[MOST];
    size_t count = 0;
    qn_error_trail trail;
    if (!run->tunes) return;
    qn_error_save(QN_OK, &trail);
    if (qn_tune_gains(run->context, gains, MOST, &count) != QN_OK) count = 0;
    for (size_t i = 0; i < count && i < MOST; i++) {
        const qn_tune_gain *gain = &gains[i];
        double share = gain->device_seconds > 0 ? gain->lost_seconds / gain->device_seconds : 0;
        if (gain->tests == 0) continue;
        qn_log(QN_LOG_NOTE,
               "tuned %s on %s: %.2fx as fast as at the start, %llu configurations tried, %.1f %% of its time spent",
               gain->family, gain->device, gain->speedup, (unsigned long long)gain->tests, 100 * share);
    }
    qn_tune_detach(run->context);
    qn_tune_store_close(&run->tune_store);
    run->tunes = false;
    (void)qn_error_restore(&trail);
}
