/* Direct Coulomb summation: at every point of a grid the sum of charge / distance over all atoms.
 *
 * A work-item computes VECTOR_WIDTH adjacent points along x for each of POINTS_Z points along z, so that an atom's dx
 * and dy are computed once for several points. Points outside the grid are computed and not stored. */

#include "potential/maps/kernels/coulomb.dev.h"

#ifndef GROUP_X
#error "GROUP_X: work-items of a group along x"
#endif
#ifndef GROUP_Y
#error "GROUP_Y: work-items of a group along y"
#endif
#ifndef POINTS_Z
#error "POINTS_Z: points of a work-item along z"
#endif
#ifndef ATOM_UNROLL
#error "ATOM_UNROLL: atoms of one pass of the loop"
#endif
#ifndef MEMORY
#error "MEMORY: atoms are read from 0 global, 1 constant, 2 local memory"
#endif
#ifndef COMPONENTS
#error "COMPONENTS: 0 atoms as four numbers side by side, 1 in an array for each number"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif
#ifndef TILE
#error "TILE: atoms that each work-item brings into local memory"
#endif

#define ITEMS (GROUP_X * GROUP_Y)

#if MEMORY == 1
#define ATOM_MEMORY CONSTANT_PTR
#else
#define ATOM_MEMORY GLOBAL const
#endif

typedef VEC(float, VECTOR_WIDTH) lanes;

DEVICE_FN lanes splat(float value)
{
    return VEC_SPLAT(float, VECTOR_WIDTH, value);
}

DEVICE_FN void add_atom(lanes *sum, lanes px, float py, const float *pz, float least, float x, float y, float z,
                        float charge)
{
    const float dy = py - y;
    const lanes dx = px - splat(x), q = splat(charge);
    const lanes flat = VEC_FMA(dx, dx, splat(dy * dy));
    UNROLL
    for (int k = 0; k < POINTS_Z; k++) {
        const lanes dz = splat(pz[k] - z);
        sum[k] = VEC_FMA(q, FAST_RSQRT(FMAX(VEC_FMA(dz, dz, flat), splat(least))), sum[k]);
    }
}

#if COMPONENTS
#define ATOM(from, stride, a) from[a], from[(stride) + (a)], from[2 * (stride) + (a)], from[3 * (stride) + (a)]
#else
#define ATOM(from, stride, a) from[a].x, from[a].y, from[a].z, from[a].w
#endif

/* Unrolled by hand, because compilers unroll loops of unknown length differently. */
#define ADD_ATOMS(from, stride, count)                                                                              \
    do {                                                                                                            \
        int a = 0;                                                                                                  \
        UNROLL_BY(1)                                                                                                \
        for (; a + ATOM_UNROLL <= (count); a += ATOM_UNROLL) {                                                      \
            UNROLL                                                                                                  \
            for (int u = 0; u < ATOM_UNROLL; u++)                                                                   \
                add_atom(sum, px, py, pz, s.least_squared, ATOM(from, stride, a + u));                              \
        }                                                                                                           \
        UNROLL_BY(1)                                                                                                \
        for (; a < (count); a++) add_atom(sum, px, py, pz, s.least_squared, ATOM(from, stride, a));                 \
    } while (0)

/* atoms: x, y, z, charge of each; components: the same numbers as four consecutive arrays */
KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void coulomb(
    ATOM_MEMORY qn_float4 *RESTRICT atoms, ATOM_MEMORY float *RESTRICT components, GLOBAL float *RESTRICT potential,
    const coulomb_scalars s)
{
    const int x = GLOBAL_ID(0) * VECTOR_WIDTH, y = GLOBAL_ID(1), z = GLOBAL_ID(2) * POINTS_Z;
    const lanes index =
        VEC_CONVERT(float, VECTOR_WIDTH, VEC_RAMP(int, VECTOR_WIDTH) + VEC_SPLAT(int, VECTOR_WIDTH, x));
    const lanes px = VEC_FMA(index, splat(s.spacing), splat(s.x));
    const float py = FMA((float)y, s.spacing, s.y);
    float pz[POINTS_Z];
    lanes sum[POINTS_Z];
    UNROLL
    for (int k = 0; k < POINTS_Z; k++) {
        pz[k] = FMA((float)(s.first_plane + z + k), s.spacing, s.z);
        sum[k] = splat(0.0f);
    }
#if MEMORY == 2
    const int item = LOCAL_ID(1) * GROUP_X + LOCAL_ID(0);
#if COMPONENTS
    LOCAL float tile[4 * TILE * ITEMS];
#else
    LOCAL qn_float4 tile[TILE * ITEMS];
#endif
    for (int first = 0; first < s.atom_count; first += TILE * ITEMS) {
        const int here = MIN(TILE * ITEMS, s.atom_count - first);
        LOCAL_BARRIER();
        for (int a = item; a < here; a += ITEMS) {
#if COMPONENTS
            UNROLL
            for (int c = 0; c < 4; c++) tile[c * TILE * ITEMS + a] = components[c * s.atom_count + first + a];
#else
            tile[a] = atoms[first + a];
#endif
        }
        LOCAL_BARRIER();
        ADD_ATOMS(tile, TILE *ITEMS, here);
    }
#elif COMPONENTS
    ADD_ATOMS(components, s.atom_count, s.atom_count);
#else
    ADD_ATOMS(atoms, s.atom_count, s.atom_count);
#endif
    if (x >= s.nx || y >= s.ny) return;
    UNROLL
    for (int k = 0; k < POINTS_Z; k++) {
        float values[VECTOR_WIDTH];
        VEC_STORE(VECTOR_WIDTH, values, sum[k]);
        if (z + k < s.nz) {
            GLOBAL float *to = potential + ((qn_int64)(z + k) * s.ny + y) * s.nx + x;
            for (int i = 0; i < VECTOR_WIDTH && x + i < s.nx; i++)
                to[i] = FMA(s.factor, values[i], s.is_first ? 0.0f : to[i]);
        }
    }
}
