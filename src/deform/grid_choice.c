/* The grid of a configuration space: its reach, and a step whose error is small enough. */
#include "deform/grid_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/space/cell.h"
#include "math/vector.h"

enum { POINTS_MAX = 1 << 24, TRIAL_CELLS = 3, TRIAL_PLACES = 4 };

/* Steps tried by --step auto, as parts of the reach. */
static const int parts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};

/* ---- reach ---- */

/* A choice in work. */
typedef struct choice {
    qn_job *job;
    const qn_deform_options *options;
    qn_deform_workers *workers;
    const qn_deform_setup *setup;
    qn_grid grid;
    double chosen_error;
} choice;

typedef struct box {
    double least[3], most[3]; /* m */
} box;

static qn_status fail_reach(const char *text)
{
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "--reach is \"%s\"; expected a length in m, as 0.03, or a box with rest (0, 0, 0) inside, as "
                   "-0.01:0.01,-0.03:0,-0.01:0.01",
                   text);
}

static bool read_number(const char **text, char ending, double *value)
{
    char *end;
    *value = strtod(*text, &end);
    if (end == *text || !isfinite(*value) || *end != ending) return false;
    *text = end + 1;
    return true;
}

static qn_status read_reach(const char *text, box *reach)
{
    const char *rest = text;
    double length;
    if (read_number(&rest, '\0', &length)) {
        if (!(length > 0)) return fail_reach(text);
        for (int axis = 0; axis < 3; axis++) reach->least[axis] = -length, reach->most[axis] = length;
        return QN_OK;
    }
    rest = text;
    for (int axis = 0; axis < 3; axis++) {
        if (!read_number(&rest, ':', &reach->least[axis]) ||
            !read_number(&rest, axis < 2 ? ',' : '\0', &reach->most[axis]))
            return fail_reach(text);
        if (!(reach->least[axis] <= 0) || !(reach->most[axis] >= 0)) return fail_reach(text);
    }
    return QN_OK;
}

static double longest(const box *reach)
{
    double found = 0;
    for (int axis = 0; axis < 3; axis++) found = fmax(found, fmax(-reach->least[axis], reach->most[axis]));
    return found;
}

/* All points within the reach. A part of a step that is missing for rounding alone is none. */
static qn_status make_grid(choice *run, const box *reach, double step)
{
    double points = 1;
    run->grid.step = step;
    for (int axis = 0; axis < 3; axis++) {
        const double least = ceil(reach->least[axis] / step - 1e-9), most = floor(reach->most[axis] / step + 1e-9);
        points *= most - least + 1;
        if (!(points <= POINTS_MAX))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--step %g m and --reach \"%s\" make a grid of %.3g states or more; expected at most %d",
                           step, run->options->reach, points, (int)POINTS_MAX);
        run->grid.least[axis] = (int32_t)least;
        run->grid.most[axis] = (int32_t)most;
    }
    if (points < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--step is %g m and --reach \"%s\"; expected a reach of at least one step",
                       step, run->options->reach);
    return QN_OK;
}

/* ---- trial cells ---- */

/* Outward normal of the surface where the tool holds it, and a direction along the surface. */
static void find_directions(const qn_deform_setup *setup, double normal[3], double along[3])
{
    const qn_mesh_surface *surface = &setup->surface;
    const double *positions = setup->mesh->positions;
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *nodes = surface->triangles + i * (size_t)surface->triangle_nodes;
        bool is_held = false;
        for (size_t k = 0; k < setup->held.count; k++)
            for (int corner = 0; corner < 3; corner++) is_held |= nodes[corner] == setup->held.nodes[k];
        if (!is_held) continue;
        double a[3], b[3];
        for (int axis = 0; axis < 3; axis++) {
            a[axis] = positions[3 * nodes[1] + (unsigned)axis] - positions[3 * nodes[0] + (unsigned)axis];
            b[axis] = positions[3 * nodes[2] + (unsigned)axis] - positions[3 * nodes[0] + (unsigned)axis];
        }
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += a[(axis + 1) % 3] * b[(axis + 2) % 3] - a[(axis + 2) % 3] * b[(axis + 1) % 3];
    }
    const double length = qn_vector_length(sum);
    for (int axis = 0; axis < 3; axis++) normal[axis] = length > 0 ? sum[axis] / length : axis == 2;
    const int least = fabs(normal[0]) <= fabs(normal[1]) && fabs(normal[0]) <= fabs(normal[2]) ? 0
                      : fabs(normal[1]) <= fabs(normal[2])                                     ? 1
                                                                                               : 2;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        along[axis] = (axis == least) - normal[least] * normal[axis];
        square += along[axis] * along[axis];
    }
    for (int axis = 0; axis < 3; axis++) along[axis] /= sqrt(square);
}

/* Solve the corners of a cell; false where one has no balance. */
static qn_status solve_corners(choice *run, qn_cell *cell, qn_grid_state states[8], bool *has_balance)
{
    qn_state *const found = &run->workers->found[0];
    *has_balance = false;
    for (int corner = 0; corner < 8; corner++) {
        int32_t index[3];
        double place[3];
        if (!qn_cell_corner(cell, corner, index)) continue;
        for (int axis = 0; axis < 3; axis++) place[axis] = run->grid.step * index[axis];
        QN_TRY(qn_solver_solve(run->workers->solvers[0], &run->workers->rest, place, found));
        if (!found->converged) return QN_OK;
        qn_deform_keep_state(run->setup, found, index, &states[corner]);
        cell->corners[corner] = &states[corner];
    }
    *has_balance = true;
    return QN_OK;
}

/* Largest relative error of the force at four places of a cell; NaN where a corner or all places have no balance. At
 * the centre, and in the middle between corners, the leading terms of the errors are 0, because they are odd there. So
 * the places are corners of a tetrahedron, a quarter of the step away from faces. */
static qn_status try_cell(choice *run, const int32_t lowest[3], qn_grid_state states[8], double *error)
{
    static const qn_interpolation ways[] = {QN_INTERPOLATION_GRADIENT, QN_INTERPOLATION_ENERGY,
                                            QN_INTERPOLATION_LINEAR};
    static const double parts_of_cell[TRIAL_PLACES][3] = {
        {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    qn_cell cell;
    bool has_balance;
    const qn_state *const found = &run->workers->found[0];
    qn_cell_begin(&run->grid, lowest, &cell);
    *error = NAN;
    QN_TRY(solve_corners(run, &cell, states, &has_balance));
    for (int i = 0; has_balance && i < TRIAL_PLACES; i++) {
        double place[3], force[3];
        for (int axis = 0; axis < 3; axis++)
            place[axis] = run->grid.step * (lowest[axis] + (cell.is_flat[axis] ? 0 : parts_of_cell[i][axis]));
        QN_TRY(qn_solver_solve(run->workers->solvers[0], &run->workers->rest, place, &run->workers->found[0]));
        if (!found->converged) continue;
        qn_cell_force(&cell, ways[run->options->interpolation], place, force);
        *error = fmax(*error, qn_vector_distance(force, found->force) / qn_vector_length(found->force));
    }
    return QN_OK;
}

/* Largest error of three cells: half-way into the body, out of it, and along its surface. A cell without a balance says
 * nothing about the step; NaN: none has one. */
static qn_status try_step(choice *run, const box *reach, double directions[TRIAL_CELLS][3], qn_grid_state states[8],
                          double *largest)
{
    *largest = NAN;
    for (int trial = 0; trial < TRIAL_CELLS; trial++) {
        int32_t lowest[3];
        double place[3], error;
        for (int axis = 0; axis < 3; axis++) place[axis] = 0.5 * longest(reach) * directions[trial][axis];
        qn_grid_cell(&run->grid, place, lowest);
        QN_TRY(try_cell(run, lowest, states, &error));
        *largest = fmax(*largest, error); /* fmax leaves NaN out */
    }
    return QN_OK;
}

static qn_status choose_step(choice *run, const box *reach, qn_grid_state states[8])
{
    double directions[TRIAL_CELLS][3];
    bool has_balance = false;
    find_directions(run->setup, directions[1], directions[2]);
    for (int axis = 0; axis < 3; axis++) directions[0][axis] = -directions[1][axis];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        QN_TRY(make_grid(run, reach, longest(reach) / parts[i]));
        QN_TRY(try_step(run, reach, directions, states, &run->chosen_error));
        if (run->chosen_error <= run->options->accuracy) return QN_OK;
        has_balance |= !isnan(run->chosen_error);
    }
    if (!has_balance)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "no step can be chosen, since the body has no balance half-way to --reach \"%s\"; expected a shorter "
            "reach, or a --step",
            run->options->reach);
    return qn_job_warn(run->job,
                       "no step down to %.3g m reaches --accuracy %g in the trial cells (error %.2g); it is used",
                       run->grid.step, run->options->accuracy, run->chosen_error);
}

/* Choose a step by trial cells, whose states need memory. */
static qn_status choose_by_trials(choice *run, const box *reach)
{
    const size_t count = run->setup->body->freedom_count;
    qn_grid_state states[8] = {{.flags = 0}};
    float *arrays = NULL;
    QN_TRY(qn_allocate(8 * 4 * count, sizeof *arrays, (void **)&arrays));
    for (size_t i = 0; i < 8; i++) states[i].x = arrays + 4 * count * i, states[i].change = states[i].x + count;
    const qn_status status = choose_step(run, reach, states);
    qn_release(&arrays);
    return status;
}

qn_status qn_deform_choose_grid(qn_job *job, const qn_deform_options *options, qn_deform_workers *workers,
                                qn_grid *grid, double *error)
{
    choice run = {.job = job, .options = options, .workers = workers, .setup = workers->setup, .chosen_error = NAN};
    box reach;
    QN_TRY(read_reach(options->reach, &reach));
    if (options->step > 0)
        QN_TRY(make_grid(&run, &reach, options->step));
    else if (longest(&reach) > 0)
        QN_TRY(choose_by_trials(&run, &reach));
    else
        return fail_reach(options->reach);
    *grid = run.grid;
    *error = run.chosen_error;
    return QN_OK;
}
