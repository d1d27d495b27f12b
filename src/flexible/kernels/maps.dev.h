/* Arguments and geometry of flexible/maps, shared by kernels and host. */
#ifndef QN_FLEXIBLE_MAPS_DEV_H
#define QN_FLEXIBLE_MAPS_DEV_H

#include "flexible/kernels/exact.dev.h"

/* Arguments of `maps`, in order. */
enum { MAPS_ATOMS, MAPS_STARTS, MAPS_PAIRS, MAPS_MAPS, MAPS_SCALARS, MAPS_ARGUMENTS };

typedef struct maps_scalars {
    int nx, ny, nz; /* points of a map */
    int cells_x, cells_y, cells_z;
    int types;            /* maps */
    float spacing;        /* of points (Å) */
    float corner[3];      /* the first point, from the centre of the frame (Å) */
    float cell_corner[3]; /* of the first cell (Å) */
    float cells_per_angstrom;
} maps_scalars;

#define MAPS_SQUARED_CUTOFF 64.0f
#define MAPS_REACH 2           /* cells along each axis that a pair within the cut-off spans, at most */
#define MAPS_RECEPTOR_TYPES 32 /* columns of the table of pairs */

/* Cell of a place along one axis, which may lie outside. */
DEVICE_FN int maps_cell(float place, float corner, float cells_per_angstrom)
{
    return (int)FLOOR(FMIN(FMAX((place - corner) * cells_per_angstrom, -1000.0f), 1e6f));
}

/* Energy that an atom at this squared distance adds to a map; 0 beyond the cut-off. */
DEVICE_FN float maps_energy(float square, qn_float4 pair)
{
    const float safe = FMAX(square, 1e-6f);
    float slope;
    const float energy = exact_pair(safe * exact_rsqrt(safe), pair, &slope);
    return energy * (square < MAPS_SQUARED_CUTOFF ? 1.0f : 0.0f);
}

#endif
