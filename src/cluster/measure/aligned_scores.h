/* TM-score, GDT-TS and MaxSub of structures of different length. The sequences of two structures are aligned
 * (compare/residue_match.h), and the atoms of aligned residues are superposed as in scores.h; the others count as
 * nothing. A score is normalised by the length of the shorter structure, or with settings->align_to_column by that of
 * the column's, the reference; the TM-score's d₀ belongs to the same length.
 *
 * The work is done by threads of the host. */
#ifndef QN_CLUSTER_MEASURE_ALIGNED_SCORES_H
#define QN_CLUSTER_MEASURE_ALIGNED_SCORES_H

#include "cluster/measure/measure.h"

/* The measure of the same name for aligned structures; NULL: there is none. */
const qn_measure *qn_measure_aligned(const qn_measure *measure);

#endif
