/* A viewer's place for pictures of molecules, and the commands that give it to PyMOL and ChimeraX.
 *
 *     qn_view view;
 *     qn_view_from(points, count, towards, &view);   // `towards` points from the scene to the viewer
 *     QN_TRY(qn_view_append_pymol(&view, &script));
 */
#ifndef QN_MATH_VIEW_H
#define QN_MATH_VIEW_H

#include <stddef.h>

#include "base/text.h"

typedef struct qn_view {
    double axes[3][3]; /* to the viewer's right, up, and towards the viewer: unit vectors, a right-handed system */
    double centre[3];  /* of the points */
    double radius;     /* largest distance of a point from the centre */
} qn_view;

/* Look at count × 3 points along −towards; the points' longest extent lies horizontally. A vector of length 0 stands
 * for the axis z. */
void qn_view_from(const double *points, size_t count, const double towards[3], qn_view *view);

/* Append a line that sets the view. Both programs keep the directions when they are then told to zoom. */
QN_MUST_CHECK qn_status qn_view_append_pymol(const qn_view *view, qn_text *script);
QN_MUST_CHECK qn_status qn_view_append_chimerax(const qn_view *view, qn_text *script);

#endif
