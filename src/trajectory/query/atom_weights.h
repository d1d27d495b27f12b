/* What the atoms of a selection are weighted with: masses, charges, electrons or nothing; gathered once where the
 * selection is the same in every frame. */
#ifndef QN_TRAJECTORY_QUERY_ATOM_WEIGHTS_H
#define QN_TRAJECTORY_QUERY_ATOM_WEIGHTS_H

#include <quern/query.h>

#include "trajectory/query/atom_sums.h"

typedef enum qn_weight_kind {
    QN_WEIGHT_ONE,
    QN_WEIGHT_MASS,     /* amu */
    QN_WEIGHT_CHARGE,   /* e */
    QN_WEIGHT_ELECTRONS /* atomic number less charge */
} qn_weight_kind;

enum { QN_ALL_ATOMS = -1 };

typedef struct qn_atom_weights {
    double *values; /* NULL: every atom counts 1 */
    bool gathered;  /* values[i] is of the i-th atom of the selection; else values[atom] */
    bool shared;    /* values are the run's, not the query's */
} qn_atom_weights;

/* Weights that queries of a run have in common, as they select the same atoms; they live as long as the queries. */
typedef struct qn_shared_weights {
    struct qn_shared_weights_entry *entries;
    size_t count, capacity;
} qn_shared_weights;

void qn_shared_weights_clear(qn_shared_weights *shared);

/* Of `selection` 0 or 1, or of QN_ALL_ATOMS, from which any selection is loaded.
 * QN_INVALID_ARGUMENT where the topology has no masses, charges or elements, or the masses of a fixed selection are all
 * 0. */
QN_MUST_CHECK qn_status qn_atom_weights_create(const qn_query_setup *setup, int selection, qn_weight_kind kind,
                                               qn_atom_weights *weights);
void qn_atom_weights_clear(qn_atom_weights *weights);

/* Weights of atoms[begin] … atoms[begin + count − 1], in `room` unless they lie side by side already. Behind the last
 * one of the selection there are zeros up to a multiple of QN_SUM_LANES, for which `room` has to have room. */
const double *qn_atom_weights_view(const qn_atom_weights *weights, const uint32_t *atoms, size_t begin, size_t count,
                                   double *room);

#endif
