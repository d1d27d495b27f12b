/* SYBYL types of a structure's atoms: those of amino acids, nucleotides, waters and ions by name, those of other
 * residues from their geometry. */
#ifndef QN_CHEMISTRY_RESIDUE_TYPES_H
#define QN_CHEMISTRY_RESIDUE_TYPES_H

#include <quern/molecule.h>

#include "chemistry/sybyl.h"

/* Set a type for each atom (hydrogens: QN_SYBYL_H). Chain ends (N.4 and O.co2), selenomethionine, protonation names
 * (HIP, ASH, LYN, CYX …) and disulfides are respected. *unknown (may be NULL) counts atoms that got QN_SYBYL_ANY; one
 * warning is logged for each of their residue names. */
QN_MUST_CHECK qn_status qn_residue_sybyl_types(const qn_molecule *molecule, qn_sybyl_type *types, size_t *unknown);

#endif
