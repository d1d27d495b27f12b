/* Parts of report.html. */
#ifndef QN_SCREEN_OUTPUT_REPORT_H
#define QN_SCREEN_OUTPUT_REPORT_H

#include "report/html.h"
#include "screen/run.h"

/* Add the distribution of energies, and energies against the sizes of molecules; nothing if there are fewer than two
 * rows. */
QN_MUST_CHECK qn_status qn_screen_report_scores(const qn_screen_state *run, qn_report *report);

/* Add the enrichment of known actives; nothing if no actives are given. */
QN_MUST_CHECK qn_status qn_screen_report_enrichment(const qn_screen_state *run, qn_report *report);

/* Add the rejected molecules, counted by reason; nothing if no molecule was rejected. */
QN_MUST_CHECK qn_status qn_screen_report_rejections(const qn_screen_state *run, qn_report *report);

/* Write a whole number, from five digits on in groups of three: "1234", "12 345". */
void qn_screen_say_count(uint64_t count, char text[32]);

#endif
