/* A graph of poses: two are joined where no atom moves more than the continuity between them, and their discs are the
 * same or neighbours. Ways through it are found by their highest energy, then by the sum of their energies.
 *
 *     QN_TRY(qn_roads_create(&tree, discs, 0.8, &roads));
 *     QN_TRY(qn_roads_add(roads, &pose, &node));
 *     qn_roads_climb(roads, 0, heights);
 *     QN_TRY(qn_roads_find(roads, ceiling, &nodes, &count));
 *     qn_roads_destroy(&roads);
 */
#ifndef QN_TRANSPORT_BOUNDS_ROADS_H
#define QN_TRANSPORT_BOUNDS_ROADS_H

#include "transport/bounds/poses.h"

typedef struct qn_roads qn_roads;

QN_MUST_CHECK qn_status qn_roads_create(const qn_flexible_tree *tree, int disc_count, double continuity_angstrom,
                                        qn_roads **roads);
void qn_roads_destroy(qn_roads **roads);

/* Add a pose and its joints; *node, its number from 0, is the number of poses before. */
QN_MUST_CHECK qn_status qn_roads_add(qn_roads *roads, const qn_disc_pose *pose, int *node);

int qn_roads_count(const qn_roads *roads);
const qn_disc_pose *qn_roads_pose(const qn_roads *roads, int node);

/* Nodes of a disc, in the order in which they were added; *count gets their number. */
const int *qn_roads_on_disc(const qn_roads *roads, int disc, int *count);

/* For each node the least height by which it is reached from any node of `disc`: the highest energy on the way, that of
 * both ends included; infinite where there is no way. */
QN_MUST_CHECK qn_status qn_roads_climb(const qn_roads *roads, int disc, double *heights);

/* Find the way from the first disc to the last, over nodes of at most `ceiling`, with the least sum: the energies of
 * both ends of the way, half the energies of both ends of each step to another disc, all above the lowest of all nodes,
 * and 0.001 a step. *nodes is released with qn_release; *count is 0 if there is no way. */
QN_MUST_CHECK qn_status qn_roads_find(const qn_roads *roads, double ceiling, int **nodes, int *count);

#endif
