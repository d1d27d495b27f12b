/* The ligand in the integers of kernels/ligand_grids.h, and exact rescoring of poses. */
#ifndef QN_DOCK_LIGAND_H
#define QN_DOCK_LIGAND_H

#include <stdint.h>

#include "dock/grid.h"
#include "dock/receptor_grids.h"

typedef struct qn_dock_ligand {
    int atom_count;
    int32_t *atoms;   /* QN_LIGAND_ATOM_INTS each: x, y, z about the rotation centre in 1/4096 Å */
    int32_t *weights; /* [QN_RPSC_TERMS][atom_count]: 1 per heavy atom; charge; in 1/2^20 */
} qn_dock_ligand;

QN_MUST_CHECK qn_status qn_dock_ligand_create(const qn_dock_partner *partner, const qn_dock_grid *grid,
                                              qn_dock_ligand *ligand);
void qn_dock_ligand_clear(qn_dock_ligand *ligand);

/* A rotation matrix in 1/2^30. */
void qn_dock_rotation_to_integers(const double matrix[9], int32_t integers[9]);

/* 2^20 voxels per Å, rounded: the scale of the kernels. */
int qn_dock_ligand_scale(const qn_dock_grid *grid);

/* Energies of the terms (QN_RPSC_TERMS) of a pose, summed in double over atoms in their order with the very integers
 * the grids are made of. Returns their sum. */
double qn_dock_rescore(const qn_dock_grid *grid, const float *receptor_grids, const qn_dock_ligand *ligand,
                       const int32_t rotation[9], long cell, double terms[QN_RPSC_TERMS]);

#endif
