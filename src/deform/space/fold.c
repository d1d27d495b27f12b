#include "deform/space/fold.h"

#include <math.h>

#include "base/error.h"
#include "deform/space/cell.h"
#include "math/vector.h"

static const double suspicion = 0.2, sameness = 1e-3;

/* The distance of two forces, as a part of the larger of two others. */
static double difference(const double a[3], const double b[3], const double one[3], const double other[3])
{
    const double size = fmax(qn_vector_length(one), qn_vector_length(other));
    return size > 0 ? qn_vector_distance(a, b) / size : 0;
}

/* How far the force of `state` is from what `from` predicts. */
static double surprise(const qn_grid_state *from, const qn_grid_state *state, double step)
{
    double place[3], force[3];
    for (int axis = 0; axis < 3; axis++) place[axis] = step * state->index[axis];
    qn_grid_state_extrapolate(from, step, place, force);
    return difference(force, state->force, from->force, state->force);
}

bool qn_fold_is_suspected(const qn_grid_state *one, const qn_grid_state *other, double step)
{
    return surprise(one, other, step) > suspicion || surprise(other, one, step) > suspicion;
}

bool qn_fold_is_other_answer(const qn_grid_state *from, const qn_grid_state *known, const double force[3])
{
    return difference(force, known->force, from->force, known->force) > sameness;
}

static qn_status has_other_answer(const qn_grid_state *from, const qn_grid_state *known, qn_fold_solve solve,
                                  void *user, qn_grid_state *spare, bool *is_fold)
{
    QN_TRY(solve(user, known->index, from, spare));
    *is_fold = spare->flags & QN_GRID_UNSOLVED || qn_fold_is_other_answer(from, known, spare->force);
    return QN_OK;
}

qn_status qn_fold_check(const qn_grid_state *lower, const qn_grid_state *upper, qn_fold_solve solve, void *user,
                        qn_grid_state *spare, bool *is_fold)
{
    QN_TRY(has_other_answer(lower, upper, solve, user, spare, is_fold));
    if (*is_fold) return QN_OK;
    return has_other_answer(upper, lower, solve, user, spare, is_fold);
}
