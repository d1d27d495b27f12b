/* Lists of the receptor atoms within reach of each cell of space, made once for a receptor.
 *
 * The reach of a row of `pairs` (score_poses.cl) to a receptor atom is the end of the longest ramp. Rows with the same
 * reaches form a class and share lists. The list of a cell has every receptor atom within reach of any point of
 * the cell, in the order of the receptor. Points outside all cells reach no atom.
 *
 * Life cycle: create → read → clear. Thread rule: one thread creates; any threads read.
 */
#ifndef QN_SCORE_SCORE_POSES_LISTS_H
#define QN_SCORE_SCORE_POSES_LISTS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cell (x, y, z) is number x + nx · (y + ny · z). */
typedef struct qn_score_cells {
    float first[3], cells_per_angstrom; /* lowest corner (Å) */
    int count[3];
} qn_score_cells;

typedef struct qn_score_lists {
    qn_score_cells cells;
    int cell_count, class_count;
    int32_t *class_of_row;
    int32_t *ranges; /* [class][cell][2]: first entry and number of entries of a list */
    int32_t *atoms;  /* entries: receptor atoms */
    size_t entry_count;
} qn_score_lists;

/* Input of the lists. */
typedef struct qn_score_lists_request {
    const double *positions; /* atom_count × 3 (Å) */
    const int *types;        /* of receptor atoms, below type_count */
    size_t atom_count;
    int row_count, type_count;
    const double *reach_angstrom;  /* row_count × type_count; 0: no energy */
    double smallest_side_angstrom; /* side of a cell, at least; larger if lists would take too much memory */
    /* Lists are padded to a multiple of `step` with atoms atom_count and atom_count + 1, which have no energy. With
     * `keep_parity`, for which `step` must be even, odd places of a list hold atoms with odd indices. */
    int step;
    bool keep_parity;
} qn_score_lists_request;

QN_MUST_CHECK qn_status qn_score_lists_create(const qn_score_lists_request *request, qn_score_lists *lists);
void qn_score_lists_clear(qn_score_lists *lists);

#endif
