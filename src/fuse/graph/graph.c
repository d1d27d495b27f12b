#include "fuse/graph/graph.h"

#include <stdio.h>

int qn_call_output_of(const qn_call *call, int value)
{
    for (int i = 0; i < call->output_count; i++)
        if (call->outputs[i].value == value) return i;
    return -1;
}

bool qn_call_reads(const qn_call *call, int value)
{
    for (int i = 0; i < call->input_count; i++)
        if (call->inputs[i].value == value) return true;
    return false;
}

bool qn_graph_has_sparse(const qn_graph *graph)
{
    for (int value = 0; value < graph->value_count; value++)
        if (graph->values[value].kind == QN_CSR) return true;
    return false;
}

bool qn_value_is_constant(const qn_graph *graph, int value)
{
    for (int other = 0; other < graph->value_count; other++)
        if (graph->values[other].old == value) return false;
    return graph->values[value].is_given;
}

qn_reduction qn_value_reduction(const qn_graph *graph, int value)
{
    const int made = graph->values[value].before_of >= 0 ? graph->values[value].before_of : value;
    const int producer = graph->values[made].producer;
    if (producer < 0) return QN_REDUCE_NONE;
    return graph->calls[producer].meanings[qn_call_output_of(&graph->calls[producer], made)].reduction;
}

/* Calls of the section that read the value that `call` replaces, and so come first. */
static uint64_t readers_of_replaced(const qn_graph *graph, int call)
{
    const qn_section *section = &graph->sections[graph->calls[call].section];
    uint64_t readers = 0;
    for (int output = 0; output < graph->calls[call].output_count && !section->is_loop; output++) {
        const int old = graph->values[graph->calls[call].outputs[output].value].old;
        for (int other = 0; old >= 0 && other < graph->call_count; other++)
            if (other != call && qn_call_reads(&graph->calls[other], old)) readers |= UINT64_C(1) << other;
    }
    return readers;
}

uint64_t qn_graph_before(const qn_graph *graph, int call)
{
    uint64_t before = readers_of_replaced(graph, call);
    for (int i = 0; i < graph->calls[call].input_count; i++) {
        const int producer = graph->values[graph->calls[call].inputs[i].value].producer;
        if (producer >= 0) before |= UINT64_C(1) << producer;
    }
    return before;
}

qn_shape_text qn_value_shape(const qn_graph *graph, const qn_value *value)
{
    static const char *const names[] = {
        [QN_SCALAR] = "scalar", [QN_VECTOR] = "vector", [QN_MATRIX] = "matrix", [QN_CSR] = "csr"};
    qn_shape_text shape;
    if (value->kind == QN_SCALAR)
        snprintf(shape.text, sizeof shape.text, "scalar");
    else if (value->kind == QN_VECTOR)
        snprintf(shape.text, sizeof shape.text, "vector(%.60s)", graph->extents[value->extents[0]].name);
    else
        snprintf(shape.text, sizeof shape.text, "%s(%.60s, %.60s)", names[value->kind],
                 graph->extents[value->extents[0]].name, graph->extents[value->extents[1]].name);
    return shape;
}
