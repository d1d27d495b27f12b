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

void qn_cell_weights(const qn_cell *cell, const double place[3], double weights[8])
{
    for (int corner = 0; corner < 8; corner++) {
        weights[corner] = 1;
        for (int axis = 0; axis < 3; axis++) {
            const double t = cell->is_flat[axis] ? 0 : place[axis] / cell->step - cell->index[axis];
            weights[corner] *= corner >> axis & 1 ? t : 1 - t;
        }
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
    double weights[8];
    if (way == QN_INTERPOLATION_ENERGY) {
        qn_cell_energy(cell, place, force);
        return;
    }
    qn_cell_weights(cell, place, weights);
    memset(force, 0, 3 * sizeof *force);
    for (int corner = 0; corner < 8; corner++) {
        const qn_grid_state *state = cell->corners[corner];
        const double half = way == QN_INTERPOLATION_LINEAR ? 0 : 0.5;
        double delta[3], change[3];
        if (!state) continue;
        offset(state, cell->step, place, delta, change);
        for (int axis = 0; axis < 3; axis++)
            force[axis] += weights[corner] * (state->force[axis] + half * change[axis]);
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
