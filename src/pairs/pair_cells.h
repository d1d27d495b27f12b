/* Cell lists: find the pairs of atoms within a distance without computing all distances.
 *
 * The periodic cell is cut into small cells, and atoms are sorted by small cell. A task is a run of atoms of one small
 * cell with a run of atoms of its neighbours. Every pair within the distance is in exactly one task.
 *
 * Life cycle: zero-initialise → sort, again and again → clear. Thread rule: one thread.
 */
#ifndef QN_PAIRS_PAIR_CELLS_H
#define QN_PAIRS_PAIR_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

/* Pairs of the sorted atoms [first_begin, first_end) with [second_begin, second_end). If both are the same run of one
 * set, each unordered pair counts once. */
typedef struct qn_pair_task {
    int32_t first_begin, first_end, second_begin, second_end;
} qn_pair_task;

enum { QN_PAIR_TASK_ROWS = 64, QN_PAIR_TASK_COLUMNS = 2048 }; /* most atoms of the two runs */

typedef struct qn_sorted_atoms {
    float *packed;    /* 4 floats of each atom, sorted by small cell */
    uint32_t *starts; /* first atom of each small cell, then the number of atoms */
    uint32_t *cells;  /* small cell of each atom, in the order before sorting */
    size_t packed_capacity, starts_capacity, cells_capacity;
} qn_sorted_atoms;

typedef struct qn_pair_cells {
    qn_sorted_atoms sets[2];
    qn_pair_task *tasks;
    size_t task_count, task_capacity;
    double pairs;            /* number of pairs of all tasks */
    int counts[3], reach[3]; /* along a, b, c: number of small cells; number of them that the distance reaches over */
} qn_pair_cells;

/* Whether tasks have at most half of all pairs, so that sorting saves time. */
bool qn_pair_cells_pay(const qn_box *box, double most_nm, size_t first_count, size_t second_count);

/* Make tasks that hold every pair of packed atoms within `most_nm`. packed_second NULL: unordered pairs of the first
 * set. */
QN_MUST_CHECK qn_status qn_pair_cells_sort(qn_pair_cells *cells, const qn_box *box, double most_nm,
                                           const float *packed_first, size_t first_count, const float *packed_second,
                                           size_t second_count);
void qn_pair_cells_clear(qn_pair_cells *cells);

#endif
