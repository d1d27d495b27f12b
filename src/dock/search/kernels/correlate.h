/* Correlation of receptor and ligand spectra, summed over grids. */
#ifndef QN_DOCK_SEARCH_CORRELATE_H
#define QN_DOCK_SEARCH_CORRELATE_H

#include <quern/family.h>

extern const qn_family qn_dock_correlate_family;

typedef struct qn_correlate_problem {
    int grids, bins, rotations; /* bins = (nx/2 + 1)·ny·nz */
    int sets;
} qn_correlate_problem;

/* Key of tuning results: numbers of rotations and sets, and the number of bins to the nearest power of two. */
void qn_correlate_problem_class(const qn_correlate_problem *problem, char text[64]);

/* Compute product[s][r][k] = Σ_g receptor[s][g][k] · conj(ligand[r][g][k]); complex floats, real part first.
 * configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_correlate(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_correlate_problem *problem, qn_buffer *receptor, qn_buffer *ligand,
                                     qn_buffer *product, qn_event **event);

/* Reference: the same in double precision. */
void qn_correlate_reference(const qn_correlate_problem *problem, const float *receptor, const float *ligand,
                            double *product);

#endif
