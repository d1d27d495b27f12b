/* Parts of the files of a run. Private to output*.c. */
#ifndef QN_RECONSTRUCT_OUTPUT_PARTS_H
#define QN_RECONSTRUCT_OUTPUT_PARTS_H

#include "reconstruct/output.h"
#include "report/html.h"

/* Add warnings to the job for everything that makes the result doubtful. */
QN_MUST_CHECK qn_status qn_reconstruct_find_warnings(const qn_reconstruction *run);

/* Images inserted by this run per second of the insertion; 0: none were inserted. */
double qn_reconstruct_images_per_s(const qn_reconstruction *run);

QN_MUST_CHECK qn_status qn_reconstruct_write_report(const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_write_run_json(const qn_reconstruction *run);

/* Parts of the report: central slices of the map, under its surface; the surface, which a map without density lacks,
 * and the Guinier plot, without headings; slices of half maps and mask, without a heading; directions of view; defocus
 * (nothing without a CTF). */
QN_MUST_CHECK qn_status qn_reconstruct_add_surface(qn_report *report, const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_add_guinier(qn_report *report, const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_add_slices(qn_report *report, const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_add_half_slices(qn_report *report, const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_add_views(qn_report *report, const qn_reconstruction *run);
QN_MUST_CHECK qn_status qn_reconstruct_add_defocus(qn_report *report, const qn_reconstruction *run);

#endif
