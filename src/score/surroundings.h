/* Facts about an atom that scoring functions need besides its SYBYL type: its neighbours, hydrogens and charge. */
#ifndef QN_SCORE_SURROUNDINGS_H
#define QN_SCORE_SURROUNDINGS_H

#include <quern/molecule.h>

#include "chemistry/sybyl.h"

typedef struct qn_surroundings {
    int heavy;     /* atoms bound to it that are neither hydrogen nor metal */
    bool hetero;   /* at least one of these is not a carbon */
    bool hydrogen; /* it has a hydrogen: in the file, implied, or, if the file has none, by type and charge */
    bool anion;    /* negative formal charge that no neighbour balances */
    bool cation;   /* positive formal charge, or type N.4 */
} qn_surroundings;

/* Atoms closer than this times the sum of their covalent radii are bound. */
#define QN_BOND_ALLOWANCE 1.1

/* Covalent radius (Å) as docking programs use it; 0 for metals, noble gases and unknown elements, whose bonds do not
 * count. */
double qn_covalent_radius_angstrom(const char *element);

/* Find the surroundings of each atom from the bonds. When the compound has a hydrogen on an atom other than carbon, or
 * many on carbons, it is assumed to have all polar hydrogens. */
QN_MUST_CHECK qn_status qn_surroundings_of_compound(const qn_compound *compound, const qn_sybyl_type *types,
                                                    qn_surroundings *surroundings);

/* Find the surroundings of each atom from distances: atoms are bound below 1.1 times the sum of their covalent radii. A
 * residue with any hydrogen is assumed to have all polar hydrogens. */
QN_MUST_CHECK qn_status qn_surroundings_of_molecule(const qn_molecule *molecule, const qn_sybyl_type *types,
                                                    qn_surroundings *surroundings);

#endif
