/* Ranking of poses: by a model of their interfaces, or by the weight of the poses around them. */
#ifndef QN_DOCK_RANKING_RANKING_H
#define QN_DOCK_RANKING_RANKING_H

#include "dock/ranking/model.h"

typedef struct qn_ranking {
    size_t *chosen; /* indices of the ranked poses, best first */
    double *scores; /* of the chosen poses */
    size_t
        *owners; /* of each pose: the first chosen pose within the radius, as an index into `chosen`; SIZE_MAX: none */
    size_t count;
} qn_ranking;

/* The candidates of a ranking: poses in the order of their mean rank in the sets, each farther than the model's spread
 * from those before. candidates[] has room for model->candidates. */
QN_MUST_CHECK qn_status qn_ranking_candidates_choose(const qn_ranking_model *model, const qn_crowd *crowd,
                                                     const double (*values)[QN_POSE_FEATURES], size_t *candidates,
                                                     size_t *count);

/* Compute scores of candidates: the weighted sum of the standard scores of their features. A standard score is (value −
 * mean) / standard deviation over the candidates; it is 0 for a feature that is the same in all of them. */
void qn_ranking_score(const qn_ranking_model *model, const double (*values)[QN_POSE_FEATURES], const size_t *candidates,
                      size_t count, double *scores);

/* Rank at most `most` poses that are more than `radius_angstrom` apart. `ligand` is the molecule of the ligand's
 * surface. Release with qn_ranking_clear. */
QN_MUST_CHECK qn_status qn_ranking_create(const qn_ranking_model *model, const qn_surface *receptor,
                                          const qn_surface *ligand, const qn_molecule *ligand_molecule,
                                          const qn_ranking_poses *poses, double radius_angstrom, size_t most,
                                          qn_pool *pool, qn_ranking *ranking);
/* Rank at most `most` poses by the sum of the weights of the poses within an RMSD of `radius_angstrom` of the whole
 * ligand (qn_crowd_gather); the scores are these sums. Release with qn_ranking_clear. */
QN_MUST_CHECK qn_status qn_ranking_create_by_weight(const qn_molecule *ligand_molecule, const qn_placement *placements,
                                                    const double *weights, size_t count, double radius_angstrom,
                                                    size_t most, qn_pool *pool, qn_ranking *ranking);
void qn_ranking_clear(qn_ranking *ranking);

#endif
