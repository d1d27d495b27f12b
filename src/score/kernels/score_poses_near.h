/* Culling: the energies of score_poses.h, computed from the receptor atoms within reach of each ligand atom. The bits
 * are the same, and only about a tenth of the pairs is computed.
 *
 * An item is one ligand atom in one pose. Items are sorted into bins by (ligand type, cell of space); all items of a
 * bin share one list of receptor atoms (score_poses_lists.h) and are scored in parallel; then each pose adds up its
 * ligand atoms in their order. Only receptor atoms that add zero are left out, and the sum of each item runs in the
 * order of the receptor, so neither cells nor the order of items within a bin change a bit of the result.
 *
 * On the host driver each thread sorts and scores some poses by itself, all in one command. Other devices run the
 * kernels of the family one after the other: count the items of bins, give places to each used bin, move items to their
 * places, score, add up. The room limits the number of poses that are handled at once.
 *
 * Life cycle: qn_score_poses_near of a receptor → qn_score_poses_room for each queue → score → destroy both.
 */
#ifndef QN_SCORE_SCORE_POSES_NEAR_H
#define QN_SCORE_SCORE_POSES_NEAR_H

#include "score/kernels/score_poses.h"

extern const qn_family qn_score_score_poses_near_family;

/* The lists of a receptor on a device. */
typedef struct qn_score_poses_near qn_score_poses_near;

/* `receptor` must have been made of the same atoms on the same device, and must outlive *near. */
QN_MUST_CHECK qn_status qn_score_poses_near_create(qn_device *device, const qn_score_poses_receptor *receptor,
                                                   const qn_bude_force_field *force_field, const double *positions,
                                                   const int *types, size_t atom_count, qn_score_poses_near **near);
void qn_score_poses_near_destroy(qn_score_poses_near **near);

/* Device memory for the items of one queue. */
typedef struct qn_score_poses_room qn_score_poses_room;

/* Make room for launches of up to `items` items. Launches that are larger or exceed the memory are divided into
 * parts. */
QN_MUST_CHECK qn_status qn_score_poses_room_create(qn_device *device, const qn_score_poses_near *near, double items,
                                                   qn_score_poses_room **room);
void qn_score_poses_room_destroy(qn_score_poses_room **room);

/* Events of commands, whose times add up to the time of the launch; events beyond `most` are not kept. */
typedef struct qn_score_poses_events {
    qn_event **events;
    int count, most;
} qn_score_poses_events;

/* Compute the energies of qn_score_poses. Each of the atoms 0 … problem->ligand_atoms − 1 must belong to one job. If
 * the room cannot hold 64 poses of each job, all pairs are computed. */
QN_MUST_CHECK qn_status qn_score_poses_in_reach(qn_queue *queue, const qn_configuration *configuration,
                                                const qn_score_poses_problem *problem,
                                                const qn_score_poses_receptor *receptor,
                                                const qn_score_poses_near *near, qn_score_poses_room *room,
                                                qn_buffer *jobs, qn_buffer *atoms, qn_buffer *transforms,
                                                qn_buffer *energies, qn_score_poses_events *events);

/* Number of pairs of atoms that qn_score_poses_in_reach computes; arguments are in host memory. */
double qn_score_poses_near_pairs(const qn_score_poses_near *near, const qn_score_poses_problem *problem,
                                 const qn_score_poses_job *jobs, const qn_score_poses_atom *atoms,
                                 const float *transforms);

#endif
