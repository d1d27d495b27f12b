/* The best poses of a search, converged in double precision. */
#include <math.h>

#include "base/error.h"
#include "flexible/searcher.h"

static const double refined_above = 4; /* kcal/mol above the best one, at most */

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

qn_status qn_flexible_refine(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                             const qn_flexible_receptor *receptor, qn_flexible_pose *poses, double *energies, int count,
                             double diversity_angstrom, int most, qn_flexible_result *results, int *kept)
{
    while (count > 1 && !(energies[count - 1] <= energies[0] + refined_above)) count--;
    QN_TRY(qn_flexible_drop_alike(tree, symmetry, diversity_angstrom, most, poses, energies, count, &count));
    for (int i = 0; i < count; i++) {
        qn_flexible_energy energy;
        qn_flexible_converge(tree, receptor, &poses[i], &energy);
        energies[i] = energy.bent;
    }
    sort_poses(poses, energies, count);
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
