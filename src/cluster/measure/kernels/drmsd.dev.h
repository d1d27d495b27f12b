/* The interface between the kernels of drmsd and the code that launches them. */
#ifndef QN_CLUSTER_MEASURE_DRMSD_DEV_H
#define QN_CLUSTER_MEASURE_DRMSD_DEV_H

/* Structures stand in panels: the values of DRMSD_PANEL structures for one row (a coordinate of an atom, or a distance)
 * are adjacent. */
#define DRMSD_PANEL 128

/* Pairs of atoms of a slice, whose squares are summed in single precision without a break; and their number in a step,
 * of which slices have a whole number. */
#define DRMSD_SLICE 2048
#define DRMSD_STEP 32

/* Distances that a work-item computes one after the other. */
#define DRMSD_RUN 8

enum { PACK_POSITIONS, PACK_PANELS, PACK_SCALARS, PACK_ARGUMENTS };
enum { MEASURE_PANELS, MEASURE_WEIGHTS, MEASURE_DISTANCES, MEASURE_SCALARS, MEASURE_ARGUMENTS };
enum { COMPARE_ROWS, COMPARE_COLUMNS, COMPARE_VALUES, COMPARE_SCALARS, COMPARE_ARGUMENTS };

typedef struct pack_scalars {
    int count; /* structures */
    int rows;  /* 3 × atoms */
} pack_scalars;

typedef struct measure_scalars {
    int atoms;
    int panels;
    int first_pair, end_pair; /* pairs of atoms of the slice */
    int slice;                /* rows of distances: the pairs and, up to a whole number of steps, zeros */
} measure_scalars;

typedef struct compare_scalars {
    int row_count, column_count; /* structures */
    int slice;
    int diagonal;     /* rows and columns are the same structures: only pairs row < column matter */
    int first;        /* the first slice; otherwise the sums so far are in `values` */
    int last;         /* the last slice: distances are written instead of sums */
    float reciprocal; /* of the sum of weights of all pairs of atoms */
} compare_scalars;

/* Atoms a < b of pair k in the order (0, 1), (0, 2), … (1, 2), … Pairs before atom a: a (2 atoms − a − 1) / 2. The root
 * in single precision may be off by a few atoms. */
DEVICE_FN void drmsd_find_pair(int k, int atoms, int *a_found, int *b_found)
{
    const float middle = (float)atoms - 0.5f;
    const float square = middle * middle - 2.0f * (float)k;
    int a = (int)(middle - SQRT(square > 0.0f ? square : 0.0f));
    a = CLAMP(a, 0, atoms - 2);
    while (a > 0 && a * (2 * atoms - a - 1) / 2 > k) a--;
    while (a < atoms - 2 && (a + 1) * (2 * atoms - a - 2) / 2 <= k) a++;
    *a_found = a;
    *b_found = k - a * (2 * atoms - a - 1) / 2 + a + 1;
}

#endif
