/* The best partition of a section's calls into legal kernels, found by the sets of calls that are done: what the rest
 * costs does not depend on how they were done. With few calls every set is kept, unless it cannot be part of a
 * partition that is as good as one that joining pairs has found; with more calls a beam keeps the best sets of each
 * size, and tries only kernels that grow through legal ones. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/plan/plan.h"

enum { BEAM_KERNELS_MAX = 256 }; /* that are tried after each set of a beam */

/* Calls that are done; bit 0 is the section's first. */
typedef struct state {
    qn_calls done, last; /* the last kernel */
    int previous;        /* the state before it; -1: none */
    double cost_s;
} state;

typedef struct search {
    const qn_scope *scope;
    const qn_plan_options *options;
    int first, calls;
    bool exact;
    state *states;           /* exact: by the set; else by the number of calls done, QN_PLAN_BEAM of each */
    float *known;            /* exact: cost of each kernel; 0: not known */
    double most_bytes_per_s; /* exact: of any kernel */
    double most_s;           /* exact: seconds that the best partition needs at most */
    qn_calls readers[QN_GRAPH_VALUES_MAX]; /* exact: of given values, and makers of kept values */
    double words[QN_GRAPH_VALUES_MAX];     /* of these */
    int kernels_tried;                     /* after the present state */
} search;

static bool obeys(const search *at, qn_calls kernel)
{
    for (int i = 0; i < at->options->condition_count; i++) {
        const qn_kernel_condition *condition = &at->options->conditions[i];
        if (condition->section != at->scope->section) continue;
        if (condition->is_wanted ? (kernel & condition->calls) && kernel != condition->calls
                                 : kernel == condition->calls)
            return false;
    }
    return true;
}

/* Seconds of a kernel; infinite if it is not legal. */
static double kernel_cost(const search *at, qn_calls kernel)
{
    const qn_plan_options *options = at->options;
    qn_layout layout;
    qn_again again;
    qn_words words;
    kernel <<= at->first;
    if (!obeys(at, kernel)) return INFINITY;
    for (int i = 0; i < options->forced_count; i++) {
        const qn_calls forced = options->forced[i] & at->scope->all;
        if ((kernel & forced) && (kernel & forced) != forced) return INFINITY;
    }
    if (!qn_rules_allow(at->scope, kernel, &layout, NULL)) return INFINITY;
    qn_kernel_words(at->scope, kernel, &layout, options, &again, &words);
    return qn_kernel_seconds(at->scope, kernel, &words, options);
}

static double known_cost(const search *at, qn_calls kernel)
{
    if (!at->exact) return kernel_cost(at, kernel);
    if (at->known[kernel] == 0) at->known[kernel] = (float)kernel_cost(at, kernel);
    return at->known[kernel];
}

/* The state of a set that was reached: its own, a free one, or the worst of a full beam. */
static state *place_of(const search *at, qn_calls done)
{
    if (at->exact) return &at->states[done];
    state *level = &at->states[__builtin_popcountll(done) * QN_PLAN_BEAM], *worst = level;
    for (int i = 0; i < QN_PLAN_BEAM; i++) {
        if (level[i].done == done) return &level[i];
        if (level[i].cost_s > worst->cost_s) worst = &level[i];
    }
    return worst;
}

static void reach(search *at, int previous, qn_calls kernel)
{
    const state reached = {at->states[previous].done | kernel, kernel, previous,
                           at->states[previous].cost_s + known_cost(at, kernel)};
    at->kernels_tried++;
    if (isinf(reached.cost_s)) return;
    state *into = place_of(at, reached.done);
    if (reached.cost_s < into->cost_s) *into = reached;
}

/* Whether calls that are neither done nor in the kernel wait for it. */
static bool is_awaited(const search *at, qn_calls done, qn_calls kernel)
{
    for (int call = 0; call < at->calls; call++)
        if (!qn_calls_have(done | kernel, call) && (at->scope->before[at->first + call] >> at->first & kernel))
            return true;
    return false;
}

/* Whether a kernel without the first call can come next: some call waits for others that are not done. */
static bool can_wait(const search *at, qn_calls done)
{
    const qn_calls first = qn_calls_one(__builtin_ctzll(~done));
    for (int call = 0; call < at->calls; call++)
        if (!qn_calls_have(done, call) && (at->scope->before[at->first + call] >> at->first & ~(done | first)))
            return true;
    return false;
}

/* Try kernels that grow from `kernel` by calls from `call` on: sets whose calls need only what is done or in the set
 * itself. Kernels that do not need each other have several orders, of which one is enough: the first call that is not
 * done comes next, or else a kernel that other calls wait for. */
static void expand(search *at, int previous, qn_calls kernel, int call)
{
    const qn_calls done = at->states[previous].done;
    if (!at->exact && at->kernels_tried > BEAM_KERNELS_MAX) return;
    if (call == at->calls) {
        const bool has_first = kernel >> __builtin_ctzll(~done) & 1;
        if (kernel && (has_first || is_awaited(at, done, kernel))) reach(at, previous, kernel);
        return;
    }
    const qn_calls own = qn_calls_one(call), before = at->scope->before[at->first + call] >> at->first;
    if (!(done & own) && (before & ~(done | kernel)) == 0 && (at->exact || isfinite(kernel_cost(at, kernel | own))))
        expand(at, previous, kernel | own, call + 1);
    if (call == __builtin_ctzll(~done) && !can_wait(at, done)) return;
    expand(at, previous, kernel, call + 1);
}

/* ---- bounds ---- */

/* Values that some kernel must read or write, whatever the partition. */
static void find_least(search *at)
{
    const qn_graph *graph = at->scope->graph;
    const qn_plan_options *options = at->options;
    at->most_bytes_per_s = options->bytes_per_s;
    for (int call = 0; call < graph->call_count; call++)
        at->most_bytes_per_s = fmax(at->most_bytes_per_s, graph->calls[call].bytes_per_s);
    for (int value = 0; value < graph->value_count; value++) {
        const int producer = graph->values[value].producer;
        const bool is_made = producer >= 0 && qn_calls_have(at->scope->all, producer);
        qn_words words = {.count = 0};
        qn_words_add_value(graph, value, 1, &words);
        at->words[value] = qn_words_count(&words, options->sizes, options->stored);
        if (is_made && qn_calls_leave(at->scope, at->scope->all, value)) at->readers[value] = qn_calls_one(producer);
        for (int call = 0; !is_made && call < graph->call_count; call++)
            if (qn_calls_have(at->scope->all, call) && qn_call_reads(&graph->calls[call], value))
                at->readers[value] |= qn_calls_one(call);
        at->readers[value] >>= at->first;
    }
}

/* Seconds that calls need at least, in one kernel or several. */
static double least_cost(const search *at, qn_calls calls)
{
    double words = 0;
    for (int value = 0; value < at->scope->graph->value_count; value++)
        if (at->readers[value] & calls) words += at->words[value];
    return calls ? at->options->launch_s + 4 * words / at->most_bytes_per_s : 0;
}

/* Put groups in an order in which each needs only earlier ones; false if there is none. */
static bool has_order(const search *at, const qn_calls *groups, int count)
{
    qn_calls done = 0;
    for (int placed = 0; placed < count;) {
        const int before = placed;
        for (int i = 0; i < count; i++) {
            bool ready = !(groups[i] & done);
            for (int call = 0; ready && call < at->calls; call++)
                if (qn_calls_have(groups[i], call))
                    ready = !(at->scope->before[at->first + call] >> at->first & ~(done | groups[i]));
            if (!ready) continue;
            done |= groups[i];
            placed++;
        }
        if (placed == before) return false;
    }
    return true;
}

/* The cost of a good partition: join the two kernels that gain most, as long as there are such. */
static double join_pairs(search *at)
{
    qn_calls groups[QN_PLAN_EXACT_CALLS];
    int count = at->calls;
    double total_s = 0, gain_s = 1;
    for (int call = 0; call < count; call++) total_s += known_cost(at, groups[call] = qn_calls_one(call));
    while (gain_s > 0 && isfinite(total_s)) {
        int one = 0, other = 0;
        gain_s = 0;
        for (int i = 0; i < count; i++)
            for (int k = i + 1; k < count; k++) {
                const double own_s =
                    known_cost(at, groups[i]) + known_cost(at, groups[k]) - known_cost(at, groups[i] | groups[k]);
                if (own_s <= gain_s) continue;
                gain_s = own_s, one = i, other = k;
            }
        if (gain_s <= 0) break;
        groups[one] |= groups[other];
        groups[other] = groups[--count];
        if (!has_order(at, groups, count)) return INFINITY;
        total_s -= gain_s;
    }
    return total_s;
}

static qn_status start(search *at, size_t *count)
{
    *count = at->exact ? (size_t)1 << at->calls : (size_t)(at->calls + 1) * QN_PLAN_BEAM;
    QN_TRY(qn_allocate(*count, sizeof *at->states, (void **)&at->states));
    if (at->exact) {
        QN_TRY(qn_allocate(*count, sizeof *at->known, (void **)&at->known));
        find_least(at);
        at->most_s = (1 + 1e-6) * join_pairs(at); /* costs that are known are rounded */
    }
    for (size_t i = 0; i < *count; i++) at->states[i] = (state){.previous = -1, .cost_s = INFINITY};
    at->states[0].cost_s = 0;
    return QN_OK;
}

static qn_status collect(const search *at, size_t count, qn_calls *groups, int *group_count, double *cost_s)
{
    size_t last = at->exact ? count - 1 : count - QN_PLAN_BEAM;
    for (size_t i = last; i < count; i++)
        if (at->states[i].cost_s < at->states[last].cost_s) last = i;
    if (isinf(at->states[last].cost_s))
        return QN_FAIL(QN_NOT_FOUND, "%s: no partition into kernels was found", at->scope->graph->name);
    *cost_s = at->states[last].cost_s;
    *group_count = 0;
    for (int i = (int)last; at->states[i].previous >= 0; i = at->states[i].previous) ++*group_count;
    int place = *group_count;
    for (int i = (int)last; at->states[i].previous >= 0; i = at->states[i].previous)
        groups[--place] = at->states[i].last << at->first;
    return QN_OK;
}

qn_status qn_partition_choose(const qn_scope *scope, const qn_plan_options *options, qn_calls *groups, int *count,
                              double *cost_s)
{
    const qn_section *section = &scope->graph->sections[scope->section];
    search at = {.scope = scope,
                 .options = options,
                 .first = section->first_call,
                 .calls = section->call_count,
                 .exact = section->call_count <= QN_PLAN_EXACT_CALLS};
    size_t states;
    if (options->fusion == QN_FUSION_NONE) {
        *cost_s = 0;
        for (*count = 0; *count < at.calls; ++*count) {
            groups[*count] = qn_calls_one(at.first + *count);
            *cost_s += kernel_cost(&at, qn_calls_one(*count));
        }
        return QN_OK;
    }
    qn_status status = start(&at, &states);
    for (size_t i = 0; status == QN_OK && i < states; i++) {
        at.kernels_tried = 0;
        if (!isfinite(at.states[i].cost_s) || __builtin_popcountll(at.states[i].done) == at.calls) continue;
        if (at.exact && at.states[i].cost_s + least_cost(&at, ~i & (states - 1)) > at.most_s) continue;
        expand(&at, (int)i, 0, 0);
    }
    if (status == QN_OK) status = collect(&at, states, groups, count, cost_s);
    qn_release(&at.states);
    qn_release(&at.known);
    return status;
}
