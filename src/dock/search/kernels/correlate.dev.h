/* The interface between the kernel correlate and its host code. */
#ifndef QN_DOCK_CORRELATE_DEV_H
#define QN_DOCK_CORRELATE_DEV_H

/* Arguments of `correlate`, in order. */
enum { CORRELATE_RECEPTOR, CORRELATE_LIGAND, CORRELATE_PRODUCT, CORRELATE_SCALARS, CORRELATE_ARGUMENTS };

typedef struct correlate_scalars {
    int grids;
    int bins; /* of one grid's spectrum */
    int rotations, sets;
} correlate_scalars;

#endif
