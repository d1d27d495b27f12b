/* Poses that a search found on maps, minimised with exact energies on a device, and kicks from the best of each
 * molecule: maps are up to 0.1 kcal/mol off, so a search on them may prefer a neighbour of the lowest minimum.
 *
 *     const qn_flexible_settling how = {&batch, &frame, &near, 16, 32};
 *     QN_TRY(qn_flexible_settle_poses(queue, &how, states, counts, &evaluations));
 */
#ifndef QN_FLEXIBLE_SETTLE_H
#define QN_FLEXIBLE_SETTLE_H

#include "flexible/kernels/search.h"

typedef struct qn_flexible_settling {
    const qn_flexible_batch *batch;
    const qn_flexible_frame *frame;
    const qn_flexible_near *near;
    int most;        /* poses of a molecule */
    int kick_rounds; /* of eight kicks each, from the best pose so far */
} qn_flexible_settling;

/* states: [molecule][most][QN_FLEXIBLE_STATE], of which a molecule has counts[molecule], at least 1; they become the
 * minima, best first. *evaluations (NULL: not wanted) grows by the number of energies computed. */
QN_MUST_CHECK qn_status qn_flexible_settle_poses(qn_queue *queue, const qn_flexible_settling *how, float *states,
                                                 const int *counts, double *evaluations);

/* Bytes on the device for a molecule; the process has as many. */
double qn_flexible_settle_bytes(int most);

#endif
