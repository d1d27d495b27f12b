/* Parts of report.html. */
#ifndef QN_SCREEN_OUTPUT_REPORT_H
#define QN_SCREEN_OUTPUT_REPORT_H

#include "report/html.h"
#include "screen/run.h"

/* How the energies are spread, and whether they follow the molecules' size. At least one row. */
QN_MUST_CHECK qn_status qn_screen_report_scores(const qn_screen_state *run, qn_report *report);

/* How well known actives are found; nothing without options->actives. */
QN_MUST_CHECK qn_status qn_screen_report_enrichment(const qn_screen_state *run, qn_report *report);

/* What was rejected and why, like reasons counted together; nothing when there is nothing. */
QN_MUST_CHECK qn_status qn_screen_report_rejections(const qn_screen_state *run, qn_report *report);

/* A whole number with thousands set apart: "12 345". */
void qn_screen_say_count(uint64_t count, char text[32]);

#endif
