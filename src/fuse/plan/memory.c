/* Memory of values that replace others, and of values of a ring: which share it, and what is exchanged between rounds.
 *
 * Between two rounds of a ring, x has its number from before the round, and `next x` what early calls made of it. */
#include "fuse/plan/plan.h"

int qn_plan_root(const qn_plan *plan, int value)
{
    for (;;) {
        const qn_value *of = &plan->graph->values[value];
        if (of->copy_of >= 0)
            value = of->copy_of;
        else if (of->before_of >= 0 && !plan->is_buffered[value])
            value = of->before_of;
        else if (of->before_of < 0 && of->old >= 0 && !plan->is_buffered[value])
            value = of->old;
        else
            return value;
    }
}

int qn_plan_sums(const qn_plan *plan, int value)
{
    const qn_value *of = &plan->graph->values[value];
    return of->before_of < 0 && of->copy_of >= 0 ? of->copy_of : value;
}

/* ---- what can be overwritten ---- */

/* Whether the new value can be written over the old one: in its kernel, and for all that read the old one later. */
static bool is_in_place(const qn_scope *scope, const qn_plan *plan, int value)
{
    const qn_graph *graph = scope->graph;
    const int old = graph->values[value].old, producer = graph->values[value].producer;
    bool written = false;
    for (int k = 0; k < plan->kernel_count; k++) {
        const qn_kernel_plan *kernel = &plan->kernels[k];
        if (kernel->section != scope->section) continue;
        if (written && kernel->reads[old]) return false;
        if (qn_calls_have(kernel->calls, producer)) {
            const int output = qn_call_output_of(&graph->calls[producer], value);
            if (kernel->partial[value]) return false; /* it is written later, from sums */
            if (!qn_rules_in_place(scope, kernel->calls, &kernel->layout, producer, output)) return false;
            written = true;
        }
    }
    return true;
}

/* Whether late calls read, after the head, the value that one of the head replaces. */
static bool is_read_by_tail(const qn_graph *graph, const qn_scope *scope, int value)
{
    const int old = graph->values[value].old;
    if (graph->sections[scope->section].part != QN_SECTION_HEAD) return false;
    const qn_section *tail = &graph->sections[scope->section + 2];
    for (int call = tail->first_call; call < tail->first_call + tail->call_count; call++)
        if (qn_call_reads(&graph->calls[call], old)) return true;
    return false;
}

/* A value of a round and its copy in the ring share their memory, so if one needs a buffer, both have it. A value t of
 * early calls that late calls read has two: t, and the one from before. */
static void choose_buffer(const qn_scope *scope, int value, qn_plan *plan)
{
    const qn_graph *graph = scope->graph;
    const qn_value *of = &graph->values[value];
    if (of->kind != QN_SCALAR && is_in_place(scope, plan, value) && !is_read_by_tail(graph, scope, value)) return;
    const bool is_temporary = of->copy_of >= 0 && graph->values[of->copy_of].old < 0;
    plan->is_buffered[is_temporary ? of->old : of->copy_of >= 0 ? of->copy_of : value] = true;
}

void qn_plan_choose_memory(qn_plan *plan)
{
    const qn_graph *graph = plan->graph;
    for (int section = 0; section < graph->section_count; section++) {
        qn_scope scope;
        qn_scope_make(graph, section, &scope);
        for (int value = 0; value < graph->value_count; value++)
            if (graph->values[value].old >= 0 &&
                qn_section_has(&graph->sections[section], graph->values[value].producer))
                choose_buffer(&scope, value, plan);
    }
    for (int value = 0; value < graph->value_count; value++) {
        const int before_of = graph->values[value].before_of;
        /* the old x of a carried value, beside x and next x */
        if (before_of >= 0 && graph->values[before_of].is_carried) plan->is_buffered[value] = true;
    }
}

/* ---- between rounds ---- */

/* Whether calls of a section read a value. */
static bool is_read_in(const qn_graph *graph, int section, int value)
{
    const qn_section *of = &graph->sections[section];
    for (int call = of->first_call; call < of->first_call + of->call_count; call++)
        if (qn_call_reads(&graph->calls[call], value)) return true;
    return false;
}

static void exchange(const qn_plan *plan, int one, int other, qn_exchange *exchanges, int *count)
{
    const qn_exchange made = {qn_plan_root(plan, one), qn_plan_root(plan, other), false};
    if (made.one != made.other) exchanges[(*count)++] = made;
}

/* x and next x, where calls of a section make next x. */
static void exchange_carried(const qn_plan *plan, int section, qn_exchange *exchanges, int *count)
{
    const qn_graph *graph = plan->graph;
    for (int value = 0; value < graph->value_count; value++)
        if (graph->values[value].old >= 0 && qn_section_has(&graph->sections[section], graph->values[value].producer))
            exchange(plan, graph->values[value].old, value, exchanges, count);
}

int qn_plan_exchanges(const qn_plan *plan, int section, bool before, qn_exchange *exchanges)
{
    const qn_graph *graph = plan->graph;
    const qn_section *of = &graph->sections[section];
    int count = 0;
    if (!of->is_loop || of->part == QN_SECTION_HEAD) return 0;
    if (of->part == QN_SECTION_WHOLE && !before) exchange_carried(plan, section, exchanges, &count);
    if (of->part == QN_SECTION_TAIL && !before) {
        exchange_carried(plan, section - 2, exchanges, &count);
        exchange_carried(plan, section, exchanges, &count);
    }
    if (of->part == QN_SECTION_RING && !before) exchange_carried(plan, section + 1, exchanges, &count);
    if (of->part != QN_SECTION_RING || !before) return count;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *own = &graph->values[value];
        if (own->before_of < 0 || !is_read_in(graph, section, value)) continue;
        if (own->copy_of < 0) exchange(plan, value, own->before_of, exchanges, &count);
        exchanges[count++] = (qn_exchange){value, own->before_of, true};
    }
    exchange_carried(plan, section - 1, exchanges, &count);
    return count;
}

int64_t qn_plan_runs(const qn_plan *plan, int section, int64_t rounds)
{
    const qn_section *of = &plan->graph->sections[section];
    const int64_t breaks = of->has_until ? (rounds + of->every - 1) / of->every : rounds > 0;
    if (!of->is_loop) return 1;
    return of->part == QN_SECTION_WHOLE ? rounds : of->part == QN_SECTION_RING ? rounds - breaks : breaks;
}
