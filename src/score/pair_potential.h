/* The pair potential of the PIPER energy: an energy for each contact of two atoms by their types.
 *
 * The 18 × 18 matrix of contact energies is kept as ε(a, b) = Σ_p λ_p u_p[a] u_p[b] (Kozakov et al. 2006), so that each
 * term p kept costs one correlation. Terms come by falling |λ|: four hold 87 % of the matrix (Frobenius norm), five
 * 92 %, eight 96 %.
 */
#ifndef QN_SCORE_PAIR_POTENTIAL_H
#define QN_SCORE_PAIR_POTENTIAL_H

#include "score/atom_table.h"

/* Two atoms are in contact when closer than this. */
#define QN_PAIR_RANGE_ANGSTROM 6.5

extern const double qn_pair_eigenvalue[QN_ATOM_TYPES];
extern const double qn_pair_eigenvector[QN_ATOM_TYPES][QN_ATOM_TYPES]; /* [term][type] */

/* Energy of a contact with the first `terms` terms; 0 where a type is −1. */
static inline double qn_pair_energy(int a, int b, int terms)
{
    double energy = 0;
    if (a < 0 || b < 0) return 0;
    for (int p = 0; p < terms; p++)
        energy += qn_pair_eigenvalue[p] * qn_pair_eigenvector[p][a] * qn_pair_eigenvector[p][b];
    return energy;
}

#endif
