/* Poses of a ligand on discs.
 *
 *     const qn_bounds_scene scene = {&tree, receptor, &discs, pool, seed};
 *     qn_disc_pose pose = {.disc = 3};
 *     qn_disc_draw_pose(scene.tree, &discs.discs[3], seed, 0, &pose.pose);
 *     qn_disc_pose_settle(&scene, NULL, &pose);
 */
#ifndef QN_TRANSPORT_BOUNDS_POSES_H
#define QN_TRANSPORT_BOUNDS_POSES_H

#include "base/thread_pool.h"
#include "discs/discs.h"
#include "flexible/energy.h"

/* The inputs of bounds. The root of the tree has its origin at the dragged atom. */
typedef struct qn_bounds_scene {
    const qn_flexible_tree *tree;
    const qn_flexible_receptor *receptor;
    const qn_discs *discs;
    qn_pool *pool; /* NULL: one thread */
    uint64_t seed;
} qn_bounds_scene;

typedef struct qn_disc_pose {
    int disc;
    double inter, intra; /* kcal/mol, bent hard, without restraints */
    qn_flexible_pose pose;
} qn_disc_pose;

static inline double qn_disc_pose_energy(const qn_disc_pose *pose)
{
    return pose->inter + pose->intra;
}

/* Give a pose the energies of an evaluation. */
void qn_disc_pose_take(const qn_flexible_energy *energy, qn_disc_pose *pose);

/* Compute the energies of a pose in double precision. */
void qn_disc_pose_evaluate(const qn_bounds_scene *scene, qn_disc_pose *pose);

/* Lists of near atoms for each thread of the pool. */
QN_MUST_CHECK qn_status qn_bounds_lists_create(const qn_bounds_scene *scene, qn_receptor_near **lists);
void qn_bounds_lists_destroy(const qn_bounds_scene *scene, qn_receptor_near **lists);

/* Move a pose into the plane of its disc, to a minimum there, and compute its energies. Minimisations are repeated
 * while one gains 0.001 kcal/mol. near: lists for sums in single precision, NULL: in double. A task forgets its
 * thread's lists before the first call, so that results do not depend on the tasks of threads. */
void qn_disc_pose_settle(const qn_bounds_scene *scene, qn_receptor_near *near, qn_disc_pose *pose);

/* Positions of the tree's first `count` atoms (heavy_count or atom_count): count × 3 (Å). */
void qn_disc_pose_positions(const qn_flexible_tree *tree, const qn_disc_pose *pose, int count, double *positions);

/* Root mean square distance of heavy atoms between two poses (Å). */
double qn_disc_pose_distance(const qn_flexible_tree *tree, const qn_disc_pose *a, const qn_disc_pose *b);

/* The longest way of any atom, hydrogens too, between two poses (Å). */
double qn_disc_pose_step(const qn_flexible_tree *tree, const qn_disc_pose *a, const qn_disc_pose *b);

/* Sort poses by energy, and keep at most `most` of those that are over 0.3 Å from all kept ones of lower energy.
 * Returns their number. */
int qn_disc_poses_choose(const qn_flexible_tree *tree, qn_disc_pose *poses, int count, int most);

#endif
