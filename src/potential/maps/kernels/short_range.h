/* Energies of probes at the points of a map by dispersion, hydrogen bonds and desolvation, and the desolvation of
 * charges: everything but electrostatics. See short_range.dev.h for the arguments; potential/maps/short_range.h fills
 * them. */
#ifndef QN_POTENTIAL_SHORT_RANGE_KERNELS_H
#define QN_POTENTIAL_SHORT_RANGE_KERNELS_H

#include <quern/family.h>

extern const qn_family qn_potential_short_range_family;

enum { QN_SHORT_RANGE_LANES_MIN = 8, QN_SHORT_RANGE_LANES_MAX = 16 };

typedef struct qn_short_range_problem {
    int bricks[3]; /* of the launch */
    int points[3];
    int lanes; /* QN_SHORT_RANGE_LANES_MIN or QN_SHORT_RANGE_LANES_MAX: probes and two */
    int probe_count;
    double pairs; /* of points and atoms in the lists of their bricks */
} qn_short_range_problem;

/* Buffers of a launch. */
typedef struct qn_short_range_buffers {
    qn_buffer *atoms, *solvation, *exact, *directions, *lists, *starts, *table, *limits, *places, *places_exact,
        *probes;
    qn_buffer *values;  /* probe_count × points floats */
    qn_buffer *charges; /* points floats */
} qn_short_range_buffers;

struct short_scalars;
QN_MUST_CHECK qn_status qn_short_range_launch(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_short_range_problem *problem,
                                              const qn_short_range_buffers *buffers,
                                              const struct short_scalars *scalars, qn_event **event);

#endif
