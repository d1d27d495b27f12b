/* Interface between the kernel of coulomb and its launch function. */
#ifndef QN_POTENTIAL_COULOMB_DEV_H
#define QN_POTENTIAL_COULOMB_DEV_H

/* Arguments of `coulomb`, in order. */
enum { COULOMB_ATOMS, COULOMB_COMPONENTS, COULOMB_POTENTIAL, COULOMB_SCALARS, COULOMB_ARGUMENTS };

typedef struct coulomb_scalars {
    int atom_count;
    int nx, ny, nz;  /* points of this launch */
    int first_plane; /* index of the first of them along z */
    int is_first;    /* 1: the sum begins with this launch's atoms */
    float x, y, z;   /* position of point (0, 0, 0) */
    float spacing, least_squared, factor;
} coulomb_scalars;

#endif
