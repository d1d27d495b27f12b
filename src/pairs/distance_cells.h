/* The octree of distance_tree.h: atoms in the order of their cells, so that a cell is a range of atoms.
 *
 * Cells are split along one axis at a time, so a cell has two children or none. The bounds of a cell are those of its
 * atoms.
 */
#ifndef QN_PAIRS_DISTANCE_CELLS_H
#define QN_PAIRS_DISTANCE_CELLS_H

#include "pairs/distance_tree.h"
#include "runtime/host_variant.h"

typedef struct qn_distance_cell {
    float low[3], high[3]; /* of its atoms */
    uint32_t first, count; /* atoms */
    uint32_t children;     /* first child; the second one follows it; 0: none */
    uint32_t selected[2];  /* number of atoms of each selection; atoms of both count in both */
} qn_distance_cell;

enum { QN_DISTANCE_ROW = 128 }; /* most atoms of a leaf that are counted together */

typedef struct qn_distance_cells {
    float *rows[3];          /* coordinates of all atoms, wrapped into the box, then space for one more row */
    uint8_t *selections;     /* of atoms: 1, 2 or both */
    qn_distance_cell *cells; /* the first holds all atoms; a cell comes before its children */
    size_t atom_count, cell_count;
    float edges[3]; /* of the box; INFINITY if there is none */
    float blur;     /* upper bound of the rounding error of coordinate differences, in nm */
} qn_distance_cells;

QN_MUST_CHECK qn_status qn_distance_cells_create(const qn_distance_tree_request *request, qn_distance_cells *cells);
void qn_distance_cells_clear(qn_distance_cells *cells);

/* Arguments of the vector code in distance_leaves_host.c, which counts the pairs of two ranges of atoms. */
typedef struct qn_distance_leaves {
    const float *rows[3];
    const uint8_t
        *selections; /* NULL: every pair counts once; else once for each way to take an atom of each selection */
    const float *squared_edges;
    int bins;
    float scale, shift; /* the bin of a distance is floor(distance · scale + shift) … */
    float unsure;       /* … unless that number is within `unsure` of a whole number: then the bin is looked up */
    float edges[3];     /* of the box; not periodic if the first is INFINITY */
} qn_distance_leaves;

/* Count the pairs of two ranges of atoms, `first` and `second`: each [begin, end). The ranges are the same or have no
 * atom in common. All distances lie in bins reach[0] … reach[1]. */
typedef void (*qn_distance_leaves_count)(const qn_distance_leaves *leaves, const uint32_t first[2],
                                         const uint32_t second[2], const int reach[2], uint64_t *counts);

QN_HOST_DECLARE(const qn_distance_leaves_count, qn_distance_leaves_host);

#endif
