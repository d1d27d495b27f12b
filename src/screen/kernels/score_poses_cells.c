#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "screen/kernels/score_poses_receptor.h"

/* Half the length of a residue: much smaller cells know no more, as blocks of receptor atoms are not smaller. */
static const double smallest_side_angstrom = 4;
/* What single precision may do to a place and a distance. */
static const double margin_angstrom = 0.01;

static void find_cells(const double *positions, size_t atom_count, double reach, qn_score_poses_cells *cells)
{
    double low[3], high[3], side = smallest_side_angstrom;
    for (size_t axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = positions[axis];
        for (size_t j = 1; j < atom_count; j++) {
            low[axis] = fmin(low[axis], positions[3 * j + axis]);
            high[axis] = fmax(high[axis], positions[3 * j + axis]);
        }
    }
    for (;; side *= 1.25) {
        double number = 1;
        for (int axis = 0; axis < 3; axis++) number *= floor((high[axis] - low[axis] + 2 * reach) / side) + 1;
        if (number <= QN_SCORE_POSES_MOST_CELLS) break;
    }
    cells->cells_per_angstrom = (float)(1 / side);
    for (int axis = 0; axis < 3; axis++) {
        cells->first[axis] = (float)(low[axis] - reach);
        cells->count[axis] = (int)((high[axis] - low[axis] + 2 * reach) / side) + 1;
    }
}

/* Squared distance along one axis from a place to the nearest point of a cell. */
static double gap_squared(const qn_score_poses_cells *cells, int axis, int cell, double place)
{
    const double side = 1 / (double)cells->cells_per_angstrom;
    const double low = (double)cells->first[axis] + side * cell, high = low + side;
    const double gap = place < low ? low - place : place > high ? place - high : 0;
    return gap * gap;
}

/* Set an atom's bit in the cells within reach. */
static void mark_atom(const qn_score_poses_cells *cells, const double *place, size_t block, double reach,
                      uint32_t *masks)
{
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        const double cell = (place[axis] - (double)cells->first[axis]) * (double)cells->cells_per_angstrom;
        const double cells_in_reach = reach * (double)cells->cells_per_angstrom;
        from[axis] = (int)fmax(0, floor(cell - cells_in_reach) - 1);
        to[axis] = (int)fmin(cells->count[axis] - 1, floor(cell + cells_in_reach) + 1);
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++) {
            const double row = gap_squared(cells, 2, z, place[2]) + gap_squared(cells, 1, y, place[1]);
            for (int x = from[0]; x <= to[0]; x++) {
                if (row + gap_squared(cells, 0, x, place[0]) > reach * reach) continue;
                const size_t cell =
                    (size_t)x + (size_t)cells->count[0] * ((size_t)y + (size_t)cells->count[1] * (size_t)z);
                masks[cell * (size_t)cells->words + block / 32] |= UINT32_C(1) << block % 32;
            }
        }
}

qn_status qn_score_poses_cells_make(const double *positions, size_t atom_count, double reach_angstrom,
                                    qn_score_poses_cells *cells, uint32_t **masks)
{
    const double reach = reach_angstrom + margin_angstrom;
    find_cells(positions, atom_count, reach, cells);
    cells->block_atoms = QN_SCORE_POSES_RECEPTOR_STEP;
    while (atom_count > (size_t)cells->block_atoms * QN_SCORE_POSES_MOST_BLOCKS) cells->block_atoms *= 2;
    const size_t block_atoms = (size_t)cells->block_atoms, blocks = (atom_count + block_atoms - 1) / block_atoms;
    const size_t number = (size_t)cells->count[0] * (size_t)cells->count[1] * (size_t)cells->count[2];
    cells->words = (int)((blocks + 31) / 32);
    QN_TRY(qn_allocate(number * (size_t)cells->words, sizeof(uint32_t), (void **)masks));
    for (size_t j = 0; j < atom_count; j++) mark_atom(cells, positions + 3 * j, j / block_atoms, reach, *masks);
    return QN_OK;
}
