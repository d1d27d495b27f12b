/* Searches of flexible molecules on maps: poses scored, and chains that walk (search.dev.h). */
#ifndef QN_FLEXIBLE_SEARCH_KERNEL_H
#define QN_FLEXIBLE_SEARCH_KERNEL_H

#include "flexible/kernels/maps.h"
#include "flexible/tree.h"

extern const qn_family qn_flexible_search_family;

enum { QN_FLEXIBLE_STATE = 56 }; /* floats of a pose: place, quaternion, energy, torsions */

/* Molecules on a device, with chains for each. */
typedef struct qn_flexible_batch {
    int ligands, chains;                     /* chains of each ligand */
    int most_atoms, most_pieces, most_pairs; /* of a ligand */
    double atoms, pairs, pieces, freedoms2;  /* summed over ligands; freedoms squared */
    qn_buffer *heads, *tree_atoms, *links, *partners, *pieces_places, *piece_links, *pair_list, *pair_parameters;
} qn_flexible_batch;

/* Copy trees to a device. map_of: the map of each row of Vina's table; −1: there is none, and no tree has the type.
 * numbers: of each tree, part of its random numbers. */
QN_MUST_CHECK qn_status qn_flexible_batch_create(qn_queue *queue, const qn_flexible_tree *const *trees,
                                                 const uint32_t *numbers, int count, int chains, const int *map_of,
                                                 const qn_flexible_grid *grid, qn_flexible_batch *batch);
void qn_flexible_batch_clear(qn_flexible_batch *batch);

/* Where the search takes place. */
typedef struct qn_flexible_frame {
    qn_flexible_grid grid;
    double box_low_angstrom[3], box_high_angstrom[3]; /* of starts, relative to the grid's centre */
    bool confined;                                    /* the centroid stays in the box */
    uint64_t seed;
} qn_flexible_frame;

/* Queue the energies and gradients of poses, one for each chain: poses and results [chain][56]; a result begins with
 * the energy, the gradient follows. */
QN_MUST_CHECK qn_status qn_flexible_score(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_flexible_batch *batch, const qn_flexible_frame *frame,
                                          qn_buffer *maps, double bend, qn_buffer *poses, qn_buffer *results);

/* Some steps of a chain, which has done those before; step 0 draws the start. */
typedef struct qn_flexible_leg {
    int32_t chain, first_step, steps /* at least 1 */, unused;
} qn_flexible_leg;

/* Queue legs of different chains. states: [chain][2][56], the current and the best pose with their energies (soft,
 * hard). counters: [chain][2] int32, to which evaluations and accepted steps are added. */
QN_MUST_CHECK qn_status qn_flexible_walk(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_flexible_batch *batch, const qn_flexible_frame *frame,
                                         qn_buffer *maps, qn_buffer *legs, int first_leg, int leg_count,
                                         qn_buffer *states, qn_buffer *counters, qn_event **event);

/* A pose of a tree as floats relative to the grid's centre, and back. */
void qn_flexible_state_of(const qn_flexible_tree *tree, const qn_flexible_pose *pose, const qn_flexible_grid *grid,
                          float state[QN_FLEXIBLE_STATE]);
void qn_flexible_state_pose(const qn_flexible_tree *tree, const float state[QN_FLEXIBLE_STATE],
                            const qn_flexible_grid *grid, qn_flexible_pose *pose);

/* The energy on maps in double precision and its gradient (NULL: not wanted): the reference. maps: [type][z][y][x]. */
double qn_flexible_search_reference(const qn_flexible_tree *tree, const float *maps, const int *map_of,
                                    const qn_flexible_frame *frame, const qn_flexible_pose *pose, double bend,
                                    double *gradient);

#endif
