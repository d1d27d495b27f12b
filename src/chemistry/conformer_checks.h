/* Whether an arrangement of a compound's atoms can be: no two too near, none through a ring. */
#ifndef QN_CHEMISTRY_CONFORMER_CHECKS_H
#define QN_CHEMISTRY_CONFORMER_CHECKS_H

#include "chemistry/rings.h"
#include "model/compound.h"

typedef struct qn_near_pair {
    int first, second;
    double limit_square; /* Å²: nearer is a clash */
} qn_near_pair;

/* A ring and a bond that could come to pass through it. */
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

/* Pairs of atoms three bonds apart or more whose distance the turning of bonds changes. `part`: number of the rigid
 * part of each atom, −1 for atoms of other molecules of the record, which are not looked at; `turns`: per bond, whether
 * it turns. A pair is a clash below clash_share of its van der Waals sum. */
QN_MUST_CHECK qn_status qn_conformer_checks_create(const qn_compound *compound,
                                                   const qn_compound_neighbours *neighbours, const qn_rings *rings,
                                                   const int *part, const bool *turns, double clash_share,
                                                   qn_conformer_checks *checks);
void qn_conformer_checks_clear(qn_conformer_checks *checks);

/* Two atoms that are in each other's way, of rigid parts that can be moved apart; false: there are none. */
bool qn_conformer_checks_find(const qn_conformer_checks *checks, const double *positions, int atoms[2]);

/* Van der Waals radius of an element: Bondi 1964, hydrogen by Rowland and Taylor 1996; 2 Å for those without one. */
double qn_van_der_waals_angstrom(const char *element);

#endif
