/* The interface between the kernels of score_planes and their host code. */
#ifndef QN_DOCK_SCORE_PLANES_DEV_H
#define QN_DOCK_SCORE_PLANES_DEV_H

/* Arguments of `best`, `write` and `merge`, in order. */
enum { BEST_PRODUCTS, BEST_ROOTS, BEST_PARTIAL_ENERGIES, BEST_PARTIAL_CELLS, BEST_SCALARS, BEST_ARGUMENTS };
enum { WRITE_PRODUCTS, WRITE_ROOTS, WRITE_SCORES, WRITE_SCALARS, WRITE_ARGUMENTS };
enum { MERGE_PARTIAL_ENERGIES, MERGE_PARTIAL_CELLS, MERGE_ENERGIES, MERGE_CELLS, MERGE_PARTIALS, MERGE_ARGUMENTS };

/* nx and ny are for the host's kernels; devices compile them into their kernels. */
typedef struct best_scalars {
    int nx, ny, nz;
    int first_x, count_x; /* cells searched: `count` cells from `first`, circular */
    int first_y, count_y;
    int first_z;
    int places;  /* number of partial results of each plane */
    float scale; /* multiplies the scores */
} best_scalars;

typedef struct write_scalars {
    int nx, ny;
    float scale; /* multiplies the scores */
} write_scalars;

#endif
