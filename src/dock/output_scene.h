/* The view of the models in the report. */
#ifndef QN_DOCK_OUTPUT_SCENE_H
#define QN_DOCK_OUTPUT_SCENE_H

#include "dock/run.h"
#include "report/html.h"

/* Add a view in which readers turn the models and choose among the best; links to the models' files if the run has
 * any. */
QN_MUST_CHECK qn_status qn_dock_report_scene(const qn_dock_state *run, const qn_dock_answer *answer, qn_report *report);

#endif
