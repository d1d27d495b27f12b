/* Last third of the fused rotation: products → scores of plane after plane, and the best translation of each rotation.
 *
 * A group transforms the columns of plane z, then its rows, two real ones in one complex transform, and keeps the best
 * of the scores in its registers: they are written only when asked for.
 */
#ifndef QN_DOCK_SEARCH_SCORE_PLANES_H
#define QN_DOCK_SEARCH_SCORE_PLANES_H

#include <quern/family.h>

#include "dock/search/kernels/rotation_grid.h"

extern const qn_family qn_dock_score_planes_family;

typedef struct qn_score_planes_problem {
    qn_rotation_grid grid;
    int first_shift[3], last_shift[3]; /* translations searched, circular: see dock/search/grid.h */
    int outputs;                       /* rotations of a batch × sets */
} qn_score_planes_problem;

void qn_score_planes_problem_class(const qn_score_planes_problem *problem, char text[64]);

/* Bytes of the scratch buffer of qn_score_planes_best at most. */
size_t qn_score_planes_scratch_bytes(const qn_score_planes_problem *problem);

/* products [outputs][nz][columns] → energies and cells [outputs]: the lowest score among the searched translations and
 * its cell x + nx·(y + ny·z), ties to the lower cell; (FLT_MAX, −1) where there is none. `events`: NULL, or two, of
 * both kernels. */
QN_MUST_CHECK qn_status qn_score_planes_best(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_score_planes_problem *problem, qn_buffer *products,
                                             qn_buffer *roots, qn_buffer *scratch, qn_buffer *energies,
                                             qn_buffer *cells, qn_event *events[2]);

/* The scores themselves, for best_cells, which looks at neighbours: [outputs][nz][ny][nx]. */
QN_MUST_CHECK qn_status qn_score_planes_write(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_score_planes_problem *problem, qn_buffer *products,
                                              qn_buffer *roots, qn_buffer *scores, qn_event **event);

/* Scores of one plane in double: products [columns] complex → [ny][nx]. */
QN_MUST_CHECK qn_status qn_score_planes_reference(const qn_score_planes_problem *problem, const double *products,
                                                  double *scores);

#endif
