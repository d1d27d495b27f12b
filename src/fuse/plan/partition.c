/* The best partition of a section's calls into legal kernels, found by the sets of calls that are done: what the rest
 * costs does not depend on how they were done. With few calls every set is kept; with more calls a beam keeps the best
 * sets of each size, and tries only kernels that grow through legal ones. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/plan/plan.h"

enum { BEAM_KERNELS_MAX = 256 }; /* that are tried after each set of a beam */

void qn_calls_words(const qn_scope *scope, qn_calls calls, qn_words *words)
{
    bool reads[QN_GRAPH_VALUES_MAX], writes[QN_GRAPH_VALUES_MAX];
    *words = (qn_words){.count = 0};
    qn_calls_traffic(scope, calls, reads, writes);
    for (int value = 0; value < scope->graph->value_count; value++)
        if (reads[value] || writes[value])
            qn_words_add_value(scope->graph, value, (reads[value] ? 1 : 0) + (writes[value] ? 1 : 0), words);
}

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
    state *states;     /* exact: by the set; else by the number of calls done, QN_PLAN_BEAM of each */
    float *known;      /* exact: cost of each kernel; 0: not known */
    int kernels_tried; /* after the present state */
} search;

/* Seconds of a kernel; infinite if it is not legal. */
static double kernel_cost(const search *at, qn_calls kernel)
{
    const qn_plan_options *options = at->options;
    qn_layout layout;
    qn_words words;
    kernel <<= at->first;
    if (options->fusion == QN_FUSION_NONE && (kernel & (kernel - 1))) return INFINITY;
    for (int i = 0; i < options->forced_count; i++) {
        const qn_calls forced = options->forced[i] & at->scope->all;
        if ((kernel & forced) && (kernel & forced) != forced) return INFINITY;
    }
    if (!qn_rules_allow(at->scope, kernel, &layout, NULL)) return INFINITY;
    qn_calls_words(at->scope, kernel, &words);
    return options->launch_s + 4 * qn_words_count(&words, options->sizes, options->stored) / options->bytes_per_s;
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

/* Try all kernels that can follow: sets whose calls need only what is done or in the set itself. */
static void expand(search *at, int previous, qn_calls kernel, int call)
{
    const qn_calls done = at->states[previous].done;
    if (!at->exact && at->kernels_tried > BEAM_KERNELS_MAX) return;
    if (call == at->calls) {
        if (kernel) reach(at, previous, kernel);
        return;
    }
    const qn_calls own = qn_calls_one(call), before = at->scope->before[at->first + call] >> at->first;
    if (!(done & own) && (before & ~(done | kernel)) == 0 && (at->exact || isfinite(kernel_cost(at, kernel | own))))
        expand(at, previous, kernel | own, call + 1);
    expand(at, previous, kernel, call + 1);
}

static qn_status start(search *at, size_t *count)
{
    *count = at->exact ? (size_t)1 << at->calls : (size_t)(at->calls + 1) * QN_PLAN_BEAM;
    QN_TRY(qn_allocate(*count, sizeof *at->states, (void **)&at->states));
    if (at->exact) QN_TRY(qn_allocate(*count, sizeof *at->known, (void **)&at->known));
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
        return QN_FAIL(QN_INTERNAL, "%s: no partition into kernels was found", at->scope->graph->name);
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
    qn_status status = start(&at, &states);
    for (size_t i = 0; status == QN_OK && i < states; i++) {
        at.kernels_tried = 0;
        if (isfinite(at.states[i].cost_s)) expand(&at, (int)i, 0, 0);
    }
    if (status == QN_OK) status = collect(&at, states, groups, count, cost_s);
    qn_release(&at.states);
    qn_release(&at.known);
    return status;
}
