/* The best translations of each rotation. */
#ifndef QN_DOCK_SEARCH_BEST_CELLS_H
#define QN_DOCK_SEARCH_BEST_CELLS_H

#include <quern/family.h>

enum { QN_BEST_CELLS_MAX = 16 };

/* Index of the tunable GROUPS, for the host kernels. */
enum { QN_BEST_CELLS_GROUPS = 1 };

extern const qn_family qn_dock_best_cells_family;

typedef struct qn_best_cells_problem {
    int cells[3];
    int first_shift[3], last_shift[3]; /* translations searched, circular: see dock/search/grid.h */
    int rotations;                     /* number of rotations in a launch */
    int keep;                          /* number of cells to keep of a rotation, 1 … QN_BEST_CELLS_MAX */
    int radius;                        /* of the exclusion cube: cells to each side; 0: no exclusion */
} qn_best_cells_problem;

/* Key of tuning results: numbers of rotations and of kept cells, and the number of cells to the nearest power of two.
 */
void qn_best_cells_problem_class(const qn_best_cells_problem *problem, char text[64]);

/* Bytes of the scratch buffer of qn_best_cells, enough for any configuration. */
size_t qn_best_cells_scratch_bytes(const qn_best_cells_problem *problem);

/* Find the best cells. scores [rotations][nz][ny][nx] → energies and cells [rotations][keep], best first, padded with
 * (FLT_MAX, −1). With keep > 1, a kept cell is the minimum of its exclusion cube; the lower cell breaks ties.
 * configuration NULL: chosen as for any family. `events`: NULL, or one event for each of the two kernels. */
QN_MUST_CHECK qn_status qn_best_cells(qn_queue *queue, const qn_configuration *configuration,
                                      const qn_best_cells_problem *problem, qn_buffer *scores, qn_buffer *scratch,
                                      qn_buffer *energies, qn_buffer *cells, qn_event *events[2]);

/* Reference: the same for one rotation, by sorting all of its cells. */
QN_MUST_CHECK qn_status qn_best_cells_reference(const qn_best_cells_problem *problem, const float *scores,
                                                float *energies, int32_t *cells);

#endif
