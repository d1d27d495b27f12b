#include "deform/space/cell.h"

#include <string.h>

void qn_cell_begin(const qn_grid *grid, const int32_t index[3], qn_cell *cell)
{
    *cell = (qn_cell){.step = grid->step};
    memcpy(cell->index, index, sizeof cell->index);
    for (int axis = 0; axis < 3; axis++) cell->is_flat[axis] = grid->least[axis] == grid->most[axis];
}

bool qn_cell_corner(const qn_cell *cell, int corner, int32_t index[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const int upper = corner >> axis & 1;
        if (upper && cell->is_flat[axis]) return false;
        index[axis] = cell->index[axis] + upper;
    }
    return true;
}

bool qn_cell_is_whole(const qn_cell *cell)
{
    static const uint32_t folds[3] = {QN_GRID_FOLD_X, QN_GRID_FOLD_Y, QN_GRID_FOLD_Z};
    for (int corner = 0; corner < 8; corner++) {
        const qn_grid_state *state = cell->corners[corner];
        int32_t index[3];
        if (!qn_cell_corner(cell, corner, index)) continue;
        const uint32_t flags = state ? qn_grid_state_flags(state) : QN_GRID_UNSOLVED;
        if (flags & QN_GRID_UNSOLVED) return false;
        for (int axis = 0; axis < 3; axis++)
            if (!(corner >> axis & 1) && !cell->is_flat[axis] && flags & folds[axis]) return false;
    }
    return true;
}

/* Weight of a corner along an axis, and its derivative (1/m). */
static double weight_along(const qn_cell *cell, int corner, int axis, const double place[3], double *slope)
{
    const double t = place[axis] / cell->step - cell->index[axis];
    const bool is_upper = corner >> axis & 1;
    *slope = cell->is_flat[axis] ? 0 : (is_upper ? 1 : -1) / cell->step;
    if (cell->is_flat[axis]) return is_upper ? 0 : 1;
    return is_upper ? t : 1 - t;
}

void qn_cell_weights(const qn_cell *cell, const double place[3], double weights[8])
{
    for (int corner = 0; corner < 8; corner++) {
        double slope;
        weights[corner] = weight_along(cell, corner, 0, place, &slope) * weight_along(cell, corner, 1, place, &slope) *
                          weight_along(cell, corner, 2, place, &slope);
    }
}

/* δ from the state's point, and H δ. */
static void offset(const qn_grid_state *state, double step, const double place[3], double delta[3], double change[3])
{
    for (int axis = 0; axis < 3; axis++) delta[axis] = place[axis] - step * state->index[axis];
    for (int i = 0; i < 3; i++)
        change[i] = state->stiffness[3 * i] * delta[0] + state->stiffness[3 * i + 1] * delta[1] +
                    state->stiffness[3 * i + 2] * delta[2];
}

void qn_grid_state_extrapolate(const qn_grid_state *state, double step, const double place[3], double force[3])
{
    double delta[3], change[3];
    offset(state, step, place, delta, change);
    for (int axis = 0; axis < 3; axis++) force[axis] = state->force[axis] + change[axis];
}

void qn_cell_force(const qn_cell *cell, qn_interpolation way, const double place[3], double force[3])
{
    memset(force, 0, 3 * sizeof *force);
    for (int corner = 0; corner < 8; corner++) {
        const qn_grid_state *state = cell->corners[corner];
        if (!state) continue;
        double along[3], slope[3], delta[3], change[3];
        for (int axis = 0; axis < 3; axis++) along[axis] = weight_along(cell, corner, axis, place, &slope[axis]);
        const double weight = along[0] * along[1] * along[2];
        offset(state, cell->step, place, delta, change);
        if (way == QN_INTERPOLATION_LINEAR) memset(change, 0, sizeof change);
        if (way != QN_INTERPOLATION_ENERGY) {
            for (int axis = 0; axis < 3; axis++) force[axis] += weight * (state->force[axis] + 0.5 * change[axis]);
            continue;
        }
        double energy = state->energy;
        for (int axis = 0; axis < 3; axis++)
            energy += (2.0 / 3 * state->force[axis] + 1.0 / 6 * change[axis]) * delta[axis];
        for (int axis = 0; axis < 3; axis++) {
            if (cell->is_flat[axis]) { /* the energy is not known beside a flat cell, so the force is not its gradient
                                        */
                force[axis] += weight * (state->force[axis] + 0.5 * change[axis]);
                continue;
            }
            const double gradient = slope[axis] * along[(axis + 1) % 3] * along[(axis + 2) % 3];
            force[axis] += gradient * energy + weight * (2.0 / 3 * state->force[axis] + 1.0 / 3 * change[axis]);
        }
    }
}

void qn_cell_shape(const qn_cell *cell, const double place[3], size_t freedom_count, float *x)
{
    double weights[8];
    qn_cell_weights(cell, place, weights);
    memset(x, 0, freedom_count * sizeof *x);
    for (int corner = 0; corner < 8; corner++) {
        const qn_grid_state *state = cell->corners[corner];
        if (!state) continue;
        float half[3];
        const float weight = (float)weights[corner];
        for (int axis = 0; axis < 3; axis++)
            half[axis] = (float)(0.5 * weights[corner] * (place[axis] - cell->step * state->index[axis]));
        const float *const change = state->change;
        for (size_t i = 0; i < freedom_count; i++)
            x[i] += weight * state->x[i] + half[0] * change[i] + half[1] * change[freedom_count + i] +
                    half[2] * change[2 * freedom_count + i];
    }
}
