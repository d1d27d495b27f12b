/* Rings of a compound: a smallest set of smallest rings, and which of them are aromatic. */
#ifndef QN_CHEMISTRY_RINGS_H
#define QN_CHEMISTRY_RINGS_H

#include "model/compound.h"

typedef struct qn_ring {
    int *atoms; /* in order around the ring */
    int *bonds; /* bonds[i] joins atoms[i] and atoms[i + 1] */
    int size;
    bool aromatic;
} qn_ring;

typedef struct qn_rings {
    qn_ring *rings; /* bonds − atoms + components rings */
    size_t count;
    bool *bond_in_ring;  /* per bond */
    bool *bond_aromatic; /* per bond */
    bool *atom_aromatic; /* per atom */
} qn_rings;

/* Find rings and aromaticity by Hückel's rule on planar rings and fused systems of up to three rings, whether the file
 * draws them with alternating double bonds or with aromatic bonds. */
QN_MUST_CHECK qn_status qn_rings_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                      qn_rings *rings);
void qn_rings_clear(qn_rings *rings);

#endif
