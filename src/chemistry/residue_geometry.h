/* SYBYL types of residues without a template, from the positions of their atoms. */
#ifndef QN_CHEMISTRY_RESIDUE_GEOMETRY_H
#define QN_CHEMISTRY_RESIDUE_GEOMETRY_H

#include <quern/molecule.h>

#include "chemistry/sybyl.h"

/* Fill in every types[i] that is QN_SYBYL_TYPES. Residues bound to each other (sugars, peptides of modified amino
 * acids) are typed together, along with the residues of known types that they are bound to, so that an amide across a
 * border is recognised. Types that cannot be determined become QN_SYBYL_ANY. */
QN_MUST_CHECK qn_status qn_residue_types_from_geometry(const qn_molecule *molecule, qn_sybyl_type *types);

#endif
