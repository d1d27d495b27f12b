/* Functions that the parts of the MOL2 reader share. */
#ifndef QN_FORMAT_COMPOUND_MOL2_H
#define QN_FORMAT_COMPOUND_MOL2_H

#include "format/compound/compound_lines.h"

/* The element of a SYBYL type ("C.ar", "Cl") or of a GAFF type, all in small letters ("ca", "cl"); "X" for types that
 * stand for no element ("Du", "LP", "Any"). False for unknown types. */
bool qn_mol2_element(qn_word type, qn_word name, char element[4]);

/* Turn bonds that SYBYL calls aromatic although they are in no ring (in carboxylates, phosphates, sulfonates and
 * guanidinium) into single and double bonds with formal charges; ammonium gets its charge. */
QN_MUST_CHECK qn_status qn_mol2_settle_bonds(qn_compound *compound);

/* Drop lone pairs, which SYBYL writes as atoms ("LP"), and, if wanted, hydrogens. Where the molecule has bonds, dropped
 * hydrogens are counted as implicit hydrogens of the atoms that they are bound to. */
QN_MUST_CHECK qn_status qn_mol2_drop_atoms(qn_compound *compound, bool hydrogens);

bool qn_mol2_is_lone_pair(const qn_compound_atom *atom);

#endif
