/* Structures with the same atoms, such as the models of a prediction or the frames of a simulation, as the measures
 * need them. */
#ifndef QN_CLUSTER_MEASURE_STRUCTURES_H
#define QN_CLUSTER_MEASURE_STRUCTURES_H

#include <stddef.h>

typedef struct qn_structures {
    size_t count, atom_count;
    const float *positions_angstrom; /* count × 3 × atom_count: for each structure a row of x, a row of y, a row of z;
                                      * as read (not centred) */
    const float *weights;            /* atom_count; NULL: all 1 */
} qn_structures;

#endif
