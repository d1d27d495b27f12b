/* Element-wise expressions as sums of terms with scalar factors. */
#include "fuse/blas/steps.h"

typedef struct expansion {
    const qn_graph *graph;
    const qn_call *call;
    qn_blas_term *terms;
    int count; /* -1: it is no sum */
} expansion;

bool qn_blas_is_scalar(const qn_graph *graph, const qn_call *call, const qn_point *point)
{
    if (point->kind == QN_POINT_INPUT) return graph->values[call->inputs[point->slot].value].kind == QN_SCALAR;
    for (int i = 0; i < qn_point_child_count(point); i++)
        if (!qn_blas_is_scalar(graph, call, point->children[i])) return false;
    return true;
}

/* factor · more, or factor / more; a factor of NULL is 1. */
static qn_status scale(const expansion *at, qn_point_kind kind, const qn_point *factor, const qn_point *more,
                       const qn_point **scaled)
{
    const qn_point *children[2] = {factor, more};
    if (!factor && kind == QN_POINT_MULTIPLY) {
        *scaled = more;
        return QN_OK;
    }
    if (!factor) QN_TRY(qn_point_make_number(at->graph->arena, 1, &children[0]));
    return qn_point_make(at->graph->arena, kind, 0, children, scaled);
}

static qn_status negate(const expansion *at, const qn_point *factor, const qn_point **negated)
{
    if (!factor) return qn_point_make_number(at->graph->arena, -1, negated);
    return qn_point_make(at->graph->arena, QN_POINT_NEGATE, 0, &factor, negated);
}

static void add(expansion *at, const qn_point *factor, int x, int y)
{
    if (at->count < 0) return;
    if (at->count == QN_BLAS_TERMS_MAX)
        at->count = -1;
    else
        at->terms[at->count++] = (qn_blas_term){factor, x, y};
}

/* A value at the indices of the call's output, stored alike. */
static bool is_alike(const expansion *at, const qn_use *use)
{
    const qn_use *output = &at->call->outputs[0];
    const qn_value *value = &at->graph->values[use->value], *target = &at->graph->values[output->value];
    if (use->index_count != output->index_count || value->column != target->column || value->kind == QN_CSR)
        return false;
    for (int k = 0; k < use->index_count; k++)
        if (use->indices[k] != output->indices[k]) return false;
    return true;
}

/* A vector with scalar factors: NULL if the point is something else. */
static qn_status find_vector(const expansion *at, const qn_point *point, const qn_point **factor, const qn_use **use)
{
    const qn_call *call = at->call;
    *use = NULL;
    if (point->kind == QN_POINT_INPUT) {
        if (at->graph->values[call->inputs[point->slot].value].kind == QN_VECTOR) *use = &call->inputs[point->slot];
        return QN_OK;
    }
    if (point->kind == QN_POINT_NEGATE) {
        QN_TRY(negate(at, *factor, factor));
        return find_vector(at, point->children[0], factor, use);
    }
    if (point->kind != QN_POINT_MULTIPLY) return QN_OK;
    const bool first = qn_blas_is_scalar(at->graph, call, point->children[0]);
    if (!first && !qn_blas_is_scalar(at->graph, call, point->children[1])) return QN_OK;
    QN_TRY(scale(at, QN_POINT_MULTIPLY, *factor, point->children[!first], factor));
    return find_vector(at, point->children[first], factor, use);
}

/* x y' of vectors along the two axes. */
static qn_status add_outer(expansion *at, const qn_point *point, const qn_point *factor)
{
    const qn_use *one, *other;
    QN_TRY(find_vector(at, point->children[0], &factor, &one));
    QN_TRY(find_vector(at, point->children[1], &factor, &other));
    if (!one || !other || at->call->space_count != 2 || one->indices[0] == other->indices[0])
        at->count = -1;
    else if (one->indices[0] == 0)
        add(at, factor, one->value, other->value);
    else
        add(at, factor, other->value, one->value);
    return QN_OK;
}

static qn_status expand(expansion *at, const qn_point *point, const qn_point *factor)
{
    const qn_call *call = at->call;
    const qn_point *const *parts = point->children;
    if (at->count < 0) return QN_OK;
    switch (point->kind) {
    case QN_POINT_INPUT:
        if (is_alike(at, &call->inputs[point->slot]))
            add(at, factor, call->inputs[point->slot].value, -1);
        else
            at->count = -1;
        return QN_OK;
    case QN_POINT_ADD: QN_TRY(expand(at, parts[0], factor)); return expand(at, parts[1], factor);
    case QN_POINT_SUBTRACT:
        QN_TRY(expand(at, parts[0], factor));
        QN_TRY(negate(at, factor, &factor));
        return expand(at, parts[1], factor);
    case QN_POINT_NEGATE: QN_TRY(negate(at, factor, &factor)); return expand(at, parts[0], factor);
    case QN_POINT_MULTIPLY: {
        const bool first = qn_blas_is_scalar(at->graph, call, parts[0]);
        if (!first && !qn_blas_is_scalar(at->graph, call, parts[1])) return add_outer(at, point, factor);
        QN_TRY(scale(at, QN_POINT_MULTIPLY, factor, parts[!first], &factor));
        return expand(at, parts[first], factor);
    }
    case QN_POINT_DIVIDE:
        if (!qn_blas_is_scalar(at->graph, call, parts[1])) break;
        QN_TRY(scale(at, QN_POINT_DIVIDE, factor, parts[1], &factor));
        return expand(at, parts[0], factor);
    default: break;
    }
    at->count = -1;
    return QN_OK;
}

qn_status qn_blas_expand(const qn_graph *graph, const qn_call *call, qn_blas_term *terms, int *count)
{
    expansion at = {graph, call, terms, 0};
    if (call->output_count != 1 || call->is_sparse || call->meanings[0].reduction != QN_REDUCE_NONE) at.count = -1;
    if (at.count == 0) QN_TRY(expand(&at, call->meanings[0].term, NULL));
    *count = at.count;
    return QN_OK;
}
