/* The pair potential of the PIPER energy: an energy for each contact of two atoms by their types.
 *
 * The 18 × 18 matrix of contact energies is stored as ε(a, b) = Σ_p λ_p u_p[a] u_p[b] (Kozakov et al. 2006), so that
 * each term p that is used costs one correlation. Terms are sorted by falling |λ|. The relative error of the matrix
 * (Frobenius norm) is 13 % with four terms, 8 % with five, 4 % with eight.
 */
#ifndef QN_SCORE_PAIR_POTENTIAL_H
#define QN_SCORE_PAIR_POTENTIAL_H

#include "score/atom_table.h"

/* Two atoms closer than this are in contact. */
#define QN_PAIR_RANGE_ANGSTROM 6.5

extern const double qn_pair_eigenvalue[QN_ATOM_TYPES];
extern const double qn_pair_eigenvector[QN_ATOM_TYPES][QN_ATOM_TYPES]; /* [term][type] */

/* Energy of a contact by the first `terms` terms; 0 if a type is −1. */
static inline double qn_pair_energy(int a, int b, int terms)
{
    double energy = 0;
    if (a < 0 || b < 0) return 0;
    for (int p = 0; p < terms; p++)
        energy += qn_pair_eigenvalue[p] * qn_pair_eigenvector[p][a] * qn_pair_eigenvector[p][b];
    return energy;
}

#endif
