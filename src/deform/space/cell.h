/* Forces between the points of the configuration space.
 *
 * In a cell with corners c at d_c, trilinear weights w_c and δ_c = d − d_c:
 *     gradient  f = Σ w_c (f_c + ½ H_c δ_c): exact where the force is quadratic in d, continuous over faces;
 *     energy    f = ∇E, E from W_c, f_c, H_c by Hermite's polynomials (cell_energy.c): exact where the force is cubic;
 *               f and E are continuous over faces, so a closed way takes no work;
 *     linear    f = Σ w_c f_c.
 * The shape is interpolated as the gradient way does: x = Σ w_c (x_c + ½ Z_c δ_c). */
#ifndef QN_DEFORM_SPACE_CELL_H
#define QN_DEFORM_SPACE_CELL_H

#include "deform/space/grid.h"

typedef enum qn_interpolation {
    QN_INTERPOLATION_GRADIENT,
    QN_INTERPOLATION_ENERGY,
    QN_INTERPOLATION_LINEAR
} qn_interpolation;

/* A cell's corners: bit 0 of the number is +x, bit 1 +y, bit 2 +z. Along an axis on which the grid is one point wide,
 * the cell is flat: its upper corners do not exist, are NULL and have no weight. Other corners are NULL where their
 * state is not there. */
typedef struct qn_cell {
    int32_t index[3]; /* of the lowest corner */
    double step;
    bool is_flat[3];
    const qn_grid_state *corners[8];
} qn_cell;

/* Begin the cell of a grid at an index: its step and flat axes; without corners. */
void qn_cell_begin(const qn_grid *grid, const int32_t index[3], qn_cell *cell);

/* Index of a corner; false where a flat axis has no such corner. */
bool qn_cell_corner(const qn_cell *cell, int corner, int32_t index[3]);

/* Whether all corners with a weight are there, solved, and no fold crosses the cell. */
bool qn_cell_is_whole(const qn_cell *cell);

/* The tool's force (N) at a place inside of a whole cell, by one of the ways. */
void qn_cell_force(const qn_cell *cell, qn_interpolation way, const double place[3], double force[3]);

/* E (J) of the energy way at a place inside of a whole cell, and its gradient, the force (N). */
double qn_cell_energy(const qn_cell *cell, const double place[3], double force[3]);

/* Trilinear weights of the corners at a place. */
void qn_cell_weights(const qn_cell *cell, const double place[3], double weights[8]);

/* x[freedom_count] at a place inside of a whole cell. */
void qn_cell_shape(const qn_cell *cell, const double place[3], size_t freedom_count, float *x);

/* Force near one state: f + H δ. */
void qn_grid_state_extrapolate(const qn_grid_state *state, double step, const double place[3], double force[3]);

#endif
