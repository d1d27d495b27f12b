/* The place where tunnels begin: the widest within reach of a place that the user gives. Places everywhere count, not
 * only the vertices of the graph; that place is joined to the graph by the ends of the edge beside it. */
#ifndef QN_TUNNEL_GEOMETRY_VOID_START_H
#define QN_TUNNEL_GEOMETRY_VOID_START_H

#include "tunnel/geometry/void_graph.h"

/* A straight way from the start to a vertex. */
typedef struct qn_void_join {
    uint32_t vertex;
    double width; /* Å: the least clearance on it, at least the probe's radius */
    double cost;  /* ∫ c⁻² ds in Å⁻¹ */
} qn_void_join;

typedef struct qn_void_start {
    double place[3], clearance; /* Å; −INFINITY: no place within reach is as wide as the probe */
    bool is_inside;             /* it does not belong to the surface */
    int join_count;
    qn_void_join joins[2];
} qn_void_start;

/* Find the place with the largest min(c, `enough`) within `reach` Å of `place`, the nearest of equal ones. Places of
 * the surface count only where none inside is as wide as the probe. */
QN_MUST_CHECK qn_status qn_void_start_find(const qn_balls *balls, const qn_void_graph *graph, const double place[3],
                                           double reach, double enough, qn_void_start *start);

#endif
