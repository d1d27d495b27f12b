/* What of a molecule the columns of the PDB format cannot hold. */
#ifndef QN_MODEL_PDB_COLUMNS_H
#define QN_MODEL_PDB_COLUMNS_H

#include <quern/molecule.h>

/* True when something does not fit; `obstacle` then names the first such thing and the limit. */
bool qn_molecule_pdb_obstacle(const qn_molecule *molecule, char *obstacle, size_t size);

#endif
