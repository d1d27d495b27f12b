/* The power diagram of balls: vertices and edges of the cells {p : |p − a|² − r² is least for ball (a, r)}.
 *
 * Lifting every ball to (a, |a|² − r²) turns the diagram into the lower convex hull in four dimensions (Aurenhammer
 * 1987): a facet of the hull is a vertex of the diagram, and two facets that meet are joined by an edge. Eight points
 * of no radius far around the balls make every vertex finite.
 */
#ifndef QN_TUNNEL_GEOMETRY_POWER_DIAGRAM_H
#define QN_TUNNEL_GEOMETRY_POWER_DIAGRAM_H

#include <stdbool.h>

#include "tunnel/geometry/balls.h"

typedef struct qn_power_vertex {
    double place[3]; /* Å */
    bool is_far;     /* beside one of the eight points, so outside of the balls */
} qn_power_vertex;

typedef struct qn_power_diagram {
    size_t vertex_count, edge_count;
    qn_power_vertex *vertices; /* by ascending x, then y, then z */
    uint32_t (*edges)[2];      /* vertices, first < second, ascending */
} qn_power_diagram;

/* Release with qn_power_diagram_clear. QN_UNSUPPORTED with the library's message where the hull cannot be computed;
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_power_diagram_make(const qn_balls *balls, qn_power_diagram *diagram);
void qn_power_diagram_clear(qn_power_diagram *diagram);

#endif
