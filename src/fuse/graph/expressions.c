/* Expressions of a script: element-wise ones become one tree, all others calls of functions. */
#include <string.h>

#include "fuse/graph/lower.h"

static qn_status combine_two(qn_lowering *lowering, const qn_operand *operands, qn_point_kind kind, const char *what,
                             size_t offset, qn_operand *result)
{
    const qn_point *children[2], *point;
    qn_arena *arena = lowering->graph->arena;
    QN_TRY(qn_point_make_input(arena, 0, &children[0]));
    QN_TRY(qn_point_make_input(arena, 1, &children[1]));
    QN_TRY(qn_point_make(arena, kind, 0, children, &point));
    return qn_operand_combine(lowering->graph, operands, 2, point, what, offset, result);
}

static qn_status find_function(const qn_lowering *lowering, const char *name, size_t offset,
                               const qn_function **function)
{
    *function = qn_library_find(lowering->library, name);
    if (*function) return QN_OK;
    const char *nearest = qn_library_nearest(lowering->library, name);
    if (nearest)
        return QN_SOURCE_FAIL(lowering->graph->source, offset,
                              "found the unknown function \"%s\"; expected one of the library (did you mean \"%s\"?)",
                              name, nearest);
    return QN_SOURCE_FAIL(lowering->graph->source, offset,
                          "found the unknown function \"%s\"; expected one of the library", name);
}

/* A*x, with A dense or sparse, maybe transposed. */
static qn_status multiply_vector(qn_lowering *lowering, const qn_operand *operands, size_t offset, qn_operand *result)
{
    qn_graph *graph = lowering->graph;
    qn_operand arguments[2] = {operands[0], operands[1]};
    const qn_function *function;
    int value;
    if (operands[0].extents[1] != operands[1].extents[0])
        return QN_SOURCE_FAIL(graph->source, offset, "found %s * %s; expected vector(%s) on the right",
                              qn_operand_shape(graph, &operands[0]).text, qn_operand_shape(graph, &operands[1]).text,
                              graph->extents[operands[0].extents[1]].name);
    const bool transposed = qn_operand_is_value(&operands[0]) && operands[0].uses[0].indices[0] == 1;
    if (transposed) QN_TRY(qn_operand_transpose(graph, &arguments[0])); /* back to how it is stored */
    const char *name = operands[0].is_csr ? "spmv" : transposed ? "gemtv" : "gemv";
    QN_TRY(find_function(lowering, name, offset, &function));
    QN_TRY(qn_call_add(graph, function, arguments, offset, &value));
    return qn_operand_of_value(graph, value, offset, result);
}

static qn_status multiply(qn_lowering *lowering, const qn_operand *operands, size_t offset, qn_operand *result)
{
    const qn_graph *graph = lowering->graph;
    const qn_operand *left = &operands[0], *right = &operands[1];
    if (!left->is_csr && !right->is_csr && (qn_operand_is_scalar(left) || qn_operand_is_scalar(right)))
        return combine_two(lowering, operands, QN_POINT_MULTIPLY, "a product", offset, result);
    const bool right_is_column = right->axes[0] && !right->axes[1];
    if (qn_operand_is_matrix(left) && right_is_column) return multiply_vector(lowering, operands, offset, result);
    if (left->axes[0] && !left->axes[1] && right->axes[1] && !right->axes[0])
        return qn_operand_outer(lowering->graph, left, right, offset, result);
    const char *expected = right->is_csr ? "a csr matrix on the left, as A*x"
                           : qn_operand_is_matrix(left) && qn_operand_is_matrix(right)
                               ? "A*x or an element-wise A.*B; products of matrices are not fused"
                           : qn_operand_is_matrix(right) ? "a scalar on the left, or A'*x"
                           : right_is_column             ? "dot(x, y), x*y' or x.*y"
                                                         : "a vector or a scalar on the right";
    return QN_SOURCE_FAIL(graph->source, offset, "found %s * %s; expected %s", qn_operand_shape(graph, left).text,
                          qn_operand_shape(graph, right).text, expected);
}

static qn_status check_count(const qn_lowering *lowering, const qn_script_expr *expr, const qn_function *function)
{
    if ((size_t)function->input_count == expr->child_count) return QN_OK;
    return QN_SOURCE_FAIL(lowering->graph->source, expr->offset, "found %zu argument%s of %s; expected %d",
                          expr->child_count, expr->child_count == 1 ? "" : "s", function->name, function->input_count);
}

static qn_status lower_arguments(qn_lowering *lowering, const qn_script_expr *expr, const qn_function **function,
                                 qn_operand *arguments)
{
    QN_TRY(find_function(lowering, expr->name, expr->offset, function));
    QN_TRY(check_count(lowering, expr, *function));
    for (size_t i = 0; i < expr->child_count; i++) QN_TRY(qn_expr_lower(lowering, &expr->children[i], &arguments[i]));
    return QN_OK;
}

static qn_status lower_call(qn_lowering *lowering, const qn_script_expr *expr, qn_operand *operand)
{
    const qn_function *function;
    qn_operand arguments[QN_FUNCTION_INPUTS_MAX];
    int values[QN_FUNCTION_OUTPUTS_MAX];
    QN_TRY(lower_arguments(lowering, expr, &function, arguments));
    if (qn_function_is_map(function))
        return qn_operand_combine(lowering->graph, arguments, function->input_count, function->meanings[0].term,
                                  function->name, expr->offset, operand);
    if (function->output_count > 1)
        return QN_SOURCE_FAIL(lowering->graph->source, expr->offset,
                              "found %s, which has %d outputs, inside of an expression; expected \"a, b = %s(…)\"",
                              function->name, function->output_count, function->name);
    QN_TRY(qn_call_add(lowering->graph, function, arguments, expr->offset, values));
    return qn_operand_of_value(lowering->graph, values[0], expr->offset, operand);
}

qn_status qn_expr_lower_outputs(qn_lowering *lowering, const qn_script_item *item, int *values)
{
    const qn_script_expr *expr = &item->expr;
    const qn_function *function = NULL;
    qn_operand arguments[QN_FUNCTION_INPUTS_MAX];
    if (expr->kind == QN_EXPR_CALL) QN_TRY(lower_arguments(lowering, expr, &function, arguments));
    if (!function || (size_t)function->output_count != item->name_count)
        return QN_SOURCE_FAIL(lowering->graph->source, item->offset,
                              "found %zu names and %d output%s; expected a function with as many outputs as names",
                              item->name_count, function ? function->output_count : 1,
                              function && function->output_count > 1 ? "s" : "");
    return qn_call_add(lowering->graph, function, arguments, expr->offset, values);
}

static qn_status lower_binary(qn_lowering *lowering, const qn_script_expr *expr, qn_operand *operand)
{
    qn_operand operands[2];
    for (int i = 0; i < 2; i++) QN_TRY(qn_expr_lower(lowering, &expr->children[i], &operands[i]));
    switch (expr->kind) {
    case QN_EXPR_ADD: return combine_two(lowering, operands, QN_POINT_ADD, "a sum", expr->offset, operand);
    case QN_EXPR_SUBTRACT:
        return combine_two(lowering, operands, QN_POINT_SUBTRACT, "a difference", expr->offset, operand);
    case QN_EXPR_MULTIPLY_ELEMENT:
        return combine_two(lowering, operands, QN_POINT_MULTIPLY, "a product of elements", expr->offset, operand);
    case QN_EXPR_DIVIDE: return combine_two(lowering, operands, QN_POINT_DIVIDE, "a quotient", expr->offset, operand);
    default: return multiply(lowering, operands, expr->offset, operand);
    }
}

qn_status qn_expr_lower(qn_lowering *lowering, const qn_script_expr *expr, qn_operand *operand)
{
    qn_graph *graph = lowering->graph;
    const qn_point *inner, *point;
    int value;
    switch (expr->kind) {
    case QN_EXPR_NUMBER: return qn_operand_of_number(graph, expr->number, expr->offset, operand);
    case QN_EXPR_NAME:
        QN_TRY(qn_name_read(lowering, expr, &value));
        return qn_operand_of_value(graph, value, expr->offset, operand);
    case QN_EXPR_CALL: return lower_call(lowering, expr, operand);
    case QN_EXPR_TRANSPOSE:
        QN_TRY(qn_expr_lower(lowering, &expr->children[0], operand));
        return qn_operand_transpose(graph, operand);
    case QN_EXPR_NEGATE:
        QN_TRY(qn_expr_lower(lowering, &expr->children[0], operand));
        QN_TRY(qn_point_make_input(graph->arena, 0, &inner));
        QN_TRY(qn_point_make(graph->arena, QN_POINT_NEGATE, 0, &inner, &point));
        return qn_operand_combine(graph, operand, 1, point, "a negation", expr->offset, operand);
    default: return lower_binary(lowering, expr, operand);
    }
}
