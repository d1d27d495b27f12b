/* Exact rescoring of many poses: the same bits as qn_dock_rescore (ligand.h), several times as fast.
 *
 * Life cycle: create → score from any threads → clear.
 */
#ifndef QN_DOCK_SEARCH_RESCORER_H
#define QN_DOCK_SEARCH_RESCORER_H

#include "dock/search/ligand.h"
#include "dock/search/receptor_cells.h"

/* Refers to its inputs, which must live longer. */
typedef struct qn_dock_rescorer {
    const qn_dock_grid *grid;
    const qn_dock_energy *energy;
    const qn_dock_ligand *ligand;
    const qn_dock_cells *cells;
    double *weights; /* [sites of the ligand][width of the cells] */
} qn_dock_rescorer;

QN_MUST_CHECK qn_status qn_dock_rescorer_create(const qn_dock_grid *grid, const qn_dock_energy *energy,
                                                const qn_dock_ligand *ligand, const qn_dock_cells *cells,
                                                qn_dock_rescorer *rescorer);
void qn_dock_rescorer_clear(qn_dock_rescorer *rescorer);

/* Compute the terms of the pose of a rotation, in units of 1/2^30, at a cell. Returns their weighted sum. */
double qn_dock_rescorer_score(const qn_dock_rescorer *rescorer, size_t set, const int32_t rotation[9], long cell,
                              double terms[QN_DOCK_TERMS_MAX]);

#endif
