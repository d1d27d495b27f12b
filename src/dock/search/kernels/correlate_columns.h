/* Second of the three steps of the fused rotation: transform the columns of all grids along z, multiply them by the
 * conjugates of the receptor's spectra, sum over grids, transform the sum along z. Intermediates are not written to
 * memory.
 */
#ifndef QN_DOCK_SEARCH_CORRELATE_COLUMNS_H
#define QN_DOCK_SEARCH_CORRELATE_COLUMNS_H

#include <quern/family.h>

#include "dock/search/kernels/rotation_grid.h"

extern const qn_family qn_dock_correlate_columns_family;

typedef struct qn_correlate_columns_problem {
    qn_rotation_grid grid;
    int grids, rotations, sets;
} qn_correlate_columns_problem;

void qn_correlate_columns_problem_class(const qn_correlate_columns_problem *problem, char text[64]);

/* Compute the products. `planes`, `receptor` and `products` as in rotation_grid.h; `roots` as in ligand_planes.h. */
QN_MUST_CHECK qn_status qn_correlate_columns(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_correlate_columns_problem *problem, qn_buffer *planes,
                                             qn_buffer *receptor, qn_buffer *roots, qn_buffer *products,
                                             qn_event **event);

/* Reference: one column in double precision, planes [grids][box] and receptor [grids][nz] → products [nz]; complex
 * numbers. */
void qn_correlate_columns_reference(const qn_correlate_columns_problem *problem, const double *planes,
                                    const double *receptor, double *products);

#endif
