/* The least principal stretch of a state: what qn_body_residual measures, without the residual. */
#include <float.h>

#include "deform/body/element.h"

/* Least eigenvalue of a symmetric matrix: twice the cosine of a third of the angle whose cosine is half the determinant
 * of the scaled deviator. */
static double least_eigenvalue(const double s[6])
{
    const double mean = point_trace(s) / 3;
    const double deviator[6] = {s[0] - mean, s[1] - mean, s[2] - mean, s[3], s[4], s[5]};
    const double *d = deviator;
    const double square = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2 * (d[3] * d[3] + d[4] * d[4] + d[5] * d[5])) / 6;
    const double scale = sqrt(square);
    double cofactor[6];
    if (!(scale > 0)) return mean;
    point_symmetric_cofactor(d, cofactor);
    const double determinant = d[0] * cofactor[0] + d[3] * cofactor[3] + d[5] * cofactor[5];
    const double cosine = fmax(-1, fmin(1, determinant / (2 * square * scale)));
    const double third = 2.0943951023931953; /* 2π/3: of the three angles, this one has the least cosine */
    return mean + 2 * scale * cos(acos(cosine) / 3 + third);
}

/* The stretch of an eigenvalue of FᵀF − I. */
static double stretch_of(double eigenvalue)
{
    const double square = 1 + eigenvalue;
    return square > 0 ? sqrt(square) : 0;
}

double qn_body_least_stretch(const double g[9])
{
    double strain[6];
    point_right_strain(g, strain);
    return stretch_of(least_eigenvalue(strain));
}

/* Whether every eigenvalue is above a number: the leading minors of the shifted matrix are positive (Sylvester). */
static bool is_above(const double s[6], double number)
{
    const double a = s[0] - number, b = s[1] - number, c = s[2] - number, minor = a * b - s[3] * s[3];
    const double determinant = c * minor - a * s[4] * s[4] - b * s[5] * s[5] + 2 * s[3] * s[4] * s[5];
    return a > 0 && minor > 0 && determinant > 0;
}

/* Most points are above the least eigenvalue so far, which costs less to see than their own one. */
static inline double least_of_elements(const qn_body *body, int nodes, int points, const float *x)
{
    double least = DBL_MAX;
    for (size_t index = 0; index < body->mesh->element_count; index++) {
        element_state e = {.gradients = body->gradients + index * (size_t)(points * nodes) * 3};
        const uint32_t *own = body->mesh->elements + index * (size_t)nodes;
        for (int a = 0; a < nodes; a++)
            for (int i = 0; i < 3; i++) e.u[a][i] = (double)x[body->pattern.first_freedom[own[a]] + (uint32_t)i];
        for (int q = 0; q < points; q++) {
            double g[9], strain[6];
            element_gradient(&e, nodes, q, g);
            point_right_strain(g, strain);
            if (!is_above(strain, least)) least = fmin(least, least_eigenvalue(strain));
        }
    }
    return stretch_of(least);
}

double qn_body_state_stretch(const qn_body *body, const float *x)
{
    return body->element_nodes == 4 ? least_of_elements(body, 4, 1, x) : least_of_elements(body, 10, 4, x);
}
