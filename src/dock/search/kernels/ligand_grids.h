/* Ligand grids on the device: rotate, bin and spread atoms in integer arithmetic. */
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

/* Key of tuning results: the number of rotations of a launch; atoms and box to the nearest power of two. */
void qn_ligand_grids_problem_class(const qn_ligand_grids_problem *problem, char text[64]);

/* Rotate all atoms and add them to the boxes, for rotations first_rotation … first_rotation + batch − 1; past the end,
 * the last rotation is repeated. `boxes` must be 0. configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_ligand_grids_spread(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_ligand_grids_problem *problem, qn_buffer *atoms,
                                               qn_buffer *weights, qn_buffer *rotations, int first_rotation,
                                               qn_buffer *boxes, qn_event **event);

/* Convert boxes to float grids; boxes become 0. Only the corner of a grid that its box covers is written. */
QN_MUST_CHECK qn_status qn_ligand_grids_settle(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_ligand_grids_problem *problem, qn_buffer *boxes,
                                               qn_buffer *grids, qn_event **event);

/* Reference of both kernels together: grids [batch][grids][volume] of one batch in double precision. */
void qn_ligand_grids_reference(const qn_ligand_grids_problem *problem, const int32_t *atoms, const int32_t *weights,
                               const int32_t *rotations, int first_rotation, double *grids);

#endif
