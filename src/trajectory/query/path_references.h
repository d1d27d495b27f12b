/* Reference structures of a query, read from the frames of a trajectory file or the models of a PDB file. */
#ifndef QN_TRAJECTORY_QUERY_PATH_REFERENCES_H
#define QN_TRAJECTORY_QUERY_PATH_REFERENCES_H

#include "trajectory/query/structure_atoms.h"

typedef struct qn_path_references {
    double *positions; /* [count][atoms][3], nm */
    size_t count, capacity;
} qn_path_references;

/* Read all frames of the file. They have the atoms of the topology, of which `atoms` are taken, or these atoms alone.
 * Frames with all atoms are made whole if the topology has bonds, because a reference must not be cut by its box.
 * QN_BAD_FORMAT for a file with another number of atoms or one that ends inside a frame. After a failure too, clear
 * releases the memory. */
QN_MUST_CHECK qn_status qn_path_references_read(const char *path, const qn_topology *topology,
                                                const qn_structure_atoms *atoms, qn_path_references *references);
void qn_path_references_clear(qn_path_references *references);

#endif
