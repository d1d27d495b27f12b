/* Climbing of places to where the clearance is larger.
 *
 * The clearance is the least of many distances, so it has ridges where several are equal, and a gradient does not lead
 * along them. A step goes along the shortest vector of the convex hull of the gradients of all balls that may bound the
 * clearance within the step (the ε-steepest ascent of Bertsekas and Mitter 1973); there is none at a maximum.
 */
#ifndef QN_TUNNEL_GEOMETRY_CLIMB_H
#define QN_TUNNEL_GEOMETRY_CLIMB_H

#include "tunnel/geometry/balls.h"

/* Move `place` to a larger clearance in the plane across the unit vector `across` (NULL: in space), at most `travel` Å
 * away and with steps from `step` Å down to 0.001 Å. `list` must hold the balls that bound the clearance of all places
 * that far. Returns the clearance there. */
double qn_climb(const qn_ball_list *list, const double across[3], double travel, double step, double place[3]);

#endif
