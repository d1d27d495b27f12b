/* Geometry of the docking grids: receptor grid, ligand box, and the translations searched.
 *
 * Voxel (i, j, k) of the receptor grid lies at origin + spacing · (i, j, k). The ligand, rotated about its centre, is
 * binned into a cubic box of side `box` voxels, whose voxel `box_centre` on each axis is the rotation centre. Shifting
 * the box by the cell t, circularly, gives S(t) = Σ_g Σ_u receptor_g(u + t) · ligand_g(u), and the pose x' = R·x + T,
 * T = origin + spacing · (box_centre + t) − R·centre.
 *
 * No energy comes from periodic images: receptor grids are 0 beyond the longest reach around the receptor, and the
 * sides are so large that a ligand box in contact (within the reach of the shape) on any side meets no periodic image.
 * Translations without contact are not searched.
 */
#ifndef QN_DOCK_SEARCH_GRID_H
#define QN_DOCK_SEARCH_GRID_H

#include "dock/search/partner.h"

typedef struct qn_dock_grid {
    double spacing_angstrom;
    double origin_angstrom[3];
    int cells[3];              /* sides of the grid: x, y, z */
    int box, box_centre;       /* ligand box */
    double centre_angstrom[3]; /* the ligand's rotation centre, in input coordinates, a multiple of 1/4096 Å */
    int first_shift[3];        /* lowest translation searched; ≤ 0 */
    int last_shift[3];         /* highest; last − first + 1 ≤ cells */
} qn_dock_grid;

/* Plan the grids. `contact_angstrom` is the longest reach of the shape term, `reach_angstrom` that of any term.
 * `next_fast_size` returns a size ≥ its argument that is fast to transform. `side` > 0 asks for a cube of that side;
 * QN_INVALID_ARGUMENT, with the side needed, if the cube is too small. */
QN_MUST_CHECK qn_status qn_dock_grid_plan(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                          double spacing_angstrom, double contact_angstrom, double reach_angstrom,
                                          int side, int (*next_fast_size)(int least, void *user), void *user,
                                          qn_dock_grid *grid);

/* Translation (cells) of a circular cell index on one axis. */
int qn_dock_grid_shift(const qn_dock_grid *grid, int axis, int cell);

/* Compute the translation T (Å) of the pose at a cell (x + nx·(y + ny·z)) under a rotation matrix (row-major). */
void qn_dock_grid_translation(const qn_dock_grid *grid, long cell, const double rotation[9], double translation[3]);

static inline size_t qn_dock_grid_volume(const qn_dock_grid *grid)
{
    return (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
}

#endif
