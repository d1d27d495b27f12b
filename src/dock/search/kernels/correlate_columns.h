/* Second of the three steps of the fused rotation: transform the columns of all grids along z, multiply them by the
 * conjugates of the receptor's spectra, sum over grids, transform the sum along z. Intermediates are not written to
 * memory. The last grids may have a spectrum of the receptor that is common to all sets; their sum is computed once.
 */
#ifndef QN_DOCK_SEARCH_CORRELATE_COLUMNS_H
#define QN_DOCK_SEARCH_CORRELATE_COLUMNS_H

#include <quern/family.h>

#include "dock/search/kernels/rotation_grid.h"

extern const qn_family qn_dock_correlate_columns_family;

typedef struct qn_correlate_columns_problem {
    qn_rotation_grid grid;
    int grids, rotations, sets;
    int common; /* number of the last grids whose receptor is common to all sets; less than grids */
} qn_correlate_columns_problem;

void qn_correlate_columns_problem_class(const qn_correlate_columns_problem *problem, char text[64]);

/* Number of receptor spectra of a problem: those of the first grids for each set, then the common ones. */
static inline size_t qn_correlate_columns_spectra(const qn_correlate_columns_problem *problem)
{
    return (size_t)problem->sets * (size_t)(problem->grids - problem->common) + (size_t)problem->common;
}

/* Index of the receptor's spectrum of a grid in a set. */
static inline size_t qn_correlate_columns_spectrum(const qn_correlate_columns_problem *problem, int set, int grid)
{
    const int own = problem->grids - problem->common;
    return (size_t)(grid < own ? set * own + grid : problem->sets * own + grid - own);
}

/* Compute the products. `planes`, `receptor` and `products` as in rotation_grid.h; `roots` as in ligand_planes.h. */
QN_MUST_CHECK qn_status qn_correlate_columns(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_correlate_columns_problem *problem, qn_buffer *planes,
                                             qn_buffer *receptor, qn_buffer *roots, qn_buffer *products,
                                             qn_event **event);

/* Reference: one column of a set in double precision, planes [grids][box] and receptor [grids][nz] → products [nz];
 * complex numbers. */
void qn_correlate_columns_reference(const qn_correlate_columns_problem *problem, const double *planes,
                                    const double *receptor, double *products);

#endif
