/* Checks of a structure before it is scored: every atom once, and not all of them in a heap. Energies are sums over
 * pairs of atoms, so a structure that is there twice would double them. */
#ifndef QN_MODEL_CROWDING_H
#define QN_MODEL_CROWDING_H

#include <quern/molecule.h>

/* Text that describes an atom in a message, such as "CA of ALA A 5". */
typedef void qn_crowding_describe(size_t index, char *text, size_t size, const void *user);

/* Look for heavy atoms (`positions`: count × 3, Å) that are closer than 0.7 Å to another, which is shorter than any
 * bond between heavy atoms. QN_BAD_FORMAT if they are more than a tenth of all; a warning in the log if they are fewer.
 * `name` begins the message. */
QN_MUST_CHECK qn_status qn_crowding_check(const double *positions, size_t count, const char *name,
                                          qn_crowding_describe *describe, const void *user);

/* The same for the heavy atoms of a molecule. QN_BAD_FORMAT too if an atom has several alternate locations. Warns if a
 * molecule of several residues has Cα atoms only, for which scores of atoms are not made. */
QN_MUST_CHECK qn_status qn_molecule_check_crowding(const qn_molecule *molecule, const char *name);

#endif
