/* A surface of triangles, shaded and coloured by a value at each node, seen along z, y and x: as pictures (PNG), and as
 * an SVG document with all three, a scale and the meaning of the colours, for qn_report_drawing.
 *
 *     qn_surface_views views = {.places = places, .node_count = n, .triangles = t, .triangle_nodes = 3, …};
 *     qn_surface_views_fit(&views);
 *     QN_TRY(qn_surface_views_svg(&views, &svg));
 *
 * The same surface gives the same bytes. */
#ifndef QN_REPORT_SURFACE_VIEWS_H
#define QN_REPORT_SURFACE_VIEWS_H

#include <stdint.h>

#include "base/text.h"

enum { QN_SURFACE_VIEWS = 3, QN_SURFACE_MARKS = 2 };

/* The longest side of what is shown, as a share of a picture's side. */
#define QN_SURFACE_SHOWN 0.92

typedef struct qn_surface_views {
    const double *places; /* node_count × 3, m */
    size_t node_count;
    const uint32_t *triangles;
    size_t triangle_count;
    int triangle_nodes;         /* 3, or 6: corners, then the middles of the edges 01, 12, 02 */
    const double *values;       /* at each node; NULL: none */
    double lowest, highest;     /* values of the first and of the last colour */
    const char *quantity;       /* of the values, with their unit: "displacement, mm" */
    const unsigned char *marks; /* 0, 1 or 2 at each node; NULL: none. Triangles between corners of one mark have its
                                   colour: 1 grey, 2 red */
    const char *mark_names[QN_SURFACE_MARKS]; /* "held", "touched"; NULL: none */
    double low[3], high[3]; /* corners of what is shown; pictures of several surfaces may share them */
} qn_surface_views;

/* Show the whole surface. */
void qn_surface_views_fit(qn_surface_views *views);

/* Draw one view, 0 (x right, y up), 1 (x right, z up) or 2 (y right, z up), and append it as PNG of side × side pixels.
 * Nodes whose place is not finite have no triangles. QN_OUT_OF_MEMORY; QN_INVALID_ARGUMENT: another view, or a side
 * below 1 or above 4096. */
QN_MUST_CHECK qn_status qn_surface_view_png(const qn_surface_views *views, int view, int side, qn_text *png);

/* Append an SVG document with all views. */
QN_MUST_CHECK qn_status qn_surface_views_svg(const qn_surface_views *views, qn_text *svg);

#endif
