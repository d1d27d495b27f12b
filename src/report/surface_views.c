/* The drawing of one view: orthographic, with a depth for each dot, and 2 × 2 dots for each pixel. */
#include "report/surface_views.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/colour.h"
#include "report/png.h"

enum { DOTS = 2, SIDE_MAX = 4096 };

static const double edge_width = 0.55;   /* in dots */
static const double least_triangle = 14; /* edges are drawn of triangles of more dots along a side */
static const double edge_shade = 0.72;   /* brightness of edges */
static const double shadow = 0.4;        /* brightness of a surface that is seen from its edge */
static const unsigned char plain[3] = {0xc8, 0xa0, 0x90};
static const unsigned char mark_colours[QN_SURFACE_MARKS][3] = {{0x80, 0x80, 0x80}, {0xd6, 0x3a, 0x2f}};

/* Axes that point right, up and to the viewer, and the sign of the last. */
static const struct {
    int right, up, toward, sign;
} axes[QN_SURFACE_VIEWS] = {{0, 1, 2, 1}, {0, 2, 1, -1}, {1, 2, 0, 1}};

typedef struct corner {
    double x, y, depth; /* dots, from the left and from the top; larger depths are nearer */
    double normal[3];
    double value;
} corner;

typedef struct canvas {
    const qn_surface_views *views;
    int view, side;          /* side: dots */
    double left, top, scale; /* places of the left and the top edge; dots for each unit of length */
    double *normals;         /* of the nodes, not of unit length */
    double *depth;           /* of each dot */
    unsigned char *dots;     /* red, green, blue */
} canvas;

void qn_surface_views_fit(qn_surface_views *views)
{
    for (int axis = 0; axis < 3; axis++) {
        views->low[axis] = INFINITY;
        views->high[axis] = -INFINITY;
    }
    for (size_t i = 0; i < views->triangle_count * (size_t)views->triangle_nodes; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double place = views->places[3 * (size_t)views->triangles[i] + (size_t)axis];
            if (!isfinite(place)) continue;
            views->low[axis] = fmin(views->low[axis], place);
            views->high[axis] = fmax(views->high[axis], place);
        }
    for (int axis = 0; axis < 3; axis++)
        if (!(views->low[axis] <= views->high[axis])) views->low[axis] = views->high[axis] = 0;
}

/* ---- normals ---- */

/* The triangles that a triangle is drawn as: itself, or four between corners and middles. Bit i of `inner`: the side
 * opposite to corner i is no edge of the mesh. */
typedef struct part {
    uint8_t nodes[3], inner;
} part;

static const part whole[1] = {{{0, 1, 2}, 0}};
static const part quarters[4] = {{{0, 3, 5}, 1}, {{3, 1, 4}, 2}, {{5, 4, 2}, 4}, {{3, 4, 5}, 7}};

static int parts_of(const qn_surface_views *views, const part **parts)
{
    *parts = views->triangle_nodes == 6 ? quarters : whole;
    return views->triangle_nodes == 6 ? 4 : 1;
}

/* Add the normal of each part, whose length is twice its area, to its three nodes. */
static void add_normals(const canvas *c)
{
    const qn_surface_views *v = c->views;
    const part *parts;
    const int count = parts_of(v, &parts);
    for (size_t i = 0; i < v->triangle_count * (size_t)count; i++) {
        const uint32_t *nodes = v->triangles + i / (size_t)count * (size_t)v->triangle_nodes;
        const part *p = &parts[i % (size_t)count];
        const double *at[3];
        for (int k = 0; k < 3; k++) at[k] = v->places + 3 * (size_t)nodes[p->nodes[k]];
        for (int axis = 0; axis < 3; axis++) {
            const int b = (axis + 1) % 3, d = (axis + 2) % 3;
            const double normal =
                (at[1][b] - at[0][b]) * (at[2][d] - at[0][d]) - (at[1][d] - at[0][d]) * (at[2][b] - at[0][b]);
            if (isfinite(normal))
                for (int k = 0; k < 3; k++) c->normals[3 * (size_t)nodes[p->nodes[k]] + (size_t)axis] += normal;
        }
    }
}

/* ---- triangles ---- */

/* Project a node; false: its place is not finite. */
static bool project(const canvas *c, uint32_t node, corner *to)
{
    const qn_surface_views *v = c->views;
    const double *place = v->places + 3 * (size_t)node;
    to->x = (place[axes[c->view].right] - c->left) * c->scale;
    to->y = (c->top - place[axes[c->view].up]) * c->scale;
    to->depth = axes[c->view].sign * place[axes[c->view].toward];
    memcpy(to->normal, c->normals + 3 * (size_t)node, sizeof to->normal);
    to->value = v->values ? v->values[node] : 0;
    return isfinite(to->x) && isfinite(to->y) && isfinite(to->depth);
}

/* The mark of all three corners; 0: none. */
static int mark_of(const qn_surface_views *views, const uint32_t *nodes)
{
    if (!views->marks) return 0;
    const int mark = views->marks[nodes[0]];
    return mark <= QN_SURFACE_MARKS && mark == views->marks[nodes[1]] && mark == views->marks[nodes[2]] ? mark : 0;
}

/* Colour of a dot whose weights of the three corners are given. */
static void colour_dot(const canvas *c, const corner corners[3], const double weights[3], int mark, double bright,
                       unsigned char colour[3])
{
    const qn_surface_views *v = c->views;
    double normal[3] = {0}, value = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        value += weights[k] * corners[k].value;
        for (int axis = 0; axis < 3; axis++) normal[axis] += weights[k] * corners[k].normal[axis];
    }
    for (int axis = 0; axis < 3; axis++) length += normal[axis] * normal[axis];
    const double facing = length > 0 ? fabs(normal[axes[c->view].toward]) / sqrt(length) : 1;
    bright *= shadow + (1 - shadow) * facing;
    memcpy(colour, mark ? mark_colours[mark - 1] : plain, 3);
    if (!mark && v->values) qn_report_colour((value - v->lowest) / (v->highest - v->lowest), colour);
    for (int i = 0; i < 3; i++) colour[i] = (unsigned char)lround(bright * colour[i]);
}

/* Brightness of a dot: less within a line along the edges of the mesh. `heights`: of the triangle above each side. */
static double brightness(const double weights[3], const double heights[3], int inner)
{
    for (int k = 0; k < 3; k++)
        if (!(inner & 1 << k) && heights[k] > least_triangle && weights[k] * heights[k] < edge_width) return edge_shade;
    return 1;
}

/* The first and the last dot, of those from 0 to side − 1, whose centres may be between three coordinates. */
static int first_dot(double a, double b, double c, int side)
{
    return (int)fmin(fmax(ceil(fmin(a, fmin(b, c)) - 0.5), 0), side);
}

static int last_dot(double a, double b, double c, int side)
{
    return (int)fmax(fmin(floor(fmax(a, fmax(b, c)) - 0.5), side - 1), -1);
}

static void fill(const canvas *c, const corner p[3], int mark, int inner)
{
    const double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    double heights[3];
    if (!(fabs(area) > 0) || !isfinite(area)) return;
    for (int k = 0; k < 3; k++) {
        const corner *a = &p[(k + 1) % 3], *b = &p[(k + 2) % 3];
        heights[k] = fabs(area) / hypot(b->x - a->x, b->y - a->y);
    }
    const int last_row = last_dot(p[0].y, p[1].y, p[2].y, c->side);
    const int last_column = last_dot(p[0].x, p[1].x, p[2].x, c->side);
    for (int row = first_dot(p[0].y, p[1].y, p[2].y, c->side); row <= last_row; row++)
        for (int column = first_dot(p[0].x, p[1].x, p[2].x, c->side); column <= last_column; column++) {
            const size_t dot = (size_t)row * (size_t)c->side + (size_t)column;
            const double x = column + 0.5, y = row + 0.5;
            double weights[3], depth = 0;
            bool inside = true;
            for (int k = 0; k < 3; k++) {
                const corner *a = &p[(k + 1) % 3], *b = &p[(k + 2) % 3];
                weights[k] = ((b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x)) / area;
                inside &= weights[k] >= 0;
                depth += weights[k] * p[k].depth;
            }
            if (!inside || depth <= c->depth[dot]) continue;
            c->depth[dot] = depth;
            colour_dot(c, p, weights, mark, brightness(weights, heights, inner), c->dots + 3 * dot);
        }
}

static void draw_triangles(const canvas *c)
{
    const qn_surface_views *v = c->views;
    const part *parts;
    const int count = parts_of(v, &parts);
    for (size_t i = 0; i < v->triangle_count; i++) {
        const uint32_t *nodes = v->triangles + i * (size_t)v->triangle_nodes;
        const int mark = mark_of(v, nodes);
        for (int k = 0; k < count; k++) {
            corner corners[3];
            bool finite = true;
            for (int node = 0; node < 3; node++) finite &= project(c, nodes[parts[k].nodes[node]], &corners[node]);
            if (finite) fill(c, corners, mark, parts[k].inner);
        }
    }
}

/* ---- the picture ---- */

/* Lay out the box in the middle of the canvas. All three views have the same scale. */
static void lay_out(canvas *c)
{
    const qn_surface_views *v = c->views;
    const int right = axes[c->view].right, up = axes[c->view].up;
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) longest = fmax(longest, v->high[axis] - v->low[axis]);
    const double side = longest > 0 ? longest / QN_SURFACE_SHOWN : 1;
    c->scale = c->side / side;
    c->left = 0.5 * (v->low[right] + v->high[right] - side);
    c->top = 0.5 * (v->low[up] + v->high[up] + side);
}

/* The mean of DOTS × DOTS dots for each pixel. */
static void shrink(const canvas *c, unsigned char *pixels)
{
    const size_t side = (size_t)c->side / DOTS;
    for (size_t i = 0; i < 3 * side * side; i++) {
        const size_t row = i / 3 / side, column = i / 3 % side;
        unsigned sum = DOTS * DOTS / 2;
        for (size_t dot = 0; dot < DOTS * DOTS; dot++)
            sum += c->dots[3 * ((DOTS * row + dot / DOTS) * (size_t)c->side + DOTS * column + dot % DOTS) + i % 3];
        pixels[i] = (unsigned char)(sum / (DOTS * DOTS));
    }
}

static qn_status draw(canvas *c, qn_text *png)
{
    const size_t dots = (size_t)c->side * (size_t)c->side;
    const int side = c->side / DOTS;
    void *memory[4] = {NULL};
    qn_status status = qn_allocate(3 * c->views->node_count, sizeof(double), &memory[0]);
    if (status == QN_OK) status = qn_allocate(dots, sizeof(double), &memory[1]);
    if (status == QN_OK) status = qn_allocate(dots, 3, &memory[2]);
    if (status == QN_OK) status = qn_allocate((size_t)side * (size_t)side, 3, &memory[3]);
    if (status == QN_OK) {
        c->normals = memory[0];
        c->depth = memory[1];
        c->dots = memory[2];
        for (size_t i = 0; i < dots; i++) c->depth[i] = -INFINITY;
        memset(c->dots, 0xff, 3 * dots);
        lay_out(c);
        add_normals(c);
        draw_triangles(c);
        shrink(c, memory[3]);
        status = qn_png_append(png, memory[3], side, side, 3);
    }
    for (int i = 0; i < 4; i++) qn_release(&memory[i]);
    return status;
}

qn_status qn_surface_view_png(const qn_surface_views *views, int view, int side, qn_text *png)
{
    canvas c = {.views = views, .view = view, .side = side * DOTS};
    if (view < 0 || view >= QN_SURFACE_VIEWS || side < 1 || side > SIDE_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "view %d of a surface with %d pixels a side; expected 0 to %d, and 1 to %d",
                       view, side, QN_SURFACE_VIEWS - 1, SIDE_MAX);
    return draw(&c, png);
}
