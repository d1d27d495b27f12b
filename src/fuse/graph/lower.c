/* Items of a script, one after another, into a graph. */
#include "fuse/graph/lower.h"

#include <stdio.h>
#include <string.h>

static qn_status begin_section(qn_graph *graph, const qn_script_item *item)
{
    if (graph->section_count == QN_GRAPH_SECTIONS_MAX)
        return QN_SOURCE_FAIL(graph->source, item->offset, "found one more loop; expected fewer than %d parts",
                              QN_GRAPH_SECTIONS_MAX);
    graph->sections[graph->section_count++] = (qn_section){.first_call = graph->call_count, .every = 1};
    return QN_OK;
}

static qn_status lower_assignment(qn_lowering *lowering, const qn_script_item *item)
{
    qn_operand operand;
    int values[QN_FUNCTION_OUTPUTS_MAX];
    lowering->item = item;
    if (item->name_count == 1) {
        QN_TRY(qn_expr_lower(lowering, &item->expr, &operand));
        return qn_name_assign(lowering, &item->names[0], item->is_next, &operand);
    }
    QN_TRY(qn_expr_lower_outputs(lowering, item, values));
    for (size_t i = 0; i < item->name_count; i++) {
        QN_TRY(qn_operand_of_value(lowering->graph, values[i], item->names[i].offset, &operand));
        QN_TRY(qn_name_assign(lowering, &item->names[i], item->is_next, &operand));
    }
    return QN_OK;
}

/* The condition reads scalars as they are after a round. Parts of it that need calls are refused: the body can name
 * them. */
static qn_status lower_until(qn_lowering *lowering, const qn_script_item *item, qn_section *section)
{
    qn_graph *graph = lowering->graph;
    const int calls = graph->call_count;
    qn_operand sides[2], both;
    const qn_point *slots[2], *ignored;
    lowering->item = NULL;
    QN_TRY(qn_expr_lower(lowering, &item->left, &sides[0]));
    QN_TRY(qn_expr_lower(lowering, &item->right, &sides[1]));
    for (int i = 0; i < 2; i++)
        if (!qn_operand_is_scalar(&sides[i]) || graph->call_count != calls)
            return QN_SOURCE_FAIL(graph->source, sides[i].offset,
                                  "found %s in a condition; expected scalars, element-wise",
                                  graph->call_count != calls ? "a call" : qn_operand_shape(graph, &sides[i]).text);
    for (int i = 0; i < 2; i++) QN_TRY(qn_point_make_input(graph->arena, i, &slots[i]));
    QN_TRY(qn_point_make(graph->arena, QN_POINT_SUBTRACT, 0, slots, &ignored));
    QN_TRY(qn_operand_combine(graph, sides, 2, ignored, "a condition", item->offset, &both));
    section->has_until = true;
    section->every = item->every;
    section->until = (qn_condition){.left = both.point->children[0],
                                    .right = both.point->children[1],
                                    .use_count = both.use_count,
                                    .less = item->until_less};
    memcpy(section->until.uses, both.uses, sizeof both.uses);
    return QN_OK;
}

static qn_status lower_repeat(qn_lowering *lowering, const qn_script_item *item)
{
    qn_graph *graph = lowering->graph;
    QN_TRY(begin_section(graph, item));
    qn_section *section = &graph->sections[graph->section_count - 1];
    section->is_loop = true;
    QN_TRY(qn_extent_add(graph, &item->rounds, "repeat", &section->rounds));
    lowering->in_loop = true;
    for (const qn_script_item *inner = item->body; inner; inner = inner->following)
        QN_TRY(lower_assignment(lowering, inner));
    lowering->in_loop = false;
    QN_TRY(qn_names_end_loop(lowering));
    if (section->call_count == 0)
        return QN_SOURCE_FAIL(graph->source, item->offset, "found a repeat without assignments; expected one or more");
    return item->has_until ? lower_until(lowering, item, section) : QN_OK;
}

static qn_status lower_items(qn_lowering *lowering, const qn_script *script)
{
    qn_graph *graph = lowering->graph;
    bool open = false;
    for (const qn_script_item *item = script->items; item; item = item->following) {
        if (item->kind == QN_ITEM_DECLARE) {
            QN_TRY(qn_name_declare(lowering, item));
            continue;
        }
        if (item->kind == QN_ITEM_ASSIGN && !open) QN_TRY(begin_section(graph, item));
        open = item->kind == QN_ITEM_ASSIGN;
        QN_TRY(open ? lower_assignment(lowering, item) : lower_repeat(lowering, item));
    }
    if (graph->call_count == 0)
        return QN_SOURCE_FAIL(graph->source, graph->source->length, "found no assignment; expected one or more");
    return qn_names_end_script(lowering);
}

/* "q = gemv(A, p)", or a map's expression. */
static qn_status describe_call(qn_graph *graph, qn_call *call)
{
    qn_text text = {0};
    const char *names[QN_CALL_INPUTS_MAX];
    qn_status status = QN_OK;
    for (int i = 0; i < call->input_count; i++) names[i] = graph->values[call->inputs[i].value].name;
    for (int i = 0; i < call->output_count && status == QN_OK; i++)
        status = qn_text_append(&text, "%s%s", i > 0 ? ", " : "", graph->values[call->outputs[i].value].name);
    if (status == QN_OK) status = qn_text_append(&text, " = ");
    if (status == QN_OK && strcmp(call->name, "map") == 0) {
        status = qn_point_write(call->meanings[0].term, names, &text);
    } else if (status == QN_OK) {
        status = qn_text_append(&text, "%s", call->name);
        for (int i = 0; i < call->input_count && status == QN_OK; i++)
            status = qn_text_append(&text, "%s%s", i > 0 ? ", " : "(", names[i]);
        if (status == QN_OK) status = qn_text_append(&text, ")");
    }
    if (status == QN_OK) status = qn_arena_copy_text(graph->arena, text.data, text.length, &call->text);
    qn_text_clear(&text);
    return status;
}

qn_status qn_graph_make(const qn_script *script, const qn_library *library, qn_arena *arena, qn_graph *graph)
{
    void *memory;
    *graph = (qn_graph){.source = script->source, .name = script->name, .arena = arena};
    QN_TRY(qn_arena_take(arena, sizeof(qn_lowering), &memory));
    qn_lowering *lowering = memory;
    lowering->graph = graph;
    lowering->library = library;
    lowering->script = script;
    QN_TRY(lower_items(lowering, script));
    for (int i = 0; i < graph->call_count; i++) QN_TRY(describe_call(graph, &graph->calls[i]));
    return QN_OK;
}
