/* Searching by what the device's counters say holds the best configuration back (Filipovič et al. 2022): a batch is
 * tested, the counters of the best configuration are read (or estimated from the model, its time and the device's
 * rates), the expert scores neighbours of the best by their predicted counters, and a roulette draws the next batch. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "tune/expert.h"
#include "tune/model.h"
#include "tune/searcher.h"

/* As published, but for the batch: 5 in the paper, 2 in the authors' later implementation. */
enum { BATCH = 2, NEIGHBOURS = 100, STRANGERS = 10, CANDIDATES = NEIGHBOURS + STRANGERS };
enum { NEIGHBOUR_TRIES = 600, STRANGER_TRIES = 60 };

static const qn_point NO_POINT = UINT64_MAX;

typedef struct profile {
    const qn_space *space;
    const qn_model *model;
    qn_model_binding *binding;
    qn_expert_columns columns;
    double *prediction; /* [column] */
    size_t column_count;
    qn_device_rates rates;
    int compute_units;
    double local_memory_bytes; /* that a group may have; infinite when not known */
    uint64_t seed, draws;

    qn_point *seen; /* points handed out or told: open addressing, a power of two, at most half full */
    size_t slots, used;

    bool has_best;
    qn_point best;
    double best_seconds;
    double *counters; /* [column] of the best */
    bool has_counters, counters_read;
    uint64_t reruns;

    qn_point batch[BATCH], candidates[CANDIDATES];
    double weights[CANDIDATES];
    size_t batch_count;
} profile;

static double uniform(profile *p)
{
    return qn_random_uniform(p->seed, 0, p->draws++);
}

static uint64_t below(profile *p, uint64_t count)
{
    uint64_t number = (uint64_t)(uniform(p) * (double)count);
    return number < count ? number : count - 1;
}

static size_t slot_of(const profile *p, qn_point point)
{
    size_t slot = (size_t)((point + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (p->slots - 1);
    while (p->seen[slot] != NO_POINT && p->seen[slot] != point) slot = (slot + 1) & (p->slots - 1);
    return slot;
}

static bool was_seen(const profile *p, qn_point point)
{
    return p->seen[slot_of(p, point)] == point;
}

static qn_status set_slots(profile *p, size_t slots)
{
    qn_point *old = p->seen, *seen;
    size_t old_slots = p->slots;
    QN_TRY(qn_allocate(slots, sizeof *seen, (void **)&seen));
    for (size_t i = 0; i < slots; i++) seen[i] = NO_POINT;
    p->seen = seen;
    p->slots = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i] != NO_POINT) p->seen[slot_of(p, old[i])] = old[i];
    qn_release(&old);
    return QN_OK;
}

static qn_status see(profile *p, qn_point point)
{
    if (was_seen(p, point)) return QN_OK;
    if (2 * (p->used + 1) > p->slots) QN_TRY(set_slots(p, 2 * p->slots));
    p->seen[slot_of(p, point)] = point;
    p->used++;
    return QN_OK;
}

static void profile_destroy(void **state)
{
    profile *p = *state;
    if (!p) return;
    qn_model_unbind(&p->binding);
    qn_release(&p->prediction);
    qn_release(&p->counters);
    qn_release(&p->seen);
    qn_release(state);
}

static qn_status bind_model(profile *p)
{
    const char **names = NULL;
    p->column_count = qn_model_column_count(p->model);
    QN_TRY(qn_model_bind(p->model, p->space, &p->binding));
    QN_TRY(qn_allocate(p->column_count, sizeof(double), (void **)&p->prediction));
    QN_TRY(qn_allocate(p->column_count, sizeof(double), (void **)&p->counters));
    QN_TRY(qn_allocate(p->column_count, sizeof *names, (void **)&names));
    for (size_t i = 0; i < p->column_count; i++) names[i] = qn_model_column_name(p->model, i);
    p->columns = qn_expert_find(names, p->column_count);
    qn_release(&names);
    return QN_OK;
}

static qn_status profile_create(const qn_searcher_problem *problem, void **state)
{
    profile *p;
    QN_TRY(qn_allocate(1, sizeof *p, (void **)&p));
    *state = p;
    p->space = problem->space;
    p->model = problem->model;
    p->seed = problem->seed;
    p->local_memory_bytes = INFINITY;
    if (problem->rates) p->rates = *problem->rates;
    if (problem->device) {
        p->compute_units = problem->device->compute_units;
        if (problem->device->local_memory_bytes) p->local_memory_bytes = (double)problem->device->local_memory_bytes;
    }
    qn_status status = set_slots(p, 64);
    if (status == QN_OK && p->model) status = bind_model(p);
    if (status != QN_OK) profile_destroy(state);
    return status;
}

static qn_expert_profile predict(profile *p, qn_point point)
{
    qn_model_predict(p->model, p->binding, point, p->prediction);
    return qn_expert_profile_of(&p->columns, p->prediction, p->column_count);
}

static bool fits(const profile *p, const qn_expert_profile *predicted)
{
    return !(predicted->value[QN_EXPERT_LOCAL_MEMORY] > p->local_memory_bytes);
}

/* A parameter drawn by how many other values it has. */
static size_t draw_parameter(profile *p, uint64_t changes)
{
    uint64_t number = below(p, changes);
    for (size_t i = 0;; i++) {
        uint64_t others = qn_space_value_count(p->space, i) - 1;
        if (number < others) return i;
        number -= others;
    }
}

static void change(profile *p, size_t parameter, uint16_t *numbers)
{
    uint64_t number = below(p, qn_space_value_count(p->space, parameter) - 1);
    numbers[parameter] = (uint16_t)(number + (number >= numbers[parameter]));
}

/* A combination that differs from the best in one or two parameters, every such one as likely; it need not be valid. */
static void draw_neighbour(profile *p, uint64_t singles, double pairs, uint16_t *numbers)
{
    qn_space_get(p->space, p->best, numbers);
    size_t first = draw_parameter(p, singles);
    if (uniform(p) * ((double)singles + pairs) >= (double)singles) {
        size_t second = draw_parameter(p, singles);
        while (second == first) {
            first = draw_parameter(p, singles);
            second = draw_parameter(p, singles);
        }
        change(p, second, numbers);
    }
    change(p, first, numbers);
}

static bool is_new(const profile *p, size_t count, qn_point point)
{
    if (was_seen(p, point)) return false;
    for (size_t i = 0; i < count; i++)
        if (p->candidates[i] == point) return false;
    return true;
}

static size_t add_neighbours(profile *p)
{
    uint64_t singles = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < qn_space_parameter_count(p->space); i++) {
        uint64_t others = qn_space_value_count(p->space, i) - 1;
        singles += others;
        squares += others * others;
    }
    double pairs = ((double)singles * (double)singles - (double)squares) / 2;
    for (int i = 0; i < NEIGHBOUR_TRIES && count < NEIGHBOURS && singles; i++) {
        uint16_t numbers[QN_SPACE_PARAMETERS];
        qn_point point;
        draw_neighbour(p, singles, pairs, numbers);
        if (qn_space_find(p->space, numbers, &point) && is_new(p, count, point)) p->candidates[count++] = point;
    }
    return count;
}

/* Any points that were not seen, up to `wanted` more. Where few are left drawing may miss them: then the next one in
 * order is taken, so that one is found as long as there is one. */
static size_t add_strangers(profile *p, size_t count, size_t wanted)
{
    uint64_t size = qn_space_size(p->space);
    size_t before = count;
    for (int i = 0; i < STRANGER_TRIES && count < before + wanted; i++) {
        qn_point point = below(p, size);
        if (is_new(p, count, point)) p->candidates[count++] = point;
    }
    if (count || p->used >= size) return count;
    qn_point point = below(p, size);
    while (was_seen(p, point)) point = (point + 1) % size;
    p->candidates[count++] = point;
    return count;
}

/* What is known of the best run: its counters, read by running it again, or estimates. */
static qn_expert_profile look_at_best(profile *p, const qn_expert_profile *predicted)
{
    if (!p->has_counters) return qn_expert_estimate(predicted, p->best_seconds, &p->rates);
    if (!p->counters_read) p->reruns++;
    p->counters_read = true;
    return qn_expert_profile_of(&p->columns, p->counters, p->column_count);
}

static void weigh(profile *p, size_t count)
{
    for (size_t i = 0; i < count; i++) p->weights[i] = 1;
    if (!p->model) return;
    double changes[QN_EXPERT_ROLES];
    qn_expert_profile best = {{0}};
    if (p->has_best) {
        qn_bottlenecks bottlenecks;
        best = predict(p, p->best);
        qn_expert_profile seen = look_at_best(p, &best);
        qn_expert_judge(&seen, p->compute_units, &bottlenecks);
        qn_expert_changes(&bottlenecks, changes);
        for (size_t i = 0; i < count; i++) {
            qn_expert_profile candidate = predict(p, p->candidates[i]);
            p->weights[i] = qn_expert_score(changes, &best, &candidate);
        }
        qn_expert_weights(p->weights, count);
    }
    for (size_t i = 0; i < count; i++) {
        qn_expert_profile candidate = predict(p, p->candidates[i]);
        if (!fits(p, &candidate)) p->weights[i] = 0;
    }
}

/* A roulette without returning; points of weight 0 only where there is nothing else. */
static void draw_batch(profile *p, size_t count)
{
    while (p->batch_count < BATCH && p->batch_count < count) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += fmax(0, p->weights[i]);
        double number = uniform(p) * sum;
        size_t drawn = count;
        for (size_t i = 0; i < count; i++) {
            if (p->weights[i] < 0 || (sum > 0 && p->weights[i] == 0)) continue;
            drawn = i;
            number -= p->weights[i];
            if (number < 0) break;
        }
        if (drawn == count) return;
        p->batch[p->batch_count++] = p->candidates[drawn];
        p->weights[drawn] = -1;
    }
}

static qn_status profile_ask(void *state, qn_point *point)
{
    profile *p = state;
    while (p->batch_count && was_seen(p, p->batch[p->batch_count - 1])) p->batch_count--;
    if (!p->batch_count) {
        size_t count = p->has_best ? add_neighbours(p) : 0;
        count = add_strangers(p, count, p->has_best ? STRANGERS : CANDIDATES);
        weigh(p, count);
        draw_batch(p, count);
    }
    /* Everything was handed out: any point will do. */
    *point = p->batch_count ? p->batch[--p->batch_count] : below(p, qn_space_size(p->space));
    return see(p, *point);
}

static qn_status profile_tell(void *state, qn_point point, const qn_test *test)
{
    profile *p = state;
    QN_TRY(see(p, point));
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
    .meaning = "follows the bottlenecks that counters or a static model show, by predicted counts",
    .create = profile_create,
    .ask = profile_ask,
    .tell = profile_tell,
    .destroy = profile_destroy,
    .reruns = profile_reruns,
};
