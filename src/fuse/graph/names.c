/* Names of a script: declared, assigned once, read after that. */
#include <stdio.h>
#include <string.h>

#include "base/nearest_word.h"
#include "fuse/graph/lower.h"

static qn_symbol *find(const qn_lowering *lowering, const char *name)
{
    for (int i = 0; i < lowering->symbol_count; i++)
        if (strcmp(lowering->symbols[i].name, name) == 0) return (qn_symbol *)&lowering->symbols[i];
    return NULL;
}

static int line_of(const qn_lowering *lowering, size_t offset)
{
    int line, column;
    qn_source_place(lowering->graph->source, offset, &line, &column);
    return line;
}

static qn_status fail_unknown(const qn_lowering *lowering, const char *name, size_t offset)
{
    const char *names[QN_SYMBOLS_MAX];
    for (int i = 0; i < lowering->symbol_count; i++) names[i] = lowering->symbols[i].name;
    const char *nearest = qn_nearest_word(name, names, (size_t)lowering->symbol_count);
    if (nearest)
        return QN_SOURCE_FAIL(
            lowering->graph->source, offset,
            "found the unknown name \"%s\"; expected a declared or assigned name (did you mean \"%s\"?)", name,
            nearest);
    return QN_SOURCE_FAIL(lowering->graph->source, offset,
                          "found the unknown name \"%s\"; expected a declared or assigned name", name);
}

qn_status qn_name_read(const qn_lowering *lowering, const qn_script_expr *expr, int *value)
{
    const qn_source *source = lowering->graph->source;
    const qn_symbol *symbol = find(lowering, expr->name);
    if (!symbol) {
        QN_TRY(qn_name_check_later(lowering, expr));
        return fail_unknown(lowering, expr->name, expr->offset);
    }
    if (!expr->is_next) {
        *value = symbol->value;
        if (*value >= 0) return QN_OK;
        QN_TRY(qn_name_check_later(lowering, expr));
        return QN_SOURCE_FAIL(source, expr->offset, "found \"%s\" before it is assigned; expected its assignment first",
                              expr->name);
    }
    if (!lowering->in_loop)
        return QN_SOURCE_FAIL(source, expr->offset, "found \"next\" outside of repeat; expected \"%s\" alone",
                              expr->name);
    *value = symbol->next_value;
    if (*value >= 0) return QN_OK;
    QN_TRY(qn_name_check_later(lowering, expr));
    return QN_SOURCE_FAIL(source, expr->offset,
                          "found \"next %s\" before it is assigned; expected its assignment first", expr->name);
}

qn_status qn_extent_add(qn_graph *graph, const qn_script_extent *extent, const char *where, int *index)
{
    const char *name = extent->name;
    if (!name) QN_TRY(qn_arena_format(graph->arena, &name, "%lld", extent->number));
    for (*index = 0; *index < graph->extent_count; ++*index)
        if (strcmp(graph->extents[*index].name, name) == 0) return QN_OK;
    if (graph->extent_count == QN_GRAPH_EXTENTS_MAX)
        return QN_SOURCE_FAIL(graph->source, extent->offset, "found one more extent \"%s\"; expected at most %d", name,
                              QN_GRAPH_EXTENTS_MAX);
    graph->extents[graph->extent_count++] = (qn_extent){name, extent->number, where};
    return QN_OK;
}

static qn_status add_symbol(qn_lowering *lowering, const qn_script_name *name, qn_symbol **symbol)
{
    if (lowering->symbol_count == QN_SYMBOLS_MAX)
        return QN_SOURCE_FAIL(lowering->graph->source, name->offset, "found one more name \"%s\"; expected at most %d",
                              name->text, QN_SYMBOLS_MAX);
    *symbol = &lowering->symbols[lowering->symbol_count++];
    **symbol = (qn_symbol){.name = name->text, .offset = name->offset, .value = -1, .next_value = -1};
    return QN_OK;
}

static qn_status declare(qn_lowering *lowering, const qn_script_item *item, const qn_script_name *name)
{
    qn_graph *graph = lowering->graph;
    qn_symbol *symbol = find(lowering, name->text);
    if (symbol)
        return QN_SOURCE_FAIL(graph->source, name->offset, "found \"%s\" again, after line %d; expected another name",
                              name->text, line_of(lowering, symbol->offset));
    QN_TRY(add_symbol(lowering, name, &symbol));
    symbol->is_declared = true;
    symbol->role = item->role;
    symbol->type = item->type;
    const int extents = item->type.kind == QN_SCALAR ? 0 : item->type.kind == QN_VECTOR ? 1 : 2;
    for (int i = 0; i < extents; i++)
        QN_TRY(qn_extent_add(graph, &item->type.extents[i], name->text, &symbol->extents[i]));
    if (item->role == QN_ROLE_OUTPUT) return QN_OK;
    const qn_value value = {.name = name->text,
                            .offset = name->offset,
                            .kind = item->type.kind,
                            .extents = {symbol->extents[0], symbol->extents[1]},
                            .column = item->type.column,
                            .is_given = true,
                            .old = -1,
                            .producer = -1};
    return qn_value_add(graph, &value, &symbol->value);
}

qn_status qn_name_declare(qn_lowering *lowering, const qn_script_item *item)
{
    if (item->type.kind == QN_CSR && item->role != QN_ROLE_INPUT)
        return QN_SOURCE_FAIL(lowering->graph->source, item->offset,
                              "found a csr matrix that is not an input; expected a matrix or an input");
    for (size_t i = 0; i < item->name_count; i++) QN_TRY(declare(lowering, item, &item->names[i]));
    return QN_OK;
}

/* ---- assignment ---- */

static qn_status check_next(const qn_lowering *lowering, const qn_script_name *name, const qn_symbol *symbol)
{
    const qn_source *source = lowering->graph->source;
    if (!lowering->in_loop)
        return QN_SOURCE_FAIL(source, name->offset, "found \"next %s\" outside of repeat; expected \"%s\" alone",
                              name->text, name->text);
    if (!symbol) return fail_unknown(lowering, name->text, name->offset);
    if (!symbol->is_declared || symbol->role != QN_ROLE_INOUT)
        return QN_SOURCE_FAIL(source, name->offset, "found \"next %s\" of a name that is no inout; expected an inout",
                              name->text);
    if (symbol->next_value >= 0)
        return QN_SOURCE_FAIL(source, name->offset,
                              "found a second assignment of \"next %s\", after line %d; expected one", name->text,
                              line_of(lowering, symbol->next_at));
    return QN_OK;
}

static qn_status check_plain(const qn_lowering *lowering, const qn_script_name *name, const qn_symbol *symbol)
{
    const qn_source *source = lowering->graph->source;
    if (!symbol) return QN_OK;
    if (symbol->is_declared && symbol->role == QN_ROLE_INPUT)
        return QN_SOURCE_FAIL(source, name->offset,
                              "found an assignment of the input \"%s\"; expected an output, an "
                              "inout or a new name",
                              name->text);
    if (symbol->is_declared && symbol->role == QN_ROLE_INOUT && lowering->in_loop)
        return QN_SOURCE_FAIL(source, name->offset,
                              "found an assignment of the inout \"%s\" in repeat; expected \"next "
                              "%s\"",
                              name->text, name->text);
    if (!symbol->is_assigned) return QN_OK;
    return QN_SOURCE_FAIL(source, name->offset, "found a second assignment of \"%s\", after line %d; expected one",
                          name->text, line_of(lowering, symbol->assigned_at));
}

static qn_status check_type(const qn_lowering *lowering, const qn_script_name *name, const qn_symbol *symbol,
                            const qn_operand *operand)
{
    const qn_graph *graph = lowering->graph;
    const bool is_row = !operand->axes[0] && operand->axes[1];
    const qn_value declared = {.kind = symbol->type.kind, .extents = {symbol->extents[0], symbol->extents[1]}};
    if (!symbol->is_declared)
        return is_row ? QN_SOURCE_FAIL(graph->source, name->offset,
                                       "found the transposed %s assigned to \"%s\"; expected a vector as it is",
                                       qn_operand_shape(graph, operand).text, name->text)
                      : QN_OK;
    const qn_shape_text found = qn_operand_shape(graph, operand), expected = qn_value_shape(graph, &declared);
    if (strcmp(found.text, expected.text) == 0) return QN_OK;
    return QN_SOURCE_FAIL(graph->source, name->offset,
                          "found %s assigned to \"%s\"; expected %s, as line %d declares it", found.text, name->text,
                          expected.text, line_of(lowering, symbol->offset));
}

/* Whether the operand is a value that a part of this statement made, as it is. */
static bool is_own(const qn_graph *graph, const qn_operand *operand)
{
    if (!qn_operand_is_value(operand) || !graph->values[operand->uses[0].value].is_made) return false;
    return operand->uses[0].index_count == 0 || operand->uses[0].indices[0] == 0;
}

qn_status qn_name_assign(qn_lowering *lowering, const qn_script_name *name, bool is_next, const qn_operand *operand)
{
    qn_graph *graph = lowering->graph;
    qn_symbol *symbol = find(lowering, name->text);
    int index;
    QN_TRY(is_next ? check_next(lowering, name, symbol) : check_plain(lowering, name, symbol));
    if (!symbol) QN_TRY(add_symbol(lowering, name, &symbol));
    QN_TRY(check_type(lowering, name, symbol, operand));
    if (is_own(graph, operand))
        index = operand->uses[0].value;
    else
        QN_TRY(qn_map_add(graph, operand, &index));
    qn_value *value = &graph->values[index];
    value->is_made = false;
    value->name = name->text;
    value->offset = name->offset;
    value->column = symbol->is_declared && symbol->type.column;
    const bool replaces = symbol->is_declared && symbol->role == QN_ROLE_INOUT;
    value->old = replaces ? symbol->value : -1;
    if (is_next) {
        QN_TRY(qn_arena_format(graph->arena, &value->name, "next %s", name->text));
        symbol->next_value = index;
        symbol->next_at = name->offset;
        return QN_OK;
    }
    symbol->value = index;
    symbol->is_assigned = true;
    symbol->assigned_at = name->offset;
    return QN_OK;
}

qn_status qn_names_end_loop(qn_lowering *lowering)
{
    for (int i = 0; i < lowering->symbol_count; i++) {
        qn_symbol *symbol = &lowering->symbols[i];
        if (symbol->next_value >= 0) lowering->graph->values[symbol->value].is_carried = true;
        symbol->next_value = -1;
    }
    return QN_OK;
}

qn_status qn_names_end_script(qn_lowering *lowering)
{
    for (int i = 0; i < lowering->symbol_count; i++) {
        const qn_symbol *symbol = &lowering->symbols[i];
        if (!symbol->is_declared || symbol->role == QN_ROLE_INPUT) continue;
        if (symbol->value < 0)
            return QN_SOURCE_FAIL(lowering->graph->source, symbol->offset,
                                  "found no assignment of the output \"%s\"; expected one", symbol->name);
        lowering->graph->values[symbol->value].is_result = true;
    }
    return QN_OK;
}
