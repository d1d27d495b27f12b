/* RMSD of poses of one small molecule, in place: nothing is superposed. Equivalent atoms may change places:
 *
 *     min over mappings s of sqrt(1/m Σ_i |a_i − b_s(i)|²)
 *
 * The mappings are the automorphisms of the molecule's graph of heavy atoms, which the settings hold. */
#ifndef QN_CLUSTER_MEASURE_LIGAND_RMSD_H
#define QN_CLUSTER_MEASURE_LIGAND_RMSD_H

#include "cluster/measure/measure.h"

extern const qn_measure qn_measure_ligand_rmsd;

#endif
