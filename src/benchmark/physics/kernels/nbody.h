/* Accelerations of bodies by each other's gravity, all pairs, softened:
 *     acceleration_i = Σ_j mass_j (position_j − position_i) / (|position_j − position_i|² + softening²)^(3/2)
 * A pair takes about twenty operations, so the issue rate of instructions sets the lower limit of the time. */
#ifndef QN_BENCHMARK_PHYSICS_NBODY_H
#define QN_BENCHMARK_PHYSICS_NBODY_H

#include <quern/family.h>

enum { QN_NBODY_STEP = 16 }; /* the number of bodies is a multiple of this */

extern const qn_family qn_benchmark_nbody_family;

typedef struct qn_nbody_problem {
    int bodies;
    float softening;
} qn_nbody_problem;

/* bodies: x, y, z, mass of each; components: the same numbers as four arrays, one after the other; acceleration: three
 * arrays, x, y, z, one after the other. configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_nbody(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_nbody_problem *problem, qn_buffer *bodies, qn_buffer *components,
                                 qn_buffer *acceleration, qn_event **event);

/* Acceleration of one body in double; returns Σ_j of the terms' magnitudes, the scale of rounding errors. */
double qn_nbody_reference(const qn_nbody_problem *problem, const float *bodies, int body, double acceleration[3]);

#endif
