/* Distance restraints from cross-linking and the like: pairs of residues that may be at most so far apart.
 *
 * A file has one pair a line, in either order, and the largest distance in Å; '#' begins a comment:
 *     receptor:A:30  ligand:B:101  25.0
 * Distances are between the Cα atoms, in nucleotides P or else C1', in other residues between their first heavy atoms.
 *
 * Life cycle: read → ask for any number of poses, from any threads → clear.
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

/* QN_IO_ERROR or QN_NOT_FOUND for the file, QN_BAD_FORMAT, QN_INVALID_ARGUMENT or QN_NOT_FOUND for a line, naming file,
 * line, value and what was expected. After a failure there is nothing to clear. */
QN_MUST_CHECK qn_status qn_dock_restraints_read(const char *path, const qn_molecule *receptor,
                                                const qn_molecule *ligand, qn_dock_restraints *restraints);
void qn_dock_restraints_clear(qn_dock_restraints *restraints);

/* How many pairs are no farther apart than they may be, with ligand positions x' = R·x + t; `matrix` row-major. */
size_t qn_dock_restraints_satisfied(const qn_dock_restraints *restraints, const double matrix[9],
                                    const double translation_angstrom[3]);

#endif
