/* Features of poses, from which the model computes their scores. docs/design/docking.md, "Ranking",
 * defines them. */
#ifndef QN_DOCK_RANKING_FEATURES_H
#define QN_DOCK_RANKING_FEATURES_H

#include "dock/ranking/crowd.h"

typedef enum qn_ranking_term {
    QN_RANKING_CORE, /* ligand atoms in the receptor's core */
    QN_RANKING_ATTRACTION,
    QN_RANKING_ELECTROSTATIC,
    QN_RANKING_PAIR,
    QN_RANKING_MASK,
    QN_RANKING_TERMS
} qn_ranking_term;

/* Features of a pose: the terms, the measures of the interface, and these. */
typedef enum qn_pose_feature {
    QN_POSE_MEASURES = QN_RANKING_TERMS,
    QN_POSE_AREA = QN_POSE_MEASURES + QN_INTERFACE_MEASURES,
    QN_POSE_PAIR_SHARE,
    QN_POSE_PAIR_NEAR_SHARE,
    QN_POSE_REPULSION_SHARE,
    QN_POSE_DISPERSION_SHARE,
    QN_POSE_DEEP_SHARE,
    QN_POSE_AREA_SHARES, /* five */
    QN_POSE_ELECTROSTATIC_SHARE = QN_POSE_AREA_SHARES + QN_SURFACE_KINDS,
    QN_POSE_NEAR_SHARE,
    QN_POSE_RANK_BEST,
    QN_POSE_RANK_MEAN,
    QN_POSE_RANK_SETS,
    QN_POSE_CONSENSUS,
    QN_POSE_CONSENSUS_LOG,
    QN_POSE_CONSENSUS_RECEPTOR,
    QN_POSE_CONSENSUS_LIGAND,
    QN_POSE_FEATURES
} qn_pose_feature;

extern const char *const qn_pose_feature_names[QN_POSE_FEATURES];

/* Poses to rank, each once. */
typedef struct qn_ranking_poses {
    const qn_placement *placements;
    const double (*terms)[QN_RANKING_TERMS]; /* unweighted */
    const size_t *ranks;                     /* [count][sets]: from 0; SIZE_MAX: not among the set's best */
    size_t count, set_count;
    size_t kept; /* poses of a set, at most */
} qn_ranking_poses;

/* Compute the features of all poses: values[count]. */
QN_MUST_CHECK qn_status qn_pose_features_compute(const qn_surface *receptor, const qn_surface *ligand,
                                                 const qn_ranking_poses *poses, qn_pool *pool,
                                                 double (*values)[QN_POSE_FEATURES]);

#endif
