/* Steps of a ligand from one pose to the next, on a disc or to another, in which no atom moves far.
 *
 *     const qn_follow follow = {.reference = &from, .continuity_angstrom = 0.8};
 *     qn_disc_pose to = from;
 *     to.disc++;
 *     if (qn_disc_pose_follow(&scene, NULL, &follow, &to)) …every atom of `to` is within 0.8 Å of its place in `from`…
 */
#ifndef QN_TRANSPORT_BOUNDS_FOLLOW_H
#define QN_TRANSPORT_BOUNDS_FOLLOW_H

#include "transport/bounds/poses.h"

typedef struct qn_follow {
    const qn_disc_pose *reference;
    double continuity_angstrom;
    const qn_disc_pose *target; /* drawn to; NULL: to none */
    double pull;                /* kcal/mol/Å² of each atom towards its place in the target */
} qn_follow;

/* The energy that a follower adds to a pose's, 30 Σ max(0, |x − x_reference| − 0.95 continuity)² + pull Σ |x −
 * x_target|² over all atoms (kcal/mol); its gradient is added. */
double qn_follow_restraint(const qn_flexible_tree *tree, const qn_follow *follow, const qn_flexible_pose *pose,
                           double *gradient);

/* Move `pose` into the plane of its disc and minimise its energy there with these restraints. Its energies are without
 * them. near: as in qn_disc_pose_settle. Returns whether no atom is farther than the continuity from its place in the
 * reference. */
bool qn_disc_pose_follow(const qn_bounds_scene *scene, qn_receptor_near *near, const qn_follow *follow,
                         qn_disc_pose *pose);

#endif
