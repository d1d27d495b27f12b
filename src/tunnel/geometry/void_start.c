#include "tunnel/geometry/void_start.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "tunnel/geometry/climb.h"

static const double sample_distance = 0.1; /* Å, along edges and ways */
static const double climb_least = 1e-3;    /* Å, of a step */
static const double climb_most = 0.4;      /* Å, from an edge to its ridge */

/* A place that may be the start. */
typedef struct candidate {
    double place[3], clearance, distance; /* distance from the given place */
    bool is_inside;
    qn_void_edge *edge; /* on which it lies; NULL: it is the given place after its climb */
} candidate;

typedef struct seeking {
    const qn_balls *balls;
    const qn_void_graph *graph;
    const double *place; /* that the user gives */
    double reach, enough;
    candidate best;
} seeking;

static double distance_of(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static void place_between(const double from[3], const double to[3], double share, double place[3])
{
    for (int k = 0; k < 3; k++) place[k] = from[k] + (to[k] - from[k]) * share;
}

static bool is_inside(const qn_void_graph *graph, const qn_void_edge *edge)
{
    return !graph->surface[edge->vertices[0]] && !graph->surface[edge->vertices[1]];
}

static void offer(seeking *self, const candidate *one)
{
    const candidate *best = &self->best;
    const double width = fmin(one->clearance, self->enough), best_width = fmin(best->clearance, self->enough);
    if (one->distance > self->reach || one->clearance < self->graph->settings.probe) return;
    if (isfinite(best->clearance)) {
        if (one->is_inside != best->is_inside) {
            if (!one->is_inside) return;
        } else if (width < best_width || (width == best_width && one->distance >= best->distance))
            return;
    }
    self->best = *one;
}

/* ---- the graph ---- */

/* Measure the straight way between two places. */
static qn_void_join measure_way(const qn_balls *balls, const double from[3], const double to[3], uint32_t vertex)
{
    const double length = distance_of(from, to);
    const int steps = (int)ceil(length / sample_distance);
    double before = qn_balls_clearance(balls, from, NULL);
    qn_void_join way = {.vertex = vertex, .width = before};
    for (int i = 1; i <= steps; i++) {
        double place[3];
        place_between(from, to, (double)i / steps, place);
        const double here = qn_balls_clearance(balls, place, NULL);
        way.cost += 0.5 * length / steps * (1 / (before * before) + 1 / (here * here));
        way.width = fmin(way.width, here);
        before = here;
    }
    return way;
}

/* Offer places on an edge, from an end on as far as the probe fits. */
static void offer_edge(seeking *self, qn_void_edge *edge, int end)
{
    const qn_void_graph *graph = self->graph;
    const double *from = graph->places[edge->vertices[end]], *to = graph->places[edge->vertices[!end]];
    const int steps = (int)ceil(edge->length / sample_distance);
    candidate one = {.is_inside = is_inside(graph, edge), .edge = edge};
    for (int i = 0; i <= steps; i++) {
        place_between(from, to, steps > 0 ? (double)i / steps : 0, one.place);
        one.clearance =
            i == 0 ? graph->clearance[edge->vertices[end]] : qn_balls_clearance(self->balls, one.place, NULL);
        if (one.clearance < graph->settings.probe) return;
        one.distance = distance_of(one.place, self->place);
        offer(self, &one);
    }
}

/* Whether a place of the edge is within reach. */
static bool is_near(const seeking *self, const qn_void_edge *edge)
{
    const double *from = self->graph->places[edge->vertices[0]], *to = self->graph->places[edge->vertices[1]];
    double along = 0, place[3];
    for (int k = 0; k < 3; k++) along += (self->place[k] - from[k]) * (to[k] - from[k]);
    const double square = edge->length * edge->length;
    place_between(from, to, square > 0 ? fmin(fmax(along / square, 0), 1) : 0, place);
    return distance_of(place, self->place) <= self->reach;
}

static void offer_graph(seeking *self)
{
    const qn_void_graph *graph = self->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        qn_void_edge *edge = &graph->edges[i];
        if (!is_near(self, edge)) continue;
        for (int end = 0; end < 2; end++) offer_edge(self, edge, end);
    }
}

/* ---- the given place ---- */

/* Let a candidate climb, at most `travel` Å. */
static qn_status climb(const seeking *self, double travel, candidate *one)
{
    qn_ball_list list = {0};
    const qn_climbing climbing = {NULL, travel, fmin(sample_distance, travel), climb_least, self->enough};
    if (travel < climb_least) return QN_OK;
    const qn_status status = qn_balls_near(self->balls, one->place, one->clearance + 2 * travel, &list);
    if (status == QN_OK) one->clearance = qn_climb(&list, &climbing, one->place);
    qn_ball_list_clear(&list);
    return status;
}

/* Find the nearest vertex that the probe reaches straight from a place, among those whose spheres overlap. */
static qn_void_join join_nearest(const seeking *self, const candidate *one)
{
    const qn_void_graph *graph = self->graph;
    qn_void_join best = {.width = -INFINITY};
    double nearest = INFINITY;
    for (size_t v = 0; v < graph->vertex_count; v++) {
        const double distance = distance_of(graph->places[v], one->place);
        if (distance >= nearest || distance > graph->clearance[v] + one->clearance) continue;
        const qn_void_join way = measure_way(self->balls, one->place, graph->places[v], (uint32_t)v);
        if (way.width < graph->settings.probe) continue;
        nearest = distance;
        best = way;
    }
    return best;
}

/* Offer the given place itself, where no edge need be near. */
static qn_status offer_given(seeking *self, qn_void_join *join)
{
    candidate one = {.clearance = qn_balls_clearance(self->balls, self->place, NULL)};
    memcpy(one.place, self->place, sizeof one.place);
    QN_TRY(climb(self, self->reach, &one));
    if (one.clearance < self->graph->settings.probe) return QN_OK;
    *join = join_nearest(self, &one);
    if (!isfinite(join->width)) return QN_OK;
    one.is_inside = !self->graph->surface[join->vertex];
    one.distance = distance_of(one.place, self->place);
    offer(self, &one);
    return QN_OK;
}

/* ---- the call ---- */

/* Join a place on an edge to those of its ends that the probe reaches, on the edge or on the ridge beside it. */
static qn_status join_edge(const seeking *self, qn_void_start *start)
{
    qn_void_edge *edge = self->best.edge;
    qn_ball_list list = {0};
    const qn_status status = qn_void_edge_climb(self->balls, self->graph, self->best.clearance, edge, &list);
    qn_ball_list_clear(&list);
    for (int end = 0; end < 2; end++) {
        const uint32_t vertex = edge->vertices[end];
        qn_void_join way = measure_way(self->balls, self->best.place, self->graph->places[vertex], vertex);
        way.width = fmax(way.width, fmin(edge->width, self->best.clearance));
        if (way.width >= self->graph->settings.probe) start->joins[start->join_count++] = way;
    }
    return status;
}

qn_status qn_void_start_find(const qn_balls *balls, const qn_void_graph *graph, const double place[3], double reach,
                             double enough, qn_void_start *start)
{
    seeking self = {balls, graph, place, reach, enough, {.clearance = -INFINITY}};
    *start = (qn_void_start){.clearance = -INFINITY};
    QN_TRY(offer_given(&self, &start->joins[0]));
    offer_graph(&self);
    candidate *best = &self.best;
    if (!isfinite(best->clearance)) return QN_OK;
    if (best->edge) {
        QN_TRY(join_edge(&self, start));
        QN_TRY(climb(&self, fmin(reach - best->distance, climb_most), best));
    } else {
        start->join_count = 1;
    }
    start->is_inside = best->is_inside;
    start->clearance = best->clearance;
    memcpy(start->place, best->place, sizeof start->place);
    return QN_OK;
}
