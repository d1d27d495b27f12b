/* Knowledge of the interface as restraints: pairs of residues with the largest distance between them, from
 * cross-linking for example; ambiguous restraints of HADDOCK's tables; and lists of active residues.
 *
 * Each line of a file has a pair of residues, in either order, and the largest distance in Å; '#' begins a comment:
 *     receptor:A:30  ligand:B:101  25.0
 * Distances are between the Cα atoms, in nucleotides P or else C1', in other residues the first heavy atoms. A file
 * whose first word is assign is a table (dock/known/haddock_table.h).
 *
 * Life cycle: read, add active residues (each optional) → require → test any number of poses, in any threads → clear.
 */
#ifndef QN_DOCK_KNOWN_RESTRAINTS_H
#define QN_DOCK_KNOWN_RESTRAINTS_H

#include "dock/known/ambiguous.h"

typedef struct qn_dock_restraint {
    double receptor_angstrom[3]; /* the receptor's atom */
    double ligand_angstrom[3];   /* the ligand's atom, input coordinates */
    double maximum_angstrom;
} qn_dock_restraint;

/* Zero-initialise if no file is read. */
typedef struct qn_dock_restraints {
    size_t count; /* of the pairs */
    qn_dock_restraint *pairs;
    qn_dock_ambiguous ambiguous;
    bool *attracting[2]; /* residues of receptor and ligand whose contacts gain energy; NULL: none */
    bool certain_only;   /* ambiguous restraints between more than two residues need not be satisfied */
    size_t required;     /* number of restraints that a pose must satisfy */
    double strength;     /* of the energies; 0: none */
} qn_dock_restraints;

/* Read a file of restraints. QN_IO_ERROR or QN_NOT_FOUND if the file cannot be read. QN_BAD_FORMAT, QN_INVALID_ARGUMENT
 * or QN_NOT_FOUND for a wrong line; the message names file, line, value and what was expected. After a failure nothing
 * is left to clear. */
QN_MUST_CHECK qn_status qn_dock_restraints_read(const char *path, const qn_molecule *receptor,
                                                const qn_molecule *ligand, qn_dock_restraints *restraints);
void qn_dock_restraints_clear(qn_dock_restraints *restraints);

/* Add the restraints that HADDOCK makes of lists of residues (selections as --active and --passive take them): each
 * active residue is within an effective distance of 2 Å of the active and passive residues of the other partner; of all
 * its residues if the lists have none there. Active residues attract. QN_INVALID_ARGUMENT or QN_NOT_FOUND for
 * selections, and for passive residues without active ones. */
QN_MUST_CHECK qn_status qn_dock_restraints_add_active(const char *const *active, size_t active_count,
                                                      const char *const *passive, size_t passive_count,
                                                      const qn_molecule *receptor, const qn_molecule *ligand,
                                                      qn_dock_restraints *restraints);

/* Number of restraints: of all, or of those that certain_only leaves. */
size_t qn_dock_restraints_total(const qn_dock_restraints *restraints);

/* Set the number that a pose must satisfy. `quota` is a number, or below 0 a percentage; 0: all pairs of residues, and
 * none of the restraints between more residues. QN_INVALID_ARGUMENT if there are fewer; `source` is for the message. */
QN_MUST_CHECK qn_status qn_dock_restraints_require(int quota, const char *source, qn_dock_restraints *restraints);

/* Number of satisfied restraints, with ligand positions x' = R·x + t; `matrix` is row-major. */
size_t qn_dock_restraints_satisfied(const qn_dock_restraints *restraints, const double matrix[9],
                                    const double translation_angstrom[3]);

/* Add to the energies of residues (per pair of heavy atoms in contact) what attracting residues gain. */
void qn_dock_restraints_attract(const qn_dock_restraints *restraints, const qn_molecule *receptor,
                                const qn_molecule *ligand, double *of_receptor, double *of_ligand);

/* The energy of a pose by the share of restraints asking for contact that it satisfies, in addition to its contacts. */
double qn_dock_restraints_energy(const qn_dock_restraints *restraints, const double matrix[9],
                                 const double translation_angstrom[3]);

#endif
