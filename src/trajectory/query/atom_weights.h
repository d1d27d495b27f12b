/* Weights of a selection's atoms: masses, charges, electrons, or 1. They are gathered once if the selection is the same
 * in every frame. */
#ifndef QN_TRAJECTORY_QUERY_ATOM_WEIGHTS_H
#define QN_TRAJECTORY_QUERY_ATOM_WEIGHTS_H

#include <quern/query.h>

#include "trajectory/query/atom_sums.h"

typedef enum qn_weight_kind {
    QN_WEIGHT_ONE,
    QN_WEIGHT_MASS,     /* amu */
    QN_WEIGHT_CHARGE,   /* e */
    QN_WEIGHT_ELECTRONS /* atomic number minus charge */
} qn_weight_kind;

enum { QN_ALL_ATOMS = -1 };

typedef struct qn_atom_weights {
    double *values; /* NULL: the weight of every atom is 1 */
    bool gathered;  /* values[i] belongs to the i-th atom of the selection; else values[atom] to `atom` */
    bool shared;    /* `values` belongs to the run, not to the query */
} qn_atom_weights;

/* Weights shared by queries of a run that select the same atoms. They live as long as the queries. */
typedef struct qn_shared_weights {
    struct qn_shared_weights_entry *entries;
    size_t count, capacity;
} qn_shared_weights;

void qn_shared_weights_clear(qn_shared_weights *shared);

/* Weights of `selection` 0 or 1, or of QN_ALL_ATOMS, from which the weights of any selection can be viewed.
 * QN_INVALID_ARGUMENT if the topology has no masses or no charges, or if the sum of the masses is not above 0. */
QN_MUST_CHECK qn_status qn_atom_weights_create(const qn_query_setup *setup, int selection, qn_weight_kind kind,
                                               qn_atom_weights *weights);
void qn_atom_weights_clear(qn_atom_weights *weights);

/* Weights of atoms[begin] … atoms[begin + count − 1], in `room` unless they are contiguous already. Zeros follow the
 * last weight of the selection up to a multiple of QN_SUM_LANES; `room` must have space for them. */
const double *qn_atom_weights_view(const qn_atom_weights *weights, const uint32_t *atoms, size_t begin, size_t count,
                                   double *room);

#endif
