/* Contacts of the best poses in the report: drawings and a table. */
#ifndef QN_SCREEN_SCENE_POSE_CONTACTS_H
#define QN_SCREEN_SCENE_POSE_CONTACTS_H

#include "screen/scene/pose_scene.h"

/* Add drawings of the first poses with the residues around them, and a table of their contacts; nothing without poses
 * or without residues. */
QN_MUST_CHECK qn_status qn_screen_report_contacts(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses,
                                                  size_t count, qn_report *report);

#endif
