/* From groups of calls to kernels: what each reads, folds, writes, and leaves as partial sums. */
#include "fuse/plan/plan.h"

#include <string.h>

#include "base/error.h"

/* Whether a kernel leaves the value as partial sums: groups divide the work along axis 0. */
static bool is_partial(const qn_graph *graph, const qn_kernel_plan *kernel, int value)
{
    const int producer = graph->values[value].producer;
    const qn_call *of = &graph->calls[producer];
    const int output = qn_call_output_of(of, value);
    if (!qn_call_reduces(of, output)) return false;
    if (of->outputs[output].index_count == 0) return true;
    return !of->is_sparse && kernel->layout.axes[producer][of->outputs[output].indices[0]] == 1;
}

/* The order in which kernels are added, and what is known of each value on the way. */
typedef struct schedule {
    qn_plan *plan;
    const qn_scope *scope;
    bool pending[QN_GRAPH_VALUES_MAX]; /* there are partial sums only */
} schedule;

static qn_status add_kernel(schedule *at, qn_kernel_plan **kernel)
{
    if (at->plan->kernel_count == QN_PLAN_KERNELS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: found more than %d kernels; expected a shorter sequence",
                       at->plan->graph->name, QN_PLAN_KERNELS_MAX);
    *kernel = &at->plan->kernels[at->plan->kernel_count++];
    **kernel = (qn_kernel_plan){.section = at->scope->section};
    return QN_OK;
}

/* Whether the calls read the value along axis 0 of a kernel in one dimension, where a work-item can add up the sums of
 * its own index, and compute nothing of it again elsewhere. */
static bool can_fold(const qn_graph *graph, const qn_kernel_plan *kernel, int value)
{
    if (graph->values[value].kind == QN_SCALAR) return true;
    if (kernel->layout.dimensions != 1) return false;
    const qn_calls recomputed = qn_rules_recomputed(graph, kernel->calls, &kernel->layout);
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; qn_calls_have(kernel->calls, call) && i < graph->calls[call].input_count; i++)
            if (graph->calls[call].inputs[i].value == value &&
                (qn_calls_have(recomputed, call) ||
                 qn_layout_axis(graph, &kernel->layout, call, &graph->calls[call].inputs[i]) != 0))
                return false;
    return true;
}

/* Add a kernel that folds all pending values of `wanted` with the shape of `value`. */
static qn_status add_fold(schedule *at, int value, const bool *wanted)
{
    const qn_graph *graph = at->scope->graph;
    const qn_value *first = &graph->values[value];
    qn_kernel_plan *fold;
    QN_TRY(add_kernel(at, &fold));
    fold->is_fold = true;
    fold->layout.dimensions = first->kind == QN_SCALAR ? 0 : 1;
    fold->layout.extents[0] = first->extents[0];
    for (int other = 0; other < graph->value_count; other++) {
        const qn_value *of = &graph->values[other];
        const bool alike = of->kind == first->kind && (of->kind == QN_SCALAR || of->extents[0] == first->extents[0]);
        if (!wanted[other] || !at->pending[other] || !alike) continue;
        fold->reads[other] = fold->folds[other] = fold->writes[other] = true;
        at->pending[other] = false;
    }
    return QN_OK;
}

static qn_status add_group(schedule *at, qn_calls calls, const qn_plan_options *options)
{
    const qn_graph *graph = at->scope->graph;
    qn_kernel_plan made = {.calls = calls, .section = at->scope->section}, *kernel;
    qn_refusal refusal;
    if (!qn_rules_allow(at->scope, calls, &made.layout, &refusal))
        return QN_FAIL(QN_INTERNAL, "%s: a chosen kernel breaks R%d: %s", graph->name, refusal.rule, refusal.reason);
    qn_kernel_words(at->scope, calls, &made.layout, options, &made.again, &made.words);
    qn_calls_traffic(at->scope, calls, made.reads, made.writes);
    for (int value = 0; value < graph->value_count; value++)
        if (made.reads[value] && at->pending[value] && !can_fold(graph, &made, value))
            QN_TRY(add_fold(at, value, made.reads));
    for (int value = 0; value < graph->value_count; value++) {
        made.folds[value] = made.reads[value] && at->pending[value];
        if (!made.folds[value]) continue;
        at->pending[value] = false;
        made.writes[value] = qn_calls_leave(at->scope, calls, value);
    }
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; qn_calls_have(calls, call) && i < graph->calls[call].output_count; i++) {
            const int value = graph->calls[call].outputs[i].value;
            if (!is_partial(graph, &made, value)) continue;
            at->pending[value] = made.partial[value] = made.writes[value];
            made.writes[value] = false;
        }
    QN_TRY(add_kernel(at, &kernel));
    *kernel = made;
    return QN_OK;
}

/* A value that the user, a condition, another section or the next round reads must be complete at the end. */
static qn_status add_last_folds(schedule *at)
{
    const qn_graph *graph = at->scope->graph;
    bool wanted[QN_GRAPH_VALUES_MAX] = {false};
    for (int value = 0; value < graph->value_count; value++)
        wanted[value] = at->pending[value] && qn_calls_leave(at->scope, at->scope->all, value);
    for (int value = 0; value < graph->value_count; value++)
        if (wanted[value] && at->pending[value]) QN_TRY(add_fold(at, value, wanted));
    return QN_OK;
}

/* ---- all sections ---- */

static qn_status check_forced(const qn_scope *scope, const qn_plan_options *options)
{
    qn_layout layout;
    qn_refusal refusal;
    for (int i = 0; i < options->forced_count; i++) {
        if (!(options->forced[i] & scope->all)) continue;
        if (options->forced[i] & ~scope->all)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--fusion joins results inside and outside of a loop; expected those of one part of %s",
                           scope->graph->name);
        if (!qn_rules_allow(scope, options->forced[i], &layout, &refusal))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--fusion joins calls that cannot share a kernel (R%d): %s",
                           refusal.rule, refusal.reason);
    }
    return QN_OK;
}

/* The ring leaves as partial sums what its head does, and the tail finds them as those of the head's values. */
static qn_status end_ring(schedule *at)
{
    const qn_graph *graph = at->plan->graph;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        if (of->copy_of < 0 || of->producer < 0) continue;
        const bool is_pending = at->pending[value];
        at->pending[value] = false;
        if (of->is_awaited && is_pending != at->pending[of->copy_of])
            return QN_FAIL(QN_INTERNAL, "%s: %s is complete before a ring and not after it, or the other way round",
                           graph->name, of->name);
    }
    return QN_OK;
}

/* How often a section runs if a loop's condition never ends it. */
static double count_runs(const schedule *at, const qn_plan_options *options)
{
    const qn_section *section = &at->plan->graph->sections[at->scope->section];
    return section->is_loop ? (double)qn_plan_runs(at->plan, at->scope->section, options->sizes->of[section->rounds])
                            : 1;
}

static qn_status plan_section(schedule *at, const qn_plan_options *options)
{
    const qn_graph *graph = at->plan->graph;
    const qn_section_part part = graph->sections[at->scope->section].part;
    qn_calls groups[QN_GRAPH_CALLS_MAX];
    int count;
    double cost_s;
    QN_TRY(check_forced(at->scope, options));
    QN_TRY(qn_partition_choose(at->scope, options, groups, &count, &cost_s));
    at->plan->seconds += cost_s * count_runs(at, options);
    for (int value = 0; part == QN_SECTION_RING && value < graph->value_count; value++)
        if (graph->values[value].before_of >= 0) at->pending[value] = at->pending[graph->values[value].before_of];
    for (int i = 0; i < count; i++) QN_TRY(add_group(at, groups[i], options));
    if (part == QN_SECTION_HEAD) return QN_OK;
    return part == QN_SECTION_RING ? end_ring(at) : add_last_folds(at);
}

qn_status qn_plan_make(const qn_graph *graph, const qn_plan_options *options, qn_plan *plan)
{
    const qn_graph *chosen;
    QN_TRY(qn_plan_choose_rings(graph, options, &chosen));
    return qn_plan_make_as_is(chosen, options, plan);
}

qn_status qn_plan_make_as_is(const qn_graph *graph, const qn_plan_options *options, qn_plan *plan)
{
    schedule at = {.plan = plan};
    *plan = (qn_plan){.graph = graph};
    for (int section = 0; section < plan->graph->section_count; section++) {
        qn_scope scope;
        qn_scope_make(plan->graph, section, &scope);
        at.scope = &scope;
        QN_TRY(plan_section(&at, options));
    }
    qn_plan_choose_memory(plan);
    return QN_OK;
}

/* ---- counts ---- */

/* Whether a section is what a report counts: of a ring, not what is left over. */
static bool is_counted(const qn_plan *plan, int section)
{
    const qn_section_part part = plan->graph->sections[section].part;
    return part == QN_SECTION_WHOLE || part == QN_SECTION_RING;
}

void qn_plan_count(const qn_plan *plan, int *kernels, int *folds)
{
    *kernels = *folds = 0;
    for (int i = 0; i < plan->kernel_count; i++)
        if (is_counted(plan, plan->kernels[i].section) && !plan->kernels[i].joins)
            *(plan->kernels[i].is_fold ? folds : kernels) += 1;
}

void qn_plan_words(const qn_plan *plan, int section, qn_words *words)
{
    *words = (qn_words){.count = 0};
    for (int i = 0; i < plan->kernel_count; i++)
        if (plan->kernels[i].section == section) qn_words_add(&plan->kernels[i].words, words);
}

void qn_unfused_words(const qn_graph *graph, int section, qn_words *words)
{
    qn_scope scope;
    qn_words own;
    *words = (qn_words){.count = 0};
    qn_scope_make(graph, section, &scope);
    for (int i = 0; i < graph->sections[section].call_count; i++) {
        qn_calls_words(&scope, qn_calls_one(graph->sections[section].first_call + i), &own);
        qn_words_add(&own, words);
    }
}
