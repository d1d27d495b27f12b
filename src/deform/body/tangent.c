#include <string.h>

#include "deform/body/element.h"

/* All that pairs of nodes need at a point: shape gradients g, and products with them. */
typedef struct tangent_point {
    double weight;
    double left[6];                                          /* B = FFᵀ */
    double g[QN_BODY_NODES_MAX][3], a[QN_BODY_NODES_MAX][3]; /* a = F g */
    double s[QN_BODY_NODES_MAX][3];                          /* svk: S g */
    double y[QN_BODY_NODES_MAX][3], x[QN_BODY_NODES_MAX][3]; /* Mooney-Rivlin: F⁻ᵀ g, X y */
    double h[QN_BODY_NODES_MAX][3];                          /* mixed: weight · cof F g */
    point_mooney_tangent mooney;
} tangent_point;

static inline void make_svk(const element_state *e, int nodes, const double g[9], tangent_point *t)
{
    double s[6];
    point_svk(&e->body->material, g, s);
    for (int a = 0; a < nodes; a++) point_symmetric_times(s, t->g[a], t->s[a]);
}

static inline void make_mooney(const element_state *e, int nodes, const double g[9], double pressure, tangent_point *t)
{
    const qn_body *body = e->body;
    const double kappa = body->material.kappa;
    point_mooney m;
    point_mooney_make(&body->material, g, &m);
    if (body->mixed)
        point_mooney_tangent_make(&m, pressure, 0, &t->mooney);
    else
        point_mooney_tangent_make(&m, kappa * m.change, kappa * m.volume, &t->mooney);
    const double inverse = 1 / m.volume;
    for (int a = 0; a < nodes; a++) {
        double h[3];
        point_times(m.cofactor, t->g[a], h);
        for (int i = 0; i < 3; i++) t->y[a][i] = h[i] * inverse;
        for (int i = 0; i < 3; i++) t->h[a][i] = h[i] * t->weight;
        point_symmetric_times(t->mooney.x, t->y[a], t->x[a]);
    }
}

static inline void make_point(const element_state *e, int nodes, int points, int q, tangent_point *t)
{
    const double *gradients = e->gradients + (ptrdiff_t)3 * nodes * q;
    double g[9], f[9];
    element_gradient(e, nodes, q, g);
    for (int k = 0; k < 9; k++) f[k] = g[k] + (k % 4 == 0);
    t->weight = e->weights[q];
    point_left_strain(g, t->left);
    for (int k = 0; k < 3; k++) t->left[k] += 1;
    for (int a = 0; a < nodes; a++) {
        for (int i = 0; i < 3; i++) t->g[a][i] = gradients[3 * a + i];
        point_times(f, t->g[a], t->a[a]);
    }
    if (e->body->material.kind == QN_MATERIAL_SVK)
        make_svk(e, nodes, g, t);
    else
        make_mooney(e, nodes, g, element_pressure(e, element_shapes(points, q)), t);
}

static inline void add_symmetric(const double s[6], double factor, double diagonal, double k[9])
{
    k[0] += factor * s[0] + diagonal;
    k[4] += factor * s[1] + diagonal;
    k[8] += factor * s[2] + diagonal;
    k[1] += factor * s[3];
    k[3] += factor * s[3];
    k[5] += factor * s[4];
    k[7] += factor * s[4];
    k[2] += factor * s[5];
    k[6] += factor * s[5];
}

/* K_ab = V [λ a bᵀ + μ b aᵀ + μ (g_a·g_b) B + (g_a·S g_b) I] */
static inline void add_svk(const qn_material *material, const tangent_point *t, int a, int b, double k[9])
{
    const double lambda = material->lambda * t->weight, mu = material->mu * t->weight;
    double first[3], second[3];
    for (int i = 0; i < 3; i++) first[i] = lambda * t->a[a][i];
    for (int i = 0; i < 3; i++) second[i] = mu * t->a[b][i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) k[3 * i + j] += first[i] * t->a[b][j] + second[i] * t->a[a][j];
    add_symmetric(t->left, mu * point_dot(t->g[a], t->g[b]), t->weight * point_dot(t->g[a], t->s[b]), k);
}

/* See point_mooney_tangent. */
static inline void add_mooney(const tangent_point *t, int a, int b, double k[9])
{
    const point_mooney_tangent *m = &t->mooney;
    const double product = point_dot(t->g[a], t->g[b]), deformed = point_dot(t->a[a], t->a[b]);
    const double two = 2 * m->beta * t->weight, delta = m->delta * t->weight;
    double first[3], second[3], third[3], fourth[3], fifth[3];
    for (int i = 0; i < 3; i++) {
        first[i] = 2 * two * t->a[a][i];
        second[i] = -two * t->a[b][i];
        third[i] = t->weight * t->x[a][i];
        fourth[i] = t->weight * t->y[a][i];
        fifth[i] = delta * t->y[b][i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] += (first[i] * t->a[b][j] + second[i] * t->a[a][j]) +
                            (third[i] * t->y[b][j] + fourth[i] * t->x[b][j]) + fifth[i] * t->y[a][j];
    add_symmetric(t->left, -two * product, m->gamma * t->weight * product - two * deformed, k);
}

/* The parts of K of one element. The blocks of a pair have the node with the greater index as row. */
typedef struct element_tangent {
    double blocks[QN_PAIR(QN_BODY_NODES_MAX, 0)][9];
    double coupling[QN_BODY_NODES_MAX][4][3]; /* of a node's displacements with a corner's pressure */
} element_tangent;

static inline void add_point(const element_state *e, int nodes, const double shapes[4], const tangent_point *t,
                             element_tangent *k)
{
    const qn_material *material = &e->body->material;
    const bool svk = material->kind == QN_MATERIAL_SVK;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++) {
            const bool swapped = e->nodes[a] < e->nodes[b];
            const int row = swapped ? b : a, column = swapped ? a : b;
            if (svk)
                add_svk(material, t, row, column, k->blocks[QN_PAIR(a, b)]);
            else
                add_mooney(t, row, column, k->blocks[QN_PAIR(a, b)]);
        }
    if (!e->body->mixed) return;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 3; i++) k->coupling[a][b][i] += shapes[b] * t->h[a][i];
}

/* Add the block of a row's and a column's node in the mixed form: displacements, and pressures at corners. */
static inline void scatter_mixed(const element_state *e, int points, int row, int column, const double block[9],
                                 const element_tangent *k, double *to)
{
    const int width = column < 4 ? 4 : 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i * width + j] += block[3 * i + j];
    if (column < 4)
        for (int i = 0; i < 3; i++) to[i * width + 3] += k->coupling[row][column][i];
    if (row >= 4) return;
    for (int j = 0; j < 3; j++) to[3 * width + j] += k->coupling[column][row][j];
    if (column < 4) to[3 * width + 3] -= element_pressure_entry(e, points, row, column);
}

static inline void scatter(const element_state *e, int nodes, int points, const uint32_t *pairs,
                           const element_tangent *k, double *values)
{
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++) {
            const double *block = k->blocks[QN_PAIR(a, b)];
            double *to = values + e->body->pattern.block_start[pairs[QN_PAIR(a, b)]];
            const bool swapped = e->nodes[a] < e->nodes[b];
            if (e->body->mixed)
                scatter_mixed(e, points, swapped ? b : a, swapped ? a : b, block, k, to);
            else
                for (int i = 0; i < 9; i++) to[i] += block[i];
        }
}

static inline void add_elements(const qn_body *body, int nodes, int points, const double *x, double *values)
{
    for (size_t index = 0; index < body->mesh->element_count; index++) {
        element_state e;
        element_tangent k;
        tangent_point t;
        element_load(body, index, nodes, points, x, &e);
        memset(k.blocks, 0, (size_t)QN_PAIR(nodes, 0) * sizeof *k.blocks);
        memset(k.coupling, 0, (size_t)nodes * sizeof *k.coupling);
        for (int q = 0; q < points; q++) {
            make_point(&e, nodes, points, q, &t);
            add_point(&e, nodes, element_shapes(points, q), &t, &k);
        }
        scatter(&e, nodes, points, body->pair_blocks + index * (size_t)QN_PAIR(nodes, 0), &k, values);
    }
}

void qn_body_tangent(const qn_body *body, const double *x, double *values)
{
    const qn_block_pattern *pattern = &body->pattern;
    memset(values, 0, pattern->block_start[pattern->row_start[pattern->node_count]] * sizeof *values);
    if (body->element_nodes == 4)
        add_elements(body, 4, 1, x, values);
    else
        add_elements(body, 10, 4, x, values);
}
