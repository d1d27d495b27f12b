/* Structures with the same atoms, such as the models of a prediction or the frames of a simulation, as the measures
 * need them. */
#ifndef QN_CLUSTER_MEASURE_STRUCTURES_H
#define QN_CLUSTER_MEASURE_STRUCTURES_H

#include <stddef.h>
#include <stdint.h>

/* Names of the residues that structures of different length have atoms of, one atom each. */
typedef struct qn_structure_sequence {
    size_t length;
    char (*names)[8];
} qn_structure_sequence;

typedef struct qn_structure_sequences {
    size_t count; /* different ones */
    const qn_structure_sequence *items;
    const uint32_t *of_structure; /* the sequence of each structure, whose length is that of the structure */
} qn_structure_sequences;

typedef struct qn_structures {
    size_t count, atom_count;
    const float *positions_angstrom; /* count × 3 × atom_count: for each structure a row of x, a row of y, a row of z;
                                      * as read (not centred) */
    const float *weights;            /* atom_count; NULL: all 1 */
    const qn_structure_sequences *sequences; /* NULL: all structures have the same atoms. Else atom_count is the number
                                              * of the longest, and the others are filled up with zeros */
} qn_structures;

#endif
