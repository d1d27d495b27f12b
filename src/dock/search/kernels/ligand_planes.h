/* First of the three steps of the fused rotation: ligand atoms of a batch of rotations → planes of their boxes,
 * transformed along x and y.
 *
 * Atoms are placed exactly as by kernels/ligand_grids.h (the same integers), so that both paths search the same grids.
 * Grids are not written to device memory: a group makes a plane in local memory, as integers. It transforms two rows as
 * one complex row, separates the two spectra, transforms the columns and writes the half spectrum.
 */
#ifndef QN_DOCK_SEARCH_LIGAND_PLANES_H
#define QN_DOCK_SEARCH_LIGAND_PLANES_H

#include <quern/family.h>

#include "dock/search/kernels/rotation_grid.h"

extern const qn_family qn_dock_ligand_planes_family;

typedef struct qn_ligand_planes_problem {
    qn_rotation_grid grid;
    int atoms, grids, trilinear_grid; /* as in kernels/ligand_grids.h */
    int rotations;                    /* in all; a batch beyond the end repeats the last rotation */
    int batch;
    int box_centre, scale;
} qn_ligand_planes_problem;

void qn_ligand_planes_problem_class(const qn_ligand_planes_problem *problem, char text[64]);

/* Rotate the atoms: positions [batch][3][atoms] int32, coordinates in 1/4096 voxel of the ligand box. */
QN_MUST_CHECK qn_status qn_ligand_planes_place(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_ligand_planes_problem *problem, qn_buffer *atoms,
                                               qn_buffer *rotations, int first_rotation, qn_buffer *positions,
                                               qn_event **event);

/* Compute the planes. `roots`: those of nx, ny, nz (fft/line_split.h), one after the other; `planes` as in
 * rotation_grid.h. */
QN_MUST_CHECK qn_status qn_ligand_planes(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_ligand_planes_problem *problem, qn_buffer *positions,
                                         qn_buffer *weights, qn_buffer *roots, qn_buffer *planes, qn_event **event);

/* Reference: planes [box][columns] of one rotation and grid in double precision, from the positions of the atoms;
 * complex numbers. */
QN_MUST_CHECK qn_status qn_ligand_planes_reference(const qn_ligand_planes_problem *problem, const int32_t *positions,
                                                   const int32_t *weights, int grid, double *planes);

/* Reference: plane z [columns] alone. */
QN_MUST_CHECK qn_status qn_ligand_planes_reference_plane(const qn_ligand_planes_problem *problem,
                                                         const int32_t *positions, const int32_t *weights, int grid,
                                                         int z, double *plane);

#endif
