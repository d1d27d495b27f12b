/* The model that ranks poses: weights of their features, as a text that a person can read.
 *
 * Each line of the text is one entry; # begins a comment:
 *
 *     poses COUNT            best poses of each coefficient set that are looked at
 *     candidates COUNT       most of these poses that are scored
 *     spread ANGSTROM        least distance between two candidates
 *     feature NAME WEIGHT    a feature that no line names has the weight 0
 */
#ifndef QN_DOCK_RANKING_MODEL_H
#define QN_DOCK_RANKING_MODEL_H

#include "dock/ranking/features.h"

typedef struct qn_ranking_model {
    int poses, candidates;
    double spread_angstrom;
    double weights[QN_POSE_FEATURES];
} qn_ranking_model;

/* The shipped model, model_data.c. */
extern const char qn_ranking_model_text[];

/* Read a model from a text, which messages call `name`. QN_BAD_FORMAT names the line and the value. */
QN_MUST_CHECK qn_status qn_ranking_model_parse(const char *text, const char *name, qn_ranking_model *model);

/* Read the model of a file, or the shipped one if `path` is NULL. */
QN_MUST_CHECK qn_status qn_ranking_model_read(const char *path, qn_ranking_model *model);

#endif
