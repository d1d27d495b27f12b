#include "dock/search/grid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dock/search/kernels/ligand_grids.h"
#include "math/rotation.h"

/* Plan the ligand box: large enough for any rotation, with one more voxel for trilinear spreading. */
static void plan_box(const qn_dock_partner *ligand, qn_dock_grid *grid)
{
    double radius;
    qn_dock_bounding_sphere(ligand, grid->centre_angstrom, &radius);
    for (int axis = 0; axis < 3; axis++)
        grid->centre_angstrom[axis] =
            floor(grid->centre_angstrom[axis] * QN_LIGAND_UNITS_PER_ANGSTROM + 0.5) / QN_LIGAND_UNITS_PER_ANGSTROM;
    /* 0.01 Å is far more than atoms can move because positions and matrices are rounded to integers. */
    int half = (int)floor((radius + 0.01) / grid->spacing_angstrom) + 1;
    grid->box_centre = half;
    grid->box = 2 * half + 2;
}

qn_status qn_dock_grid_plan(const qn_dock_partner *receptor, const qn_dock_partner *ligand, double spacing_angstrom,
                            double contact_angstrom, double reach_angstrom, int side,
                            int (*next_fast_size)(int least, void *user), void *user, qn_dock_grid *grid)
{
    enum { SIDE_MAX = 1024 };
    double low[3], high[3];
    memset(grid, 0, sizeof *grid);
    grid->spacing_angstrom = spacing_angstrom;
    plan_box(ligand, grid);
    qn_dock_bounding_box(receptor, low, high);
    for (int axis = 0; axis < 3; axis++) {
        /* Cell 0 is the first cell within reach of the receptor; the indices below count from cell 0. */
        double origin = low[axis] - reach_angstrom;
        int contact_first = (int)floor((low[axis] - contact_angstrom - origin) / spacing_angstrom);
        int contact_last = (int)ceil((high[axis] + contact_angstrom - origin) / spacing_angstrom);
        int reach_last = (int)ceil((high[axis] + reach_angstrom - origin) / spacing_angstrom);
        int past_high = reach_last - contact_first, past_low = contact_last;
        int least = (past_high > past_low ? past_high : past_low) + grid->box;
        if (least < reach_last + 1) least = reach_last + 1;
        grid->origin_angstrom[axis] = origin;
        grid->first_shift[axis] = contact_first - grid->box + 1;
        grid->last_shift[axis] = contact_last;
        grid->cells[axis] = side > 0 ? side : next_fast_size(least, user);
        if (side > 0 && side < least)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "a grid of %d cells a side is too small at %g Å; expected at least %d, or 0 for "
                           "the smallest that fits",
                           side, spacing_angstrom, least);
        if (grid->cells[axis] > SIDE_MAX)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the complex needs %d cells of %g Å along axis %c; expected at most %d (use a "
                           "larger spacing)",
                           grid->cells[axis], spacing_angstrom, 'x' + axis, SIDE_MAX);
    }
    return QN_OK;
}

int qn_dock_grid_shift(const qn_dock_grid *grid, int axis, int cell)
{
    return cell > grid->last_shift[axis] ? cell - grid->cells[axis] : cell;
}

void qn_dock_grid_translation(const qn_dock_grid *grid, long cell, const double rotation[9], double translation[3])
{
    int index[3] = {(int)(cell % grid->cells[0]), (int)(cell / grid->cells[0] % grid->cells[1]),
                    (int)(cell / grid->cells[0] / grid->cells[1])};
    double turned[3];
    qn_rotation_apply(rotation, grid->centre_angstrom, turned);
    for (int axis = 0; axis < 3; axis++)
        translation[axis] = grid->origin_angstrom[axis] +
                            grid->spacing_angstrom * (grid->box_centre + qn_dock_grid_shift(grid, axis, index[axis])) -
                            turned[axis];
}
