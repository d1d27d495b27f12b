/* Points sorted into cubes, so that the points within a radius of a place are found fast.
 *
 * Life cycle: create → query from any threads → destroy.
 */
#ifndef QN_MODEL_NEIGHBOUR_GRID_H
#define QN_MODEL_NEIGHBOUR_GRID_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_neighbour_grid qn_neighbour_grid;

/* Create a grid of `count` points, count × 3 coordinates in Å (copied), for queries with one radius. */
QN_MUST_CHECK qn_status qn_neighbour_grid_create(const double *points, size_t count, double radius_angstrom,
                                                 qn_neighbour_grid **grid);
void qn_neighbour_grid_destroy(qn_neighbour_grid **grid);

/* Return whether any point lies within the radius (border included). */
bool qn_neighbour_grid_any(const qn_neighbour_grid *grid, const double place[3]);

/* Call `visit` with the index of every point within the radius, in an unspecified order. */
void qn_neighbour_grid_each(const qn_neighbour_grid *grid, const double place[3],
                            void (*visit)(size_t index, void *user), void *user);

#endif
