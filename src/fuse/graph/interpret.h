/* The meaning of a graph, point by point in double precision: slow, simple, and what generated kernels are compared
 * with. */
#ifndef QN_FUSE_GRAPH_INTERPRET_H
#define QN_FUSE_GRAPH_INTERPRET_H

#include "fuse/graph/graph.h"

/* A value's numbers. A matrix is stored by rows without gaps, or by columns if its value says so; a csr matrix has the
 * numbers of its stored elements. */
typedef struct qn_numbers {
    double *values;
    double *scales; /* Σ of the magnitudes of the terms that each number was made of */
    size_t count;
    const int32_t *starts, *columns; /* of a csr matrix: rows + 1 numbers, and the column of each element */
} qn_numbers;

/* Sizes of a graph's extents. */
typedef struct qn_sizes {
    int64_t of[QN_GRAPH_EXTENTS_MAX];
} qn_sizes;

/* Numbers that a value has; a csr matrix has `stored`. */
size_t qn_value_elements(const qn_graph *graph, int value, const qn_sizes *sizes, size_t stored);

/* Compute all values. `numbers[value]` holds those that are given (their scales may be NULL: the magnitudes) and gets
 * all others, which the caller releases with qn_numbers_clear. Loops end after `most_rounds`; 0: where they say.
 * *rounds (may be NULL) gets the rounds of all loops. */
QN_MUST_CHECK qn_status qn_graph_interpret(const qn_graph *graph, const qn_sizes *sizes, qn_numbers *numbers,
                                           int64_t most_rounds, int64_t *rounds);

/* Whether a condition holds for values[use]. */
bool qn_condition_holds(const qn_condition *condition, const double *values);

void qn_numbers_clear(qn_numbers *numbers);

#endif
