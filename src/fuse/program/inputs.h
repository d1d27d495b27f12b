/* Random values for what a sequence is given, for checks and timing. */
#ifndef QN_FUSE_PROGRAM_INPUTS_H
#define QN_FUSE_PROGRAM_INPUTS_H

#include "fuse/program/program.h"

typedef enum qn_inputs_kind {
    QN_INPUTS_UNIFORM, /* in (-1, 1] */
    QN_INPUTS_SIGNS    /* -1, 0 or 1: sums below 2^24 are exact in float32 */
} qn_inputs_kind;

enum { QN_INPUTS_ROW = 5 }; /* stored elements of each row of a csr matrix */

typedef struct qn_inputs {
    qn_numbers numbers[QN_GRAPH_VALUES_MAX]; /* for qn_graph_interpret, which adds all other values */
    float *floats[QN_GRAPH_VALUES_MAX];      /* the same, for a program */
    int32_t *starts[QN_GRAPH_VALUES_MAX], *columns[QN_GRAPH_VALUES_MAX];
} qn_inputs;

/* Elements of each csr matrix, by value. */
void qn_inputs_stored(const qn_graph *graph, const qn_sizes *sizes, double *stored);

/* Make the given values. A csr matrix has the pattern of a five-point stencil on a ring, 5 on its diagonal and -1
 * beside it. `with_numbers`: also in double precision. Release with qn_inputs_clear, also after a failure. */
QN_MUST_CHECK qn_status qn_inputs_make(const qn_graph *graph, const qn_sizes *sizes, uint64_t seed, qn_inputs_kind kind,
                                       bool with_numbers, qn_inputs *inputs);
void qn_inputs_clear(qn_inputs *inputs);

/* Write all of them into a program. */
QN_MUST_CHECK qn_status qn_inputs_write(const qn_inputs *inputs, const qn_graph *graph, qn_program *program);

/* Write those that a run replaces. */
QN_MUST_CHECK qn_status qn_inputs_restore(const qn_inputs *inputs, const qn_graph *graph, qn_program *program);

#endif
