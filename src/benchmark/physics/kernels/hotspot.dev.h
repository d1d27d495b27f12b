/* Interface between the kernel of hotspot and its launch function. */
#ifndef QN_BENCHMARK_HOTSPOT_DEV_H
#define QN_BENCHMARK_HOTSPOT_DEV_H

/* Arguments of `hotspot`, in order. */
enum { HOTSPOT_POWER, HOTSPOT_FROM, HOTSPOT_TO, HOTSPOT_DONE, HOTSPOT_SCALARS, HOTSPOT_ARGUMENTS };

typedef struct hotspot_scalars {
    int width, height;
    int steps;              /* number of steps left; a launch makes at most STEPS of them */
    float across, down;     /* factors of the neighbours' temperatures */
    float centre;           /* factor of the old temperature */
    float heating, cooling; /* factor of the power; loss times the temperature of the air */
} hotspot_scalars;

#endif
