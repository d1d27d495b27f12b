/* The graph of the voids between balls: vertices and edges of the power diagram with their clearances.
 *
 * An edge has a width, the least clearance on it, and a cost ∫ c⁻² ds. The edges of a power diagram pass beside the
 * ridges of the clearance, so the width is raised to that of the ridge where it decides whether the probe passes.
 * Vertices outside are those that a sphere of the shell's radius reaches from far away. The surface is what lies within
 * the shell's depth of these vertices, along edges that the probe passes. */
#ifndef QN_TUNNEL_GEOMETRY_VOID_GRAPH_H
#define QN_TUNNEL_GEOMETRY_VOID_GRAPH_H

#include "base/thread_pool.h"
#include "tunnel/geometry/power_diagram.h"

/* The width of an edge is less than that of its ridge by at most so much (Å). */
#define QN_VOID_RISE_ANGSTROM 0.3

typedef struct qn_void_settings {
    double probe, shell_radius, shell_depth; /* Å */
} qn_void_settings;

typedef struct qn_void_edge {
    uint32_t vertices[2];
    double width;     /* Å; negative: the edge passes through a ball */
    double narrow[3]; /* the place of that clearance */
    double cost;      /* Å⁻¹; INFINITY where the width is below the probe's radius */
    bool is_sampled;  /* `width` is the least clearance on the edge; else it is that of the ends */
    bool has_climbed; /* `width` is the largest beside the edge */
    double length;    /* Å */
    double depth;     /* Å: length of the part where the shell's sphere does not fit */
} qn_void_edge;

/* The end of an edge at a vertex. */
typedef struct qn_void_end {
    uint32_t edge, other; /* other: the vertex at the other end */
} qn_void_end;

typedef struct qn_void_graph {
    qn_void_settings settings;
    size_t vertex_count, edge_count;
    double (*places)[3];
    double *clearance; /* of each vertex */
    bool *outside;     /* of each vertex: the shell's sphere reaches it */
    bool *surface;     /* likewise: outside, or within the shell's depth */
    qn_void_edge *edges;
    uint32_t *first; /* ends of vertex v: ends[first[v]] … ends[first[v + 1] − 1] */
    qn_void_end *ends;
} qn_void_graph;

/* Release with qn_void_graph_clear. The result does not depend on the threads of `pool`, which may be NULL. */
QN_MUST_CHECK qn_status qn_void_graph_make(const qn_balls *balls, const qn_void_settings *settings, qn_pool *pool,
                                           qn_void_graph *graph);
/* Raise width and narrowest place of an edge to the ridge beside it, up to a width that is `enough`. `list` is memory
 * for the work. */
QN_MUST_CHECK qn_status qn_void_edge_climb(const qn_balls *balls, const qn_void_graph *graph, double enough,
                                           qn_void_edge *edge, qn_ball_list *list);

void qn_void_graph_clear(qn_void_graph *graph);

#endif
