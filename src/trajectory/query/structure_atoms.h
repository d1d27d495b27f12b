/* The atoms of a selection that is the same in every frame, with their weights, for queries that compare structures. */
#ifndef QN_TRAJECTORY_QUERY_STRUCTURE_ATOMS_H
#define QN_TRAJECTORY_QUERY_STRUCTURE_ATOMS_H

#include <quern/query.h>

typedef struct qn_structure_atoms {
    uint32_t *atoms;
    size_t count;
    double *weights; /* masses, or all 1, as the parameter "weights" says */
} qn_structure_atoms;

/* Take the atoms of selection 0 or 1; none if there is no such selection. After a failure too, clear releases them. */
QN_MUST_CHECK qn_status qn_structure_atoms_take(const qn_query_setup *setup, int selection, qn_structure_atoms *atoms);
void qn_structure_atoms_clear(qn_structure_atoms *atoms);

/* gathered[3 i …] becomes the position of the i-th of the atoms, of the positions of all atoms. */
void qn_structure_atoms_gather(const qn_structure_atoms *atoms, const float *positions, double *gathered);

/* QN_INVALID_ARGUMENT for fewer atoms than a superposition needs, 3. */
QN_MUST_CHECK qn_status qn_structure_atoms_check(const qn_structure_atoms *atoms);

#endif
