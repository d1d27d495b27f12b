/* Facts of a state for output: stresses, energies and strains of elements, and forces of sets of nodes. */
#ifndef QN_DEFORM_BODY_FIELDS_H
#define QN_DEFORM_BODY_FIELDS_H

#include "deform/body/body.h"

/* One number of each element: the mean over its points by weight. Zero-initialise. */
typedef struct qn_body_fields {
    double *von_mises;      /* √(3/2 s:s) of the deviator s of Cauchy's stress, Pa */
    double *mean_stress;    /* tr σ / 3, Pa, positive in tension: the pressure p of Mooney-Rivlin */
    double *volume_ratio;   /* J = det F */
    double *energy_density; /* J per m³ of the undeformed body; mixed form: W_iso + p²/(2κ) */
    double *least_stretch;  /* least principal stretch at one of its points, no mean */
} qn_body_fields;

/* QN_OUT_OF_MEMORY. An element with J ≤ 0 may have numbers that are not finite. */
QN_MUST_CHECK qn_status qn_body_fields_make(const qn_body *body, const double *x, qn_body_fields *fields);
void qn_body_fields_clear(qn_body_fields *fields);

/* Force and moment (N, N m) about `place` (m, NULL: the origin) that hold nodes at state x, of its residual: their
 * reactions are the residual there. `moment` may be NULL. */
void qn_body_reaction(const qn_body *body, const double *x, const double *r, const uint32_t *nodes, size_t node_count,
                      const double place[3], double force[3], double moment[3]);

#endif
