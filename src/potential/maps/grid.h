/* The points of a potential map: a box of points with one spacing.
 *
 * Point (i, j, k) lies at centre + (i − n/2, j − n/2, k − n/2) · spacing with n = points − 1, which is even, so that
 * the middle point is the centre. Maps have x fastest: value (i, j, k) is element (k · points[1] + j) · points[0] + i.
 */
#ifndef QN_POTENTIAL_MAPS_GRID_H
#define QN_POTENTIAL_MAPS_GRID_H

#include <stddef.h>

typedef struct qn_potential_grid {
    int points[3]; /* odd numbers */
    double spacing_angstrom;
    double centre_angstrom[3];
} qn_potential_grid;

static inline size_t qn_potential_grid_size(const qn_potential_grid *grid)
{
    return (size_t)grid->points[0] * (size_t)grid->points[1] * (size_t)grid->points[2];
}

/* Position of a point along one axis, relative to the centre. AutoGrid's maps are computed relative to the centre too,
 * so this product is rounded alike. */
static inline double qn_potential_grid_offset(const qn_potential_grid *grid, int axis, int index)
{
    return (index - grid->points[axis] / 2) * grid->spacing_angstrom;
}

#endif
