/* Materials of a body.
 *
 * St Venant-Kirchhoff (svk): W = λ/2 (tr E)² + μ E:E, E = ½(FᵀF − I), λ and μ from Young's modulus and Poisson's ratio.
 * Mooney-Rivlin: W = c10 (J^(−2/3) I1 − 3) + c01 (J^(−4/3) I2 − 3) + κ/2 (J − 1)². Pa throughout. */
#ifndef QN_DEFORM_BODY_MATERIAL_H
#define QN_DEFORM_BODY_MATERIAL_H

#include <quern/status.h>
#include <stdbool.h>

typedef enum qn_material_kind { QN_MATERIAL_SVK, QN_MATERIAL_MOONEY_RIVLIN } qn_material_kind;

typedef struct qn_material {
    qn_material_kind kind;
    double young, poisson, lambda, mu; /* svk; mu also of Mooney-Rivlin: 2 (c10 + c01) */
    double c10, c01, kappa;            /* Mooney-Rivlin; kappa may be INFINITY (mixed form only) */
} qn_material;

/* Read "svk:E,NU" or "mooney-rivlin:C10,C01,KAPPA" (KAPPA a number or "inf"). QN_INVALID_ARGUMENT with a sentence that
 * names the value and its range: E > 0, −1 < NU < 0.5, C10 + C01 > 0, KAPPA > 0. */
QN_MUST_CHECK qn_status qn_material_parse(const char *text, qn_material *material);

/* Poisson's ratio of small strains: (3κ − 2μ) / (6κ + 2μ) for Mooney-Rivlin. */
double qn_material_poisson(const qn_material *material);

#endif
