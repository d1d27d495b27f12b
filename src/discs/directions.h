/* Where a tunnel of spheres leads, at its spheres and between them. */
#ifndef QN_DISCS_DIRECTIONS_H
#define QN_DISCS_DIRECTIONS_H

#include "discs/cut.h"

/* Unit vectors, one for each sphere of `cut`, that point from the first sphere to the last: the normal of the smallest
 * disc that cuts the tunnel at the sphere's centre. The search begins with the chord between spheres 0.5 Å before and
 * behind, and tilts the disc by π/3, π/12, … π/768 (Plhák's thesis). QN_INVALID_ARGUMENT: all centres are one point. */
QN_MUST_CHECK qn_status qn_tunnel_directions(qn_tunnel_cut *cut, double (*directions)[3]);

/* The direction at a place: Σ d_i (6 Å − distance)³ over the spheres within 6 Å, or of the nearest sphere. Where these
 * cancel, `direction` keeps its value. */
void qn_tunnel_direction_at(const qn_tunnel_cut *cut, const double (*directions)[3], const double place[3],
                            double direction[3]);

#endif
