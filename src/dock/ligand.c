#include "dock/ligand.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/kernels/ligand_grids.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/kernels/ligand_grids.dev.h"

static int32_t rounded(double value)
{
    return (int32_t)floor(value + 0.5);
}

qn_status qn_dock_ligand_create(const qn_dock_partner *partner, const qn_dock_grid *grid, qn_dock_ligand *ligand)
{
    size_t count = partner->molecule->atom_count;
    void *atoms, *weights;
    memset(ligand, 0, sizeof *ligand);
    QN_TRY(qn_allocate(count * QN_LIGAND_ATOM_INTS, sizeof(int32_t), &atoms));
    ligand->atoms = atoms;
    qn_status status = qn_allocate(count * QN_RPSC_TERMS, sizeof(int32_t), &weights);
    if (status != QN_OK) {
        qn_dock_ligand_clear(ligand);
        return status;
    }
    ligand->weights = weights;
    ligand->atom_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        const qn_atom_parameters *parameters = &partner->parameters[i];
        for (int axis = 0; axis < 3; axis++)
            ligand->atoms[QN_LIGAND_ATOM_INTS * i + (size_t)axis] =
                rounded((partner->molecule->atoms[i].position_angstrom[axis] - grid->centre_angstrom[axis]) *
                        QN_LIGAND_UNITS_PER_ANGSTROM);
        ligand->weights[QN_RPSC_SHAPE * count + i] = parameters->heavy ? (int32_t)QN_LIGAND_WEIGHT_UNITS : 0;
        ligand->weights[QN_RPSC_ELECTROSTATIC * count + i] = rounded(parameters->charge_e * QN_LIGAND_WEIGHT_UNITS);
    }
    return QN_OK;
}

void qn_dock_ligand_clear(qn_dock_ligand *ligand)
{
    qn_release(&ligand->atoms);
    qn_release(&ligand->weights);
}

void qn_dock_rotation_to_integers(const double matrix[9], int32_t integers[9])
{
    for (int i = 0; i < 9; i++) integers[i] = rounded(matrix[i] * QN_ROTATION_UNITS);
}

int qn_dock_ligand_scale(const qn_dock_grid *grid)
{
    return rounded(1048576.0 / grid->spacing_angstrom);
}

/* Index of voxel + shift on the circular receptor grid. */
static size_t shifted_cell(const qn_dock_grid *grid, const int shift[3], int x, int y, int z)
{
    size_t i = (size_t)((x + shift[0]) % grid->cells[0]);
    size_t j = (size_t)((y + shift[1]) % grid->cells[1]);
    size_t k = (size_t)((z + shift[2]) % grid->cells[2]);
    return i + (size_t)grid->cells[0] * (j + (size_t)grid->cells[1] * k);
}

double qn_dock_rescore(const qn_dock_grid *grid, const float *receptor_grids, const qn_dock_ligand *ligand,
                       const int32_t m[9], long cell, double terms[QN_RPSC_TERMS])
{
    const int nx = grid->cells[0], ny = grid->cells[1], scale = qn_dock_ligand_scale(grid);
    const size_t count = (size_t)ligand->atom_count;
    const float *shape = receptor_grids, *potential = receptor_grids + qn_dock_grid_volume(grid);
    int shift[3] = {(int)(cell % nx), (int)(cell / nx % ny), (int)(cell / nx / ny)};
    double shape_sum = 0, electrostatic_sum = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t *a = ligand->atoms + QN_LIGAND_ATOM_INTS * i;
        int x = box_coordinate(m[0], m[1], m[2], a[0], a[1], a[2], scale, grid->box_centre);
        int y = box_coordinate(m[3], m[4], m[5], a[0], a[1], a[2], scale, grid->box_centre);
        int z = box_coordinate(m[6], m[7], m[8], a[0], a[1], a[2], scale, grid->box_centre);
        int weight = ligand->weights[QN_RPSC_SHAPE * count + i];
        int charge = ligand->weights[QN_RPSC_ELECTROSTATIC * count + i];
        if (weight)
            shape_sum += weight / QN_LIGAND_WEIGHT_UNITS *
                         shape[shifted_cell(grid, shift, nearest_voxel(x), nearest_voxel(y), nearest_voxel(z))];
        if (charge == 0) continue;
        for (int corner = 0; corner < 8; corner++)
            electrostatic_sum += corner_share(corner, x, y, z, charge) / QN_LIGAND_WEIGHT_UNITS *
                                 potential[shifted_cell(grid, shift, (x >> 12) + (corner & 1),
                                                        (y >> 12) + (corner >> 1 & 1), (z >> 12) + (corner >> 2))];
    }
    terms[QN_RPSC_SHAPE] = shape_sum;
    terms[QN_RPSC_ELECTROSTATIC] = electrostatic_sum;
    return shape_sum + electrostatic_sum;
}
