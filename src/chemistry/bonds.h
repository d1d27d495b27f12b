/* Bonds for files that have none: connections from distances and covalent radii, orders from geometry. */
#ifndef QN_CHEMISTRY_BONDS_H
#define QN_CHEMISTRY_BONDS_H

#include <quern/molecule.h>

#include "model/compound.h"

/* Make a compound of some atoms of a structure (`atoms`: indices), e.g. a hetero residue, with bonds of unknown
 * order. */
QN_MUST_CHECK qn_status qn_bonds_from_molecule(const qn_molecule *molecule, const size_t *atoms, size_t count,
                                               qn_compound **compound);

/* Add the bonds that the distances of conformer 0 imply (order unknown) to a compound without bonds. */
QN_MUST_CHECK qn_status qn_bonds_connect(qn_compound *compound);

/* Set the order of every bond of unknown order, by bond lengths, angles, planarity and valences, even where hydrogens
 * are missing. Formal charges that follow (ammonium, carboxylate as one double and one single bond) are set. */
QN_MUST_CHECK qn_status qn_bonds_find_orders(qn_compound *compound);

#endif
