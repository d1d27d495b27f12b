/* Tunnels from a place inside of a structure to its surface. */
#ifndef QN_TUNNEL_GEOMETRY_TUNNELS_H
#define QN_TUNNEL_GEOMETRY_TUNNELS_H

#include "tunnel/geometry/line.h"
#include "tunnel/geometry/void_graph.h"

typedef struct qn_tunnels_settings {
    qn_void_settings voids;
    double start_reach;  /* Å: the start is the widest place within this distance of the one that is given */
    double start_radius; /* Å: places of at least this clearance are equally good, and the nearest is taken */
    double redundant;    /* Å: of two tunnels at a smaller mean distance the dearer is left out */
    size_t most;         /* tunnels */
} qn_tunnels_settings;

typedef enum qn_tunnels_outcome {
    QN_TUNNELS_OPEN,    /* there is at least one */
    QN_TUNNELS_CLOSED,  /* no way out is as wide as the probe; `widest` says how wide the widest is */
    QN_TUNNELS_BLOCKED, /* no place within reach of the start is as wide as the probe */
    QN_TUNNELS_OUTSIDE  /* those that are lie on the surface */
} qn_tunnels_outcome;

typedef struct qn_tunnels {
    qn_tunnels_outcome outcome;
    double start[3], start_radius;   /* the place that was chosen, and its clearance; if blocked, the nearest vertex
                                      * inside   that is as wide as the probe: −INFINITY if there is none */
    double start_moved;              /* Å: distance of `start` from the place that was given */
    double way_radius, way_place[3]; /* the widest way outside: its bottleneck; −INFINITY: no way leads outside */
    size_t count;
    qn_line *lines; /* by ascending cost */
} qn_tunnels;

/* Find the tunnels from `place`. Release with qn_tunnels_clear. The result does not depend on the threads of `pool`. */
QN_MUST_CHECK qn_status qn_tunnels_find(const qn_balls *balls, const qn_tunnels_settings *settings,
                                        const double place[3], qn_pool *pool, qn_tunnels *tunnels);
void qn_tunnels_clear(qn_tunnels *tunnels);

#endif
