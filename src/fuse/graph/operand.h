/* An element-wise expression while a script is lowered: a tree over values that are read at its rows and columns. */
#ifndef QN_FUSE_GRAPH_OPERAND_H
#define QN_FUSE_GRAPH_OPERAND_H

#include "fuse/graph/graph.h"

/* Axis 0 is the rows, axis 1 the columns: a vector has axis 0, a transposed vector axis 1, a matrix both. */
typedef struct qn_operand {
    bool axes[2];
    int extents[2];
    bool is_csr;
    const qn_point *point;           /* over the uses */
    qn_use uses[QN_CALL_INPUTS_MAX]; /* indices are axes of the operand */
    int use_count;
    size_t offset; /* in the script, for messages */
} qn_operand;

QN_MUST_CHECK qn_status qn_operand_of_number(qn_graph *graph, double number, size_t offset, qn_operand *operand);
QN_MUST_CHECK qn_status qn_operand_of_value(qn_graph *graph, int value, size_t offset, qn_operand *operand);

/* Exchange rows and columns. A csr matrix is refused. */
QN_MUST_CHECK qn_status qn_operand_transpose(qn_graph *graph, qn_operand *operand);

/* Combine operands, element by element, by a tree over them. Their shapes must agree; scalars go with every shape. */
QN_MUST_CHECK qn_status qn_operand_combine(qn_graph *graph, const qn_operand *operands, int count,
                                           const qn_point *point, const char *what, size_t offset, qn_operand *result);

/* The outer product of a vector and a transposed vector. */
QN_MUST_CHECK qn_status qn_operand_outer(qn_graph *graph, const qn_operand *column, const qn_operand *row,
                                         size_t offset, qn_operand *result);

/* Its shape, as a script writes it: "vector(n)", "vector(n)'", "matrix(m, n)". */
qn_shape_text qn_operand_shape(const qn_graph *graph, const qn_operand *operand);

static inline bool qn_operand_is_scalar(const qn_operand *operand)
{
    return !operand->axes[0] && !operand->axes[1];
}

static inline bool qn_operand_is_matrix(const qn_operand *operand)
{
    return operand->axes[0] && operand->axes[1];
}

/* Whether it is one value as it is, maybe transposed. */
static inline bool qn_operand_is_value(const qn_operand *operand)
{
    return operand->use_count == 1 && operand->point->kind == QN_POINT_INPUT;
}

#endif
