#include "deform/body/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/body/pattern.h"

#define NEAR 0.5854101966249685
#define FAR 0.1381966011250105
const double qn_body_points[QN_BODY_POINTS_MAX][4] = {
    {NEAR, FAR, FAR, FAR}, {FAR, NEAR, FAR, FAR}, {FAR, FAR, NEAR, FAR}, {FAR, FAR, FAR, NEAR}};

/* The corners of each edge, in the order of its middles. */
static const uint8_t edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

/* Derivatives of the shape functions by the barycentric coordinates 1 to 3, where coordinate 0 is 1 minus their sum. */
static void local_gradients(int nodes, const double at[4], double gradients[][3])
{
    double by[QN_BODY_NODES_MAX][4] = {{0}};
    for (int i = 0; i < 4; i++) by[i][i] = nodes == 4 ? 1 : 4 * at[i] - 1;
    for (int k = 4; k < nodes; k++) {
        const int i = edges[k - 4][0], j = edges[k - 4][1];
        by[k][i] = 4 * at[j];
        by[k][j] = 4 * at[i];
    }
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < 3; k++) gradients[a][k] = by[a][k + 1] - by[a][0];
}

/* The inverse of a matrix; returns its determinant. */
static double invert(const double m[3][3], double inverse[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j][i] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
        }
    const double determinant = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i][j] /= determinant;
    return determinant;
}

/* Gradients in space and the weight at one point of an element: ∂N/∂X = ∂N/∂ξ (∂X/∂ξ)⁻¹. The weight is the
 * determinant's share of the reference element's volume, 1/6. */
static double place_gradients(const qn_body *body, const uint32_t *corners, const double at[4], double *gradients)
{
    const int nodes = body->element_nodes;
    double local[QN_BODY_NODES_MAX][3], jacobian[3][3] = {{0}}, inverse[3][3];
    local_gradients(nodes, at, local);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                jacobian[i][k] += body->mesh->positions[3 * (size_t)corners[a] + (size_t)i] * local[a][k];
    const double determinant = invert(jacobian, inverse);
    for (int a = 0; a < nodes; a++)
        for (int j = 0; j < 3; j++)
            gradients[3 * a + j] =
                local[a][0] * inverse[0][j] + local[a][1] * inverse[1][j] + local[a][2] * inverse[2][j];
    return determinant / 6 / body->point_count;
}

static qn_status make_gradients(qn_body *body)
{
    static const double centre[4] = {0.25, 0.25, 0.25, 0.25};
    const size_t elements = body->mesh->element_count, points = (size_t)body->point_count;
    const size_t numbers = 3 * (size_t)body->element_nodes;
    void *memory;
    QN_TRY(qn_allocate(elements * points, numbers * sizeof(double), &memory));
    body->gradients = memory;
    QN_TRY(qn_allocate(elements * points, sizeof(double), &memory));
    body->weights = memory;
    for (size_t e = 0; e < elements; e++)
        for (size_t q = 0; q < points; q++) {
            const size_t point = e * points + q;
            const double weight =
                place_gradients(body, body->mesh->elements + e * (size_t)body->element_nodes,
                                points == 1 ? centre : qn_body_points[q], body->gradients + point * numbers);
            if (!(weight > 0))
                return QN_FAIL(QN_INVALID_ARGUMENT, "%s: element %llu has a volume of %g m³ at a point; expected > 0",
                               body->mesh->name ? body->mesh->name : "mesh",
                               (unsigned long long)(body->mesh->element_labels ? body->mesh->element_labels[e] : e + 1),
                               weight * body->point_count);
            body->weights[point] = weight;
            body->volume += weight;
        }
    return QN_OK;
}

static qn_status make_signs(qn_body *body)
{
    void *memory;
    QN_TRY(qn_allocate(body->freedom_count, sizeof *body->sign, &memory));
    body->sign = memory;
    memset(body->sign, 1, body->freedom_count);
    for (size_t i = 0; i < body->pattern.node_count; i++)
        if (body->pattern.size[i] == 4) body->sign[body->pattern.first_freedom[i] + 3] = -1;
    return QN_OK;
}

static qn_status fill(qn_body *body)
{
    QN_TRY(make_gradients(body));
    QN_TRY(qn_pattern_make(body));
    return make_signs(body);
}

qn_status qn_body_create(const qn_mesh *mesh, const qn_material *material, bool mixed, qn_body **out)
{
    void *memory;
    *out = NULL;
    if (mixed && material->kind == QN_MATERIAL_SVK)
        return QN_FAIL(QN_INVALID_ARGUMENT, "svk has no mixed form; expected mooney-rivlin");
    if (!mixed && material->kind == QN_MATERIAL_MOONEY_RIVLIN && isinf(material->kappa))
        return QN_FAIL(QN_INVALID_ARGUMENT, "an infinite bulk modulus without pressures; expected the mixed form");
    QN_TRY(qn_allocate(1, sizeof(qn_body), &memory));
    qn_body *body = memory;
    body->mesh = mesh;
    body->material = *material;
    body->mixed = mixed;
    body->element_nodes = qn_mesh_element_nodes(mesh);
    body->point_count = mesh->order == 2 ? 4 : 1;
    const qn_status status = fill(body);
    if (status != QN_OK) qn_body_destroy(&body);
    *out = body;
    return status;
}

void qn_body_destroy(qn_body **pointer)
{
    qn_body *body = *pointer;
    if (!body) return;
    qn_release(&body->gradients);
    qn_release(&body->weights);
    qn_release(&body->sign);
    qn_pattern_clear(body);
    qn_release(pointer);
}
