/* Reference structures as the distances need them. They are not changed after they were made, so any number of
 * threads may read them.
 *
 * Life cycle: create → read → destroy.
 */
#ifndef QN_COLLECTIVE_REFERENCES_H
#define QN_COLLECTIVE_REFERENCES_H

#include <quern/collective.h>

typedef struct qn_collective_references {
    size_t count, atom_count;
    size_t stride;     /* of a row; loops.h */
    double *positions; /* count × 3 rows, about the weighted centres; NULL: RMSD is not asked for */
    double *weights;   /* of the superposition: a row */
    double weight_sum;
    double *deviation_weights; /* a row */
    double deviation_sum;
    double *deviation_means; /* Σ v y of each reference; NULL: the weights of the deviation are those above */
    double *sizes;           /* √(Σ w |y|² / Σ w) of each reference */
    size_t pair_places;      /* of a reference; 0: dRMSD is not planned */
    double *distances;       /* count × pair_places (qn_collective_pairs); NULL: not kept */
    double *pair_sizes;      /* root mean square of each reference's distances */
    double pair_inverse;     /* 2 / (m (m − 1)) */
} qn_collective_references;

/* Copy the references of the options, which are checked here. With a device, distances of atoms are not kept: those of
 * the few near references are measured again in every call, instead of 4 m² bytes for each of very many. */
QN_MUST_CHECK qn_status qn_collective_references_create(const qn_collective_options *options, bool drmsd,
                                                        qn_collective_references **references);
void qn_collective_references_destroy(qn_collective_references **references);

/* Write positions [m][3] about their weighted centre into three rows. QN_INVALID_ARGUMENT naming the atom for positions
 * that are not finite; `name` stands for the structure in the message. */
QN_MUST_CHECK qn_status qn_collective_centre(const double *positions, const double *weights, double weight_sum,
                                             size_t atom_count, size_t stride, const char *name, double *rows);

#endif
