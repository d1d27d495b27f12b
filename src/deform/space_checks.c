/* Interpolated forces and shapes compared with solved ones, at random places of the grid. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/space/cell.h"
#include "deform/space_run.h"
#include "math/random.h"
#include "math/vector.h"

enum { STREAM = 0x64656631 }; /* of the random places */

/* The cell that has the place, with its corners. */
static void find_cell(const qn_deform_space_run *run, double place[3], qn_cell *cell)
{
    int32_t index[3];
    qn_grid_cell(&run->grid, place, index);
    qn_cell_begin(&run->grid, index, cell);
    for (int corner = 0; corner < 8; corner++)
        if (qn_cell_corner(cell, corner, index))
            cell->corners[corner] = &run->states[qn_grid_number(&run->grid, index)];
}

/* Largest distance of a node between both shapes, over the largest displacement of the solved one. */
static double compare_shapes(const qn_body *body, const double *solved, const float *interpolated)
{
    double largest = 0, farthest = 0;
    for (size_t node = 0; node < body->pattern.node_count; node++) {
        const uint32_t first = body->pattern.first_freedom[node];
        double moved = 0, apart = 0;
        for (unsigned axis = 0; axis < 3; axis++) {
            const double u = solved[first + axis], difference = u - (double)interpolated[first + axis];
            moved += u * u;
            apart += difference * difference;
        }
        farthest = fmax(farthest, moved);
        largest = fmax(largest, apart);
    }
    return sqrt(largest / farthest);
}

typedef struct checking {
    qn_deform_space_run *run;
    float *shapes; /* [worker][freedom_count] */
} checking;

static qn_status make_check(size_t index, int worker, void *user)
{
    const checking *all = user;
    qn_deform_space_run *run = all->run;
    qn_space_check *check = &run->checks[index];
    float *shape = all->shapes + (size_t)worker * run->setup.body->freedom_count;
    double weights[8];
    qn_cell cell;
    qn_state *found;
    for (int axis = 0; axis < 3; axis++)
        check->place[axis] =
            run->grid.step *
            (run->grid.least[axis] + qn_random_uniform(run->options->run.seed, STREAM, 3 * index + (size_t)axis) *
                                         (run->grid.most[axis] - run->grid.least[axis]));
    find_cell(run, check->place, &cell);
    if (!qn_cell_is_whole(&cell)) return QN_OK;
    qn_cell_weights(&cell, check->place, weights);
    int nearest = 0;
    for (int corner = 1; corner < 8; corner++)
        if (weights[corner] > weights[nearest]) nearest = corner;
    QN_TRY(qn_deform_solve_from(&run->workers, worker, run->grid.step, cell.corners[nearest], check->place, &found));
    if (!found->converged) return QN_OK;
    check->is_valid = true;
    memcpy(check->force, found->force, sizeof check->force);
    qn_cell_force(&cell, QN_INTERPOLATION_GRADIENT, check->place, check->gradient);
    qn_cell_force(&cell, QN_INTERPOLATION_ENERGY, check->place, check->energy);
    qn_cell_force(&cell, QN_INTERPOLATION_LINEAR, check->place, check->linear);
    qn_cell_shape(&cell, check->place, run->setup.body->freedom_count, shape);
    check->shape_error = compare_shapes(run->setup.body, found->x, shape);
    return QN_OK;
}

qn_status qn_space_checks_make(qn_deform_space_run *run)
{
    checking all = {.run = run};
    run->check_count = (size_t)run->options->checks;
    QN_TRY(qn_allocate(run->check_count, sizeof *run->checks, (void **)&run->checks));
    QN_TRY(qn_allocate((size_t)run->workers.count * run->setup.body->freedom_count, sizeof *all.shapes,
                       (void **)&all.shapes));
    const qn_status status = qn_pool_run(run->job->pool, run->check_count, make_check, &all);
    qn_release(&all.shapes);
    return status;
}

double qn_space_check_error(const qn_space_check *check, qn_deform_interpolation way)
{
    const double *force = way == QN_DEFORM_GRADIENT ? check->gradient
                          : way == QN_DEFORM_ENERGY ? check->energy
                                                    : check->linear;
    return check->is_valid ? qn_vector_distance(force, check->force) / qn_vector_length(check->force) : NAN;
}

double qn_space_checks_largest(const qn_deform_space_run *run, qn_deform_interpolation way)
{
    double largest = NAN;
    for (size_t i = 0; i < run->check_count; i++) /* fmax leaves NaN out */
        largest = fmax(largest, qn_space_check_error(&run->checks[i], way));
    return largest;
}
