/* A random forest (Breiman 2001) over the points of a space. It predicts a target of untested points. Each tree is
 * grown on a bootstrap sample of the data; the spread of the trees' predictions is their uncertainty.
 *
 * A node tries a share of the parameters and takes the best of all their cuts. The cut lies at a random place between
 * two values of the data (as in SMAC: Hutter, Hoos, Leyton-Brown 2011), so that trees differ where there are no data. A
 * parameter enters as the rank of its value or, if its values have no order (texts), as a number that each node maps to
 * another one.
 *
 * Life cycle: create → (build → predict…)… → destroy. Thread rule: one thread at a time. */
#ifndef QN_TUNE_SEARCHER_FOREST_H
#define QN_TUNE_SEARCHER_FOREST_H

#include <quern/space.h>

typedef struct qn_forest qn_forest;

typedef struct qn_forest_options {
    int trees;
    double parameters; /* share of the varying parameters that a node tries */
    int smallest_node; /* a node with fewer data is not split */
} qn_forest_options;

QN_MUST_CHECK qn_status qn_forest_create(const qn_space *space, const qn_forest_options *options, uint64_t seed,
                                         qn_forest **forest);
void qn_forest_destroy(qn_forest **forest);

/* Grow a tree again, on `data` points with their targets. */
QN_MUST_CHECK qn_status qn_forest_build(qn_forest *forest, const qn_point *points, const double *targets, size_t data,
                                        int tree);
/* Encode a point for the trees: x[width], one number for each parameter that has more than one value. */
size_t qn_forest_width(const qn_forest *forest);
void qn_forest_encode(const qn_forest *forest, qn_point point, uint8_t *x);
float qn_forest_predict(const qn_forest *forest, int tree, const uint8_t *x);

#endif
