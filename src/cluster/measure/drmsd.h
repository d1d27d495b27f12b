/* dRMSD: root of the mean squared difference of the distances between atoms,
 *
 *     sqrt(2 / (m (m − 1)) Σ_{a<b} (d_ab^i − d_ab^j)²)
 *
 * for m atoms. It needs no superposition, and does not tell a structure from its mirror image. With weights w_a, the
 * term of a pair of atoms is multiplied by w_a w_b, and the sum is divided by Σ w_a w_b.
 */
#ifndef QN_CLUSTER_MEASURE_DRMSD_H
#define QN_CLUSTER_MEASURE_DRMSD_H

#include "cluster/measure/measure.h"

extern const qn_measure qn_measure_drmsd;

#endif
