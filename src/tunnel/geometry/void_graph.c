#include "tunnel/geometry/void_graph.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tunnel/geometry/climb.h"
#include "tunnel/geometry/heap.h"

enum { VERTICES_A_TASK = 512, EDGES_A_TASK = 256 };

static const double sample_distance = 0.1; /* Å, along an edge */
static const double climb_least = 4e-3;    /* Å, of a step */
static const double climb_most = 0.4;      /* Å, from an edge to its ridge; radii differ by less */

typedef struct making {
    const qn_balls *balls;
    qn_void_graph *graph;
    qn_power_diagram diagram;
    bool *far;
} making;

/* ---- vertices ---- */

static qn_status measure_vertices(size_t task, int worker, void *user)
{
    making *self = user;
    qn_void_graph *graph = self->graph;
    const size_t first = task * VERTICES_A_TASK, end = first + VERTICES_A_TASK;
    (void)worker;
    for (size_t i = first; i < end && i < graph->vertex_count; i++)
        graph->clearance[i] = qn_balls_clearance(self->balls, graph->places[i], NULL);
    return QN_OK;
}

/* ---- edges ---- */

static double distance_of(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* Distance to the next sample. Clearance changes by at most the distance, so steps are longer where it is far above the
 * shell's radius; no tunnel is there. */
static double next_step(double clearance, double shell_radius)
{
    return fmax(sample_distance, 0.5 * (clearance - shell_radius));
}

/* Measure the clearance along an edge: cost by the trapezoid rule, least value and its place. */
static void sample_edge(const qn_void_graph *graph, const qn_ball_list *list, qn_void_edge *edge)
{
    const double *from = graph->places[edge->vertices[0]], *to = graph->places[edge->vertices[1]];
    double before = graph->clearance[edge->vertices[0]], at = 0, place[3];
    edge->width = before;
    memcpy(edge->narrow, from, sizeof edge->narrow);
    edge->cost = edge->depth = 0;
    while (at < edge->length) {
        double step = next_step(before, graph->settings.shell_radius);
        if (at + 1.5 * step > edge->length) step = edge->length - at;
        at = step < edge->length - at ? at + step : edge->length;
        for (int k = 0; k < 3; k++) place[k] = from[k] + (to[k] - from[k]) * (at / edge->length);
        const double here = qn_ball_list_measure(list, place, list->distances[0]);
        if (here < graph->settings.shell_radius || before < graph->settings.shell_radius) edge->depth += step;
        edge->cost += 0.5 * step * (1 / (before * before) + 1 / (here * here));
        before = here;
        if (here >= edge->width) continue;
        edge->width = here;
        memcpy(edge->narrow, place, sizeof place);
    }
}

/* List the balls that bound the clearance on an edge and within `beside` Å of it. */
static qn_status list_balls(const qn_balls *balls, const qn_void_graph *graph, const qn_void_edge *edge, double beside,
                            qn_ball_list *list)
{
    const uint32_t *ends = edge->vertices;
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (graph->places[ends[0]][k] + graph->places[ends[1]][k]);
    const double half = 0.5 * edge->length;
    const double most = fmin(graph->clearance[ends[0]], graph->clearance[ends[1]]) + half; /* at the middle */
    return qn_balls_near(balls, middle, most + 2 * (half + beside), list);
}

static qn_status sample(const qn_balls *balls, const qn_void_graph *graph, qn_void_edge *edge, qn_ball_list *list)
{
    if (edge->is_sampled) return QN_OK;
    QN_TRY(list_balls(balls, graph, edge, 0, list));
    sample_edge(graph, list, edge);
    edge->is_sampled = true;
    return QN_OK;
}

qn_status qn_void_edge_climb(const qn_balls *balls, const qn_void_graph *graph, double enough, qn_void_edge *edge,
                             qn_ball_list *list)
{
    const double *from = graph->places[edge->vertices[0]], *to = graph->places[edge->vertices[1]];
    double across[3];
    if (edge->has_climbed || !(edge->length > 0)) return QN_OK;
    QN_TRY(sample(balls, graph, edge, list));
    if (edge->width >= enough) return QN_OK;
    QN_TRY(list_balls(balls, graph, edge, climb_most, list));
    for (int k = 0; k < 3; k++) across[k] = (to[k] - from[k]) / edge->length;
    const qn_climbing climbing = {across, climb_most, sample_distance, climb_least, enough};
    edge->width = qn_climb(list, &climbing, edge->narrow);
    edge->has_climbed = edge->width < enough;
    return QN_OK;
}

/* Measure an edge as far as tunnels need it. Where an end is too narrow for the probe, and its ridge is too, the least
 * clearance of the ends does. Long edges far outside need no samples: what they join is outside. */
static qn_status measure_edge(const making *self, qn_void_edge *edge, qn_ball_list *list)
{
    qn_void_graph *graph = self->graph;
    const double ends[2] = {graph->clearance[edge->vertices[0]], graph->clearance[edge->vertices[1]]};
    const double probe = graph->settings.probe;
    edge->length = distance_of(graph->places[edge->vertices[0]], graph->places[edge->vertices[1]]);
    edge->depth = edge->length;
    edge->cost = INFINITY;
    edge->width = fmin(ends[0], ends[1]);
    memcpy(edge->narrow, graph->places[edge->vertices[ends[1] < ends[0]]], sizeof edge->narrow);
    const double least = 0.5 * (ends[0] + ends[1] - edge->length); /* no place on the edge has less */
    if (least > graph->settings.shell_radius) {
        edge->width = least;
        edge->cost = edge->length / (least * least);
        edge->depth = 0;
        edge->is_sampled = true;
        return QN_OK;
    }
    if (edge->width <= probe - QN_VOID_RISE_ANGSTROM) return QN_OK;
    QN_TRY(sample(self->balls, graph, edge, list));
    if (edge->width < probe && edge->width > probe - QN_VOID_RISE_ANGSTROM)
        QN_TRY(qn_void_edge_climb(self->balls, graph, probe, edge, list));
    if (edge->width < probe) edge->cost = INFINITY;
    return QN_OK;
}

static qn_status measure_edges(size_t task, int worker, void *user)
{
    making *self = user;
    const size_t first = task * EDGES_A_TASK, end = first + EDGES_A_TASK;
    qn_ball_list list = {0};
    qn_status status = QN_OK;
    (void)worker;
    for (size_t i = first; i < end && i < self->graph->edge_count && status == QN_OK; i++)
        status = measure_edge(self, &self->graph->edges[i], &list);
    qn_ball_list_clear(&list);
    return status;
}

/* List the ends of the edges by vertex, in the order of the edges. */
static void list_ends(qn_void_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++)
        for (int k = 0; k < 2; k++) graph->first[graph->edges[i].vertices[k] + 1]++;
    for (size_t v = 0; v < graph->vertex_count; v++) graph->first[v + 1] += graph->first[v];
    for (size_t i = graph->edge_count; i-- > 0;)
        for (int k = 0; k < 2; k++) {
            const uint32_t place = --graph->first[graph->edges[i].vertices[k] + 1];
            graph->ends[place] = (qn_void_end){(uint32_t)i, graph->edges[i].vertices[!k]};
        }
    memmove(graph->first, graph->first + 1, graph->vertex_count * sizeof *graph->first);
    graph->first[graph->vertex_count] = (uint32_t)(2 * graph->edge_count);
}

/* ---- the surface ---- */

/* Mark what the shell's sphere reaches from the far vertices. `stack` has room for all vertices. */
static void mark_outside(const making *self, uint32_t *stack)
{
    qn_void_graph *graph = self->graph;
    const double radius = graph->settings.shell_radius;
    size_t depth = 0;
    for (size_t v = 0; v < graph->vertex_count; v++)
        if (self->far[v] && graph->clearance[v] >= radius) {
            graph->outside[v] = true;
            stack[depth++] = (uint32_t)v;
        }
    while (depth > 0) {
        const uint32_t v = stack[--depth];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            const uint32_t other = graph->ends[i].other;
            if (graph->outside[other] || graph->clearance[other] < radius ||
                graph->edges[graph->ends[i].edge].width < radius)
                continue;
            graph->outside[other] = true;
            stack[depth++] = other;
        }
    }
}

/* Mark what lies within the shell's depth of the outside, along edges that the probe passes. */
static qn_status mark_surface(qn_void_graph *graph, qn_heap *heap)
{
    const qn_void_settings *settings = &graph->settings;
    for (size_t v = 0; v < graph->vertex_count; v++)
        if (graph->outside[v]) QN_TRY(qn_heap_push(heap, 0, (uint32_t)v));
    for (qn_heap_entry entry; qn_heap_pop(heap, &entry);) {
        const uint32_t v = entry.item;
        if (graph->surface[v]) continue;
        graph->surface[v] = true;
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            const qn_void_edge *edge = &graph->edges[graph->ends[i].edge];
            const double depth = entry.key + edge->depth;
            if (graph->surface[graph->ends[i].other] || edge->width < settings->probe || depth > settings->shell_depth)
                continue;
            QN_TRY(qn_heap_push(heap, depth, graph->ends[i].other));
        }
    }
    return QN_OK;
}

static qn_status mark(const making *self)
{
    uint32_t *stack;
    qn_heap heap = {0};
    QN_TRY(qn_allocate(self->graph->vertex_count, sizeof *stack, (void **)&stack));
    mark_outside(self, stack);
    const qn_status status = mark_surface(self->graph, &heap);
    qn_heap_clear(&heap);
    qn_release(&stack);
    return status;
}

/* ---- the call ---- */

static qn_status make_room(making *self)
{
    qn_void_graph *graph = self->graph;
    const size_t vertices = graph->vertex_count = self->diagram.vertex_count;
    const size_t edges = graph->edge_count = self->diagram.edge_count;
    QN_TRY(qn_allocate(vertices, sizeof *graph->places, (void **)&graph->places));
    QN_TRY(qn_allocate(vertices, sizeof *graph->clearance, (void **)&graph->clearance));
    QN_TRY(qn_allocate(vertices, sizeof *graph->outside, (void **)&graph->outside));
    QN_TRY(qn_allocate(vertices, sizeof *graph->surface, (void **)&graph->surface));
    QN_TRY(qn_allocate(edges, sizeof *graph->edges, (void **)&graph->edges));
    QN_TRY(qn_allocate(vertices + 2, sizeof *graph->first, (void **)&graph->first));
    QN_TRY(qn_allocate(2 * edges, sizeof *graph->ends, (void **)&graph->ends));
    QN_TRY(qn_allocate(vertices, sizeof *self->far, (void **)&self->far));
    for (size_t v = 0; v < vertices; v++) {
        memcpy(graph->places[v], self->diagram.vertices[v].place, sizeof graph->places[v]);
        self->far[v] = self->diagram.vertices[v].is_far;
    }
    for (size_t i = 0; i < edges; i++)
        memcpy(graph->edges[i].vertices, self->diagram.edges[i], sizeof graph->edges[i].vertices);
    return QN_OK;
}

static qn_status make(making *self, qn_pool *pool)
{
    qn_void_graph *graph = self->graph;
    QN_TRY(qn_power_diagram_make(self->balls, &self->diagram));
    QN_TRY(make_room(self));
    const size_t vertices = graph->vertex_count, edges = graph->edge_count;
    QN_TRY(qn_pool_run(pool, (vertices + VERTICES_A_TASK - 1) / VERTICES_A_TASK, measure_vertices, self));
    QN_TRY(qn_pool_run(pool, (edges + EDGES_A_TASK - 1) / EDGES_A_TASK, measure_edges, self));
    list_ends(graph);
    return mark(self);
}

qn_status qn_void_graph_make(const qn_balls *balls, const qn_void_settings *settings, qn_pool *pool,
                             qn_void_graph *graph)
{
    *graph = (qn_void_graph){.settings = *settings};
    making self = {.balls = balls, .graph = graph};
    const qn_status status = make(&self, pool);
    qn_power_diagram_clear(&self.diagram);
    qn_release(&self.far);
    if (status != QN_OK) qn_void_graph_clear(graph);
    return status;
}

void qn_void_graph_clear(qn_void_graph *graph)
{
    qn_release(&graph->places);
    qn_release(&graph->clearance);
    qn_release(&graph->outside);
    qn_release(&graph->surface);
    qn_release(&graph->edges);
    qn_release(&graph->first);
    qn_release(&graph->ends);
    *graph = (qn_void_graph){0};
}
