/* The energies of score_poses.h from the receptor atoms within reach of each ligand atom: the same bits from a tenth of
 * the pairs.
 *
 * An item is one ligand atom in one pose. Items are sorted into bins by (ligand type, cell of space); all items of a
 * bin share one list of receptor atoms (score_poses_lists.h) and are scored side by side; then each pose adds up its
 * ligand atoms in their order. Only receptor atoms that add zero are left out, and each item's sum runs in the
 * receptor's order, so that neither cells nor the order of items within a bin change a bit of the result.
 *
 * On the host driver threads sort and score some poses each, in one command. Devices sort together (kernels of the
 * family): count the items of bins, give each bin that has some its places, put the items there, score, add up; as many
 * poses at once as the room holds.
 *
 * Life cycle: qn_score_poses_near of a receptor → qn_score_poses_room for each queue → score → destroy both.
 */
#ifndef QN_SCORE_SCORE_POSES_NEAR_H
#define QN_SCORE_SCORE_POSES_NEAR_H

#include "score/kernels/score_poses.h"

extern const qn_family qn_score_score_poses_near_family;

/* The lists of a receptor on a device. */
typedef struct qn_score_poses_near qn_score_poses_near;

/* `receptor` must have been made of the same atoms on the same device, and outlive what is made here. */
QN_MUST_CHECK qn_status qn_score_poses_near_create(qn_device *device, const qn_score_poses_receptor *receptor,
                                                   const qn_bude_force_field *force_field, const double *positions,
                                                   const int *types, size_t atom_count, qn_score_poses_near **near);
void qn_score_poses_near_destroy(qn_score_poses_near **near);

/* Memory for items on their way; of one queue. */
typedef struct qn_score_poses_room qn_score_poses_room;

/* For launches of up to `items` items, which go in parts when that is much. */
QN_MUST_CHECK qn_status qn_score_poses_room_create(qn_device *device, const qn_score_poses_near *near, double items,
                                                   qn_score_poses_room **room);
void qn_score_poses_room_destroy(qn_score_poses_room **room);

/* Events of commands, whose times make up that of the whole; those beyond `most` are not kept. */
typedef struct qn_score_poses_events {
    qn_event **events;
    int count, most;
} qn_score_poses_events;

/* As qn_score_poses; the jobs' atoms must be 0 … problem->ligand_atoms − 1, each of one job. Where these are so many
 * that the room cannot hold 64 poses of each job nothing is left out. */
QN_MUST_CHECK qn_status qn_score_poses_in_reach(qn_queue *queue, const qn_configuration *configuration,
                                                const qn_score_poses_problem *problem,
                                                const qn_score_poses_receptor *receptor,
                                                const qn_score_poses_near *near, qn_score_poses_room *room,
                                                qn_buffer *jobs, qn_buffer *atoms, qn_buffer *transforms,
                                                qn_buffer *energies, qn_score_poses_events *events);

/* How many pairs of atoms that computes; everything in the caller's memory. */
double qn_score_poses_near_pairs(const qn_score_poses_near *near, const qn_score_poses_problem *problem,
                                 const qn_score_poses_job *jobs, const qn_score_poses_atom *atoms,
                                 const float *transforms);

#endif
