/* Interface between the kernel of coulomb3d and its launch function. */
#ifndef QN_BENCHMARK_COULOMB3D_DEV_H
#define QN_BENCHMARK_COULOMB3D_DEV_H

/* Arguments of `coulomb3d`, in order. */
enum { COULOMB_ATOMS, COULOMB_COMPONENTS, COULOMB_POTENTIAL, COULOMB_SCALARS, COULOMB_ARGUMENTS };

typedef struct coulomb_scalars {
    int atom_count;
    int nx, ny, nz; /* points */
    float spacing;  /* of the points */
} coulomb_scalars;

#endif
