/* Order and traffic of sets of calls. */
#include <string.h>

#include "fuse/plan/rules.h"

void qn_scope_make(const qn_graph *graph, int section, qn_scope *scope)
{
    const qn_section *of = &graph->sections[section];
    *scope = (qn_scope){.graph = graph, .section = section};
    for (int i = 0; i < of->call_count; i++) scope->all |= qn_calls_one(of->first_call + i);
    for (int i = 0; i < of->call_count; i++) {
        const int call = of->first_call + i;
        scope->before[call] = qn_graph_before(graph, call) & scope->all;
        scope->ancestors[call] = scope->before[call];
        /* calls are in the order of the script, so all of an earlier one's ancestors are known */
        for (int earlier = of->first_call; earlier < call; earlier++)
            if (qn_calls_have(scope->before[call], earlier)) scope->ancestors[call] |= scope->ancestors[earlier];
    }
}

static bool condition_reads(const qn_graph *graph, int value)
{
    for (int i = 0; i < graph->section_count; i++)
        for (int k = 0; k < graph->sections[i].until.use_count; k++)
            if (graph->sections[i].until.uses[k].value == value) return true;
    return false;
}

bool qn_calls_leave(const qn_scope *scope, qn_calls calls, int value)
{
    const qn_graph *graph = scope->graph;
    const qn_value *of = &graph->values[value];
    const bool is_of_ring = of->copy_of >= 0 || of->before_of >= 0;
    if (is_of_ring ? of->is_awaited : of->is_result || of->old >= 0 || condition_reads(graph, value)) return true;
    for (int call = 0; call < graph->call_count; call++)
        if (!qn_calls_have(calls, call) && qn_call_reads(&graph->calls[call], value)) return true;
    return false;
}

void qn_calls_traffic(const qn_scope *scope, qn_calls calls, bool *reads, bool *writes)
{
    const qn_graph *graph = scope->graph;
    memset(reads, 0, (size_t)graph->value_count * sizeof *reads);
    memset(writes, 0, (size_t)graph->value_count * sizeof *writes);
    for (int call = 0; call < graph->call_count; call++) {
        if (!qn_calls_have(calls, call)) continue;
        const qn_call *of = &graph->calls[call];
        for (int i = 0; i < of->input_count; i++) {
            const int value = of->inputs[i].value, producer = graph->values[value].producer;
            reads[value] = reads[value] || producer < 0 || !qn_calls_have(calls, producer);
        }
        for (int i = 0; i < of->output_count; i++)
            writes[of->outputs[i].value] = qn_calls_leave(scope, calls, of->outputs[i].value);
    }
}
