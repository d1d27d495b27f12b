/* The best translations of each rotation. */
#ifndef QN_DOCK_SEARCH_BEST_CELLS_H
#define QN_DOCK_SEARCH_BEST_CELLS_H

#include <quern/family.h>

enum { QN_BEST_CELLS_MAX = 16 };

/* Index of the tunable GROUPS, which the host kernels need. */
enum { QN_BEST_CELLS_GROUPS = 1 };

extern const qn_family qn_dock_best_cells_family;

typedef struct qn_best_cells_problem {
    int cells[3];
    int first_shift[3], last_shift[3]; /* translations searched, circular: see dock/search/grid.h */
    int rotations;                     /* of a launch */
    int keep;                          /* 1 … QN_BEST_CELLS_MAX cells of a rotation */
    int radius;                        /* exclusion cube: cells to each side; 0 for none */
} qn_best_cells_problem;

/* The key of tuning results: what the best configuration depends on, sizes to the nearest power of two. */
void qn_best_cells_problem_class(const qn_best_cells_problem *problem, char text[64]);

/* Bytes of the scratch buffer that qn_best_cells needs at most. */
size_t qn_best_cells_scratch_bytes(const qn_best_cells_problem *problem);

/* configuration NULL: chosen as for any family; `events`: NULL, or two, of both kernels. scores [rotations][nz][ny][nx]
 * → energies and cells [rotations][keep], best first; padded with (FLT_MAX, −1). A kept cell is the minimum of its
 * exclusion cube; ties go to the lower cell. */
QN_MUST_CHECK qn_status qn_best_cells(qn_queue *queue, const qn_configuration *configuration,
                                      const qn_best_cells_problem *problem, qn_buffer *scores, qn_buffer *scratch,
                                      qn_buffer *energies, qn_buffer *cells, qn_event *events[2]);

/* The same by sorting all cells of one rotation. */
QN_MUST_CHECK qn_status qn_best_cells_reference(const qn_best_cells_problem *problem, const float *scores,
                                                float *energies, int32_t *cells);

#endif
