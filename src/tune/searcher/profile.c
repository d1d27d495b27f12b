/* Search guided by the bottleneck of the best configuration, which the device's counters show (Filipovič et al. 2022).
 * A batch is tested. The counters of the best configuration are read, or estimated from the model, the measured time
 * and the device's rates. The expert scores neighbours of the best by their predicted counters. A roulette draws the
 * next batch. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/model/expert.h"
#include "tune/model/model.h"
#include "tune/model/nominal.h"
#include "tune/searcher/candidates.h"
#include "tune/searcher/searcher.h"

/* Published values. The batch is 5 in the paper and 2 in the authors' later implementation. */
enum { BATCH = 2, NEIGHBOURS = 100, STRANGERS = 10 };
/* Exponents of the roulette. Estimates are less reliable than counters, so their exponent is smaller. */
static const double COUNTED_EXPONENT = 8, ESTIMATED_EXPONENT = 4;

typedef struct profile {
    const qn_tuning_model *model;
    qn_tuning_model_binding *binding;
    qn_expert_columns columns;
    double *prediction; /* [column] */
    size_t column_count;
    qn_device_rates rates;
    bool has_rates;
    int compute_units;
    double local_memory_bytes; /* that a group may have; infinite when not known */
    qn_candidates candidates;

    bool has_best;
    qn_point best;
    double best_seconds;
    double *counters; /* [column] of the best */
    bool has_counters, counters_read;
    uint64_t reruns;

    qn_point batch[BATCH];
    double weights[QN_CANDIDATES];
    size_t batch_count;
} profile;

static void profile_destroy(void **state)
{
    profile *p = *state;
    if (!p) return;
    qn_tuning_model_unbind(&p->binding);
    qn_release(&p->prediction);
    qn_release(&p->counters);
    qn_candidates_clear(&p->candidates);
    qn_release(state);
}

static qn_status bind_model(profile *p)
{
    const char **names = NULL;
    p->column_count = qn_tuning_model_column_count(p->model);
    QN_TRY(qn_tuning_model_bind(p->model, p->candidates.space, &p->binding));
    QN_TRY(qn_allocate(p->column_count, sizeof(double), (void **)&p->prediction));
    QN_TRY(qn_allocate(p->column_count, sizeof(double), (void **)&p->counters));
    QN_TRY(qn_allocate(p->column_count, sizeof *names, (void **)&names));
    for (size_t i = 0; i < p->column_count; i++) names[i] = qn_tuning_model_column_name(p->model, i);
    p->columns = qn_expert_find(names, p->column_count);
    qn_release(&names);
    return QN_OK;
}

static qn_status profile_create(const qn_searcher_problem *problem, void **state)
{
    profile *p;
    QN_TRY(qn_allocate(1, sizeof *p, (void **)&p));
    *state = p;
    p->model = problem->model;
    p->local_memory_bytes = INFINITY;
    p->has_rates = problem->rates != NULL;
    p->rates = problem->rates ? *problem->rates : qn_tune_nominal_rates;
    if (problem->device) {
        p->compute_units = problem->device->compute_units;
        if (problem->device->local_memory_bytes) p->local_memory_bytes = (double)problem->device->local_memory_bytes;
    }
    qn_status status = qn_candidates_start(&p->candidates, problem->space, problem->seed);
    if (status == QN_OK && p->model) status = bind_model(p);
    if (status != QN_OK) profile_destroy(state);
    return status;
}

static qn_expert_profile predict(profile *p, qn_point point)
{
    qn_tuning_model_predict(p->model, p->binding, point, p->prediction);
    return qn_expert_profile_of(&p->columns, p->prediction, p->column_count);
}

static bool fits(const profile *p, const qn_expert_profile *predicted)
{
    return !(predicted->value[QN_EXPERT_LOCAL_MEMORY] > p->local_memory_bytes);
}

/* Estimate the profile of the best configuration. If the rates are not known, or objectives are not in seconds, the
 * nominal rates tell which part is busiest, and the use of this part is assumed to be 90 %. */
static qn_expert_profile estimate(const profile *p, const qn_expert_profile *predicted)
{
    static const double long_s = 1e9, nearly = 0.9;
    if (p->has_rates) return qn_expert_estimate(predicted, p->best_seconds, &p->rates);
    const qn_expert_profile idle = qn_expert_estimate(predicted, long_s, &p->rates);
    const double busiest = fmax(fmax(fmax(idle.value[QN_EXPERT_DRAM_USE], idle.value[QN_EXPERT_L2_USE]),
                                     fmax(idle.value[QN_EXPERT_L1_USE], idle.value[QN_EXPERT_SHARED_USE])),
                                idle.value[QN_EXPERT_ISSUE_USE]);
    return busiest > 0 ? qn_expert_estimate(predicted, long_s * busiest / 100 / nearly, &p->rates) : idle;
}

/* Profile of the best configuration: counters, read by running it again, or estimates. */
static qn_expert_profile look_at_best(profile *p, const qn_expert_profile *predicted)
{
    if (!p->has_counters) return estimate(p, predicted);
    if (!p->counters_read) p->reruns++;
    p->counters_read = true;
    return qn_expert_profile_of(&p->columns, p->counters, p->column_count);
}

static void weigh(profile *p, size_t count)
{
    double changes[QN_EXPERT_ROLES] = {0};
    bool fitting[QN_CANDIDATES];
    qn_expert_profile best = {{0}};
    if (p->model && p->has_best) {
        qn_bottlenecks bottlenecks;
        best = predict(p, p->best);
        qn_expert_profile seen = look_at_best(p, &best);
        qn_expert_judge(&seen, p->compute_units, &bottlenecks);
        qn_expert_changes(&bottlenecks, changes);
    }
    for (size_t i = 0; i < count; i++) {
        p->weights[i] = 0;
        fitting[i] = true;
        if (!p->model) continue;
        qn_expert_profile candidate = predict(p, p->candidates.points[i]);
        fitting[i] = fits(p, &candidate);
        p->weights[i] = qn_expert_score(changes, &best, &candidate);
    }
    qn_expert_weights(p->weights, count, p->has_counters ? COUNTED_EXPONENT : ESTIMATED_EXPONENT);
    for (size_t i = 0; i < count; i++)
        if (!fitting[i]) p->weights[i] = 0;
}

/* Draw the next batch by a roulette without replacement. A point of weight 0 is drawn only if all weights are 0. */
static void draw_batch(profile *p, size_t count)
{
    while (p->batch_count < BATCH && p->batch_count < count) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += fmax(0, p->weights[i]);
        if (sum == 0 && p->batch_count) return;
        double number = qn_candidates_uniform(&p->candidates) * sum;
        size_t drawn = count;
        for (size_t i = 0; i < count; i++) {
            if (p->weights[i] < 0 || (sum > 0 && p->weights[i] == 0)) continue;
            drawn = i;
            number -= p->weights[i];
            if (number < 0) break;
        }
        if (drawn == count) return;
        p->batch[p->batch_count++] = p->candidates.points[drawn];
        p->weights[drawn] = -1;
    }
}

static qn_status profile_ask(void *state, qn_point *point)
{
    profile *p = state;
    qn_candidates *c = &p->candidates;
    while (p->batch_count && qn_candidates_seen(c, p->batch[p->batch_count - 1])) p->batch_count--;
    if (!p->batch_count) {
        c->count = 0;
        if (p->has_best) qn_candidates_neighbours(c, p->best, NEIGHBOURS);
        qn_candidates_strangers(c, p->has_best ? STRANGERS : NEIGHBOURS);
        weigh(p, c->count);
        draw_batch(p, c->count);
    }
    /* No candidate is left: return any point. */
    *point = p->batch_count ? p->batch[--p->batch_count] : qn_candidates_below(c, qn_space_size(c->space));
    return qn_candidates_see(c, *point);
}

static qn_status profile_tell(void *state, qn_point point, const qn_test *test)
{
    profile *p = state;
    QN_TRY(qn_candidates_see(&p->candidates, point));
    if (test->outcome != QN_TEST_CORRECT || !(test->objective < INFINITY)) return QN_OK;
    if (p->has_best && !(test->objective < p->best_seconds)) return QN_OK;
    p->has_best = true;
    p->best = point;
    p->best_seconds = test->objective;
    p->counters_read = false;
    p->has_counters = p->model && test->counters && test->counter_count == p->column_count;
    if (p->has_counters) memcpy(p->counters, test->counters, p->column_count * sizeof *p->counters);
    return QN_OK;
}

static uint64_t profile_reruns(const void *state)
{
    const profile *p = state;
    return p->reruns;
}

const qn_searcher_class qn_searcher_profile = {
    .name = "profile",
    .meaning = "tries configurations that relieve the bottleneck which counters or a static model show",
    .create = profile_create,
    .ask = profile_ask,
    .tell = profile_tell,
    .destroy = profile_destroy,
    .reruns = profile_reruns,
};
