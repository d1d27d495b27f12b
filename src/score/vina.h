/* AutoDock Vina's scoring function (Trott and Olson 2010) for rigid molecules: terms and weights as published.
 *
 * With d = r − R_i − R_j the surface distance (Å) of heavy atoms closer than 8 Å:
 *   gauss1 −0.035579 exp(−(d / 0.5)²), gauss2 −0.005156 exp(−((d − 3) / 2)²), repulsion 0.840245 d² where d < 0,
 *   hydrophobic −0.035069 from 1 at d ≤ 0.5 to 0 at 1.5, hydrogen bond −0.587439 from 1 at d ≤ −0.7 to 0 at 0;
 * the sum is divided by 1 + 0.05846 N, where N is the number of rotatable bonds of the ligand.
 */
#ifndef QN_SCORE_VINA_H
#define QN_SCORE_VINA_H

#include "score/surroundings.h"

#define QN_VINA_CUTOFF_ANGSTROM 8.0
#define QN_VINA_GAUSS1 (-0.035579)
#define QN_VINA_GAUSS2 (-0.005156)
#define QN_VINA_REPULSION 0.840245
#define QN_VINA_HYDROPHOBIC (-0.035069)
#define QN_VINA_HYDROGEN_BOND (-0.587439)
#define QN_VINA_TORSION 0.05846 /* summand of the divisor for each rotatable bond */

typedef struct qn_vina_atom_type {
    float radius_angstrom; /* of X-Score */
    bool hydrophobic, donor, acceptor;
} qn_vina_atom_type;

enum { QN_VINA_TYPES = 32 };

/* Get the table of types; *count gets its length. */
const qn_vina_atom_type *qn_vina_type_table(int *count);

/* Row of an atom in the table of types; −1: a hydrogen; −2: no type (noble gases, unknown elements). Carbons bound to a
 * hetero atom are not hydrophobic. N and O with a hydrogen are donors, as are metals; all O, and N with a free pair of
 * electrons, are acceptors. */
int qn_vina_type_of(const char *element, qn_sybyl_type type, const qn_surroundings *around);

/* The rule of AutoDock, which Vina uses: a nitrogen is an acceptor unless it is positive, or has three neighbours and
 * shares its pair of electrons with an aromatic ring or a neighbouring double bond. */
bool qn_vina_nitrogen_accepts(qn_sybyl_type type, const qn_surroundings *around);

/* Whether two rows are a metal and an atom that may coordinate it: N, O, S or a halogen. */
bool qn_vina_coordinates(int a, int b);

/* Find the types of all atoms of a compound. QN_BAD_FORMAT: an atom has no type. */
QN_MUST_CHECK qn_status qn_vina_types(const qn_compound *compound, int *types);

/* Number of torsions by the rules of Vina's program: rotatable bonds without amides; bonds that turn only the hydrogens
 * of O, N or S count half; methyl groups do not count. */
QN_MUST_CHECK qn_status qn_vina_rotatable_bonds(const qn_compound *compound, double *count);

/* Mark the bonds that count half. half: one for each bond. */
QN_MUST_CHECK qn_status qn_vina_half_bonds(const qn_compound *compound, bool *half);

/* Count the torsions in the same way, with known types and surroundings. */
QN_MUST_CHECK qn_status qn_vina_rotatable_bonds_of(const qn_compound *compound, const qn_sybyl_type *types,
                                                   const qn_surroundings *around, double *count);

typedef struct qn_vina_energy {
    double total;                                                 /* kcal/mol, divided by the torsion factor */
    double gauss1, gauss2, repulsion, hydrophobic, hydrogen_bond; /* weighted, not divided by the torsion factor */
} qn_vina_energy;

/* Add the terms of two atoms with these rows, r Å apart, to those of `energy`, whose total is left alone; no cutoff.
 * Returns their sum; *slope (kcal/mol/Å) gets its derivative by r. */
double qn_vina_add_pair(int a, int b, double r, qn_vina_energy *energy, double *slope);

/* Compute the energy in double precision, pair by pair: the reference of the kernels. Positions are n × 3 (Å). */
void qn_vina_energy_of(const double *ligand_positions, const int *ligand_types, size_t ligand_count,
                       double rotatable_bonds, const double *receptor_positions, const int *receptor_types,
                       size_t receptor_count, qn_vina_energy *energy);

#endif
