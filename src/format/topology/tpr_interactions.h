/* Interactions in GROMACS run input files: their parameters, which are skipped, and their lists of atoms. Interactions
 * that hold a molecule together count as bonds. */
#ifndef QN_FORMAT_TOPOLOGY_TPR_INTERACTIONS_H
#define QN_FORMAT_TOPOLOGY_TPR_INTERACTIONS_H

#include "format/topology/tpr_bytes.h"

/* Pairs of atoms of one molecule type; zero-initialise, release with qn_tpr_bonds_clear. */
typedef struct qn_tpr_bonds {
    uint32_t (*pairs)[2];
    size_t count, capacity;
} qn_tpr_bonds;

void qn_tpr_bonds_clear(qn_tpr_bonds *bonds);

/* Skip the parameters of the force field. */
QN_MUST_CHECK qn_status qn_tpr_skip_parameters(qn_tpr_bytes *bytes);

/* Read the lists of a molecule type of `atom_count` atoms. `bonds` NULL: skip them. */
QN_MUST_CHECK qn_status qn_tpr_read_lists(qn_tpr_bytes *bytes, size_t atom_count, qn_tpr_bonds *bonds);

#endif
