/* A random forest (Breiman 2001) over the points of a space: what a searcher believes of points that nobody tested.
 * Each tree is grown on a bootstrap sample of the data and the spread over the trees is the doubt.
 *
 * A node looks at half of the parameters and takes the best of all their cuts; where between two values seen in the
 * data the cut lies is drawn (as Hutter, Hoos, Leyton-Brown 2011 do in SMAC), so that trees differ where nobody looked.
 * A parameter enters as the rank of its value, or where there is no order (texts) as a number that each node renames.
 *
 * Life cycle: create → (build → predict…)… → destroy. Thread rule: one thread at a time. */
#ifndef QN_TUNE_SEARCHER_FOREST_H
#define QN_TUNE_SEARCHER_FOREST_H

#include <quern/space.h>

typedef struct qn_forest qn_forest;

typedef struct qn_forest_options {
    int trees;
    double parameters; /* share of the varying parameters that a node looks at */
    int smallest_node; /* data in a node below which it is not split */
} qn_forest_options;

QN_MUST_CHECK qn_status qn_forest_create(const qn_space *space, const qn_forest_options *options, uint64_t seed,
                                         qn_forest **forest);
void qn_forest_destroy(qn_forest **forest);

/* Grow this tree anew on these data. */
QN_MUST_CHECK qn_status qn_forest_build(qn_forest *forest, const qn_point *points, const double *targets, size_t data,
                                        int tree);
/* A point as trees see it: x[width], one number for each parameter that has more than one value. */
size_t qn_forest_width(const qn_forest *forest);
void qn_forest_encode(const qn_forest *forest, qn_point point, uint8_t *x);
float qn_forest_predict(const qn_forest *forest, int tree, const uint8_t *x);

#endif
