/* Distance restraints, from cross-linking for example: pairs of residues with the largest distance between them.
 *
 * Each line of a file has a pair of residues, in either order, and the largest distance in Å; '#' begins a comment:
 *     receptor:A:30  ligand:B:101  25.0
 * Distances are between the Cα atoms, in nucleotides P or else C1', in other residues the first heavy atoms.
 *
 * Life cycle: read → test any number of poses, in any threads → clear.
 */
#ifndef QN_DOCK_RESTRAINTS_H
#define QN_DOCK_RESTRAINTS_H

#include <quern/molecule.h>

typedef struct qn_dock_restraint {
    double receptor_angstrom[3]; /* the receptor's atom */
    double ligand_angstrom[3];   /* the ligand's atom, input coordinates */
    double maximum_angstrom;
} qn_dock_restraint;

typedef struct qn_dock_restraints {
    size_t count;
    qn_dock_restraint *pairs;
} qn_dock_restraints;

/* Read a file of restraints. QN_IO_ERROR or QN_NOT_FOUND if the file cannot be read. QN_BAD_FORMAT, QN_INVALID_ARGUMENT
 * or QN_NOT_FOUND for a wrong line; the message names file, line, value and what was expected. After a failure nothing
 * is left to clear. */
QN_MUST_CHECK qn_status qn_dock_restraints_read(const char *path, const qn_molecule *receptor,
                                                const qn_molecule *ligand, qn_dock_restraints *restraints);
void qn_dock_restraints_clear(qn_dock_restraints *restraints);

/* Number of pairs within their largest distances, with ligand positions x' = R·x + t; `matrix` is row-major. */
size_t qn_dock_restraints_satisfied(const qn_dock_restraints *restraints, const double matrix[9],
                                    const double translation_angstrom[3]);

#endif
