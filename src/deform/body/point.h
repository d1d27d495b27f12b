/* A material at one point, in double precision: stress, tangent, energy. Symmetric matrices are six numbers in the
 * order 00, 11, 22, 01, 12, 02. Strains are formed from the displacement gradient G, not from F = I + G, so that a
 * small G loses no digits. docs/design/deform_forms.md derives the formulas. */
#ifndef QN_DEFORM_BODY_POINT_H
#define QN_DEFORM_BODY_POINT_H

#include <math.h>

#include "deform/body/material.h"

static inline void point_times(const double m[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

static inline void point_symmetric_times(const double s[6], const double v[3], double out[3])
{
    out[0] = s[0] * v[0] + s[3] * v[1] + s[5] * v[2];
    out[1] = s[3] * v[0] + s[1] * v[1] + s[4] * v[2];
    out[2] = s[5] * v[0] + s[4] * v[1] + s[2] * v[2];
}

static inline double point_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double point_trace(const double s[6])
{
    return s[0] + s[1] + s[2];
}

/* The cofactors of a symmetric matrix. */
static inline void point_symmetric_cofactor(const double s[6], double c[6])
{
    c[0] = s[1] * s[2] - s[4] * s[4];
    c[1] = s[0] * s[2] - s[5] * s[5];
    c[2] = s[0] * s[1] - s[3] * s[3];
    c[3] = s[4] * s[5] - s[3] * s[2];
    c[4] = s[3] * s[5] - s[0] * s[4];
    c[5] = s[3] * s[4] - s[1] * s[5];
}

static inline void point_cofactor(const double m[9], double c[9])
{
    c[0] = m[4] * m[8] - m[5] * m[7];
    c[1] = m[5] * m[6] - m[3] * m[8];
    c[2] = m[3] * m[7] - m[4] * m[6];
    c[3] = m[2] * m[7] - m[1] * m[8];
    c[4] = m[0] * m[8] - m[2] * m[6];
    c[5] = m[1] * m[6] - m[0] * m[7];
    c[6] = m[1] * m[5] - m[2] * m[4];
    c[7] = m[2] * m[3] - m[0] * m[5];
    c[8] = m[0] * m[4] - m[1] * m[3];
}

/* J − 1 = tr G + the sum of G's principal minors + det G. */
static inline double point_volume_change(const double g[9])
{
    const double c0 = g[4] * g[8] - g[5] * g[7], c1 = g[5] * g[6] - g[3] * g[8], c2 = g[3] * g[7] - g[4] * g[6];
    const double minors = c0 + (g[0] * g[8] - g[2] * g[6]) + (g[0] * g[4] - g[1] * g[3]);
    return g[0] + g[4] + g[8] + minors + (g[0] * c0 + g[1] * c1 + g[2] * c2);
}

/* G + Gᵀ + GᵀG = FᵀF − I, twice the Green strain. */
static inline void point_right_strain(const double g[9], double c[6])
{
    c[0] = 2 * g[0] + (g[0] * g[0] + g[3] * g[3] + g[6] * g[6]);
    c[1] = 2 * g[4] + (g[1] * g[1] + g[4] * g[4] + g[7] * g[7]);
    c[2] = 2 * g[8] + (g[2] * g[2] + g[5] * g[5] + g[8] * g[8]);
    c[3] = g[1] + g[3] + (g[0] * g[1] + g[3] * g[4] + g[6] * g[7]);
    c[4] = g[5] + g[7] + (g[1] * g[2] + g[4] * g[5] + g[7] * g[8]);
    c[5] = g[2] + g[6] + (g[0] * g[2] + g[3] * g[5] + g[6] * g[8]);
}

/* G + Gᵀ + GGᵀ = FFᵀ − I. */
static inline void point_left_strain(const double g[9], double b[6])
{
    b[0] = 2 * g[0] + (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    b[1] = 2 * g[4] + (g[3] * g[3] + g[4] * g[4] + g[5] * g[5]);
    b[2] = 2 * g[8] + (g[6] * g[6] + g[7] * g[7] + g[8] * g[8]);
    b[3] = g[1] + g[3] + (g[0] * g[3] + g[1] * g[4] + g[2] * g[5]);
    b[4] = g[5] + g[7] + (g[3] * g[6] + g[4] * g[7] + g[5] * g[8]);
    b[5] = g[2] + g[6] + (g[0] * g[6] + g[1] * g[7] + g[2] * g[8]);
}

/* ---- St Venant-Kirchhoff ---- */

/* Second Piola-Kirchhoff stress S = λ tr E I + 2μE (Pa); returns W (J/m³). */
static inline double point_svk(const qn_material *material, const double g[9], double s[6])
{
    double c[6];
    point_right_strain(g, c);
    const double trace = 0.5 * point_trace(c),
                 square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + 2 * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]);
    for (int k = 0; k < 6; k++) s[k] = material->mu * c[k];
    for (int k = 0; k < 3; k++) s[k] += material->lambda * trace;
    return 0.5 * material->lambda * trace * trace + 0.25 * material->mu * square;
}

/* ---- Mooney-Rivlin ---- */

/* Deformation at a point and the two factors of the energy: α = c10 J^(−2/3), β = c01 J^(−4/3). */
typedef struct point_mooney {
    double change, volume;     /* J − 1, J */
    double cofactor[9];        /* of F */
    double strain[6];          /* B − I, B = FFᵀ */
    double strain_cofactor[6]; /* of B − I */
    double first, second;      /* I1 − 3, I2 − 3 */
    double alpha, beta;        /* Pa */
    double isochoric[6];       /* isochoric Kirchhoff stress, Pa: without trace */
} point_mooney;

static inline void point_mooney_make(const qn_material *material, const double g[9], point_mooney *m)
{
    double f[9];
    for (int k = 0; k < 9; k++) f[k] = g[k] + (k % 4 == 0);
    m->change = point_volume_change(g);
    m->volume = 1 + m->change;
    point_cofactor(f, m->cofactor);
    point_left_strain(g, m->strain);
    point_symmetric_cofactor(m->strain, m->strain_cofactor);
    const double root = 1 / cbrt(m->volume), square = root * root;
    m->alpha = material->c10 * square;
    m->beta = material->c01 * square * square;
    m->first = point_trace(m->strain);
    m->second = 2 * m->first + point_trace(m->strain_cofactor);
    const double left = 2 * (m->alpha + m->beta), right = 2 * m->beta;
    for (int k = 0; k < 6; k++) m->isochoric[k] = left * m->strain[k] - right * m->strain_cofactor[k];
    const double mean = point_trace(m->isochoric) / 3;
    for (int k = 0; k < 3; k++) m->isochoric[k] -= mean;
}

/* Isochoric part of W, J/m³: c10 (J^(−2/3) I1 − 3) + c01 (J^(−4/3) I2 − 3). */
static inline double point_mooney_energy(const qn_material *material, const point_mooney *m)
{
    const double logarithm = log1p(m->change);
    return m->alpha * m->first + 3 * material->c10 * expm1(-2.0 / 3 * logarithm) + m->beta * m->second +
           3 * material->c01 * expm1(-4.0 / 3 * logarithm);
}

/* Numbers of the tangent at a point (docs/design/deform_forms.md): for shape gradients y in the deformed body and a = B
 * y, K_ab = (γ g_a·g_b − 2β a·b) I − 2β g_a·g_b B + 4β a bᵀ − 2β b aᵀ + (X y_a) y_bᵀ + y_a (X y_b)ᵀ + δ y_b y_aᵀ. */
typedef struct point_mooney_tangent {
    double x[6], gamma, beta, delta;
} point_mooney_tangent;

/* `pressure`: p, Pa; `stiffness`: J dp/dJ where p depends on J (κJ), 0 where p is an unknown. */
static inline void point_mooney_tangent_make(const point_mooney *m, double pressure, double stiffness,
                                             point_mooney_tangent *t)
{
    const double first = 3 + m->first, second = 3 + m->second, alpha = m->alpha, beta = m->beta;
    const double part = m->volume * pressure, whole = part + m->volume * stiffness;
    const double mixed = 4.0 / 9 * alpha * first - 32.0 / 9 * beta * second + whole;
    for (int k = 0; k < 6; k++) {
        const double one = k < 3, b = one + m->strain[k];
        const double cofactor = one * (1 + m->first) - m->strain[k] + m->strain_cofactor[k];
        t->x[k] = -4.0 / 3 * (alpha * b - 2 * beta * cofactor) + one * 0.5 * mixed;
    }
    t->gamma = 2 * alpha + 2 * beta * first;
    t->beta = beta;
    t->delta = 2.0 / 3 * (alpha * first + 2 * beta * second) - part;
}

#endif
