/* TM-score, GDT-TS and MaxSub as measures (score_plan.h has the definitions). All are normalised by the number of
 * atoms. Weights are not used. */
#ifndef QN_CLUSTER_MEASURE_SCORES_H
#define QN_CLUSTER_MEASURE_SCORES_H

#include "cluster/measure/measure.h"

extern const qn_measure qn_measure_tm_score, qn_measure_gdt_ts, qn_measure_maxsub;

#endif
