#include <float.h>
#include <string.h>

#include "deform/body/element.h"

static inline void add_element(const element_state *e, int nodes, int points, double *r)
{
    const qn_body *body = e->body;
    double force[QN_BODY_NODES_MAX][3] = {{0}}, volume[4] = {0};
    for (int q = 0; q < points; q++) {
        const double *shapes = element_shapes(points, q), *gradients = e->gradients + (ptrdiff_t)3 * nodes * q;
        const double weight = e->weights[q];
        double g[9], stress[9];
        element_gradient(e, nodes, q, g);
        const double change = element_stress(body, g, element_pressure(e, shapes), stress);
        for (int k = 0; k < 9; k++) stress[k] *= weight;
        for (int a = 0; a < nodes; a++)
            for (int i = 0; i < 3; i++)
                force[a][i] += point_dot(stress + (ptrdiff_t)3 * i, gradients + (ptrdiff_t)3 * a);
        for (int a = 0; a < 4; a++) volume[a] += weight * shapes[a] * change;
    }
    for (int a = 0; a < nodes; a++) {
        double *to = r + body->pattern.first_freedom[e->nodes[a]];
        for (int i = 0; i < 3; i++) to[i] += force[a][i];
        if (!body->mixed || a >= 4) continue;
        double sum = volume[a];
        for (int b = 0; b < 4; b++) sum -= element_pressure_entry(e, points, a, b) * e->p[b];
        to[3] += sum;
    }
}

static inline void add_elements(const qn_body *body, int nodes, int points, const double *x, double *r)
{
    for (size_t index = 0; index < body->mesh->element_count; index++) {
        element_state e;
        element_load(body, index, nodes, points, x, &e);
        add_element(&e, nodes, points, r);
    }
}

/* ---- Measures ---- */

/* The potential of a point, J/m³: W, or W_iso + p (J − 1) − p²/(2κ). */
static double find_energy(const qn_body *body, const double g[9], double pressure)
{
    const qn_material *material = &body->material;
    double stress[6];
    point_mooney m;
    if (material->kind == QN_MATERIAL_SVK) return point_svk(material, g, stress);
    point_mooney_make(material, g, &m);
    const double energy = point_mooney_energy(material, &m);
    if (!body->mixed) return energy + 0.5 * material->kappa * m.change * m.change;
    return energy + pressure * m.change;
}

static void measure_element(const element_state *e, int nodes, int points, qn_body_measures *measures)
{
    for (int q = 0; q < points; q++) {
        const double pressure = element_pressure(e, element_shapes(points, q));
        double g[9];
        element_gradient(e, nodes, q, g);
        const double volume = 1 + point_volume_change(g), stretch = qn_body_least_stretch(g);
        measures->energy += e->weights[q] * find_energy(e->body, g, pressure);
        if (!(volume >= measures->least_volume)) measures->least_volume = volume;
        if (!(stretch >= measures->least_stretch)) measures->least_stretch = stretch;
    }
    if (!e->body->mixed) return;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            measures->energy -= 0.5 * e->p[a] * e->p[b] * element_pressure_entry(e, points, a, b);
}

void qn_body_residual(const qn_body *body, const double *x, double *r, qn_body_measures *measures)
{
    const int nodes = body->element_nodes, points = body->point_count;
    memset(r, 0, body->freedom_count * sizeof *r);
    if (nodes == 4)
        add_elements(body, 4, 1, x, r);
    else
        add_elements(body, 10, 4, x, r);
    if (!measures) return;
    *measures = (qn_body_measures){.least_volume = DBL_MAX, .least_stretch = DBL_MAX};
    for (size_t index = 0; index < body->mesh->element_count; index++) {
        element_state e;
        element_load(body, index, nodes, points, x, &e);
        measure_element(&e, nodes, points, measures);
    }
}
