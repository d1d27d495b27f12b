#include "dock/ranking/ranking.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_ranking_candidates_choose(const qn_ranking_model *model, const qn_crowd *crowd,
                                       const double (*values)[QN_POSE_FEATURES], size_t *candidates, size_t *count)
{
    void *scores = NULL, *owners = NULL;
    qn_status status = qn_allocate(crowd->count, sizeof(double), &scores);
    if (status == QN_OK) status = qn_allocate(crowd->count, sizeof(size_t), &owners);
    if (status == QN_OK) {
        for (size_t i = 0; i < crowd->count; i++) ((double *)scores)[i] = -values[i][QN_POSE_RANK_MEAN];
        status = qn_crowd_choose(crowd, scores, model->spread_angstrom, (size_t)model->candidates, candidates, count,
                                 owners);
    }
    qn_release(&scores);
    qn_release(&owners);
    return status;
}

void qn_ranking_score(const qn_ranking_model *model, const double (*values)[QN_POSE_FEATURES], const size_t *candidates,
                      size_t count, double *scores)
{
    for (size_t i = 0; i < count; i++) scores[i] = 0;
    for (int f = 0; f < QN_POSE_FEATURES; f++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < count; i++) mean += values[candidates[i]][f] / (double)count;
        for (size_t i = 0; i < count; i++) {
            const double apart = values[candidates[i]][f] - mean;
            variance += apart * apart / (double)count;
        }
        const double deviation = sqrt(variance);
        if (!(deviation > 1e-9 * fmax(1, fabs(mean)))) continue;
        for (size_t i = 0; i < count; i++)
            scores[i] += model->weights[f] * ((values[candidates[i]][f] - mean) / deviation);
    }
}

/* Choose candidates, score them and choose the best. */
static qn_status rank(const qn_ranking_model *model, const qn_crowd *crowd, const double (*values)[QN_POSE_FEATURES],
                      double radius_angstrom, size_t most, qn_ranking *ranking)
{
    void *memory[3] = {NULL};
    size_t count = 0;
    qn_status status = qn_allocate((size_t)model->candidates, sizeof(size_t), &memory[0]);
    if (status == QN_OK) status = qn_allocate((size_t)model->candidates, sizeof(double), &memory[1]);
    if (status == QN_OK) status = qn_allocate(crowd->count, sizeof(double), &memory[2]);
    size_t *candidates = memory[0];
    double *scores = memory[1], *all = memory[2];
    if (status == QN_OK) status = qn_ranking_candidates_choose(model, crowd, values, candidates, &count);
    if (status == QN_OK) {
        qn_ranking_score(model, values, candidates, count, scores);
        for (size_t i = 0; i < crowd->count; i++) all[i] = -INFINITY;
        for (size_t i = 0; i < count; i++) all[candidates[i]] = scores[i];
        status = qn_crowd_choose(crowd, all, radius_angstrom, most, ranking->chosen, &ranking->count, ranking->owners);
        for (size_t i = 0; i < ranking->count && status == QN_OK; i++) ranking->scores[i] = all[ranking->chosen[i]];
    }
    for (int i = 0; i < 3; i++) qn_release(&memory[i]);
    return status;
}

static qn_status allocate(size_t poses, size_t most, qn_ranking *ranking)
{
    void *memory;
    *ranking = (qn_ranking){0};
    QN_TRY(qn_allocate(most, sizeof *ranking->chosen, &memory));
    ranking->chosen = memory;
    QN_TRY(qn_allocate(most, sizeof *ranking->scores, &memory));
    ranking->scores = memory;
    QN_TRY(qn_allocate(poses, sizeof *ranking->owners, &memory));
    ranking->owners = memory;
    return QN_OK;
}

qn_status qn_ranking_create(const qn_ranking_model *model, const qn_surface *receptor, const qn_surface *ligand,
                            const qn_molecule *ligand_molecule, const qn_ranking_poses *poses, double radius_angstrom,
                            size_t most, qn_pool *pool, qn_ranking *ranking)
{
    void *values = NULL;
    qn_crowd crowd = {0};
    qn_status status = allocate(poses->count, most, ranking);
    if (status == QN_OK) status = qn_allocate(poses->count, QN_POSE_FEATURES * sizeof(double), &values);
    if (status == QN_OK) status = qn_pose_features_compute(receptor, ligand, poses, pool, values);
    if (status == QN_OK)
        status = qn_crowd_create(receptor, ligand_molecule, poses->placements, poses->count, pool, &crowd);
    if (status == QN_OK) status = rank(model, &crowd, values, radius_angstrom, most, ranking);
    qn_crowd_clear(&crowd);
    qn_release(&values);
    if (status != QN_OK) qn_ranking_clear(ranking);
    return status;
}

qn_status qn_ranking_create_by_weight(const qn_molecule *ligand_molecule, const qn_placement *placements,
                                      const double *weights, size_t count, double radius_angstrom, size_t most,
                                      qn_pool *pool, qn_ranking *ranking)
{
    qn_crowd crowd = {0};
    qn_status status = allocate(count, most, ranking);
    if (status == QN_OK) status = qn_crowd_create(NULL, ligand_molecule, placements, count, pool, &crowd);
    if (status == QN_OK)
        status = qn_crowd_gather(&crowd, weights, radius_angstrom, most, pool, ranking->chosen, ranking->scores,
                                 &ranking->count, ranking->owners);
    qn_crowd_clear(&crowd);
    if (status != QN_OK) qn_ranking_clear(ranking);
    return status;
}

void qn_ranking_clear(qn_ranking *ranking)
{
    qn_release(&ranking->chosen);
    qn_release(&ranking->scores);
    qn_release(&ranking->owners);
    ranking->count = 0;
}
