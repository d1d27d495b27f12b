/* The place of a known ligand in a receptor: the site that a search box is laid around. */
#ifndef QN_SCORE_SITE_H
#define QN_SCORE_SITE_H

#include <quern/molecule.h>

/* Read the heavy atoms of the known ligand, count × 3 (Å), released with qn_release. A file is SDF, MOL2, PDBQT, PDB or
 * mmCIF ("file:AB" picks chains); of PDB or mmCIF with hetero residues, as a whole complex has, only these are read.
 * `content` (NULL: read the file) is the content of a file of `size` bytes of small molecules, and `path` its name.
 * QN_BAD_FORMAT: no heavy atoms, or no positions in three dimensions. */
QN_MUST_CHECK qn_status qn_site_read(const char *path, const void *content, size_t size, double **positions_angstrom,
                                     size_t *count);

/* Whether a place is within 1 Å of one of `count` × 3 positions. */
bool qn_site_is_near(const double place_angstrom[3], const double *positions_angstrom, size_t count);

/* Remove the known ligand from a receptor that is the complex with it: hetero residues of which at least half of the
 * heavy atoms are within 1 Å of one of the site's atoms. A note in the log names each. *emptied is the receptor without
 * them, or NULL if there are none. */
QN_MUST_CHECK qn_status qn_site_empty(const qn_molecule *receptor, const double *positions_angstrom, size_t count,
                                      qn_molecule **emptied);

#endif
