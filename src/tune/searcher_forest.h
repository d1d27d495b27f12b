/* Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) over the points of a space: what a searcher believes of
 * points that nobody tested. Each tree sees all data; the spread over the trees is the doubt.
 *
 * A parameter enters as the base-2 logarithm of its values where all are positive numbers, else as the number, or as a
 * value number that each node renames at random where there is no order (texts). A node splits on one parameter or on a
 * sum or difference of two or three: sums of logarithms are what kernels are made of (threads of a group, elements of a
 * tile, bytes of local memory).
 *
 * Life cycle: create → (build → predict…)… → destroy. Thread rule: one thread at a time. */
#ifndef QN_TUNE_SEARCHER_FOREST_H
#define QN_TUNE_SEARCHER_FOREST_H

#include <quern/space.h>

typedef struct qn_forest qn_forest;

typedef struct qn_forest_options {
    int trees;
    int tries;         /* splits tried in a node, the best is taken */
    double oblique;    /* share of tries on more than one parameter */
    int smallest_node; /* data in a node below which it is not split */
} qn_forest_options;

QN_MUST_CHECK qn_status qn_forest_create(const qn_space *space, const qn_forest_options *options, uint64_t seed,
                                         qn_forest **forest);
void qn_forest_destroy(qn_forest **forest);

/* Grow trees first … first + count - 1 anew on these data. */
QN_MUST_CHECK qn_status qn_forest_build(qn_forest *forest, const qn_point *points, const double *targets, size_t data,
                                        int first, int count);
/* A point as trees see it: x[parameters of the space]. */
void qn_forest_encode(const qn_forest *forest, qn_point point, float *x);
float qn_forest_predict(const qn_forest *forest, int tree, const float *x);

#endif
