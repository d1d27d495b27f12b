/* Kinds of atoms, by name and element. */
#ifndef QN_MODEL_ATOM_H
#define QN_MODEL_ATOM_H

#include <quern/molecule.h>

/* Hydrogen, deuterium or tritium: "H", "D", "T". */
bool qn_element_is_hydrogen(const char *element);
bool qn_atom_is_hydrogen(const qn_atom *atom);

/* Whether an atom is the Cα of an amino acid: named CA and not a calcium ion, which has the same name. */
bool qn_atom_is_c_alpha(const qn_atom *atom);

/* Whether an atom stands for its residue in distances of structures: Cα of amino acids, P of nucleotides. A residue of
 * one atom is an ion and has none. */
bool qn_atom_marks_residue(const qn_molecule *molecule, const qn_atom *atom);

/* The first Cα of a residue; NULL: there is none. */
const qn_atom *qn_residue_c_alpha(const qn_molecule *molecule, const qn_residue *residue);

#endif
