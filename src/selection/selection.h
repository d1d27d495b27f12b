/* Selections of atoms and the network they form: each distinct sub-expression is one node, whatever the number of
 * selections that use it. Nodes that depend only on names, numbers, masses … are evaluated once; geometric nodes
 * (x < 2, within 0.5 of protein) are evaluated for each frame.
 *
 * The language is that of docs/formats/selections.md: words (protein, water …), names and numbers of atoms,
 * coordinates, neighbours, atoms that share a residue or a bond, groups of index files; and, or, not.
 *
 * Life cycle: create → index files → add → per frame evaluate → destroy. Thread rule: one
 * thread adds; any number of threads evaluate, each with its own qn_selection_atoms.
 */
#ifndef QN_SELECTION_SELECTION_H
#define QN_SELECTION_SELECTION_H

#include <quern/frame.h>
#include <quern/topology.h>

typedef struct qn_selections qn_selections;

/* Borrows the topology. `length_unit_nm`: the unit of x, y, z and within (1, or 0.1 for Å). `periodic`: within includes
 * periodic images. */
QN_MUST_CHECK qn_status qn_selections_create(const qn_topology *topology, double length_unit_nm, bool periodic,
                                             qn_selections **selections);
void qn_selections_destroy(qn_selections **selections);

/* Read a GROMACS index file; selections that are added later may name its groups. */
QN_MUST_CHECK qn_status qn_selections_add_index_file(qn_selections *selections, const char *path);

/* Parse a selection and enter it into the network; *node is the same for equal selections.
 * QN_INVALID_ARGUMENT, naming the place in the text, the word and what was expected (with the nearest known word). */
QN_MUST_CHECK qn_status qn_selections_add(qn_selections *selections, const char *text, int *node);

size_t qn_selections_node_count(const qn_selections *selections);
bool qn_selections_is_fixed(const qn_selections *selections, int node);

/* Atoms of a fixed node that was added, in ascending order; valid as long as `selections`. */
void qn_selections_fixed_atoms(const qn_selections *selections, int node, const uint32_t **atoms, size_t *count);

/* Atoms of one frame, for all nodes that were added before its creation. Errors of evaluation name the frame:
 * QN_INVALID_ARGUMENT (a different number of atoms), QN_BAD_FORMAT (an invalid box), QN_UNSUPPORTED (a radius that is
 * many times the thickness of a flat box). */
typedef struct qn_selection_atoms qn_selection_atoms;
QN_MUST_CHECK qn_status qn_selection_atoms_create(const qn_selections *selections, qn_selection_atoms **atoms);
void qn_selection_atoms_destroy(qn_selection_atoms **atoms);
QN_MUST_CHECK qn_status qn_selection_atoms_evaluate(qn_selection_atoms *atoms, const qn_trajectory_frame *frame);
void qn_selection_atoms_view(const qn_selection_atoms *atoms, int node, const uint32_t **indices, size_t *count);

#endif
