/* Heat on a chip, in single precision: in each step every cell of a grid gains heat from its power, loses heat to the
 * air and exchanges heat with its four neighbours, t' = t + across · (west + east − 2 t) + down · (north + south − 2 t)
 * + loss · (air − t) + heating · power; at the edge of the grid a cell is its own neighbour. (Huang et al. 2006,
 * doi 10.1109/TVLSI.2006.876103, explicit steps.) */
#ifndef QN_BENCHMARK_PHYSICS_HOTSPOT_H
#define QN_BENCHMARK_PHYSICS_HOTSPOT_H

#include <quern/family.h>

enum { QN_HOTSPOT_STEPS = 4 }; /* index of the tunable STEPS: steps of a launch */

extern const qn_family qn_benchmark_hotspot_family;

typedef struct qn_hotspot_problem {
    int width, height, steps;
    float across, down, loss, heating, air;
} qn_hotspot_problem;

/* Make `steps` steps from *temperature, [height][width] like power, in as many launches as the configuration needs.
 * *scratch has the size of *temperature; the two are exchanged if the last launch wrote *scratch. `done` has four
 * bytes. *seconds (may be NULL) gets the sum of the launches' times, after waiting for them. configuration NULL: chosen
 * as for any family. Errors: QN_INVALID_ARGUMENT for impossible sizes and buffers that are too small. */
QN_MUST_CHECK qn_status qn_hotspot(qn_queue *queue, const qn_configuration *configuration,
                                   const qn_hotspot_problem *problem, qn_buffer *power, qn_buffer **temperature,
                                   qn_buffer **scratch, qn_buffer *done, double *seconds);

/* Power (field 0) or temperature (field 1) of a cell at the start */
typedef float (*qn_hotspot_input)(int field, int x, int y, const void *user);

/* The temperature of one cell at the end, in double; visits all cells that it depends on. Errors: QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_hotspot_reference(const qn_hotspot_problem *problem, qn_hotspot_input input,
                                             const void *user, int x, int y, double *temperature);

#endif
