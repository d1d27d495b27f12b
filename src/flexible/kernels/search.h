/* Searches of flexible molecules on maps: poses scored, chains that walk, and poses that settle with exact energies
 * (search.dev.h). */
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
    int32_t chain, first_step, steps /* of a walk, at least 1 */, unused;
} qn_flexible_leg;

/* Queue legs of different chains. states: [chain][2][56], the current and the best pose with their energies (soft,
 * hard). counters: [chain][2] int32, to which evaluations and accepted steps are added. */
QN_MUST_CHECK qn_status qn_flexible_walk(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_flexible_batch *batch, const qn_flexible_frame *frame,
                                         qn_buffer *maps, qn_buffer *legs, int first_leg, int leg_count,
                                         qn_buffer *states, qn_buffer *counters, qn_event **event);

/* The receptor for exact energies, on a device: its atoms, and lists of those near each cell of a grid. */
typedef struct qn_flexible_near {
    int side, cells[3]; /* spacings of the grid along a cell; cells along x, y, z */
    double mean;        /* atoms of a list */
    double bytes;       /* of these buffers */
    qn_buffer *starts, *list, *atoms, *pairs;
} qn_flexible_near;

QN_MUST_CHECK qn_status qn_flexible_near_create(qn_queue *queue, const qn_score_receptor *receptor,
                                                const qn_flexible_grid *grid, qn_flexible_near *near);
void qn_flexible_near_clear(qn_flexible_near *near);

enum { QN_FLEXIBLE_PASSES = 12 }; /* of a pose that settles, at most */

/* Queue chains that settle: from its current pose, after a random step of all freedoms for a `first_step` above 0, each
 * goes down to a minimum of the exact energy, bent hard. A leg's steps are passes of minimisation at most; a pose that
 * was kicked ends after the first one if it is 0.5 kcal/mol above the energy of the current pose, states[chain][0][7].
 * states[chain][1] gets the pose with its energy; with 0 passes the energy and the gradient of the current pose, as
 * qn_flexible_score gives them. */
QN_MUST_CHECK qn_status qn_flexible_settle(qn_queue *queue, const qn_configuration *configuration,
                                           const qn_flexible_batch *batch, const qn_flexible_frame *frame,
                                           const qn_flexible_near *near, qn_buffer *legs, int first_leg, int leg_count,
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
