/* What positions say about bond orders: how short bonds are, how flat atoms and rings. */
#ifndef QN_CHEMISTRY_BOND_EVIDENCE_H
#define QN_CHEMISTRY_BOND_EVIDENCE_H

#include "chemistry/rings.h"

typedef struct qn_bond_evidence {
    float *shortness;   /* per bond: 0 a single bond's length, 1 a double one's, about 0.7 an aromatic one's */
    float *planarity;   /* per atom: 0 tetrahedral, 1 trigonal planar; by angles alone */
    bool *linear;       /* per atom: two neighbours on a line */
    bool *in_flat_ring; /* per atom: of 5 to 7 members */
    bool *flat_ring_bond;
} qn_bond_evidence;

/* From the positions of conformer 0; `rings` as qn_ring_search gives them. */
QN_MUST_CHECK qn_status qn_bond_evidence_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                              const qn_rings *rings, qn_bond_evidence *evidence);
void qn_bond_evidence_clear(qn_bond_evidence *evidence);

/* How much a carbon looks trigonal, 0 to 1, from its angles, its bonds and its rings: from 0.5 it is taken for it. */
double qn_bond_evidence_trigonal(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                 const qn_bond_evidence *evidence, int atom);

#endif
