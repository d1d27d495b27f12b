/* Building a topology: residues, atoms and bonds in file order, then what follows from them.
 *
 *     QN_TRY(qn_topology_create("water.gro", &topology));
 *     append residue, its atoms, …; bonds in any order
 *     QN_TRY(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
 */
#ifndef QN_MODEL_TOPOLOGY_H
#define QN_MODEL_TOPOLOGY_H

#include <quern/topology.h>

/* The part of `path` behind its last '/' becomes the name. */
QN_MUST_CHECK qn_status qn_topology_create(const char *path, qn_topology **topology);

/* Room for what will be appended, where that is known: only so that arrays need not move as they grow. */
QN_MUST_CHECK qn_status qn_topology_reserve(qn_topology *topology, size_t atoms, size_t residues, size_t bonds);

/* Its first_atom and atom_count are set here. */
QN_MUST_CHECK qn_status qn_topology_append_residue(qn_topology *topology, const qn_topology_residue *residue);

/* To the last residue; `residue` is set here, `molecule` kept. */
QN_MUST_CHECK qn_status qn_topology_append_atom(qn_topology *topology, const qn_topology_atom *atom);

/* Any order, repetitions are dropped by the end. Indices beyond the atoms there are, and bonds of an atom with itself,
 * are QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_topology_append_bond(qn_topology *topology, size_t first, size_t second);

/* Of the atom that is next to have one; at the end there are as many as atoms, or none. */
QN_MUST_CHECK qn_status qn_topology_append_position(qn_topology *topology, const double position_nm[3]);

/* Text of a file as a name: without blanks at its ends, what is not printable ASCII as '?', cut where the room ends. */
void qn_topology_set_name(char *name, size_t capacity, const char *text, size_t length);

typedef enum qn_topology_molecules {
    QN_MOLECULES_OF_BONDS, /* what bonds connect; residues where the file has no bonds */
    QN_MOLECULES_OF_FILE   /* `molecule` of each atom, from 0, ascending without gaps */
} qn_topology_molecules;

/* Sort bonds, number molecules in the order of their first atoms, and take masses from elements where the file has
 * none. */
QN_MUST_CHECK qn_status qn_topology_finish(qn_topology *topology, qn_topology_molecules molecules);

#endif
