/* A graph as a sequence of BLAS calls, as a user of a BLAS writes it.
 *
 * An element-wise expression must be a sum of vectors, matrices and outer products with scalar factors. Its target
 * begins as a copy of the first term; the others are added by axpy and ger. A product of a matrix and a vector that
 * only such a sum reads is added to the target by gemv itself. Scalar expressions are computed by the host. */
#ifndef QN_FUSE_BLAS_STEPS_H
#define QN_FUSE_BLAS_STEPS_H

#include "fuse/graph/interpret.h"

typedef enum qn_blas_kind {
    QN_BLAS_COPY, /* into = x */
    QN_BLAS_SCAL, /* into = alpha into */
    QN_BLAS_AXPY, /* into = alpha x + into */
    QN_BLAS_GEAM, /* into = alpha x + beta y; y -1: without it */
    QN_BLAS_DOT,  /* scalar into = x y */
    QN_BLAS_ASUM, /* scalar into = sum of |x| */
    QN_BLAS_GEMV, /* into = alpha A x + beta into, or A transposed */
    QN_BLAS_GER,  /* into = alpha x y' + into */
    QN_BLAS_GER2, /* into = alpha x y' + beta x2 y2' + into, as one product of matrices with two columns */
    QN_BLAS_SPMV, /* as gemv, with a csr matrix */
    QN_BLAS_HOST  /* scalar into = alpha */
} qn_blas_kind;

/* Kinds that a library has, as flags. */
typedef unsigned qn_blas_kinds;
#define QN_BLAS_HAS(kind) (1U << QN_BLAS_##kind)
#define QN_BLAS_LEGACY                                                                                  \
    (QN_BLAS_HAS(COPY) | QN_BLAS_HAS(SCAL) | QN_BLAS_HAS(AXPY) | QN_BLAS_HAS(DOT) | QN_BLAS_HAS(ASUM) | \
     QN_BLAS_HAS(GEMV) | QN_BLAS_HAS(GER))

typedef struct qn_blas_step {
    qn_blas_kind kind;
    int call;                     /* whose inputs the factors have */
    const qn_point *alpha, *beta; /* NULL: 1; of gemv and spmv without is_added, beta is 0 */
    bool is_added;
    bool transposed;
    int matrix, x, y, into; /* values; -1: none */
    int x2, y2;             /* of ger2 */
} qn_blas_step;

enum { QN_BLAS_STEPS_MAX = 8 * QN_GRAPH_CALLS_MAX };

typedef struct qn_blas_steps {
    const qn_graph *graph;
    qn_blas_step steps[QN_BLAS_STEPS_MAX];
    int count;
    int first[QN_GRAPH_SECTIONS_MAX + 1]; /* step of each section */
    int memory[QN_GRAPH_VALUES_MAX];      /* the value whose memory a value takes */
    bool in_memory[QN_GRAPH_VALUES_MAX];  /* by root */
    int refused;                          /* a call that has no BLAS call; -1: none */
} qn_blas_steps;

/* Make the steps, with the calls that a library has. A call that none of them does is `refused`. The graph has no
 * rings. */
QN_MUST_CHECK qn_status qn_blas_steps_make(const qn_graph *graph, qn_blas_kinds kinds, qn_blas_steps *steps);

/* Words of four bytes that a step moves: what it reads, and what it writes. */
double qn_blas_step_words(const qn_blas_steps *steps, const qn_blas_step *step, const qn_sizes *sizes,
                          const double *stored);

/* linear.c: an element-wise call as a sum. */
typedef struct qn_blas_term {
    const qn_point *factor; /* over the call's inputs; NULL: 1 */
    int x, y;               /* values; y -1: x alone, else x y' */
} qn_blas_term;

enum { QN_BLAS_TERMS_MAX = 16 };

/* *count is -1 if the call's output is no such sum. */
QN_MUST_CHECK qn_status qn_blas_expand(const qn_graph *graph, const qn_call *call, qn_blas_term *terms, int *count);

/* Whether a point reads scalars alone. */
bool qn_blas_is_scalar(const qn_graph *graph, const qn_call *call, const qn_point *point);

#endif
