/* One element of a body at a state, in double precision. Functions take the numbers of nodes and points, so that a
 * compiler that sees them as constants unrolls their loops. */
#ifndef QN_DEFORM_BODY_ELEMENT_H
#define QN_DEFORM_BODY_ELEMENT_H

#include "deform/body/body.h"
#include "deform/body/point.h"

typedef struct element_state {
    const qn_body *body;
    const uint32_t *nodes;
    const double *gradients, *weights; /* [point][node][3], [point] */
    double u[QN_BODY_NODES_MAX][3], p[4];
} element_state;

static inline void element_load(const qn_body *body, size_t index, int nodes, int points, const double *x,
                                element_state *e)
{
    e->body = body;
    e->nodes = body->mesh->elements + index * (size_t)nodes;
    e->gradients = body->gradients + index * (size_t)(points * nodes) * 3;
    e->weights = body->weights + index * (size_t)points;
    for (int a = 0; a < nodes; a++) {
        const double *from = x + body->pattern.first_freedom[e->nodes[a]];
        for (int i = 0; i < 3; i++) e->u[a][i] = from[i];
        if (a < 4) e->p[a] = body->mixed ? from[3] : 0;
    }
}

/* G = ∇u at a point. */
static inline void element_gradient(const element_state *e, int nodes, int point, double g[9])
{
    const double *gradient = e->gradients + (ptrdiff_t)3 * nodes * point;
    for (int k = 0; k < 9; k++) g[k] = 0;
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) g[3 * i + j] += e->u[a][i] * gradient[3 * a + j];
}

/* Values of the pressures' shape functions at a point: in order 1 at the centre. */
static inline const double *element_shapes(int points, int point)
{
    static const double centre[4] = {0.25, 0.25, 0.25, 0.25};
    return points == 1 ? centre : qn_body_points[point];
}

static inline double element_pressure(const element_state *e, const double shapes[4])
{
    return shapes[0] * e->p[0] + shapes[1] * e->p[1] + shapes[2] * e->p[2] + shapes[3] * e->p[3];
}

/* Entry a, b of an element's matrix of pressures, m³/Pa: ∫ N_a N_b / κ, and in order 1 the stabilisation
 * (α/μ) ∫ (N_a − ΠN_a)(N_b − ΠN_b) with α = 1. The integral of N_a N_b over a tetrahedron is V (1 + δ_ab) / 20. */
static inline double element_pressure_entry(const element_state *e, int points, int a, int b)
{
    const qn_material *material = &e->body->material;
    double sum = 0;
    if (points == 1) {
        const double product = (a == b ? 2 : 1) / 20.0;
        return e->weights[0] * (product / material->kappa + (product - 1.0 / 16) / material->mu);
    }
    for (int q = 0; q < points; q++) sum += e->weights[q] * qn_body_points[q][a] * qn_body_points[q][b];
    return sum / material->kappa;
}

/* Stress of first Piola-Kirchhoff, Pa; returns J − 1. svk: P = F S. Mooney-Rivlin: P = σ cof F with Cauchy's stress
 * σ = τ/J + p I. */
static inline double element_stress(const qn_body *body, const double g[9], double pressure, double stress[9])
{
    const qn_material *material = &body->material;
    if (material->kind == QN_MATERIAL_SVK) {
        double s[6];
        point_svk(material, g, s);
        for (int i = 0; i < 3; i++) {
            const double row[3] = {g[3 * i] + (i == 0), g[3 * i + 1] + (i == 1), g[3 * i + 2] + (i == 2)};
            point_symmetric_times(s, row, stress + (ptrdiff_t)3 * i);
        }
        return 0;
    }
    point_mooney m;
    double cauchy[6];
    point_mooney_make(material, g, &m);
    if (!body->mixed) pressure = material->kappa * m.change;
    const double inverse = 1 / m.volume;
    for (int k = 0; k < 6; k++) cauchy[k] = m.isochoric[k] * inverse + (k < 3 ? pressure : 0);
    for (int j = 0; j < 3; j++) {
        const double column[3] = {m.cofactor[j], m.cofactor[3 + j], m.cofactor[6 + j]};
        double product[3];
        point_symmetric_times(cauchy, column, product);
        for (int i = 0; i < 3; i++) stress[3 * i + j] = product[i];
    }
    return m.change;
}

#endif
