/* RMSD after optimal superposition (kernels/rmsd.dev.h has the equations): √(min Σ w |R x_i + t − x_j|² / Σ w) over all
 * rotations R and shifts t. It tells mirror images apart. Values whose error may exceed 5e-4 Å in single precision are
 * computed in double. */
#ifndef QN_CLUSTER_MEASURE_RMSD_MEASURE_H
#define QN_CLUSTER_MEASURE_RMSD_MEASURE_H

#include "cluster/measure/measure.h"

extern const qn_measure qn_measure_rmsd;

#endif
