/* The view of poses in the report: small molecules in the pocket of a receptor. */
#ifndef QN_SCREEN_SCENE_POSE_SCENE_H
#define QN_SCREEN_SCENE_POSE_SCENE_H

#include "model/compound.h"
#include "report/html.h"
#include "score/receptor.h"

/* A pose, in the frame of the receptor. */
typedef struct qn_screen_shown_pose {
    const qn_compound *compound;
    size_t rank;                /* from 1 */
    const char *title, *energy; /* "1. imatinib", "−12.3 kcal/mol" */
} qn_screen_shown_pose;

/* Add a view of poses in the receptor; a sentence instead if the receptor cannot be drawn; nothing without poses or
 * without a receptor. */
QN_MUST_CHECK qn_status qn_screen_report_scene(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses,
                                               size_t count, qn_report *report);

#endif
