#include "fuse/graph/operand.h"

#include <stdio.h>

qn_status qn_operand_of_number(qn_graph *graph, double number, size_t offset, qn_operand *operand)
{
    *operand = (qn_operand){.offset = offset};
    return qn_point_make_number(graph->arena, number, &operand->point);
}

qn_status qn_operand_of_value(qn_graph *graph, int value, size_t offset, qn_operand *operand)
{
    const qn_value *of = &graph->values[value];
    *operand = (qn_operand){.offset = offset, .use_count = 1, .is_csr = of->kind == QN_CSR};
    operand->uses[0].value = value;
    for (int axis = 0; axis < (of->kind == QN_SCALAR ? 0 : of->kind == QN_VECTOR ? 1 : 2); axis++) {
        operand->axes[axis] = true;
        operand->extents[axis] = of->extents[axis];
        operand->uses[0].indices[operand->uses[0].index_count++] = axis;
    }
    return qn_point_make_input(graph->arena, 0, &operand->point);
}

qn_shape_text qn_operand_shape(const qn_graph *graph, const qn_operand *operand)
{
    const qn_value value = {.kind = operand->is_csr                 ? QN_CSR
                                    : qn_operand_is_matrix(operand) ? QN_MATRIX
                                    : qn_operand_is_scalar(operand) ? QN_SCALAR
                                                                    : QN_VECTOR,
                            .extents = {operand->extents[operand->axes[0] ? 0 : 1], operand->extents[1]}};
    qn_shape_text shape = qn_value_shape(graph, &value);
    if (!operand->axes[0] && operand->axes[1]) {
        const qn_shape_text inner = shape;
        snprintf(shape.text, sizeof shape.text, "%.150s'", inner.text);
    }
    return shape;
}

qn_status qn_operand_transpose(qn_graph *graph, qn_operand *operand)
{
    const qn_operand old = *operand;
    if (old.is_csr)
        return QN_SOURCE_FAIL(graph->source, old.offset, "found %s transposed; expected a csr matrix as A*x only",
                              qn_operand_shape(graph, operand).text);
    if (qn_operand_is_scalar(operand))
        return QN_SOURCE_FAIL(graph->source, old.offset, "found a scalar transposed; expected a vector or a matrix");
    for (int axis = 0; axis < 2; axis++) {
        operand->axes[axis] = old.axes[1 - axis];
        operand->extents[axis] = old.extents[1 - axis];
    }
    for (int i = 0; i < operand->use_count; i++)
        for (int k = 0; k < operand->uses[i].index_count; k++)
            operand->uses[i].indices[k] = 1 - operand->uses[i].indices[k];
    return QN_OK;
}

static bool same_use(const qn_use *a, const qn_use *b)
{
    bool same = a->value == b->value && a->index_count == b->index_count;
    for (int k = 0; same && k < a->index_count; k++) same = a->indices[k] == b->indices[k];
    return same;
}

/* Put the uses of `from` into `into`, and return the tree of `from` over them. */
static qn_status merge_uses(qn_graph *graph, const qn_operand *from, qn_operand *into, const qn_point **point)
{
    const qn_point *inputs[QN_CALL_INPUTS_MAX];
    for (int i = 0; i < from->use_count; i++) {
        int slot = 0;
        while (slot < into->use_count && !same_use(&into->uses[slot], &from->uses[i])) slot++;
        if (slot == QN_CALL_INPUTS_MAX)
            return QN_SOURCE_FAIL(graph->source, into->offset,
                                  "found more than %d values in one element-wise expression; expected fewer: assign a "
                                  "part of it to a name",
                                  QN_CALL_INPUTS_MAX);
        if (slot == into->use_count) into->uses[into->use_count++] = from->uses[i];
        QN_TRY(qn_point_make_input(graph->arena, slot, &inputs[i]));
    }
    return qn_point_substitute(graph->arena, from->point, inputs, point);
}

static bool same_shape(const qn_operand *a, const qn_operand *b)
{
    for (int axis = 0; axis < 2; axis++)
        if (a->axes[axis] != b->axes[axis] || (a->axes[axis] && a->extents[axis] != b->extents[axis])) return false;
    return true;
}

static qn_status check_shapes(const qn_graph *graph, const qn_operand *operands, int count, const char *what,
                              size_t offset, const qn_operand **largest)
{
    *largest = &operands[0];
    for (int i = 0; i < count; i++) {
        if (operands[i].is_csr)
            return QN_SOURCE_FAIL(graph->source, operands[i].offset,
                                  "found a csr matrix in %s; expected it as A*x only", what);
        if (qn_operand_is_scalar(*largest)) *largest = &operands[i];
        if (!qn_operand_is_scalar(&operands[i]) && !same_shape(*largest, &operands[i]))
            return QN_SOURCE_FAIL(graph->source, offset, "found %s and %s in %s; expected equal shapes or a scalar",
                                  qn_operand_shape(graph, *largest).text, qn_operand_shape(graph, &operands[i]).text,
                                  what);
    }
    return QN_OK;
}

qn_status qn_operand_combine(qn_graph *graph, const qn_operand *operands, int count, const qn_point *point,
                             const char *what, size_t offset, qn_operand *result)
{
    const qn_operand *largest;
    const qn_point *parts[QN_CALL_INPUTS_MAX];
    QN_TRY(check_shapes(graph, operands, count, what, offset, &largest));
    qn_operand made = {.offset = offset};
    for (int axis = 0; axis < 2; axis++) {
        made.axes[axis] = largest->axes[axis];
        made.extents[axis] = largest->extents[axis];
    }
    for (int i = 0; i < count; i++) QN_TRY(merge_uses(graph, &operands[i], &made, &parts[i]));
    QN_TRY(qn_point_substitute(graph->arena, point, parts, &made.point));
    *result = made;
    return QN_OK;
}

qn_status qn_operand_outer(qn_graph *graph, const qn_operand *column, const qn_operand *row, size_t offset,
                           qn_operand *result)
{
    const qn_point *parts[2];
    qn_operand made = {.offset = offset, .axes = {true, true}, .extents = {column->extents[0], row->extents[1]}};
    QN_TRY(merge_uses(graph, column, &made, &parts[0]));
    QN_TRY(merge_uses(graph, row, &made, &parts[1]));
    QN_TRY(qn_point_make(graph->arena, QN_POINT_MULTIPLY, 0, parts, &made.point));
    *result = made;
    return QN_OK;
}
