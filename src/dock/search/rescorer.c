#include "dock/search/rescorer.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

/* Sites that are placed before their energies are summed. */
enum { BLOCK = 64 };

qn_status qn_dock_rescorer_create(const qn_dock_grid *grid, const qn_dock_energy *energy, const qn_dock_ligand *ligand,
                                  const qn_dock_cells *cells, qn_dock_rescorer *rescorer)
{
    const size_t sites = (size_t)ligand->site_count;
    void *memory;
    *rescorer = (qn_dock_rescorer){grid, energy, ligand, cells, NULL};
    QN_TRY(qn_allocate(sites * cells->width, sizeof(double), &memory));
    rescorer->weights = memory;
    for (size_t l = 0; l < energy->layer_count; l++) {
        const int32_t *weights = ligand->weights + (size_t)energy->layers[l].ligand_grid * sites;
        if (energy->layers[l].ligand_grid == energy->trilinear_grid) continue;
        for (size_t i = 0; i < sites; i++)
            rescorer->weights[i * cells->width + cells->column[l]] = weights[i] / QN_LIGAND_WEIGHT_UNITS;
    }
    return QN_OK;
}

void qn_dock_rescorer_clear(qn_dock_rescorer *rescorer)
{
    qn_release(&rescorer->weights);
}

/* A pose that is scored. */
typedef struct placement {
    const qn_dock_rescorer *of;
    const int32_t *rotation;
    int shift[3], scale;
    uint32_t step[3]; /* cells between neighbours along each axis */
} placement;

/* A block of sites. The rows of the cells around a site are read for all sites before any values are, so that the
 * memory works on many of them at once. */
typedef struct site_block {
    int count;
    int at[BLOCK][3];           /* in the ligand's box, in 1/4096 voxel */
    uint32_t cell[BLOCK][3][2]; /* along each axis the lower and the upper cell, times the axis' step */
    int32_t row[BLOCK][8];      /* of the cells around */
    bool far[BLOCK];            /* whether all layers are 0 in these cells */
} site_block;

/* Index of the cell at voxel `at` of the ligand's box along an axis, times the axis' step. The box is no larger than
 * the grid, so that a voxel lies at most once around the circle. */
static uint32_t wrapped(const placement *pose, int axis, int at)
{
    const int size = pose->of->grid->cells[axis], cell = at + pose->shift[axis];
    return (uint32_t)(cell < size ? cell : cell - size) * pose->step[axis];
}

/* Place the sites first … first + block->count − 1. */
static void place_sites(const placement *pose, int first, site_block *block)
{
    const int32_t *m = pose->rotation, *site = pose->of->ligand->sites + QN_LIGAND_ATOM_INTS * first;
    const int centre = pose->of->grid->box_centre;
    for (int i = 0; i < block->count; i++, site += QN_LIGAND_ATOM_INTS) {
        uint32_t(*cell)[2] = block->cell[i];
        for (int axis = 0; axis < 3; axis++) {
            const int at = box_coordinate(m[3 * axis], m[3 * axis + 1], m[3 * axis + 2], site[0], site[1], site[2],
                                          pose->scale, centre);
            block->at[i][axis] = at;
            cell[axis][0] = wrapped(pose, axis, at >> 12);
            cell[axis][1] = wrapped(pose, axis, (at >> 12) + 1);
        }
        for (int corner = 0; corner < 4; corner++)
            __builtin_prefetch(pose->of->cells->row + cell[0][0] + cell[1][corner & 1] + cell[2][corner >> 1]);
    }
}

/* Read the rows around the sites. */
static void read_rows(const placement *pose, site_block *block)
{
    const qn_dock_cells *cells = pose->of->cells;
    for (int i = 0; i < block->count; i++) {
        uint32_t(*cell)[2] = block->cell[i];
        int32_t any = 0;
#pragma GCC unroll 8
        for (int corner = 0; corner < 8; corner++) {
            const int32_t row = cells->row[cell[0][corner & 1] + cell[1][corner >> 1 & 1] + cell[2][corner >> 2]];
            block->row[i][corner] = row;
            any |= row;
            __builtin_prefetch(cells->trilinear + (row < 0 ? -row : row));
        }
        block->far[i] = any == 0;
    }
}

/* The corner that is the nearest voxel. */
static int nearest_corner(const int at[3])
{
    int corner = 0;
    for (int axis = 0; axis < 3; axis++) corner |= (nearest_voxel(at[axis]) - (at[axis] >> 12)) << axis;
    return corner;
}

/* Add the energies of plain layers to `sums`, one for each plain column. */
static void add_plain(const placement *pose, int first, const site_block *block, double *sums)
{
    const qn_dock_cells *cells = pose->of->cells;
    int32_t row[BLOCK];
    for (int i = 0; i < block->count; i++) {
        row[i] = block->row[i][nearest_corner(block->at[i])];
        if (row[i] > 0) __builtin_prefetch(cells->plain + (size_t)row[i] * cells->width);
    }
    for (size_t column = 0; column < cells->width; column += QN_DOCK_CELL_MULTIPLE) {
        const double *weights = pose->of->weights + (size_t)first * cells->width + column;
        double sum[QN_DOCK_CELL_MULTIPLE];
        memcpy(sum, sums + column, sizeof sum);
        for (int i = 0; i < block->count; i++, weights += cells->width) {
            if (row[i] <= 0) continue; /* would add 0 */
            const float *values = cells->plain + (size_t)row[i] * cells->width + column;
#pragma GCC unroll 4
            for (int k = 0; k < QN_DOCK_CELL_MULTIPLE; k++) sum[k] += weights[k] * (double)values[k];
        }
        memcpy(sums + column, sum, sizeof sum);
    }
}

/* Add the energies of the charges to the sums of the trilinear layers that the set uses. */
static void add_charges(const placement *pose, const int32_t *charges, const site_block *block, const size_t *layers,
                        size_t count, double *sums)
{
    const qn_dock_cells *cells = pose->of->cells;
    for (int i = 0; i < block->count; i++) {
        const int *at = block->at[i];
        double share[8];
        if (charges[i] == 0 || block->far[i]) continue;
        for (int corner = 0; corner < 8; corner++)
            share[corner] = corner_share(corner, at[0], at[1], at[2], charges[i]) / QN_LIGAND_WEIGHT_UNITS;
        for (size_t l = 0; l < count; l++) {
            const float *values = cells->trilinear + cells->column[layers[l]] * cells->count;
            double sum = 0;
            for (int corner = 0; corner < 8; corner++) {
                const int32_t row = block->row[i][corner];
                sum += share[corner] * (double)values[row < 0 ? -row : row];
            }
            sums[layers[l]] += sum;
        }
    }
}

/* List the trilinear layers that a set uses. */
static size_t list_trilinear(const qn_dock_energy *energy, size_t set, size_t layers[QN_DOCK_LAYERS_MAX])
{
    size_t count = 0;
    for (size_t l = 0; l < energy->layer_count; l++)
        if (energy->layers[l].ligand_grid == energy->trilinear_grid && energy->sets[set].scale[l] != 0)
            layers[count++] = l;
    return count;
}

double qn_dock_rescorer_score(const qn_dock_rescorer *rescorer, size_t set, const int32_t rotation[9], long cell,
                              double terms[QN_DOCK_TERMS_MAX])
{
    const qn_dock_energy *energy = rescorer->energy;
    const int nx = rescorer->grid->cells[0], ny = rescorer->grid->cells[1], sites = rescorer->ligand->site_count;
    const int32_t *charges = rescorer->ligand->weights + (size_t)energy->trilinear_grid * (size_t)sites;
    const placement pose = {.of = rescorer,
                            .rotation = rotation,
                            .shift = {(int)(cell % nx), (int)(cell / nx % ny), (int)(cell / nx / ny)},
                            .scale = qn_dock_ligand_scale(rescorer->grid),
                            .step = {1, (uint32_t)nx, (uint32_t)nx * (uint32_t)ny}};
    double plain[QN_DOCK_LAYERS_MAX + QN_DOCK_CELL_MULTIPLE] = {0}, sums[QN_DOCK_LAYERS_MAX] = {0};
    size_t trilinear[QN_DOCK_LAYERS_MAX];
    const size_t trilinear_count = list_trilinear(energy, set, trilinear);
    for (int first = 0; first < sites; first += BLOCK) {
        site_block block = {.count = sites - first < BLOCK ? sites - first : BLOCK};
        place_sites(&pose, first, &block);
        read_rows(&pose, &block);
        add_plain(&pose, first, &block, plain);
        add_charges(&pose, charges + first, &block, trilinear, trilinear_count, sums);
    }
    for (size_t l = 0; l < energy->layer_count; l++)
        if (energy->layers[l].ligand_grid != energy->trilinear_grid) sums[l] = plain[rescorer->cells->column[l]];
    return qn_dock_energy_total(energy, set, sums, terms);
}
