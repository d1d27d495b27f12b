/* Bonds where a file has none: who is bound to whom from distances and covalent radii, and orders from geometry. */
#ifndef QN_CHEMISTRY_BONDS_H
#define QN_CHEMISTRY_BONDS_H

#include <quern/molecule.h>

#include "model/compound.h"

/* A compound of some atoms of a structure (`atoms`: indices), e.g. a hetero residue, with bonds of unknown order. */
QN_MUST_CHECK qn_status qn_bonds_from_molecule(const qn_molecule *molecule, const size_t *atoms, size_t count,
                                               qn_compound **compound);

/* Add the bonds that distances of conformer 0 imply (order unknown) to a compound that has none. */
QN_MUST_CHECK qn_status qn_bonds_connect(qn_compound *compound);

/* Give every bond of unknown order one, from bond lengths, angles, planarity and valences; also where hydrogens are
 * missing. Formal charges that follow (ammonium, carboxylate as one double and one single) are set. */
QN_MUST_CHECK qn_status qn_bonds_find_orders(qn_compound *compound);

#endif
