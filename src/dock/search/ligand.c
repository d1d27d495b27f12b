#include "dock/search/ligand.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

static int32_t rounded(double value)
{
    return (int32_t)floor(value + 0.5);
}

qn_status qn_dock_ligand_create(const qn_dock_partner *partner, const qn_dock_energy *energy, const qn_dock_grid *grid,
                                qn_dock_ligand *ligand)
{
    size_t count = partner->site_count, weights = count * (size_t)energy->grid_count;
    void *memory;
    memset(ligand, 0, sizeof *ligand);
    QN_TRY(qn_allocate(count * QN_LIGAND_ATOM_INTS, sizeof(int32_t), &memory));
    ligand->sites = memory;
    qn_status status = qn_allocate(weights, sizeof(int32_t), &memory);
    if (status != QN_OK) {
        qn_dock_ligand_clear(ligand);
        return status;
    }
    ligand->weights = memory;
    ligand->site_count = (int)count;
    ligand->grid_count = energy->grid_count;
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            ligand->sites[QN_LIGAND_ATOM_INTS * i + axis] =
                rounded((partner->sites[i].position_angstrom[axis] - grid->centre_angstrom[axis]) *
                        QN_LIGAND_UNITS_PER_ANGSTROM);
    for (size_t i = 0; i < weights; i++)
        ligand->weights[i] = rounded(energy->ligand_weights[i] * QN_LIGAND_WEIGHT_UNITS);
    return QN_OK;
}

void qn_dock_ligand_clear(qn_dock_ligand *ligand)
{
    qn_release(&ligand->sites);
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

/* Voxels that a site contributes to: the nearest one, and the 8 around the site. */
typedef struct site_cells {
    int x, y, z; /* box coordinate in 1/4096 voxel */
    size_t nearest, corner[8];
} site_cells;

static void locate(const qn_dock_grid *grid, const int32_t *site, const int32_t m[9], const int shift[3],
                   site_cells *cells)
{
    const int scale = qn_dock_ligand_scale(grid);
    int x = box_coordinate(m[0], m[1], m[2], site[0], site[1], site[2], scale, grid->box_centre);
    int y = box_coordinate(m[3], m[4], m[5], site[0], site[1], site[2], scale, grid->box_centre);
    int z = box_coordinate(m[6], m[7], m[8], site[0], site[1], site[2], scale, grid->box_centre);
    *cells = (site_cells){.x = x, .y = y, .z = z};
    cells->nearest = shifted_cell(grid, shift, nearest_voxel(x), nearest_voxel(y), nearest_voxel(z));
    for (int corner = 0; corner < 8; corner++)
        cells->corner[corner] = shifted_cell(grid, shift, (x >> 12) + (corner & 1), (y >> 12) + (corner >> 1 & 1),
                                             (z >> 12) + (corner >> 2));
}

/* Energy that a layer adds for one site of weight `weight`. */
static double layer_energy(const qn_dock_layer *layer, const site_cells *at, int32_t weight, bool trilinear)
{
    double sum = 0;
    if (!trilinear) return weight / QN_LIGAND_WEIGHT_UNITS * (double)layer->values[at->nearest];
    for (int corner = 0; corner < 8; corner++)
        sum += corner_share(corner, at->x, at->y, at->z, weight) / QN_LIGAND_WEIGHT_UNITS *
               (double)layer->values[at->corner[corner]];
    return sum;
}

double qn_dock_rescore(const qn_dock_grid *grid, const qn_dock_energy *energy, size_t set, const qn_dock_ligand *ligand,
                       const int32_t rotation[9], long cell, double terms[QN_DOCK_TERMS_MAX])
{
    const int nx = grid->cells[0], ny = grid->cells[1];
    const int shift[3] = {(int)(cell % nx), (int)(cell / nx % ny), (int)(cell / nx / ny)};
    const double *scale = energy->sets[set].scale;
    double sums[QN_DOCK_LAYERS_MAX] = {0};
    for (int i = 0; i < ligand->site_count; i++) {
        site_cells at;
        locate(grid, ligand->sites + QN_LIGAND_ATOM_INTS * i, rotation, shift, &at);
        for (size_t l = 0; l < energy->layer_count; l++) {
            const qn_dock_layer *layer = &energy->layers[l];
            int32_t weight = ligand->weights[layer->ligand_grid * ligand->site_count + i];
            if (scale[l] != 0 && weight != 0)
                sums[l] += layer_energy(layer, &at, weight, layer->ligand_grid == energy->trilinear_grid);
        }
    }
    return qn_dock_energy_total(energy, set, sums, terms);
}
