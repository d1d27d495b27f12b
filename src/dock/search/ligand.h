/* The ligand in the integers of kernels/ligand_grids.h, and exact rescoring of poses. */
#ifndef QN_DOCK_SEARCH_LIGAND_H
#define QN_DOCK_SEARCH_LIGAND_H

#include <stdint.h>

#include "dock/search/energy.h"
#include "dock/search/grid.h"

typedef struct qn_dock_ligand {
    int site_count, grid_count;
    int32_t *sites;   /* [site_count][QN_LIGAND_ATOM_INTS]: x, y, z about the rotation centre in 1/4096 Å */
    int32_t *weights; /* [grid_count][site_count] in 1/2^20 */
} qn_dock_ligand;

QN_MUST_CHECK qn_status qn_dock_ligand_create(const qn_dock_partner *partner, const qn_dock_energy *energy,
                                              const qn_dock_grid *grid, qn_dock_ligand *ligand);
void qn_dock_ligand_clear(qn_dock_ligand *ligand);

/* Convert a rotation matrix to units of 1/2^30. */
void qn_dock_rotation_to_integers(const double matrix[9], int32_t integers[9]);

/* The scale of the kernels: 2^20 / spacing in Å, rounded. */
int qn_dock_ligand_scale(const qn_dock_grid *grid);

/* Compute the terms of a pose in one coefficient set. Each layer is summed in double precision over the sites in their
 * order, with the same integers as in the grids. Returns the weighted sum of the terms. */
double qn_dock_rescore(const qn_dock_grid *grid, const qn_dock_energy *energy, size_t set, const qn_dock_ligand *ligand,
                       const int32_t rotation[9], long cell, double terms[QN_DOCK_TERMS_MAX]);

#endif
