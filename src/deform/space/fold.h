/* Folds: places of the tool for which the body has two answers.
 *
 * Two neighbours belong to the same answer if the tool can be moved from one to the other and the body follows. Where
 * their forces do not fit each other, each is solved from the other. If that ends in another state than the one that
 * was known, or nowhere, a fold lies between them. */
#ifndef QN_DEFORM_SPACE_FOLD_H
#define QN_DEFORM_SPACE_FOLD_H

#include "deform/space/grid.h"

/* Whether the force of one state differs from f + H δ of the other by more than 20 % of the larger force. Neither is
 * unsolved. */
bool qn_fold_is_suspected(const qn_grid_state *one, const qn_grid_state *other, double step);

/* Whether a way from one state to its neighbour that ends with this force has not ended in the known state: the forces
 * differ by more than 1e-3 of the larger force of the two states. */
bool qn_fold_is_other_answer(const qn_grid_state *from, const qn_grid_state *known, const double force[3]);

/* Solve a state at a point from another. */
typedef qn_status (*qn_fold_solve)(void *user, const int32_t index[3], const qn_grid_state *from, qn_grid_state *state);

/* Whether a fold lies between the states of two neighbours, `lower` before `upper` on an axis. `spare` has arrays and
 * is overwritten. The result depends on the two states alone. Errors of `solve`. */
QN_MUST_CHECK qn_status qn_fold_check(const qn_grid_state *lower, const qn_grid_state *upper, qn_fold_solve solve,
                                      void *user, qn_grid_state *spare, bool *is_fold);

/* The flag of a fold along an axis, which the lower state has. */
static inline uint32_t qn_fold_flag(int axis)
{
    return (uint32_t)QN_GRID_FOLD_X << axis;
}

#endif
