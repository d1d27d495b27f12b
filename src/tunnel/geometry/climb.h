/* Climbing of places to where the clearance is larger.
 *
 * The clearance is the least of many distances, so it has ridges where several are equal, and a gradient does not lead
 * along them. A step goes along the shortest vector of the convex hull of the gradients of all balls that may bound the
 * clearance within the step (the ε-steepest ascent of Bertsekas and Mitter 1973); there is none at a maximum.
 */
#ifndef QN_TUNNEL_GEOMETRY_CLIMB_H
#define QN_TUNNEL_GEOMETRY_CLIMB_H

#include "tunnel/geometry/balls.h"

/* Where and how far a place climbs. */
typedef struct qn_climbing {
    const double *across;    /* a unit vector: in the plane across it; NULL: in space */
    double travel;           /* Å, at most so far away */
    double step, least_step; /* Å, of the first and of the last steps */
    double enough;           /* Å: the climb ends at this clearance */
} qn_climbing;

/* Move `place` to a larger clearance. `list` must hold the balls that bound the clearance of all places within the
 * travel, and loses the others. Returns the clearance there. */
double qn_climb(qn_ball_list *list, const qn_climbing *climbing, double place[3]);

#endif
