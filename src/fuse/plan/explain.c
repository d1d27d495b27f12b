/* A plan as a text. */
#include <string.h>

#include "fuse/plan/plan.h"

/* ---- names ---- */

static qn_status write_results(const qn_graph *graph, qn_calls calls, qn_text *text)
{
    const char *between = "";
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; qn_calls_have(calls, call) && i < graph->calls[call].output_count; i++) {
            QN_TRY(qn_text_append(text, "%s%s", between, graph->values[graph->calls[call].outputs[i].value].name));
            between = ", ";
        }
    return QN_OK;
}

static qn_status write_values(const qn_graph *graph, const char *what, const bool *which, const bool *but,
                              qn_text *text)
{
    bool any = false;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        if (!which[value] || (but && but[value])) continue;
        QN_TRY(qn_text_append(text, "%s%s%s", any ? ", " : what,
                              of->before_of >= 0 && of->copy_of < 0 ? "previous " : "", of->name));
        any = true;
    }
    return any ? qn_text_append(text, "; ") : QN_OK;
}

static qn_status write_space(const qn_graph *graph, int count, const int *extents, qn_text *text)
{
    if (count == 0) return qn_text_append(text, "scalars");
    QN_TRY(qn_text_append(text, "%s", graph->extents[extents[0]].name));
    return count == 2 ? qn_text_append(text, " × %s", graph->extents[extents[1]].name) : QN_OK;
}

/* ---- parts of the text ---- */

static qn_status write_calls(const qn_graph *graph, const qn_section *section, qn_text *text)
{
    QN_TRY(qn_text_append(text, "calls\n"));
    for (int i = 0; i < section->call_count; i++) {
        const qn_call *call = &graph->calls[section->first_call + i];
        QN_TRY(qn_text_append(text, "  %-44s over ", call->text));
        QN_TRY(write_space(graph, call->space_count, call->space, text));
        if (call->is_sparse) QN_TRY(qn_text_append(text, ", stored elements"));
        if (call->implementation) QN_TRY(qn_text_append(text, ", by %s", call->implementation->name));
        QN_TRY(qn_text_append(text, "\n"));
    }
    return QN_OK;
}

/* "2 sweeps; A is read again from a cache" */
static qn_status write_sweeps(const qn_graph *graph, const qn_kernel_plan *kernel, qn_text *text)
{
    const char *before = "; ";
    QN_TRY(qn_text_append(text, ", %d sweeps", kernel->layout.sweeps));
    for (int value = 0; value < graph->value_count; value++) {
        if (kernel->again.times[value] == 0) continue;
        QN_TRY(qn_text_append(text, "%s%s", before, graph->values[value].name));
        before = ", ";
    }
    if (kernel->again.count == 0) return QN_OK;
    QN_TRY(qn_text_append(text, kernel->again.count > 1 ? " are read again from" : " is read again from"));
    if (kernel->again.is_cached) return qn_text_append(text, " a cache");
    return qn_text_append(text, " memory, because a line takes %lld bytes", (long long)kernel->again.line_bytes);
}

static qn_status write_kernel(const qn_plan *plan, const qn_kernel_plan *kernel, int number, qn_text *text)
{
    const qn_graph *graph = plan->graph;
    QN_TRY(qn_text_append(text, "  %d  ", number));
    if (kernel->is_fold)
        QN_TRY(write_values(graph, "fold of ", kernel->folds, NULL, text));
    else
        QN_TRY(write_results(graph, kernel->calls, text));
    QN_TRY(qn_text_append(text, kernel->is_fold ? "over " : "; over "));
    QN_TRY(write_space(graph, kernel->layout.dimensions, kernel->layout.extents, text));
    if (kernel->layout.sweeps > 1) QN_TRY(write_sweeps(graph, kernel, text));
    if (kernel->is_single) QN_TRY(qn_text_append(text, " by one group"));
    if (kernel->joins) QN_TRY(qn_text_append(text, " in the same launch"));
    QN_TRY(qn_text_append(text, "; "));
    QN_TRY(qn_words_write(graph, &kernel->words, text));
    QN_TRY(qn_text_append(text, " words\n     "));
    QN_TRY(write_values(graph, "reads ", kernel->reads, kernel->folds, text));
    QN_TRY(write_values(graph, "folds ", kernel->folds, NULL, text));
    QN_TRY(write_values(graph, "writes ", kernel->writes, NULL, text));
    QN_TRY(write_values(graph, "leaves sums of ", kernel->partial, NULL, text));
    text->data[text->length -= 2] = '\0'; /* the last "; " */
    return qn_text_append(text, "\n");
}

/* Vectors and matrices with two buffers, of those that calls of a loop make. */
static qn_status write_buffers(const qn_plan *plan, int first_call, int call_count, qn_text *text)
{
    const qn_graph *graph = plan->graph;
    bool which[QN_GRAPH_VALUES_MAX] = {false}, any = false;
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        const int made = of->before_of >= 0 ? of->before_of : value, producer = graph->values[made].producer;
        which[value] = plan->is_buffered[value] && of->kind != QN_SCALAR && of->copy_of < 0 && producer >= first_call &&
                       producer < first_call + call_count;
        any |= which[value];
    }
    if (!any) return QN_OK;
    QN_TRY(write_values(graph, "in a second buffer: ", which, NULL, text));
    text->data[text->length -= 2] = '\0';
    return qn_text_append(text, "\n");
}

/* Which rule keeps each two kernels apart. */
static qn_status write_pairs(const qn_plan *plan, int section, qn_text *text)
{
    qn_scope scope;
    qn_layout layout;
    qn_refusal refusal;
    bool any = false;
    qn_scope_make(plan->graph, section, &scope);
    for (int i = 0; i < plan->kernel_count; i++)
        for (int k = i + 1; k < plan->kernel_count; k++) {
            const qn_kernel_plan *one = &plan->kernels[i], *other = &plan->kernels[k];
            if (one->section != section || other->section != section || one->is_fold || other->is_fold) continue;
            QN_TRY(qn_text_append(text, "%s  ", any ? "" : "kept apart\n"));
            any = true;
            QN_TRY(write_results(plan->graph, one->calls, text));
            QN_TRY(qn_text_append(text, " | "));
            QN_TRY(write_results(plan->graph, other->calls, text));
            if (qn_rules_allow(&scope, one->calls | other->calls, &layout, &refusal))
                QN_TRY(qn_text_append(text, ": no rule; one kernel would not be faster\n"));
            else
                QN_TRY(qn_text_append(text, ": R%d, %s\n", refusal.rule, refusal.reason));
        }
    return QN_OK;
}

static qn_status write_sums(const qn_plan *plan, int section, const qn_words *unfused, const qn_plan_options *options,
                            qn_text *text)
{
    qn_words fused;
    qn_plan_words(plan, section, &fused);
    QN_TRY(qn_text_append(text, "words moved: "));
    QN_TRY(qn_words_write(plan->graph, &fused, text));
    QN_TRY(qn_text_append(text, " fused; "));
    QN_TRY(qn_words_write(plan->graph, unfused, text));
    const double before = qn_words_count(unfused, options->sizes, options->stored);
    const double after = qn_words_count(&fused, options->sizes, options->stored);
    return qn_text_append(text, " unfused, %.2f times as many\n", after > 0 ? before / after : 1);
}

static qn_status write_kernels(const qn_plan *plan, int section, const char *title, qn_text *text)
{
    QN_TRY(qn_text_append(text, "%s\n", title));
    for (int i = 0, number = 1; i < plan->kernel_count; i++)
        if (plan->kernels[i].section == section) QN_TRY(write_kernel(plan, &plan->kernels[i], number++, text));
    return QN_OK;
}

static qn_status write_plain(const qn_plan *plan, int section, const qn_plan_options *options, qn_text *text)
{
    const qn_section *of = &plan->graph->sections[section];
    qn_words unfused;
    if (of->is_loop) QN_TRY(qn_text_append(text, "\nrepeat %s", plan->graph->extents[of->rounds].name));
    QN_TRY(qn_text_append(text, "\n"));
    QN_TRY(write_calls(plan->graph, of, text));
    QN_TRY(write_kernels(plan, section, "kernels", text));
    QN_TRY(write_buffers(plan, of->first_call, of->call_count, text));
    QN_TRY(write_pairs(plan, section, text));
    qn_unfused_words(plan->graph, section, &unfused);
    return write_sums(plan, section, &unfused, options, text);
}

/* A loop as a ring; `head` is its first section. */
static qn_status write_ring(const qn_plan *plan, int head, const qn_plan_options *options, qn_text *text)
{
    const qn_graph *graph = plan->graph;
    const qn_section *sections = &graph->sections[head];
    qn_words unfused, late;
    QN_TRY(qn_text_append(text, "\nrepeat %s, as a ring: ", graph->extents[sections[0].rounds].name));
    for (int i = 0; i < sections[2].call_count; i++) {
        const qn_call *call = &graph->calls[sections[2].first_call + i];
        QN_TRY(qn_text_append(text, "%s%s", i > 0 ? ", " : "", graph->values[call->outputs[0].value].name));
    }
    QN_TRY(qn_text_append(text, " of a round run with the next one\n"));
    QN_TRY(write_calls(graph, &sections[1], text));
    QN_TRY(write_kernels(plan, head + 1, "kernels", text));
    QN_TRY(write_kernels(plan, head, sections[0].has_until ? "instead, first and after each check" : "instead, first",
                         text));
    QN_TRY(
        write_kernels(plan, head + 2, sections[0].has_until ? "then, last and before each check" : "then, last", text));
    QN_TRY(write_buffers(plan, sections[0].first_call,
                         sections[0].call_count + sections[1].call_count + sections[2].call_count, text));
    QN_TRY(write_pairs(plan, head + 1, text));
    qn_unfused_words(graph, head, &unfused);
    qn_unfused_words(graph, head + 2, &late);
    qn_words_add(&late, &unfused);
    return write_sums(plan, head + 1, &unfused, options, text);
}

qn_status qn_plan_explain(const qn_plan *plan, const qn_plan_options *options, qn_text *text)
{
    const qn_graph *graph = plan->graph;
    int kernels, folds, calls = 0;
    qn_plan_count(plan, &kernels, &folds);
    for (int section = 0; section < graph->section_count; section++)
        if (graph->sections[section].part != QN_SECTION_RING) calls += graph->sections[section].call_count;
    QN_TRY(qn_text_append(text, "%s: %s in %s", graph->name, qn_count_of((unsigned long long)calls, "call").text,
                          qn_count_of((unsigned long long)kernels, "kernel").text));
    if (folds > 0) QN_TRY(qn_text_append(text, " and %s", qn_count_of((unsigned long long)folds, "fold").text));
    QN_TRY(qn_text_append(text, "\n"));
    for (int section = 0; section < graph->section_count; section++) {
        const bool is_ring = graph->sections[section].part == QN_SECTION_HEAD;
        QN_TRY(is_ring ? write_ring(plan, section, options, text) : write_plain(plan, section, options, text));
        section += is_ring ? 2 : 0;
    }
    return QN_OK;
}
