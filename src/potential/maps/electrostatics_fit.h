/* Polynomials that split the electrostatic energy of a pair into a smooth and a short-ranged part; see
 * docs/design/potential.md. */
#ifndef QN_POTENTIAL_MAPS_ELECTROSTATICS_FIT_H
#define QN_POTENTIAL_MAPS_ELECTROSTATICS_FIT_H

#include <stddef.h>

#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/electrostatics.dev.h"

/* screening: f(r) = E · r in kcal/mol Å/e² by (int)(100 r), `entries` ≥ 1024 numbers, smooth from 4 Å on; larger
 * distances take the last entry. table: E · r for the near pairs, with r in mÅ. */
void qn_electrostatics_fit(const double *screening, size_t entries, electrostatics_model *model,
                           float table[ELECTROSTATICS_ENTRIES]);

/* Weights of Lagrange's interpolation of ELECTROSTATICS_ORDER equidistant nodes, for a point at node 3 + t, 0 ≤ t ≤ 1.
 */
void qn_electrostatics_weights(double t, float weights[ELECTROSTATICS_ORDER]);

#endif
