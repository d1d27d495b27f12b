/* The interface between the kernel correlate_columns and its host code. */
#ifndef QN_DOCK_CORRELATE_COLUMNS_DEV_H
#define QN_DOCK_CORRELATE_COLUMNS_DEV_H

/* Arguments in order. */
enum { COLUMNS_PLANES, COLUMNS_RECEPTOR, COLUMNS_ROOTS, COLUMNS_PRODUCTS, COLUMNS_SCALARS, COLUMNS_ARGUMENTS };

/* nz, box and columns are for the host's kernel; devices compile them into their kernel. */
typedef struct columns_scalars {
    int grids, rotations, sets;
    int common;     /* number of the last grids whose receptor is common to all sets */
    int first_root; /* index of the first root of z in the roots of all axes */
    float factor;   /* multiplies all products */
    int nz, box;
    int columns; /* of a plane, with padding */
} columns_scalars;

#endif
