/* The best poses of a search with exact energies. */
#include <math.h>

#include "base/error.h"
#include "flexible/searcher.h"
#include "math/random.h"

enum { REFINED_MAX = 16 };              /* poses of a molecule that are refined */
static const double refined_above = 4;  /* kcal/mol above the best one, at most */
static const double alike_angstrom = 1; /* poses nearer than this are one before refinement */
static const double promising = 0.5;    /* kcal/mol above the lowest one, after a few rounds */
static const double kick_angstrom = 0.5,
                    kick_radians = 0.5; /* of place and, at the radius of gyration, rotation; of torsions */

static void sort_poses(qn_flexible_pose *poses, double *energies, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && energies[j] < energies[j - 1]; j--) {
            const qn_flexible_pose pose = poses[j];
            const double energy = energies[j];
            poses[j] = poses[j - 1];
            energies[j] = energies[j - 1];
            poses[j - 1] = pose;
            energies[j - 1] = energy;
        }
}

/* Minimise from places near the best pose, which takes each lower minimum that is found: maps are up to 0.1 kcal/mol
 * off, so the search on them may prefer a neighbour of the lowest one. */
static void polish(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_receptor_near *near,
                   const qn_flexible_kicks *kicks, qn_flexible_pose *pose, double *lowest)
{
    const double turn = kick_angstrom / fmax(0.5, tree->gyration_angstrom);
    for (int kick = 0; kick < kicks->count; kick++) {
        double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
        qn_flexible_pose moved;
        qn_flexible_energy energy;
        for (int i = 0; i < qn_flexible_freedoms(tree); i++) {
            const uint64_t draw = (uint64_t)kick * (6 + QN_FLEXIBLE_TORSIONS_MAX) + (uint64_t)i;
            const double reach = i < 3 ? kick_angstrom : i < 6 ? turn : kick_radians;
            step[i] = reach * (2 * qn_random_uniform(kicks->seed, kicks->stream, draw) - 1);
        }
        qn_flexible_pose_step(tree, pose, step, 1, &moved);
        qn_flexible_minimise_roughly(tree, receptor, near, 0, 0, &moved, &energy);
        if (energy.bent >= *lowest + promising) continue;
        qn_flexible_approach(tree, receptor, near, &moved, &energy);
        if (energy.bent >= *lowest) continue;
        *lowest = energy.bent;
        *pose = moved;
    }
}

/* Minimise poses and sort them. near: roughly; NULL: to convergence. */
static void improve(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_receptor_near *near,
                    qn_flexible_pose *poses, double *energies, int count)
{
    for (int i = 0; i < count; i++) {
        qn_flexible_energy energy;
        if (near)
            qn_flexible_approach(tree, receptor, near, &poses[i], &energy);
        else
            qn_flexible_converge(tree, receptor, &poses[i], &energy);
        energies[i] = energy.bent;
    }
    sort_poses(poses, energies, count);
}

qn_status qn_flexible_refine(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                             const qn_flexible_receptor *receptor, qn_flexible_pose *poses, double *energies, int count,
                             double diversity_angstrom, int most, const qn_flexible_kicks *kicks,
                             qn_flexible_result *results, int *kept)
{
    qn_receptor_near near;
    most = most < REFINED_MAX ? most : REFINED_MAX;
    sort_poses(poses, energies, count);
    QN_TRY(qn_flexible_drop_alike(tree, symmetry, alike_angstrom, REFINED_MAX, poses, energies, count, &count));
    while (count > 1 && energies[count - 1] > energies[0] + refined_above) count--;
    QN_TRY(qn_receptor_near_create(tree->moving_count, &near));
    improve(tree, receptor, &near, poses, energies, count);
    if (count > 0) polish(tree, receptor, &near, kicks, &poses[0], &energies[0]);
    qn_receptor_near_clear(&near);
    QN_TRY(qn_flexible_drop_alike(tree, symmetry, diversity_angstrom, most, poses, energies, count, &count));
    improve(tree, receptor, NULL, poses, energies, count);
    QN_TRY(qn_flexible_drop_alike(tree, symmetry, diversity_angstrom, most, poses, energies, count, kept));
    for (int i = 0; i < *kept; i++) {
        qn_flexible_energy energy;
        qn_flexible_evaluate(tree, receptor, &poses[i], QN_FLEXIBLE_HARD, &energy, NULL);
        results[i] = (qn_flexible_result){
            .pose = poses[i], .inter = energy.inter_bent, .intra = energy.bent - energy.inter_bent};
        qn_flexible_result_finish(tree, results[0].intra, &results[i]);
    }
    return QN_OK;
}
