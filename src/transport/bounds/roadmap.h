/* The upper bound: a way from the first disc to the last on which no atom moves more than the continuity in a step,
 * with the least highest energy that is found.
 *
 *     const qn_roadmap_settings settings = {.continuity_angstrom = 0.8, .most = 24, .rounds = 8};
 *     qn_way way;
 *     QN_TRY(qn_upper_bound(&scene, &settings, &layers, &way));
 *     for (int i = 0; i < way.count; i++) use(&way.poses[i]);
 *     qn_way_clear(&way);
 *
 * Poses travel in small steps, forward as CaverDock does it, then from both ends; poses on their ways and the minima of
 * the lower bound are the nodes of a graph, whose edges join poses within the continuity. Around the highest place,
 * poses that either end reaches below it are then drawn to each other. */
#ifndef QN_TRANSPORT_BOUNDS_ROADMAP_H
#define QN_TRANSPORT_BOUNDS_ROADMAP_H

#include "transport/bounds/lower.h"

typedef struct qn_roadmap_settings {
    double continuity_angstrom;
    int most;       /* poses that travel */
    int rounds;     /* of drawing poses to each other, at most */
    bool by_sum;    /* least sum of energies instead of least highest one */
    bool published; /* CaverDock's schedule: forward alone, with 4 poses, and back for up to 5 discs from the minima of
                     * a disc where the lowest pose that comes is over 1 kcal/mol above them; no rounds */
} qn_roadmap_settings;

typedef struct qn_way {
    int count; /* 0: none was found */
    qn_disc_pose *poses;
} qn_way;

/* `layers` are those of qn_lower_bound; where a travelling pose is lower than a disc's best, it takes its place.
 * Results do not depend on threads. */
QN_MUST_CHECK qn_status qn_upper_bound(const qn_bounds_scene *scene, const qn_roadmap_settings *settings,
                                       qn_layers *layers, qn_way *way);
void qn_way_clear(qn_way *way);

/* About how many bytes the bounds of a passage take at most. `most`: poses that are kept on a disc and travel. */
double qn_bounds_bytes(int discs, int torsions, int atoms, int most, double effort, bool upper);

#endif
