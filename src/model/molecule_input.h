/* Molecules that a caller passes in memory: checks, and a digest of their content. */
#ifndef QN_MODEL_MOLECULE_INPUT_H
#define QN_MODEL_MOLECULE_INPUT_H

#include <quern/molecule.h>
#include <stdint.h>

/* Limits of numbers in structure files that are written: of a coordinate, and of an occupancy or B factor. */
#define QN_COORDINATE_MAX_ANGSTROM 1e5
#define QN_FACTOR_MAX 1e6

/* Check that the molecule has atoms, that numbers are within the limits above, that names are printable, end within
 * their arrays and are not empty where files need them, and that residues and atoms refer to each other as
 * qn_molecule_append_atom arranges it. `role` ("receptor") begins the message. QN_BAD_FORMAT if not. */
QN_MUST_CHECK qn_status qn_molecule_check(const qn_molecule *molecule, const char *role);

/* Get the SHA-256 of all fields of residues and atoms, and the number of hashed bytes. The molecule's name is not
 * hashed. */
void qn_molecule_digest(const qn_molecule *molecule, uint64_t *bytes, char digest[65]);

#endif
