/* Checks that an arrangement of a compound's atoms is possible: no two atoms too near, no bond through a ring. */
#ifndef QN_CHEMISTRY_CONFORMER_CHECKS_H
#define QN_CHEMISTRY_CONFORMER_CHECKS_H

#include "chemistry/rings.h"
#include "model/compound.h"

typedef struct qn_near_pair {
    int first, second;
    double limit_square; /* Å²: smaller squared distances are clashes */
} qn_near_pair;

/* A ring and a bond that could pass through it. */
typedef struct qn_ring_bond {
    int ring, bond;
} qn_ring_bond;

typedef struct qn_conformer_checks {
    const qn_compound *compound;
    const qn_rings *rings;
    qn_near_pair *pairs;
    qn_ring_bond *ring_bonds;
    size_t pair_count, ring_bond_count;
    size_t pair_capacity, ring_bond_capacity;
} qn_conformer_checks;

/* List the pairs of atoms three or more bonds apart whose distance changes when bonds rotate. `part`: number of the
 * rigid part of each atom, −1 for atoms of other molecules of the record, which are ignored; `turns`: per bond, whether
 * it rotates. A pair clashes below clash_share of its van der Waals sum. */
QN_MUST_CHECK qn_status qn_conformer_checks_create(const qn_compound *compound,
                                                   const qn_compound_neighbours *neighbours, const qn_rings *rings,
                                                   const int *part, const bool *turns, double clash_share,
                                                   qn_conformer_checks *checks);
void qn_conformer_checks_clear(qn_conformer_checks *checks);

/* Find two atoms that clash, in rigid parts that can be moved apart; false when there are none. */
bool qn_conformer_checks_find(const qn_conformer_checks *checks, const double *positions, int atoms[2]);

/* Van der Waals radius of an element: Bondi 1964, hydrogen by Rowland and Taylor 1996; 2 Å for other elements. */
double qn_van_der_waals_angstrom(const char *element);

#endif
