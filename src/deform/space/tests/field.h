/* A field of forces with known derivatives, for tests of the configuration space.
 *
 * Energy W = ½ dᵀA d + ⅙ T(d, d, d) + quartic Σ (q·d)⁴ / 24 + wave · sin(p·d), T symmetric, the sum over directions q;
 * force f = ∇W, stiffness H = ∇f. With A and T alone the force is quadratic. The shape of three unknowns is x_i = f_i,
 * so that its change is H. */
#ifndef QN_DEFORM_SPACE_TESTS_FIELD_H
#define QN_DEFORM_SPACE_TESTS_FIELD_H

#include <math.h>

#include "deform/space/cell.h"

typedef struct field {
    double cubic;   /* factor of T, N/m² */
    double wave;    /* J */
    double quartic; /* N/m³ */
} field;

enum { FIELD_FREEDOMS = 3, FIELD_QUARTICS = 3 };

static const double field_linear[3][3] = {{40, 7, -3}, {7, 55, 4}, {-3, 4, 30}}; /* N/m */
static const double field_direction[3] = {60, -35, 80};                          /* 1/m */

/* Directions of fourth powers, whose sum has all terms of degree 4. */
static const double field_fourth[FIELD_QUARTICS][3] = {{1, -0.5, 0.7}, {0.4, 1.1, 0.3}, {-0.2, 0.6, 1.3}};

/* T_ijk = (i+1)(j+1)(k+1) / 6 − (i + j + k)² / 9, symmetric in all indices. */
static inline double field_third(int i, int j, int k)
{
    return (i + 1) * (j + 1) * (k + 1) / 6.0 - (i + j + k) * (i + j + k) / 9.0;
}

static inline void field_at(const field *of, const double d[3], double *energy, double force[3], double stiffness[9])
{
    double phase = 0;
    for (int i = 0; i < 3; i++) phase += field_direction[i] * d[i];
    *energy = of->wave * sin(phase);
    for (int i = 0; i < 3; i++) {
        force[i] = of->wave * field_direction[i] * cos(phase);
        for (int j = 0; j < 3; j++) {
            double slope = 0;
            for (int k = 0; k < 3; k++) slope += of->cubic * field_third(i, j, k) * d[k];
            force[i] += (field_linear[i][j] + slope / 2) * d[j];
            stiffness[3 * i + j] =
                field_linear[i][j] + slope - of->wave * field_direction[i] * field_direction[j] * sin(phase);
            *energy += (field_linear[i][j] / 2 + slope / 6) * d[i] * d[j];
        }
    }
    for (int power = 0; power < FIELD_QUARTICS; power++) {
        const double *const q = field_fourth[power], along = q[0] * d[0] + q[1] * d[1] + q[2] * d[2];
        *energy += of->quartic / 24 * along * along * along * along;
        for (int i = 0; i < 3; i++) {
            force[i] += of->quartic / 6 * q[i] * along * along * along;
            for (int j = 0; j < 3; j++) stiffness[3 * i + j] += of->quartic / 2 * q[i] * q[j] * along * along;
        }
    }
}

/* Fill a state whose arrays x[FIELD_FREEDOMS] and change[3 · FIELD_FREEDOMS] are there, or NULL. */
static inline void field_state(const field *of, double step, const int32_t index[3], qn_grid_state *state)
{
    double place[3];
    for (int axis = 0; axis < 3; axis++) {
        state->index[axis] = index[axis];
        place[axis] = step * index[axis];
    }
    state->flags = 0;
    field_at(of, place, &state->energy, state->force, state->stiffness);
    for (int i = 0; state->x && i < FIELD_FREEDOMS; i++) {
        state->x[i] = (float)state->force[i];
        for (int axis = 0; axis < 3; axis++)
            state->change[axis * FIELD_FREEDOMS + i] = (float)state->stiffness[3 * i + axis];
    }
}

#endif
