/* Plain Coulomb potential of a receptor on one device, plane by plane: Σ q / r over all atoms.
 *
 * Distances below QN_COULOMB_LEAST_ANGSTROM count as this distance, so that a point on an atom has a number. Results
 * are single precision: relative to Σ |q| / r their error is about 1e-6. They differ in their last bits between kinds
 * of devices, whose fast roots differ, and do not depend on the planes of a call.
 *
 * Life cycle: create → planes, again and again → destroy. Thread rule: that of the queue.
 */
#ifndef QN_POTENTIAL_MAPS_COULOMB_H
#define QN_POTENTIAL_MAPS_COULOMB_H

#include <quern/family.h>

#include "potential/maps/grid.h"

#define QN_COULOMB_LEAST_ANGSTROM 0.001
#define QN_COULOMB_KCAL_PER_MOL 332.06371 /* kcal/mol Å/e²: of two charges of 1 e at 1 Å */

typedef struct qn_coulomb qn_coulomb;

/* Positions are relative to the centre of the grid, atom_count × 3; the sum is multiplied by `factor`. */
QN_MUST_CHECK qn_status qn_coulomb_create(qn_queue *queue, const qn_potential_grid *grid, size_t atom_count,
                                          const double *positions_angstrom, const double *charges_e, double factor,
                                          qn_coulomb **coulomb);
void qn_coulomb_destroy(qn_coulomb **coulomb);

/* Let every later launch use a configuration; NULL: chosen as for any family. */
void qn_coulomb_configure(qn_coulomb *coulomb, const qn_configuration *configuration);

/* Compute planes first … first + count − 1 (z) into potential: count × points[1] × points[0] floats from its beginning.
 * *seconds (may be NULL) becomes the device time of all launches, which are then finished. */
QN_MUST_CHECK qn_status qn_coulomb_planes(qn_coulomb *coulomb, int first, int count, qn_buffer *potential,
                                          double *seconds);

#endif
