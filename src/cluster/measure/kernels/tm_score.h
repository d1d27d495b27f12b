/* Best scores of pairs of structures over all superpositions: TM-score, GDT-TS and MaxSub (cluster/measure/score_plan.h
 * has their definitions and the search).
 *
 * Structures are packed as [structure][atom] of four floats, x, y, z in Å about the structure's centroid and 0. Results
 * are floats, qn_score_results(score) for each pair: the sum of the score over atoms, or the four numbers of atoms of
 * GDT. They must be 0 before, because each seed replaces smaller results by its own. */
#ifndef QN_CLUSTER_TM_SCORE_H
#define QN_CLUSTER_TM_SCORE_H

#include <quern/family.h>
#include <stdbool.h>

#include "cluster/measure/score_plan.h"

extern const qn_family qn_cluster_tm_score_family;

typedef struct qn_tm_score_problem {
    const qn_score_plan *plan;
    int row_count, column_count;
    int row_stride, column_stride; /* place of a pair among the results: row · row_stride + column · column_stride */
    bool triangle;                 /* rows and columns are the same structures; pairs row ≥ column are left out */
} qn_tm_score_problem;

/* Superpose rows onto columns. `seeds` and `phases`: those of the plan. `configuration` NULL: chosen as for any family.
 * QN_INVALID_ARGUMENT for problems of more than 2^31 work-items. */
QN_MUST_CHECK qn_status qn_tm_score(qn_queue *queue, const qn_configuration *configuration,
                                    const qn_tm_score_problem *problem, qn_buffer *rows, qn_buffer *columns,
                                    qn_buffer *seeds, qn_buffer *phases, qn_buffer *results, qn_event **event);

/* The same for one pair of packed structures on this thread; results: qn_score_results(plan->score) numbers. */
QN_MUST_CHECK qn_status qn_tm_score_pair(const qn_score_plan *plan, const float *a, const float *b, float *results);

/* Name of the problem's class, the key of tuning results. */
void qn_tm_score_problem_class(const qn_score_plan *plan, char text[64]);

/* Pack one structure: rows of x, y and z, `atoms` each, to [atoms][4]. */
void qn_tm_score_pack(const float *structure, size_t atoms, float *packed);

/* Reference: the same search in double precision. a and b: packed structures. */
QN_MUST_CHECK qn_status qn_tm_score_reference(const qn_score_plan *plan, const float *a, const float *b,
                                              double *results);

#endif
