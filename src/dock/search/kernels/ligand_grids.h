/* Ligand grids on the device: rotating, binning and spreading atoms in integer arithmetic. */
#ifndef QN_DOCK_SEARCH_LIGAND_GRIDS_H
#define QN_DOCK_SEARCH_LIGAND_GRIDS_H

#include <quern/family.h>

#define QN_LIGAND_UNITS_PER_ANGSTROM 4096.0
#define QN_LIGAND_WEIGHT_UNITS 1048576.0
#define QN_ROTATION_UNITS 1073741824.0
enum { QN_LIGAND_ATOM_INTS = 8, QN_ROTATION_INTS = 9 };

extern const qn_family qn_dock_ligand_grids_family;

/* Sizes of one batch. */
typedef struct qn_ligand_grids_problem {
    int atoms, grids, trilinear_grid; /* trilinear_grid: −1 for none */
    int rotations;                    /* in the whole rotation buffer */
    int batch;                        /* rotations of a launch */
    int box, box_centre, scale;       /* scale = 2^20 / spacing in Å, rounded */
    int cells[3];
} qn_ligand_grids_problem;

/* The key of tuning results: what the best configuration depends on, sizes to the nearest power of two. */
void qn_ligand_grids_problem_class(const qn_ligand_grids_problem *problem, char text[64]);

/* configuration NULL: chosen as for any family. Rotate and add all atoms for rotations first … first + batch − 1 (the
 * last one repeated past the end). `boxes` must be 0. */
QN_MUST_CHECK qn_status qn_ligand_grids_spread(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_ligand_grids_problem *problem, qn_buffer *atoms,
                                               qn_buffer *weights, qn_buffer *rotations, int first_rotation,
                                               qn_buffer *boxes, qn_event **event);

/* Boxes to float grids (only the corner a box covers is written; the rest stays as it was); boxes become 0. */
QN_MUST_CHECK qn_status qn_ligand_grids_settle(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_ligand_grids_problem *problem, qn_buffer *boxes,
                                               qn_buffer *grids, qn_event **event);

/* What both kernels together must give: grids [batch][grids][volume] of one batch in double. */
void qn_ligand_grids_reference(const qn_ligand_grids_problem *problem, const int32_t *atoms, const int32_t *weights,
                               const int32_t *rotations, int first_rotation, double *grids);

#endif
