/* Interface between the kernel of nbody and its launch function. */
#ifndef QN_BENCHMARK_NBODY_DEV_H
#define QN_BENCHMARK_NBODY_DEV_H

/* Arguments of `nbody`, in order. */
enum { NBODY_BODIES, NBODY_COMPONENTS, NBODY_ACCELERATION, NBODY_COUNT, NBODY_SOFTENING_SQUARED, NBODY_ARGUMENTS };

#endif
