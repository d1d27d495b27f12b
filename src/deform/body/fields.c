#include "deform/body/fields.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/body/element.h"

/* Cauchy's stress σ = P Fᵀ / J. */
static double find_cauchy(const qn_body *body, const double g[9], double pressure, double cauchy[6])
{
    static const int places[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    const double volume = 1 + point_volume_change(g);
    double stress[9], f[9];
    element_stress(body, g, pressure, stress);
    for (int k = 0; k < 9; k++) f[k] = g[k] + (k % 4 == 0);
    for (int k = 0; k < 6; k++)
        cauchy[k] = point_dot(stress + (ptrdiff_t)3 * places[k][0], f + (ptrdiff_t)3 * places[k][1]) / volume;
    return volume;
}

static double find_von_mises(const double s[6])
{
    const double mean = point_trace(s) / 3, a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
    return sqrt(1.5 * (a * a + b * b + c * c + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])));
}

/* W, J/m³; in the mixed form with p²/(2κ) in place of κ/2 (J − 1)². */
static double find_density(const qn_body *body, const double g[9], double pressure)
{
    const qn_material *material = &body->material;
    double stress[6];
    point_mooney m;
    if (material->kind == QN_MATERIAL_SVK) return point_svk(material, g, stress);
    point_mooney_make(material, g, &m);
    if (!body->mixed) pressure = material->kappa * m.change;
    return point_mooney_energy(material, &m) + 0.5 * pressure * pressure / material->kappa;
}

static void fill_element(const element_state *e, size_t index, qn_body_fields *fields)
{
    const int nodes = e->body->element_nodes, points = e->body->point_count;
    double volume = 0;
    fields->least_stretch[index] = DBL_MAX;
    for (int q = 0; q < points; q++) {
        const double pressure = element_pressure(e, element_shapes(points, q)), weight = e->weights[q];
        double g[9], cauchy[6];
        element_gradient(e, nodes, q, g);
        const double ratio = find_cauchy(e->body, g, pressure, cauchy), stretch = qn_body_least_stretch(g);
        volume += weight;
        fields->von_mises[index] += weight * find_von_mises(cauchy);
        fields->mean_stress[index] += weight * point_trace(cauchy) / 3;
        fields->volume_ratio[index] += weight * ratio;
        fields->energy_density[index] += weight * find_density(e->body, g, pressure);
        if (!(stretch >= fields->least_stretch[index])) fields->least_stretch[index] = stretch;
    }
    fields->von_mises[index] /= volume;
    fields->mean_stress[index] /= volume;
    fields->volume_ratio[index] /= volume;
    fields->energy_density[index] /= volume;
}

static void list_fields(qn_body_fields *fields, double **all[5])
{
    all[0] = &fields->von_mises;
    all[1] = &fields->mean_stress;
    all[2] = &fields->volume_ratio;
    all[3] = &fields->energy_density;
    all[4] = &fields->least_stretch;
}

qn_status qn_body_fields_make(const qn_body *body, const double *x, qn_body_fields *fields)
{
    const size_t elements = body->mesh->element_count;
    double **all[5];
    void *memory;
    qn_body_fields_clear(fields);
    list_fields(fields, all);
    for (int k = 0; k < 5; k++) {
        QN_TRY(qn_allocate(elements, sizeof(double), &memory));
        *all[k] = memory;
    }
    for (size_t index = 0; index < elements; index++) {
        element_state e;
        element_load(body, index, body->element_nodes, body->point_count, x, &e);
        fill_element(&e, index, fields);
    }
    return QN_OK;
}

void qn_body_fields_clear(qn_body_fields *fields)
{
    double **all[5];
    list_fields(fields, all);
    for (int k = 0; k < 5; k++) qn_release(all[k]);
}

void qn_body_reaction(const qn_body *body, const double *x, const double *r, const uint32_t *nodes, size_t node_count,
                      const double place[3], double force[3], double moment[3])
{
    static const double origin[3] = {0};
    const double *about = place ? place : origin;
    double sum[3] = {0}, turn[3] = {0};
    for (size_t k = 0; k < node_count; k++) {
        const uint32_t first = body->pattern.first_freedom[nodes[k]];
        const double *f = r + first, *at = body->mesh->positions + 3 * (size_t)nodes[k];
        double arm[3];
        for (int i = 0; i < 3; i++) arm[i] = at[i] + x[first + (uint32_t)i] - about[i];
        for (int i = 0; i < 3; i++) sum[i] += f[i];
        for (int i = 0; i < 3; i++) turn[i] += arm[(i + 1) % 3] * f[(i + 2) % 3] - arm[(i + 2) % 3] * f[(i + 1) % 3];
    }
    memcpy(force, sum, sizeof sum);
    if (moment) memcpy(moment, turn, sizeof turn);
}
