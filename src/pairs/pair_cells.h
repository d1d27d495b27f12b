/* Cell lists: which atoms can be within a distance of which, without looking at all pairs.
 *
 * The periodic cell is cut into small ones, atoms are sorted by them, and a task is a run of atoms of one small cell
 * with a run of atoms of its neighbours. Every pair within the distance is in exactly one task.
 *
 * Life cycle: zero-initialise → sort, again and again → clear. Thread rule: one thread.
 */
#ifndef QN_PAIRS_PAIR_CELLS_H
#define QN_PAIRS_PAIR_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

/* Sorted atoms first_begin … first_end with second_begin … second_end; where both are the same run of one set, each
 * unordered pair once. */
typedef struct qn_pair_task {
    int32_t first_begin, first_end, second_begin, second_end;
} qn_pair_task;

enum { QN_PAIR_TASK_ROWS = 64, QN_PAIR_TASK_COLUMNS = 2048 }; /* most atoms of the two runs */

typedef struct qn_sorted_atoms {
    float *packed;    /* 4 floats of each atom, by small cell */
    uint32_t *starts; /* of each small cell, and the end */
    uint32_t *cells;  /* of each atom before sorting */
    size_t packed_capacity, starts_capacity, cells_capacity;
} qn_sorted_atoms;

typedef struct qn_pair_cells {
    qn_sorted_atoms sets[2];
    qn_pair_task *tasks;
    size_t task_count, task_capacity;
    double pairs;            /* of all tasks */
    int counts[3], reach[3]; /* small cells along a, b, c; how many of them the distance reaches over */
} qn_pair_cells;

/* Whether tasks have far fewer pairs than there are. */
bool qn_pair_cells_pay(const qn_box *box, double most_nm, size_t first_count, size_t second_count);

/* Tasks that hold every pair of packed atoms within `most_nm`; packed_second NULL: unordered pairs of the first set. */
QN_MUST_CHECK qn_status qn_pair_cells_sort(qn_pair_cells *cells, const qn_box *box, double most_nm,
                                           const float *packed_first, size_t first_count, const float *packed_second,
                                           size_t second_count);
void qn_pair_cells_clear(qn_pair_cells *cells);

#endif
