/* The octree of distance_tree.h: atoms in the order of their cells, so that a cell is a range of atoms.
 *
 * An octree is split here one axis at a time, so a cell has two children or none; cells are as tight as their atoms
 * allow.
 */
#ifndef QN_PAIRS_DISTANCE_CELLS_H
#define QN_PAIRS_DISTANCE_CELLS_H

#include "pairs/distance_tree.h"
#include "runtime/host_variant.h"

typedef struct qn_distance_cell {
    float low[3], high[3]; /* of its atoms */
    uint32_t first, count; /* atoms */
    uint32_t children;     /* the first, the other is behind it; 0: none */
    uint32_t selected[2];  /* atoms of either selection; those of both count twice */
} qn_distance_cell;

enum { QN_DISTANCE_ROW = 128 }; /* atoms of a leaf that are counted together */

typedef struct qn_distance_cells {
    float *rows[3];          /* coordinates of all atoms, moved into the box, and room for a row behind them */
    uint8_t *selections;     /* of atoms: 1, 2 or both */
    qn_distance_cell *cells; /* the first holds all atoms; a cell comes before its children */
    size_t atom_count, cell_count;
    float edges[3]; /* of the box; INFINITY where it is not periodic */
    float blur;     /* what rounding can do to distances that are compared with bins, with room to spare; nm */
} qn_distance_cells;

QN_MUST_CHECK qn_status qn_distance_cells_create(const qn_distance_tree_request *request, qn_distance_cells *cells);
void qn_distance_cells_clear(qn_distance_cells *cells);

/* The vector code of distance_leaves_host.c: bins of the pairs of two ranges of atoms. */
typedef struct qn_distance_leaves {
    const float *rows[3];
    const uint8_t *selections; /* NULL: every pair counts once; else as often as it is one of selection 1 and 2 */
    const float *squared_edges;
    int bins;
    float scale, shift; /* a distance's bin is distance · scale + shift, cut to a whole number … */
    float unsure;       /* … unless that is as near to one as rounding may reach */
    float edges[3];     /* of the box; not periodic where the first is INFINITY */
} qn_distance_leaves;

/* Atoms [begin, end) of two ranges, which are the same or have no atom in common. Their distances lie in bins from the
 * first of `reach` to the last. */
typedef void (*qn_distance_leaves_count)(const qn_distance_leaves *leaves, const uint32_t first[2],
                                         const uint32_t second[2], const int reach[2], uint64_t *counts);

QN_HOST_DECLARE(const qn_distance_leaves_count, qn_distance_leaves_host);

#endif
