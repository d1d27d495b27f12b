#include "tune/live_counters.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/counters.h"
#include "tune/session.h"

static const double SECONDS_MAX = 5;

struct qn_live_counters {
    const qn_workload *workload;
    const qn_tuning_model *model;
    const qn_space *space;
    qn_tuning_model_binding *binding;
    qn_counters *counters; /* NULL: counting failed */
    double *values;        /* [qn_counters_names] */
    double *columns;       /* [column of the model] */
};

/* A run of the workload that counting repeats. */
typedef struct repeated {
    const qn_live_counters *live;
    void *state;
    qn_queue *queue;
    qn_configuration configuration;
    bool too_long;
} repeated;

static qn_status open_live(qn_live_counters *live)
{
    size_t count;
    qn_counters_names(&count);
    QN_TRY(qn_tuning_model_bind(live->model, live->space, &live->binding));
    QN_TRY(qn_allocate(count, sizeof(double), (void **)&live->values));
    return qn_allocate(qn_tuning_model_column_count(live->model), sizeof(double), (void **)&live->columns);
}

qn_status qn_live_counters_open(qn_device *device, const qn_workload *workload, const qn_tuning_model *model,
                                const qn_space *space, qn_live_counters **live)
{
    qn_counters *counters = NULL;
    void *memory;
    *live = NULL;
    if (!model) return QN_OK;
    qn_status status = qn_counters_create(device, &counters);
    if (status == QN_UNSUPPORTED) {
        qn_log(QN_LOG_NOTE, "%s: the searcher profile estimates instead of counting: %s", workload->name,
               qn_error_message());
        qn_error_clear();
        return QN_OK;
    }
    QN_TRY(status);
    status = qn_allocate(1, sizeof **live, &memory);
    if (status != QN_OK) {
        qn_counters_destroy(&counters);
        return status;
    }
    *live = memory;
    **live = (qn_live_counters){.workload = workload, .model = model, .space = space, .counters = counters};
    status = open_live(*live);
    if (status != QN_OK) qn_live_counters_close(live);
    return status;
}

void qn_live_counters_close(qn_live_counters **live)
{
    if (!*live) return;
    qn_counters_destroy(&(*live)->counters);
    qn_tuning_model_unbind(&(*live)->binding);
    qn_release(&(*live)->values);
    qn_release(&(*live)->columns);
    qn_release(live);
}

static qn_status run_again(void *user)
{
    repeated *r = user;
    double seconds = 0;
    QN_TRY(r->live->workload->run(r->state, r->queue, &r->configuration, &seconds));
    r->too_long = seconds * (double)qn_counters_passes(r->live->counters) > SECONDS_MAX;
    if (r->too_long) return QN_FAIL(QN_UNSUPPORTED, "a run takes %.3g s: too long to count it", seconds);
    return QN_OK;
}

void qn_live_counters_place(const qn_tuning_model *model, const double *values, double *columns)
{
    size_t count;
    const char *const *names = qn_counters_names(&count);
    for (size_t c = 0; c < qn_tuning_model_column_count(model); c++)
        for (size_t i = 0; i < count; i++)
            if (isfinite(values[i]) && strcmp(names[i], qn_tuning_model_column_name(model, c)) == 0)
                columns[c] = values[i];
}

qn_status qn_live_counters_read(qn_live_counters *live, void *state, qn_queue *queue, qn_point point, qn_test *test)
{
    if (!live || !live->counters) return QN_OK;
    double began_s = qn_clock_s();
    repeated r = {
        .live = live, .state = state, .queue = queue, .configuration = qn_tune_configuration(live->space, point)};
    qn_status status = qn_counters_collect(live->counters, run_again, &r, live->values);
    test->run_seconds += qn_clock_s() - began_s;
    if (status == QN_DEVICE_LOST || status == QN_CANCELLED) return status;
    if (status != QN_OK) {
        qn_log(r.too_long ? QN_LOG_DEBUG : QN_LOG_WARNING, "%s: %s%s", live->workload->name, qn_error_message(),
               r.too_long ? "" : "; the searcher profile estimates from now on");
        qn_error_clear();
        if (!r.too_long) qn_counters_destroy(&live->counters);
        return QN_OK;
    }
    qn_tuning_model_predict(live->model, live->binding, point, live->columns);
    qn_live_counters_place(live->model, live->values, live->columns);
    test->counters = live->columns;
    test->counter_count = qn_tuning_model_column_count(live->model);
    return QN_OK;
}
