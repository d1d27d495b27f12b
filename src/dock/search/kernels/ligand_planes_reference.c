#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/kernels/ligand_planes.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

static const double pi = 3.14159265358979323846;

/* Add the atoms to the cells [box][box] of plane z of a grid, with the same integers as the kernels. */
static void add_atoms(const qn_ligand_planes_problem *problem, const int32_t *positions, const int32_t *weights,
                      int grid, int z_of_plane, double *cells)
{
    const size_t box = (size_t)problem->grid.box;
    const bool trilinear = grid == problem->trilinear_grid;
    for (int atom = 0; atom < problem->atoms; atom++) {
        const int32_t *at = positions + atom, weight = weights[grid * problem->atoms + atom];
        const int x = at[0], y = at[problem->atoms], z = at[2 * problem->atoms];
        for (int corner = 0; corner < 8; corner++) {
            size_t cell[3];
            for (int axis = 0; axis < 3; axis++) {
                const int coordinate = axis == 0 ? x : axis == 1 ? y : z;
                cell[axis] =
                    (size_t)(trilinear ? (coordinate >> 12) + (corner >> axis & 1) : nearest_voxel(coordinate));
            }
            const int share = trilinear ? corner_share(corner, x, y, z, weight) : corner == 0 ? weight : 0;
            if (share != 0 && cell[2] == (size_t)z_of_plane)
                cells[cell[0] + box * cell[1]] += share / QN_LIGAND_WEIGHT_UNITS;
        }
    }
}

/* Compute to[to_step k] = sum over t < count of from[step t] exp(-2 pi i k t / length), k < outputs; complex numbers.
 */
static void transform(const double *from, int count, int step, int length, int outputs, double *to, int to_step)
{
    for (int k = 0; k < outputs; k++) {
        double re = 0, im = 0;
        for (int t = 0; t < count; t++) {
            const double angle = 2 * pi * (k * t % length) / length, *term = from + 2 * (ptrdiff_t)step * t;
            re += term[0] * cos(angle) + term[1] * sin(angle);
            im += term[1] * cos(angle) - term[0] * sin(angle);
        }
        to[2 * (ptrdiff_t)to_step * k] = re;
        to[2 * (ptrdiff_t)to_step * k + 1] = im;
    }
}

qn_status qn_ligand_planes_reference_plane(const qn_ligand_planes_problem *problem, const int32_t *positions,
                                           const int32_t *weights, int grid, int z, double *plane)
{
    const qn_rotation_grid *sizes = &problem->grid;
    const int box = sizes->box, width = qn_rotation_width(sizes);
    const size_t side = (size_t)box, columns = (size_t)qn_rotation_columns(sizes);
    double *cells;
    QN_TRY(qn_allocate(side * side + 2 * side + 2 * side * (size_t)width, sizeof *cells, (void **)&cells));
    double *row = cells + side * side, *rows = row + 2 * side;
    add_atoms(problem, positions, weights, grid, z, cells);
    for (size_t i = 0; i < 2 * columns; i++) plane[i] = 0;
    for (int y = 0; y < box; y++) {
        for (size_t x = 0; x < side; x++) row[2 * x] = cells[x + side * (size_t)y];
        transform(row, box, 1, sizes->cells[0], width, rows + 2 * (ptrdiff_t)width * y, 1);
    }
    for (int kx = 0; kx < width; kx++)
        transform(rows + 2 * (ptrdiff_t)kx, box, width, sizes->cells[1], sizes->cells[1], plane + 2 * (ptrdiff_t)kx,
                  width);
    qn_release(&cells);
    return QN_OK;
}

qn_status qn_ligand_planes_reference(const qn_ligand_planes_problem *problem, const int32_t *positions,
                                     const int32_t *weights, int grid, double *planes)
{
    const size_t numbers = 2 * (size_t)qn_rotation_columns(&problem->grid);
    for (int z = 0; z < problem->grid.box; z++)
        QN_TRY(qn_ligand_planes_reference_plane(problem, positions, weights, grid, z, planes + numbers * (size_t)z));
    return QN_OK;
}
