#include "tunnel/geometry/tunnels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tunnel/geometry/heap.h"
#include "tunnel/geometry/void_start.h"

typedef struct finding {
    const qn_balls *balls;
    const qn_tunnels_settings *settings;
    qn_void_graph graph;
    qn_void_start start;
    double *key;     /* of each vertex: cost from the start, or minus the width of the widest way */
    uint32_t *entry; /* edge by which the best way enters a vertex; UINT32_MAX: none, it comes from the start */
    bool *done;
    qn_heap heap;
    qn_ball_list list;
    double (*path)[3]; /* room for the start and all vertices */
    double (*marks)[QN_LINE_MARKS][3];
    qn_tunnels *tunnels;
} finding;

static double distance_of(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* ---- the start ---- */

/* Tell the vertex inside that is nearest to the place and as wide as the probe, if there is one. */
static void tell_nearest(const finding *self, const double place[3])
{
    const qn_void_graph *graph = &self->graph;
    double nearest = INFINITY;
    for (size_t v = 0; v < graph->vertex_count; v++) {
        const double distance = distance_of(graph->places[v], place);
        if (graph->surface[v] || graph->clearance[v] < self->settings->voids.probe || distance >= nearest) continue;
        nearest = distance;
        self->tunnels->start_radius = graph->clearance[v];
        memcpy(self->tunnels->start, graph->places[v], sizeof self->tunnels->start);
    }
}

static qn_status choose_start(finding *self, const double place[3])
{
    const qn_tunnels_settings *settings = self->settings;
    qn_tunnels *tunnels = self->tunnels;
    QN_TRY(qn_void_start_find(self->balls, &self->graph, place, settings->start_reach, settings->start_radius,
                              &self->start));
    tunnels->start_radius = self->start.clearance;
    memcpy(tunnels->start, self->start.place, sizeof tunnels->start);
    tunnels->outcome = !isfinite(self->start.clearance) ? QN_TUNNELS_BLOCKED
                       : self->start.is_inside          ? QN_TUNNELS_CLOSED
                                                        : QN_TUNNELS_OUTSIDE;
    if (tunnels->outcome == QN_TUNNELS_BLOCKED) tell_nearest(self, place);
    tunnels->start_moved = distance_of(tunnels->start, place);
    return QN_OK;
}

/* ---- ways ---- */

static qn_status begin_ways(finding *self)
{
    const size_t count = self->graph.vertex_count;
    for (size_t v = 0; v < count; v++) self->key[v] = INFINITY;
    memset(self->entry, 0xff, count * sizeof *self->entry);
    memset(self->done, 0, count * sizeof *self->done);
    self->heap.count = 0;
    return QN_OK;
}

/* Offer a vertex a way by an edge. */
static qn_status offer(finding *self, uint32_t vertex, uint32_t edge, double key)
{
    if (self->done[vertex] || key >= self->key[vertex]) return QN_OK;
    self->key[vertex] = key;
    self->entry[vertex] = edge;
    return qn_heap_push(&self->heap, key, vertex);
}

/* The path from the start to a vertex, in order. */
static size_t trace(const finding *self, uint32_t vertex)
{
    size_t count = 0;
    while (true) {
        memcpy(self->path[count++], self->graph.places[vertex], sizeof *self->path);
        if (self->entry[vertex] == UINT32_MAX) break;
        const qn_void_edge *edge = &self->graph.edges[self->entry[vertex]];
        vertex = edge->vertices[edge->vertices[0] == vertex];
    }
    memcpy(self->path[count++], self->start.place, sizeof *self->path);
    for (size_t i = 0; i < count / 2; i++) {
        double kept[3];
        memcpy(kept, self->path[i], sizeof kept);
        memcpy(self->path[i], self->path[count - 1 - i], sizeof kept);
        memcpy(self->path[count - 1 - i], kept, sizeof kept);
    }
    return count;
}

/* The widest way to the outside: Dijkstra's algorithm with the least width of the edges instead of a sum. */
static qn_status find_widest(finding *self)
{
    const qn_void_graph *graph = &self->graph;
    qn_tunnels *tunnels = self->tunnels;
    qn_heap_entry entry;
    QN_TRY(begin_ways(self));
    for (int i = 0; i < self->start.join_count; i++)
        QN_TRY(offer(self, self->start.joins[i].vertex, UINT32_MAX, -self->start.joins[i].width));
    tunnels->way_radius = -INFINITY;
    while (qn_heap_pop(&self->heap, &entry)) {
        const uint32_t v = entry.item;
        if (self->done[v]) continue;
        self->done[v] = true;
        if (graph->outside[v]) break;
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            qn_void_edge *edge = &graph->edges[graph->ends[i].edge];
            if (self->done[graph->ends[i].other]) continue;
            QN_TRY(qn_void_edge_climb(self->balls, graph, -entry.key, edge, &self->list));
            if (edge->width > 0)
                QN_TRY(offer(self, graph->ends[i].other, graph->ends[i].edge, fmax(entry.key, -edge->width)));
        }
        entry.item = UINT32_MAX;
    }
    if (entry.item == UINT32_MAX || !graph->outside[entry.item]) return QN_OK;
    qn_line line;
    const size_t count = trace(self, entry.item);
    qn_status status = qn_line_make((const double(*)[3])self->path, count, &line);
    if (status == QN_OK) status = qn_line_climb(self->balls, &line);
    if (status == QN_OK) {
        tunnels->way_radius = line.radii[line.narrowest];
        memcpy(tunnels->way_place, line.places[line.narrowest], sizeof tunnels->way_place);
    }
    qn_line_clear(&line);
    return status;
}

/* Whether a line is redundant beside those that are kept; if not, its marks are kept at `count`. */
static bool is_redundant(const finding *self, const qn_line *line, size_t count)
{
    qn_line_mark(line, self->marks[count]);
    for (size_t i = 0; i < count; i++)
        if (qn_line_distance((const double(*)[3])self->marks[i], (const double(*)[3])self->marks[count]) <
            self->settings->redundant)
            return true;
    return false;
}

static qn_status add_mouth(finding *self, uint32_t vertex)
{
    qn_tunnels *tunnels = self->tunnels;
    qn_line line;
    const size_t count = trace(self, vertex);
    QN_TRY(qn_line_make((const double(*)[3])self->path, count, &line));
    qn_line_measure(self->balls, &line);
    const qn_status status = qn_line_trim(self->balls, self->settings->voids.shell_radius, &line);
    if (status != QN_OK || is_redundant(self, &line, tunnels->count))
        qn_line_clear(&line);
    else
        tunnels->lines[tunnels->count++] = line;
    return status;
}

/* The cheapest ways to the mouths, in the order of their costs, as many as are wanted. */
static qn_status find_mouths(finding *self)
{
    const qn_void_graph *graph = &self->graph;
    QN_TRY(begin_ways(self));
    for (int i = 0; i < self->start.join_count; i++)
        QN_TRY(offer(self, self->start.joins[i].vertex, UINT32_MAX, self->start.joins[i].cost));
    for (qn_heap_entry entry; self->tunnels->count < self->settings->most && qn_heap_pop(&self->heap, &entry);) {
        const uint32_t v = entry.item;
        if (self->done[v]) continue;
        self->done[v] = true;
        if (graph->surface[v]) {
            QN_TRY(add_mouth(self, v));
            continue;
        }
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            const qn_void_edge *edge = &graph->edges[graph->ends[i].edge];
            if (isfinite(edge->cost))
                QN_TRY(offer(self, graph->ends[i].other, graph->ends[i].edge, entry.key + edge->cost));
        }
    }
    return QN_OK;
}

/* ---- lines ---- */

static qn_status climb_line(size_t index, int worker, void *user)
{
    finding *self = user;
    (void)worker;
    QN_TRY(qn_line_climb(self->balls, &self->tunnels->lines[index]));
    return qn_line_trim(self->balls, self->settings->voids.shell_radius, &self->tunnels->lines[index]);
}

static int compare_costs(const void *left, const void *right)
{
    const qn_line *one = left, *other = right;
    if (one->cost != other->cost) return one->cost < other->cost ? -1 : 1;
    return one->length < other->length ? -1 : one->length > other->length;
}

/* On their ridges, tunnels may have become alike, or narrower than the probe. */
static void drop_lines(finding *self)
{
    qn_tunnels *tunnels = self->tunnels;
    size_t kept = 0;
    qsort(tunnels->lines, tunnels->count, sizeof *tunnels->lines, compare_costs);
    for (size_t i = 0; i < tunnels->count; i++) {
        qn_line line = tunnels->lines[i];
        tunnels->lines[i] = (qn_line){0};
        if (line.radii[line.narrowest] < self->settings->voids.probe || is_redundant(self, &line, kept))
            qn_line_clear(&line);
        else
            tunnels->lines[kept++] = line;
    }
    tunnels->count = kept;
}

/* ---- the call ---- */

static qn_status make_room(finding *self)
{
    const size_t count = self->graph.vertex_count;
    QN_TRY(qn_allocate(count, sizeof *self->key, (void **)&self->key));
    QN_TRY(qn_allocate(count, sizeof *self->entry, (void **)&self->entry));
    QN_TRY(qn_allocate(count, sizeof *self->done, (void **)&self->done));
    QN_TRY(qn_allocate(count + 1, sizeof *self->path, (void **)&self->path));
    QN_TRY(qn_allocate(self->settings->most + 1, sizeof *self->marks, (void **)&self->marks));
    return qn_allocate(self->settings->most, sizeof *self->tunnels->lines, (void **)&self->tunnels->lines);
}

static qn_status find(finding *self, const double place[3], qn_pool *pool)
{
    QN_TRY(qn_void_graph_make(self->balls, &self->settings->voids, pool, &self->graph));
    QN_TRY(make_room(self));
    QN_TRY(choose_start(self, place));
    if (self->tunnels->outcome != QN_TUNNELS_CLOSED) return QN_OK;
    QN_TRY(find_widest(self));
    QN_TRY(find_mouths(self));
    QN_TRY(qn_pool_run(pool, self->tunnels->count, climb_line, self));
    drop_lines(self);
    if (self->tunnels->count > 0) self->tunnels->outcome = QN_TUNNELS_OPEN;
    return QN_OK;
}

qn_status qn_tunnels_find(const qn_balls *balls, const qn_tunnels_settings *settings, const double place[3],
                          qn_pool *pool, qn_tunnels *tunnels)
{
    *tunnels = (qn_tunnels){.way_radius = -INFINITY};
    finding self = {.balls = balls, .settings = settings, .tunnels = tunnels};
    const qn_status status = find(&self, place, pool);
    qn_void_graph_clear(&self.graph);
    qn_release(&self.key);
    qn_release(&self.entry);
    qn_release(&self.done);
    qn_release(&self.path);
    qn_release(&self.marks);
    qn_heap_clear(&self.heap);
    qn_ball_list_clear(&self.list);
    if (status != QN_OK) qn_tunnels_clear(tunnels);
    return status;
}

void qn_tunnels_clear(qn_tunnels *tunnels)
{
    for (size_t i = 0; i < tunnels->count; i++) qn_line_clear(&tunnels->lines[i]);
    qn_release(&tunnels->lines);
    *tunnels = (qn_tunnels){0};
}
