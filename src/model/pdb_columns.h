/* A check that a molecule fits the columns of the PDB format. */
#ifndef QN_MODEL_PDB_COLUMNS_H
#define QN_MODEL_PDB_COLUMNS_H

#include <quern/molecule.h>

/* Whether a value does not fit; `obstacle` then names the first such value and its limit. */
bool qn_molecule_pdb_obstacle(const qn_molecule *molecule, char *obstacle, size_t size);

#endif
