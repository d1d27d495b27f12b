/* Second third of the fused rotation: z transforms of all grids' columns, products with the receptor's spectra summed
 * over grids, transform back; nothing between is written.
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

/* planes, receptor, products as in rotation_grid.h; roots as in ligand_planes.h. */
QN_MUST_CHECK qn_status qn_correlate_columns(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_correlate_columns_problem *problem, qn_buffer *planes,
                                             qn_buffer *receptor, qn_buffer *roots, qn_buffer *products,
                                             qn_event **event);

/* One column in double: planes [grids][box], receptor [grids][nz] of it → products [nz]; complex. */
void qn_correlate_columns_reference(const qn_correlate_columns_problem *problem, const double *planes,
                                    const double *receptor, double *products);

#endif
