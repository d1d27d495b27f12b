#include "flexible/dock.h"

#include <math.h>

/* A minimisation starts anew, since the inverse second derivatives of a steep start are of no use later. */
enum { RESTARTS = 20, ROUNDS = 200 };
static const double least_gain = 1e-4; /* of a start (kcal/mol) */

void qn_flexible_result_finish(const qn_flexible_tree *tree, double unbound_intra, qn_flexible_result *result)
{
    const double sum = result->inter + result->intra - unbound_intra;
    result->unbound = -unbound_intra;
    result->energy = sum / (1 + QN_VINA_TORSION * tree->torsion_count);
    result->torsional = result->energy - sum;
}

static void take_parts(const qn_flexible_parts *parts, qn_flexible_result *result)
{
    result->inter = parts->ligand_receptor + parts->ligand_sides;
    result->intra = parts->ligand + parts->sides_receptor + parts->sides;
}

void qn_flexible_score_given(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, bool as_vina,
                             qn_flexible_result *result)
{
    qn_flexible_energy energy;
    qn_flexible_parts parts;
    qn_flexible_pose_given(tree, &result->pose);
    if (as_vina) {
        qn_flexible_vina_report(tree, receptor, &result->pose, &parts);
    } else {
        qn_flexible_evaluate(tree, receptor, &result->pose, QN_FLEXIBLE_HARD, &energy, NULL);
        parts = energy.parts;
    }
    take_parts(&parts, result);
    qn_flexible_result_finish(tree, result->intra, result);
}

void qn_flexible_converge(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_flexible_pose *pose,
                          qn_flexible_energy *energy)
{
    double before = INFINITY;
    for (int i = 0; i < RESTARTS; i++) {
        qn_flexible_minimise(tree, receptor, QN_FLEXIBLE_HARD, ROUNDS, pose, energy);
        if (!(energy->bent < before - least_gain)) return;
        before = energy->bent;
    }
}

/* A soft start leads out of overlaps, and away from a good pose: the better of both is taken. */
void qn_flexible_minimise_given(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                qn_flexible_result *result)
{
    qn_flexible_energy energy, of_soft;
    qn_flexible_pose soft;
    qn_flexible_pose_given(tree, &result->pose);
    qn_flexible_pose_given(tree, &soft);
    qn_flexible_converge(tree, receptor, &result->pose, &energy);
    qn_flexible_minimise(tree, receptor, QN_FLEXIBLE_SOFT, ROUNDS, &soft, &of_soft);
    qn_flexible_converge(tree, receptor, &soft, &of_soft);
    if (of_soft.bent < energy.bent) {
        result->pose = soft;
        energy = of_soft;
    }
    take_parts(&energy.parts, result);
    qn_flexible_result_finish(tree, result->intra, result);
}
