/* The interface between the kernel cell_histogram and the code that launches it. */
#ifndef QN_PAIRS_CELL_HISTOGRAM_DEV_H
#define QN_PAIRS_CELL_HISTOGRAM_DEV_H

/* Arguments of `cell_histogram`, in order. */
enum { CELL_FIRST, CELL_SECOND, CELL_TASKS, CELL_SQUARED_EDGES, CELL_CELL, CELL_COUNTS, CELL_SCALARS, CELL_ARGUMENTS };

typedef struct cell_scalars {
    int task_count;
    int unordered; /* 1: both sets are the same, and each pair counts once */
    int bins;
    int shifts;         /* number of the cell's shifts that can give a nearer image */
    float scale, shift; /* distance * scale + shift rounds to the bin */
    float sure;         /* the rounded bin is right if that number is closer than this to a whole number */
} cell_scalars;

#endif
