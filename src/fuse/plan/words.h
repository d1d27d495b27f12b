/* Words of four bytes that kernels move, as polynomials of the extents: "mn + 2m + n". */
#ifndef QN_FUSE_PLAN_WORDS_H
#define QN_FUSE_PLAN_WORDS_H

#include "fuse/graph/interpret.h"

enum { QN_WORDS_TERMS_MAX = 24 };

/* factor · extent a · extent b, where -1 stands for 1; or factor · stored elements of a csr matrix. */
typedef struct qn_words_term {
    int a, b;
    int matrix; /* value; -1: no csr matrix */
    double factor;
} qn_words_term;

typedef struct qn_words {
    qn_words_term terms[QN_WORDS_TERMS_MAX];
    int count;
} qn_words;

/* Add `factor` times the words that a value takes; a csr matrix has its numbers, its columns and its rows' starts. */
void qn_words_add_value(const qn_graph *graph, int value, double factor, qn_words *words);
void qn_words_add(const qn_words *more, qn_words *words);

/* The number, with sizes of the extents; a csr matrix has `stored[value]` elements. */
double qn_words_count(const qn_words *words, const qn_sizes *sizes, const double *stored);

/* Append the polynomial, the largest products first. */
QN_MUST_CHECK qn_status qn_words_write(const qn_graph *graph, const qn_words *words, qn_text *text);

#endif
