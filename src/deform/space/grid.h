/* The configuration space: states at the points of a grid of places of the tool.
 *
 * Point (i, j, k) is the place step · (i, j, k) in m; (0, 0, 0) is rest. A cell has the name of its lowest corner. */
#ifndef QN_DEFORM_SPACE_GRID_H
#define QN_DEFORM_SPACE_GRID_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_grid {
    double step;               /* m */
    int32_t least[3], most[3]; /* of the points, both included; least ≤ 0 ≤ most */
} qn_grid;

typedef enum qn_grid_flag {
    QN_GRID_UNSOLVED = 1,   /* no balance was found: the state has no meaning */
    QN_GRID_COMPRESSED = 2, /* a principal stretch is below 0.6, near where St Venant-Kirchhoff collapses */
    QN_GRID_FOLD_X = 8,     /* towards +x there is another answer; then y, z */
    QN_GRID_FOLD_Y = 16,
    QN_GRID_FOLD_Z = 32
} qn_grid_flag;

/* A state at a point: forces in double precision, the shape and its change in single. */
typedef struct qn_grid_state {
    int32_t index[3];
    uint32_t flags;
    double force[3];     /* of the tool on the body, N */
    double stiffness[9]; /* ∂force[i]/∂place[j], N/m, row by row; symmetric up to rounding */
    double energy;       /* J */
    double residual, least_volume, least_stretch;
    int32_t newton_steps, load_steps;
    float *x;      /* freedom_count */
    float *change; /* [3][freedom_count]: ∂x/∂place */
} qn_grid_state;

/* Folds are found when both states of a pair are known, and others may read the states by then: flags are read and
 * added through these two. */
static inline uint32_t qn_grid_state_flags(const qn_grid_state *state)
{
    return __atomic_load_n(&state->flags, __ATOMIC_RELAXED);
}

static inline void qn_grid_state_add_flags(const qn_grid_state *state, uint32_t flags)
{
    __atomic_fetch_or((uint32_t *)&state->flags, flags, __ATOMIC_RELAXED);
}

size_t qn_grid_point_count(const qn_grid *grid);

/* Number of a point: x runs fastest. */
uint64_t qn_grid_number(const qn_grid *grid, const int32_t index[3]);
void qn_grid_index(const qn_grid *grid, uint64_t number, int32_t index[3]);
bool qn_grid_has(const qn_grid *grid, const int32_t index[3]);

/* The point from which a point is solved: one step towards rest along the axis of the largest |index|, the first of
 * equals. So a state depends on its point alone, and not on the order of the work. false for the point of rest. */
bool qn_grid_parent(const int32_t index[3], int32_t parent[3]);

/* Steps from rest by parents: the sum of |index|. */
int qn_grid_depth(const int32_t index[3]);

/* Lowest corner of the cell that has a place; places on the last face belong to the last cell. The place is clamped
 * into the grid first; returns whether it was inside. */
bool qn_grid_cell(const qn_grid *grid, double place[3], int32_t cell[3]);

#endif
