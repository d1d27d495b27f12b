#include <math.h>
#include <string.h>

#include "dock/search/kernels/ligand_grids.h"

/* Compute the definition in double precision: rotate, scale to voxels, spread trilinearly or add to the nearest voxel.
 * Unlike the kernels, the reference does not round to integers, so that nearest voxels may differ if an atom lies on a
 * boundary between voxels; tests place atoms away from boundaries. */
void qn_ligand_grids_reference(const qn_ligand_grids_problem *problem, const int32_t *atoms, const int32_t *weights,
                               const int32_t *rotations, int first_rotation, double *grids)
{
    const size_t nx = (size_t)problem->cells[0], ny = (size_t)problem->cells[1], nz = (size_t)problem->cells[2];
    memset(grids, 0, (size_t)problem->batch * (size_t)problem->grids * nx * ny * nz * sizeof *grids);
    for (int slot = 0; slot < problem->batch; slot++) {
        int rotation = first_rotation + slot < problem->rotations ? first_rotation + slot : problem->rotations - 1;
        for (int atom = 0; atom < problem->atoms; atom++) {
            double at[3];
            for (int axis = 0; axis < 3; axis++) {
                double angstrom = 0;
                for (int k = 0; k < 3; k++)
                    angstrom += rotations[9 * rotation + 3 * axis + k] / QN_ROTATION_UNITS *
                                (atoms[QN_LIGAND_ATOM_INTS * atom + k] / QN_LIGAND_UNITS_PER_ANGSTROM);
                /* scale / 2^20 voxels per Å */
                at[axis] = angstrom * problem->scale / 1048576.0 + problem->box_centre;
            }
            for (int grid = 0; grid < problem->grids; grid++) {
                double weight = weights[grid * problem->atoms + atom] / QN_LIGAND_WEIGHT_UNITS;
                double *target = grids + (size_t)(slot * problem->grids + grid) * nx * ny * nz;
                for (int corner = 0; corner < 8; corner++) {
                    double share = weight;
                    size_t cell[3];
                    for (int axis = 0; axis < 3; axis++) {
                        double low = grid == problem->trilinear_grid ? floor(at[axis]) : floor(at[axis] + 0.5);
                        double fraction = grid == problem->trilinear_grid ? at[axis] - low : 0;
                        int upper = corner >> axis & 1;
                        share *= upper ? fraction : 1 - fraction;
                        cell[axis] = (size_t)low + (size_t)upper;
                    }
                    if (share != 0) target[cell[0] + nx * (cell[1] + ny * cell[2])] += share;
                }
            }
        }
    }
}
