/* Calls of functions, and maps, as they are added to a graph. */
#include <stdio.h>
#include <string.h>

#include "fuse/graph/lower.h"

qn_status qn_value_add(qn_graph *graph, const qn_value *value, int *index)
{
    if (graph->value_count == QN_GRAPH_VALUES_MAX)
        return QN_SOURCE_FAIL(graph->source, value->offset, "found one more value; expected at most %d in a sequence",
                              QN_GRAPH_VALUES_MAX);
    *index = graph->value_count++;
    graph->values[*index] = *value;
    graph->values[*index].copy_of = graph->values[*index].before_of = -1;
    return QN_OK;
}

/* Add a call and its outputs, which are new values without names. */
static qn_status add_call(qn_graph *graph, const qn_call *call, int *values)
{
    if (graph->call_count == QN_GRAPH_CALLS_MAX)
        return QN_SOURCE_FAIL(graph->source, call->offset, "found one more call; expected at most %d in a sequence",
                              QN_GRAPH_CALLS_MAX);
    qn_call *made = &graph->calls[graph->call_count];
    *made = *call;
    made->section = graph->section_count - 1;
    for (int i = 0; i < call->output_count; i++) {
        const qn_use *output = &call->outputs[i];
        qn_value value = {.offset = call->offset,
                          .kind = (qn_shape_kind)output->index_count,
                          .is_made = true,
                          .old = -1,
                          .producer = graph->call_count};
        for (int k = 0; k < output->index_count; k++) value.extents[k] = call->space[output->indices[k]];
        QN_TRY(qn_arena_format(graph->arena, &value.name, "t%d", graph->value_count));
        QN_TRY(qn_value_add(graph, &value, &values[i]));
        made->outputs[i].value = values[i];
    }
    graph->call_count++;
    graph->sections[made->section].call_count++;
    return QN_OK;
}

qn_status qn_map_add(qn_graph *graph, const qn_operand *operand, int *value)
{
    qn_call call = {.name = "map", .offset = operand->offset, .output_count = 1, .input_count = operand->use_count};
    int index_of_axis[2] = {0};
    for (int axis = 0; axis < 2; axis++)
        if (operand->axes[axis]) {
            index_of_axis[axis] = call.space_count;
            call.outputs[0].indices[call.space_count] = call.space_count;
            call.space[call.space_count++] = operand->extents[axis];
        }
    call.outputs[0].index_count = call.space_count;
    for (int i = 0; i < operand->use_count; i++) {
        call.inputs[i] = operand->uses[i];
        for (int k = 0; k < call.inputs[i].index_count; k++)
            call.inputs[i].indices[k] = index_of_axis[operand->uses[i].indices[k]];
    }
    call.meanings[0] = (qn_meaning){.term = operand->point};
    return add_call(graph, &call, value);
}

qn_status qn_operand_to_value(qn_graph *graph, const qn_operand *operand, int *value, bool *transposed)
{
    *transposed = false;
    if (!qn_operand_is_value(operand)) return qn_map_add(graph, operand, value);
    *value = operand->uses[0].value;
    *transposed = operand->uses[0].index_count > 0 && operand->uses[0].indices[0] == 1;
    return QN_OK;
}

static const char *rank_name(int rank)
{
    static const char *const names[] = {"a scalar", "a vector", "a matrix"};
    return names[rank];
}

/* Bind the indices of a formal to the extents of its argument. */
static qn_status bind(const qn_graph *graph, const qn_function *function, int input, const qn_operand *argument,
                      size_t offset, int *extents)
{
    const qn_formal *formal = &function->inputs[input];
    int own[2], rank = 0;
    for (int axis = 0; axis < 2; axis++)
        if (argument->axes[axis]) own[rank++] = argument->extents[axis];
    if (rank != formal->index_count || (rank == 1 && argument->axes[1]))
        return QN_SOURCE_FAIL(graph->source, offset, "found %s as %s of %s; expected %s",
                              qn_operand_shape(graph, argument).text, formal->name, function->name,
                              rank_name(formal->index_count));
    for (int k = 0; k < rank; k++) {
        int *extent = &extents[formal->indices[k]];
        if (*extent >= 0 && *extent != own[k])
            return QN_SOURCE_FAIL(
                graph->source, offset, "found %s as %s of %s, whose index %s is %s there; expected %s",
                qn_operand_shape(graph, argument).text, formal->name, function->name,
                function->indices[formal->indices[k]], graph->extents[own[k]].name, graph->extents[*extent].name);
        *extent = own[k];
    }
    return QN_OK;
}

/* A csr matrix is read row by row: the first formal, reduced over its columns. */
static qn_status check_sparse(const qn_graph *graph, const qn_function *function, const qn_operand *arguments,
                              size_t offset, bool *is_sparse)
{
    *is_sparse = false;
    for (int i = 0; i < function->input_count; i++) *is_sparse |= arguments[i].is_csr;
    if (!*is_sparse) return QN_OK;
    bool fits = arguments[0].is_csr && function->inputs[0].indices[0] == 0;
    for (int i = 1; i < function->input_count; i++)
        fits = fits && !arguments[i].is_csr && function->inputs[i].index_count < 2;
    for (int i = 0; i < function->output_count; i++)
        fits = fits && function->outputs[i].index_count == 1 && function->outputs[i].indices[0] == 0;
    if (fits) return QN_OK;
    return QN_SOURCE_FAIL(graph->source, offset, "found a csr matrix as an argument of %s; expected it as A*x only",
                          function->name);
}

/* Work on a reduced value at the end is a map over the indices that are left. */
static qn_status add_finish(qn_graph *graph, const qn_function *function, const qn_call *call, int output, int *value)
{
    const qn_formal *formal = &function->outputs[output];
    const qn_use reduced = {*value, formal->index_count, {formal->indices[0], formal->indices[1]}};
    const qn_point *inputs[QN_CALL_INPUTS_MAX];
    qn_operand operand = {.offset = call->offset};
    for (int i = 0; i <= call->input_count; i++) {
        const qn_use *use = i < call->input_count ? &call->inputs[i] : &reduced;
        if (!qn_point_reads(function->meanings[output].finish, i)) continue;
        qn_use *into = &operand.uses[operand.use_count];
        *into = *use;
        for (int k = 0; k < use->index_count; k++) into->indices[k] = use->indices[k] == formal->indices[0] ? 0 : 1;
        QN_TRY(qn_point_make_input(graph->arena, operand.use_count++, &inputs[i]));
    }
    for (int k = 0; k < formal->index_count; k++) {
        operand.axes[k] = true;
        operand.extents[k] = call->space[formal->indices[k]];
    }
    QN_TRY(qn_point_substitute(graph->arena, function->meanings[output].finish, inputs, &operand.point));
    return qn_map_add(graph, &operand, value);
}

qn_status qn_call_add(qn_graph *graph, const qn_function *function, const qn_operand *arguments, size_t offset,
                      int *values)
{
    qn_call call = {.name = function->name,
                    .function = function,
                    .offset = offset,
                    .space_count = function->index_count,
                    .input_count = function->input_count,
                    .output_count = function->output_count};
    int extents[QN_SPACE_MAX] = {-1, -1};
    for (int i = 0; i < function->input_count; i++)
        QN_TRY(bind(graph, function, i, &arguments[i], arguments[i].offset, extents));
    QN_TRY(check_sparse(graph, function, arguments, offset, &call.is_sparse));
    for (int k = 0; k < function->index_count; k++) call.space[k] = extents[k];
    for (int i = 0; i < function->input_count; i++) {
        const qn_formal *formal = &function->inputs[i];
        bool transposed;
        QN_TRY(qn_operand_to_value(graph, &arguments[i], &call.inputs[i].value, &transposed));
        call.inputs[i].index_count = formal->index_count;
        for (int k = 0; k < formal->index_count; k++)
            call.inputs[i].indices[k] = formal->indices[transposed ? formal->index_count - 1 - k : k];
    }
    for (int i = 0; i < function->output_count; i++) {
        call.outputs[i].index_count = function->outputs[i].index_count;
        for (int k = 0; k < function->outputs[i].index_count; k++)
            call.outputs[i].indices[k] = function->outputs[i].indices[k];
        call.meanings[i] = function->meanings[i];
        call.meanings[i].finish = NULL;
    }
    QN_TRY(add_call(graph, &call, values));
    for (int i = 0; i < function->output_count; i++)
        if (function->meanings[i].finish) QN_TRY(add_finish(graph, function, &call, i, &values[i]));
    return QN_OK;
}
