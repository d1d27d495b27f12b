/* Dots and spheres in space, seen along z, y and x side by side, as an SVG document for qn_report_drawing.
 *
 *     qn_three_views views;
 *     qn_three_views_begin(low, high, &views);
 *     QN_TRY(qn_three_views_dot(&views, place, 1.5, "fill=\"#999\""));
 *     QN_TRY(qn_three_views_sphere(&views, place, radius_angstrom, "fill=\"#2266bb\" fill-opacity=\".35\""));
 *     QN_TRY(qn_three_views_end(&views, &svg));
 *     qn_three_views_clear(&views);
 *
 * Later marks are drawn over earlier ones. The colours of a plot's series are var(--c0) … var(--c6) in a style. */
#ifndef QN_REPORT_THREE_VIEWS_H
#define QN_REPORT_THREE_VIEWS_H

#include "base/text.h"

typedef struct qn_three_views {
    double low[3], scale; /* pixels for each unit of length */
    qn_text marks[3];
} qn_three_views;

/* Begin with the corners of what is shown. */
void qn_three_views_begin(const double low[3], const double high[3], qn_three_views *views);

/* Add a circle: a dot whose radius is in pixels, or a sphere in units of length. `style`: attributes of the circle. */
QN_MUST_CHECK qn_status qn_three_views_dot(qn_three_views *views, const double place[3], double pixels,
                                           const char *style);
QN_MUST_CHECK qn_status qn_three_views_sphere(qn_three_views *views, const double place[3], double radius,
                                              const char *style);

/* Append the document. */
QN_MUST_CHECK qn_status qn_three_views_end(const qn_three_views *views, qn_text *svg);
void qn_three_views_clear(qn_three_views *views);

#endif
