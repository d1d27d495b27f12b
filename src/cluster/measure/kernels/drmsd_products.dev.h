/* The interface between the kernels of drmsd_products and the code that launches them, beside drmsd.dev.h. */
#ifndef QN_CLUSTER_MEASURE_DRMSD_PRODUCTS_DEV_H
#define QN_CLUSTER_MEASURE_DRMSD_PRODUCTS_DEV_H

/* Work-items of a group that share a structure while norms are summed. */
#define PRODUCTS_PARTS 2

/* Distances that it reads before it needs the first; a part of a slice has a whole number of them. */
#define CENTRE_RUN 8

/* Work-items of a group that measures one pair of structures again. */
#define PRODUCTS_GROUP 128

enum { CENTRE_DISTANCES, CENTRE_CENTRE, CENTRE_NORMS, CENTRE_SCALARS, CENTRE_ARGUMENTS };
enum {
    MULTIPLY_ROWS,
    MULTIPLY_COLUMNS,
    MULTIPLY_ROW_NORMS,
    MULTIPLY_COLUMN_NORMS,
    MULTIPLY_VALUES,
    MULTIPLY_NEAR,
    MULTIPLY_SCALARS,
    MULTIPLY_ARGUMENTS
};
enum { REPEAT_ROWS, REPEAT_COLUMNS, REPEAT_WEIGHTS, REPEAT_NEAR, REPEAT_VALUES, REPEAT_SCALARS, REPEAT_ARGUMENTS };

typedef struct centre_scalars {
    int panels;
    int slice; /* rows of distances */
    int first; /* the first slice; otherwise the norms so far are in `norms` */
} centre_scalars;

typedef struct multiply_scalars {
    int row_count, column_count; /* structures */
    int slice;
    int diagonal;     /* rows and columns are the same structures: only pairs row < column matter */
    int first, last;  /* the first and the last slice */
    int near_room;    /* pairs for which there is room in `near` */
    float near_share; /* a square below this share of both norms is not exact enough */
    float reciprocal; /* of the sum of weights of all pairs of atoms */
} multiply_scalars;

typedef struct repeat_scalars {
    int atoms;
    int column_count;
    int near_room;
    float reciprocal;
} repeat_scalars;

#endif
