/* Gravitational accelerations of many bodies, all pairs.
 *
 * A work-item sums the accelerations of BODIES vectors of VECTOR_WIDTH adjacent bodies; SHARE items of a group each
 * take a part of the sources for the same bodies. */

#include "benchmark/physics/kernels/nbody.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items of a group with different bodies"
#endif
#ifndef SHARE
#error "SHARE: work-items of a group with the same bodies"
#endif
#ifndef BODIES
#error "BODIES: vectors of bodies of a work-item"
#endif
#ifndef SOURCE_UNROLL
#error "SOURCE_UNROLL: sources of one pass of the loop; 0: as many as the compiler likes"
#endif
#ifndef LOCAL_TILE
#error "LOCAL_TILE: 1 when sources go through local memory"
#endif
#ifndef COMPONENTS
#error "COMPONENTS: 0 sources as four numbers side by side, 1 in an array for each number"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups that must fit a compute unit at once; 0: as the compiler likes"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif

#define ITEMS (GROUP_SIZE * SHARE)

typedef VEC(float, VECTOR_WIDTH) numbers;

DEVICE_FN numbers splat(float value)
{
    return VEC_SPLAT(float, VECTOR_WIDTH, value);
}

/* Add mass · d / (d² + softening²)^(3/2), d from the body to the source. */
DEVICE_FN void add_source(numbers sum[BODIES][3], const numbers at[BODIES][3], float softening_squared, float x,
                          float y, float z, float mass)
{
    UNROLL
    for (int b = 0; b < BODIES; b++) {
        const numbers dx = splat(x) - at[b][0], dy = splat(y) - at[b][1], dz = splat(z) - at[b][2];
        const numbers square = VEC_FMA(dz, dz, VEC_FMA(dy, dy, VEC_FMA(dx, dx, splat(softening_squared))));
        const numbers root = FAST_RSQRT(square);
        const numbers weight = (splat(mass) * root) * (root * root);
        sum[b][0] = VEC_FMA(weight, dx, sum[b][0]);
        sum[b][1] = VEC_FMA(weight, dy, sum[b][1]);
        sum[b][2] = VEC_FMA(weight, dz, sum[b][2]);
    }
}

#if COMPONENTS
#define SOURCE(from, stride, s) from[s], from[(stride) + (s)], from[2 * (stride) + (s)], from[3 * (stride) + (s)]
#else
#define SOURCE(from, stride, s) from[s].x, from[s].y, from[s].z, from[s].w
#endif

#if SOURCE_UNROLL == 0
#define UNROLL_SOURCES
#else
#define UNROLL_SOURCES UNROLL_BY(1)
#endif

/* Unrolled by hand, because compilers unroll loops of unknown length differently. */
#if SOURCE_UNROLL < 2
#define ADD_SOURCES(from, stride, first, end) \
    UNROLL_SOURCES                            \
    for (int s = (first); s < (end); s++) add_source(sum, at, softening_squared, SOURCE(from, stride, s))
#else
#define ADD_SOURCES(from, stride, first, end)                                                                      \
    do {                                                                                                           \
        int s = (first);                                                                                           \
        for (; s + SOURCE_UNROLL <= (end); s += SOURCE_UNROLL) {                                                   \
            UNROLL                                                                                                 \
            for (int u = 0; u < SOURCE_UNROLL; u++) add_source(sum, at, softening_squared, SOURCE(from, stride, s + u)); \
        }                                                                                                          \
        for (; s < (end); s++) add_source(sum, at, softening_squared, SOURCE(from, stride, s));                    \
    } while (0)
#endif

#if RESIDENT
#define NBODY_LIMIT GROUP_LIMIT_RESIDENT(GROUP_SIZE, SHARE, 1, RESIDENT)
#else
#define NBODY_LIMIT GROUP_LIMIT(GROUP_SIZE, SHARE, 1)
#endif

/* bodies: x, y, z, mass of each; components: the same numbers as four consecutive arrays; acceleration: three
 * consecutive arrays */
KERNEL NBODY_LIMIT void nbody(GLOBAL const qn_float4 *RESTRICT bodies, GLOBAL const float *RESTRICT components,
                              GLOBAL float *RESTRICT acceleration, int count, float softening_squared)
{
    const int column = LOCAL_ID(0), row = LOCAL_ID(1);
    numbers at[BODIES][3], sum[BODIES][3];
    int body[BODIES];
    UNROLL
    for (int b = 0; b < BODIES; b++) {
        body[b] = ((GROUP_ID(0) * BODIES + b) * GROUP_SIZE + column) * VECTOR_WIDTH;
        UNROLL
        for (int c = 0; c < 3; c++) { /* items past the end repeat the first bodies */
            at[b][c] = VEC_LOAD(VECTOR_WIDTH, components + c * count + (body[b] < count ? body[b] : 0));
            sum[b][c] = splat(0.0f);
        }
    }
#if LOCAL_TILE
    const int item = row * GROUP_SIZE + column;
#if COMPONENTS
    LOCAL float tile[4 * ITEMS];
#else
    LOCAL qn_float4 tile[ITEMS];
#endif
    for (int first = 0; first < count; first += ITEMS) {
        const int source = first + item;
        LOCAL_BARRIER();
#if COMPONENTS
        UNROLL
        for (int c = 0; c < 4; c++) tile[c * ITEMS + item] = source < count ? components[c * count + source] : 0.0f;
#else
        tile[item] = source < count ? bodies[source] : FLOAT4_MAKE(0.0f, 0.0f, 0.0f, 0.0f);
#endif
        LOCAL_BARRIER();
        /* masses past the end are 0, so that the loop has a constant length */
        ADD_SOURCES(tile, ITEMS, row *GROUP_SIZE, (row + 1) * GROUP_SIZE);
    }
#else
    const int part = (count + SHARE - 1) / SHARE;
    const int end = MIN((row + 1) * part, count);
#if COMPONENTS
    ADD_SOURCES(components, count, row *part, end);
#else
    ADD_SOURCES(bodies, count, row *part, end);
#endif
#endif
#if SHARE > 1
    LOCAL numbers shares[ITEMS];
#endif
    UNROLL
    for (int b = 0; b < BODIES; b++) {
        UNROLL
        for (int c = 0; c < 3; c++) {
            numbers total = sum[b][c];
#if SHARE > 1
            shares[row * GROUP_SIZE + column] = total;
            LOCAL_BARRIER();
            for (int other = 1; other < SHARE; other++) total = total + shares[other * GROUP_SIZE + column];
            LOCAL_BARRIER();
#endif
            if (row == 0 && body[b] < count) VEC_STORE(VECTOR_WIDTH, acceleration + c * count + body[b], total);
        }
    }
}
