#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tunnel/geometry/power_diagram.h"

#include <libqhull_r/libqhull_r.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { DIMENSIONS = 4, CORNERS = 8 };

/* Distance in Å of the eight points from the box of the balls. Vertices beside them are tens of Å away from all balls.
 */
static const double margin = 100;

/* A facet of the hull, with the number that qhull gave it. */
typedef struct vertex_entry {
    qn_power_vertex vertex;
    unsigned facet;
} vertex_entry;

/* ---- the hull ---- */

/* Lift the balls, in their order, about the middle of their box; the eight points follow. */
static qn_status lift(const qn_balls *balls, double middle[3], coordT **points)
{
    QN_TRY(qn_allocate((balls->count + CORNERS) * DIMENSIONS, sizeof **points, (void **)points));
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (balls->low[k] + balls->high[k]);
    for (size_t i = 0; i < balls->count + CORNERS; i++) {
        coordT *point = *points + DIMENSIONS * i;
        const qn_ball *ball = i < balls->count ? &balls->sorted[i] : NULL;
        coordT *to = ball ? *points + DIMENSIONS * (size_t)balls->index[i] : point;
        double lifted = ball ? -ball->radius * ball->radius : 0;
        for (int k = 0; k < 3; k++) {
            const double half = 0.5 * (balls->high[k] - balls->low[k]) + margin;
            to[k] = ball ? ball->place[k] - middle[k] : ((i - balls->count) >> k & 1 ? half : -half);
            lifted += to[k] * to[k];
        }
        to[3] = lifted;
    }
    return QN_OK;
}

/* ---- vertices and edges ---- */

static int compare_vertices(const void *left, const void *right)
{
    const vertex_entry *one = left, *other = right;
    for (int k = 0; k < 3; k++)
        if (one->vertex.place[k] != other->vertex.place[k])
            return one->vertex.place[k] < other->vertex.place[k] ? -1 : 1;
    return one->facet < other->facet ? -1 : one->facet > other->facet;
}

static int compare_edges(const void *left, const void *right)
{
    const uint32_t *one = left, *other = right;
    for (int k = 0; k < 2; k++)
        if (one[k] != other[k]) return one[k] < other[k] ? -1 : 1;
    return 0;
}

/* A lower facet lies on the hyperplane n·(x, w) + d = 0 with n_w < 0, and its ball of equal powers has the centre
 * −n_x / (2 n_w). */
static bool is_lower(const facetT *facet)
{
    return facet->normal && facet->normal[3] < -1e-12;
}

static bool has_corner(qhT *qh, const facetT *facet, size_t ball_count)
{
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices)
    {
        if ((size_t)qh_pointid(qh, vertex->point) >= ball_count) return true;
    }
    return false;
}

static qn_status list_vertices(qhT *qh, size_t ball_count, const double middle[3], vertex_entry **entries,
                               size_t *count)
{
    facetT *facet;
    size_t facets = 0;
    *count = 0;
    FORALLfacets
    {
        facets += is_lower(facet);
    }
    QN_TRY(qn_allocate(facets, sizeof **entries, (void **)entries));
    FORALLfacets
    {
        if (!is_lower(facet)) continue;
        vertex_entry *entry = &(*entries)[(*count)++];
        entry->facet = facet->id;
        entry->vertex.is_far = has_corner(qh, facet, ball_count);
        for (int k = 0; k < 3; k++) entry->vertex.place[k] = middle[k] - facet->normal[k] / (2 * facet->normal[3]);
    }
    qsort(*entries, *count, sizeof **entries, compare_vertices);
    return QN_OK;
}

/* `number`: of the vertex of each facet, UINT32_MAX for none. */
static qn_status list_edges(qhT *qh, const uint32_t *number, qn_power_diagram *diagram)
{
    facetT *facet, *neighbor, **neighborp;
    size_t most = 0;
    FORALLfacets
    {
        most += (size_t)qh_setsize(qh, facet->neighbors);
    }
    QN_TRY(qn_allocate(most, sizeof *diagram->edges, (void **)&diagram->edges));
    FORALLfacets
    {
        FOREACHneighbor_(facet)
        {
            const uint32_t first = number[facet->id], second = number[neighbor->id];
            if (first == UINT32_MAX || second == UINT32_MAX || first >= second) continue;
            diagram->edges[diagram->edge_count][0] = first;
            diagram->edges[diagram->edge_count++][1] = second;
        }
    }
    qsort(diagram->edges, diagram->edge_count, sizeof *diagram->edges, compare_edges);
    return QN_OK;
}

static qn_status read_hull(qhT *qh, size_t ball_count, const double middle[3], qn_power_diagram *diagram)
{
    vertex_entry *entries = NULL;
    uint32_t *number = NULL;
    qn_status status = list_vertices(qh, ball_count, middle, &entries, &diagram->vertex_count);
    const size_t vertices = diagram->vertex_count;
    if (status == QN_OK) status = qn_allocate(vertices, sizeof *diagram->vertices, (void **)&diagram->vertices);
    if (status == QN_OK) status = qn_allocate((size_t)qh->facet_id + 1, sizeof *number, (void **)&number);
    if (status == QN_OK) {
        memset(number, 0xff, ((size_t)qh->facet_id + 1) * sizeof *number);
        for (size_t i = 0; i < vertices; i++) {
            diagram->vertices[i] = entries[i].vertex;
            number[entries[i].facet] = (uint32_t)i;
        }
        status = list_edges(qh, number, diagram);
    }
    qn_release(&number);
    qn_release(&entries);
    return status;
}

/* ---- the call ---- */

/* Run qhull, whose messages go into `messages`. */
static qn_status make_hull(qhT *qh, coordT *points, size_t count, FILE *messages, char **text)
{
    char command[] = "qhull Pp Q12"; /* no warnings of precision; wide facets of equal points are merged */
    qh_zero(qh, messages);
    const int code = qh_new_qhull(qh, DIMENSIONS, (int)count, points, False, command, NULL, messages);
    if (code == 0) return QN_OK;
    fflush(messages);
    return QN_FAIL(code == qh_ERRmem ? QN_OUT_OF_MEMORY : QN_UNSUPPORTED,
                   "the power diagram of %zu atoms could not be made; qhull %d says \"%.*s\"", count - CORNERS, code,
                   (int)strcspn(*text ? *text : "", "\n"), *text ? *text : "");
}

qn_status qn_power_diagram_make(const qn_balls *balls, qn_power_diagram *diagram)
{
    qhT *qh = NULL;
    coordT *points = NULL;
    double middle[3];
    char *text = NULL;
    size_t size;
    int kept, total;
    *diagram = (qn_power_diagram){0};
    FILE *messages = open_memstream(&text, &size);
    if (!messages) return QN_FAIL(QN_OUT_OF_MEMORY, "out of memory");
    qn_status status = lift(balls, middle, &points);
    if (status == QN_OK) status = qn_allocate(1, sizeof *qh, (void **)&qh);
    if (status == QN_OK) {
        status = make_hull(qh, points, balls->count + CORNERS, messages, &text);
        if (status == QN_OK) status = read_hull(qh, balls->count, middle, diagram);
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &kept, &total);
    }
    qn_release(&qh);
    qn_release(&points);
    fclose(messages);
    free(text);
    if (status != QN_OK) qn_power_diagram_clear(diagram);
    return status;
}

void qn_power_diagram_clear(qn_power_diagram *diagram)
{
    qn_release(&diagram->vertices);
    qn_release(&diagram->edges);
    *diagram = (qn_power_diagram){0};
}
