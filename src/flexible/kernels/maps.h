/* Maps of Vina's energy on a grid, for searches: [type][z][y][x], one for each type of a ligand's atoms. */
#ifndef QN_FLEXIBLE_MAPS_H
#define QN_FLEXIBLE_MAPS_H

#include <quern/family.h>
#include <stdint.h>

#include "score/receptor.h"

extern const qn_family qn_flexible_maps_family;

#define QN_FLEXIBLE_SPACING_ANGSTROM 0.375

/* A grid of points around `centre_angstrom`, the origin of the search's frame. */
typedef struct qn_flexible_grid {
    double centre_angstrom[3];
    int points[3]; /* along x, y, z, at least 2 */
} qn_flexible_grid;

/* The grid that covers a box of these sides. QN_INVALID_ARGUMENT: over 2^30 points. */
QN_MUST_CHECK qn_status qn_flexible_grid_of(const double centre[3], const double side_angstrom[3],
                                            qn_flexible_grid *grid);

/* Parameters of a pair of rows of Vina's table: sum of radii, and weight, slope and offset of its ramp (exact.dev.h).
 */
void qn_flexible_pair_parameters(int a, int b, float parameters[4]);

/* Make the maps of `type_count` rows of Vina's table, and wait. maps: a buffer of type_count × points floats; event may
 * be NULL. */
QN_MUST_CHECK qn_status qn_flexible_maps(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_score_receptor *receptor, const qn_flexible_grid *grid,
                                         const int *types, int type_count, qn_buffer *maps, qn_event **event);

/* The same in double precision by loops over all pairs: one value. */
double qn_flexible_maps_reference(const qn_score_receptor *receptor, const double place[3], int type);

#endif
