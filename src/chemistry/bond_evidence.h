/* Evidence for bond orders from positions: the shortness of bonds, the flatness of atoms and rings. */
#ifndef QN_CHEMISTRY_BOND_EVIDENCE_H
#define QN_CHEMISTRY_BOND_EVIDENCE_H

#include "chemistry/rings.h"

typedef struct qn_bond_evidence {
    float *shortness;   /* per bond: 0: as long as a single bond, 1: as a double bond; about 0.7: as an aromatic bond */
    float *planarity;   /* per atom, from its angles: 0: tetrahedral, 1: trigonal planar */
    bool *linear;       /* per atom: has two neighbours, on a line with it */
    bool *in_flat_ring; /* per atom: is in a flat ring of 5 to 7 members */
    bool *flat_ring_bond;
} qn_bond_evidence;

/* Measure the positions of conformer 0; `rings` as qn_ring_search returns them. */
QN_MUST_CHECK qn_status qn_bond_evidence_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                              const qn_rings *rings, qn_bond_evidence *evidence);
void qn_bond_evidence_clear(qn_bond_evidence *evidence);

/* Evidence that a carbon is trigonal, 0 to 1, from its angles, bonds and rings. From 0.5 on it is treated as trigonal.
 */
double qn_bond_evidence_trigonal(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                 const qn_bond_evidence *evidence, int atom);

#endif
