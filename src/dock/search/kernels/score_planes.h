/* Last of the three steps of the fused rotation: products → scores of each plane, and the best translation of each
 * rotation.
 *
 * A group transforms the columns of plane z, then the rows, two real rows in one complex transform, and keeps the best
 * score in registers. Only qn_score_planes_write writes the scores.
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

/* Bytes of the scratch buffer of qn_score_planes_best, enough for any configuration. */
size_t qn_score_planes_scratch_bytes(const qn_score_planes_problem *problem);

/* Find the best translations. products [outputs][nz][columns] → energies and cells [outputs]: the lowest score among
 * the searched translations and its cell x + nx·(y + ny·z); the lower cell breaks ties. (FLT_MAX, −1) if no translation
 * is searched. `events`: NULL, or one event for each of the two kernels. */
QN_MUST_CHECK qn_status qn_score_planes_best(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_score_planes_problem *problem, qn_buffer *products,
                                             qn_buffer *roots, qn_buffer *scratch, qn_buffer *energies,
                                             qn_buffer *cells, qn_event *events[2]);

/* Write all scores [outputs][nz][ny][nx], for best_cells, which compares neighbours. */
QN_MUST_CHECK qn_status qn_score_planes_write(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_score_planes_problem *problem, qn_buffer *products,
                                              qn_buffer *roots, qn_buffer *scores, qn_event **event);

/* Reference: scores [ny][nx] of one plane in double precision, from complex products [columns]. */
QN_MUST_CHECK qn_status qn_score_planes_reference(const qn_score_planes_problem *problem, const double *products,
                                                  double *scores);

#endif
