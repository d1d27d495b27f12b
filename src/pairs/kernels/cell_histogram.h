/* Histogram of the distances of the pairs of atoms in cell lists (pairs/pair_cells.h). Atoms, bins, counts and
 * arithmetic are those of distance_histogram. If the lists hold every pair up to the last bin, the counts are the same.
 *
 * Its reference is that of distance_histogram, which computes all pairs. */
#ifndef QN_PAIRS_CELL_HISTOGRAM_H
#define QN_PAIRS_CELL_HISTOGRAM_H

#include "pairs/kernels/distance_histogram.h"
#include "pairs/pair_cells.h"

extern const qn_family qn_pairs_cell_histogram_family;

typedef struct qn_cell_histogram_problem {
    qn_histogram_problem histogram; /* second_count 0 with second NULL: unordered pairs of the first set */
    int task_count;
    double pairs; /* number of pairs of all tasks */
} qn_cell_histogram_problem;

/* Like qn_distance_histogram, for sorted atoms. tasks: an array of qn_pair_task. */
QN_MUST_CHECK qn_status qn_cell_histogram(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_cell_histogram_problem *problem, qn_buffer *first, qn_buffer *second,
                                          qn_buffer *tasks, qn_buffer *squared_edges, qn_buffer *cell,
                                          qn_buffer *counts, qn_event **event);

#endif
