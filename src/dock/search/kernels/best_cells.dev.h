/* Lists of best cells, and the interface between the kernels of best_cells and their host code. */
#ifndef QN_DOCK_BEST_CELLS_DEV_H
#define QN_DOCK_BEST_CELLS_DEV_H

#include "dock/search/kernels/cell_order.dev.h"

/* Arguments of `scan` and `merge`, in order. */
enum { SCAN_SCORES, SCAN_PARTIAL_ENERGIES, SCAN_PARTIAL_CELLS, SCAN_SCALARS, SCAN_ARGUMENTS };
enum { MERGE_PARTIAL_ENERGIES, MERGE_PARTIAL_CELLS, MERGE_ENERGIES, MERGE_CELLS, MERGE_KEEP, MERGE_ARGUMENTS };

typedef struct scan_scalars {
    int nx, ny, nz;
    int first[3], last[3]; /* translations searched along x, y and z */
    int radius;            /* of the exclusion cube, in cells; 0: none */
    int keep;              /* cells of a rotation */
} scan_scalars;

DEVICE_FN void clear_cells(float *energies, int *cells, int keep)
{
    for (int i = 0; i < keep; i++) {
        energies[i] = FLOAT_MAXIMUM;
        cells[i] = -1;
    }
}

/* Insert a cell into a sorted list of `keep` cells if it comes before the last one. */
DEVICE_FN void insert_cell(float *energies, int *cells, int keep, float energy, int cell)
{
    for (int i = 0; i < keep; i++) {
        if (comes_before(energy, cell, energies[i], cells[i])) {
            float moved_energy = energies[i];
            int moved_cell = cells[i];
            energies[i] = energy;
            cells[i] = cell;
            energy = moved_energy;
            cell = moved_cell;
        }
    }
}

/* Whether `index`, on a circular axis, is that of a translation first <= t <= last. */
DEVICE_FN bool is_searched(int index, int size, int first, int last)
{
    return index <= last || index >= size + first;
}

/* Whether no cell of the cube around the cell (x, y, z) comes before this cell. */
DEVICE_FN bool is_cube_minimum(GLOBAL const float *scores, float energy, int cell, int x, int y, int z, int nx, int ny,
                               int nz, int radius)
{
    for (int dz = -radius; dz <= radius; dz++)
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) {
                int i = (x + dx + nx) % nx, j = (y + dy + ny) % ny, k = (z + dz + nz) % nz;
                int other = i + nx * (j + ny * k);
                if (other != cell && comes_before(scores[other], other, energy, cell)) return false;
            }
    return true;
}

#endif
