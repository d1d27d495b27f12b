#include "potential/maps/atom_lists.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double cell_edge_angstrom = 4, margin_angstrom = 1e-3;

enum { CELLS_MAX = 1 << 22 };

static double reach(void)
{
    return QN_POTENTIAL_CUTOFF_ANGSTROM + margin_angstrom;
}

/* ---- atoms near the grid, sorted ---- */

static int class_of(const qn_potential_model *model, size_t atom)
{
    const qn_potential_role role = model->parameters->types[model->types[atom]].role;
    return qn_potential_is_donor(role)      ? QN_ATOM_DONOR
           : qn_potential_is_acceptor(role) ? QN_ATOM_ACCEPTOR
                                            : QN_ATOM_OTHER;
}

static bool is_near(const qn_potential_model *model, size_t atom)
{
    const qn_potential_grid *grid = &model->settings.grid;
    for (int k = 0; k < 3; k++)
        if (fabs(model->positions_angstrom[3 * atom + (size_t)k]) >
            qn_potential_grid_offset(grid, k, grid->points[k] - 1) + reach())
            return false;
    return true;
}

/* Cells cover the grid and what is near; their edge grows where there would be too many. */
static void choose_cells(qn_atom_lists *lists)
{
    const qn_potential_grid *grid = &lists->model->settings.grid;
    lists->edge = cell_edge_angstrom;
    for (;;) {
        double count = 1;
        for (int k = 0; k < 3; k++) {
            lists->origin[k] = qn_potential_grid_offset(grid, k, 0) - reach();
            lists->cells[k] = (int)fmin(-2 * lists->origin[k] / lists->edge + 1, CELLS_MAX);
            count *= lists->cells[k];
        }
        if (count <= CELLS_MAX) return;
        lists->edge *= 2;
    }
}

static int cell_along(const qn_atom_lists *lists, int axis, double place)
{
    const double cell = floor((place - lists->origin[axis]) / lists->edge);
    return (int)fmin(fmax(cell, 0), lists->cells[axis] - 1);
}

static size_t bin_of(const qn_atom_lists *lists, size_t atom)
{
    const double *place = lists->model->positions_angstrom + 3 * atom;
    size_t cell = (size_t)class_of(lists->model, atom);
    for (int k = 2; k >= 0; k--) cell = cell * (size_t)lists->cells[k] + (size_t)cell_along(lists, k, place[k]);
    return cell;
}

static void sort_atoms(qn_atom_lists *lists, size_t bins)
{
    const qn_potential_model *model = lists->model;
    int *begin = lists->cell_begin;
    for (size_t i = 0; i < model->atom_count; i++)
        if (is_near(model, i)) begin[bin_of(lists, i) + 1]++;
    for (size_t bin = 0; bin < bins; bin++) begin[bin + 1] += begin[bin];
    for (size_t i = 0; i < model->atom_count; i++) {
        if (!is_near(model, i)) continue;
        const size_t place = (size_t)begin[bin_of(lists, i)]++;
        lists->atoms[place] = (int)i;
        memcpy(lists->positions + 3 * place, model->positions_angstrom + 3 * i, 3 * sizeof(double));
        lists->atom_count++;
    }
    memmove(begin + 1, begin, bins * sizeof *begin);
    begin[0] = 0;
}

qn_status qn_atom_lists_create(const qn_potential_model *model, int brick, qn_atom_lists *lists)
{
    *lists = (qn_atom_lists){.model = model, .brick = brick};
    choose_cells(lists);
    const size_t cells = (size_t)lists->cells[0] * (size_t)lists->cells[1] * (size_t)lists->cells[2];
    QN_TRY(qn_allocate(QN_ATOM_CLASSES * cells + 1, sizeof(int), (void **)&lists->cell_begin));
    QN_TRY(qn_allocate(model->atom_count, sizeof(int), (void **)&lists->atoms));
    QN_TRY(qn_allocate(3 * model->atom_count, sizeof(double), (void **)&lists->positions));
    sort_atoms(lists, QN_ATOM_CLASSES * cells);
    for (int class = 0; class <= QN_ATOM_CLASSES; class ++)
        lists->class_begin[class] = lists->cell_begin[(size_t) class * cells];
    return QN_OK;
}

void qn_atom_lists_clear(qn_atom_lists *lists)
{
    qn_release(&lists->atoms);
    qn_release(&lists->cell_begin);
    qn_release(&lists->positions);
}

/* ---- lists of bricks ---- */

typedef struct brick_box {
    double low[3], high[3];
    int first_cell[3], end_cell[3];
} brick_box;

static brick_box box_of(const qn_atom_lists *lists, const int first[3])
{
    const qn_potential_grid *grid = &lists->model->settings.grid;
    brick_box box;
    for (int k = 0; k < 3; k++) {
        const int last = first[k] + lists->brick < grid->points[k] ? first[k] + lists->brick : grid->points[k];
        box.low[k] = qn_potential_grid_offset(grid, k, first[k]);
        box.high[k] = qn_potential_grid_offset(grid, k, last - 1);
        box.first_cell[k] = cell_along(lists, k, box.low[k] - reach());
        box.end_cell[k] = cell_along(lists, k, box.high[k] + reach()) + 1;
    }
    return box;
}

static double gap(double low, double high, double place)
{
    return place < low ? low - place : place > high ? place - high : 0;
}

/* Distance between the box and a cell along an axis. */
static double cell_gap(const qn_atom_lists *lists, const brick_box *box, int axis, int cell)
{
    const double begin = lists->origin[axis] + cell * lists->edge;
    return fmax(fmax(begin - box->high[axis], box->low[axis] - begin - lists->edge), 0);
}

/* Append the near atoms of a row of cells to `list` (NULL: only count them). Returns their number. */
static int take_row(const qn_atom_lists *lists, const brick_box *box, size_t row, int *list)
{
    int count = 0;
    const int *begin = lists->cell_begin + row * (size_t)lists->cells[0];
    const int end = begin[box->end_cell[0]];
    for (int i = begin[box->first_cell[0]]; i < end; i++) {
        const double *place = lists->positions + 3 * (size_t)i;
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double distance = gap(box->low[k], box->high[k], place[k]);
            square += distance * distance;
        }
        if (square > reach() * reach()) continue;
        if (list) list[count] = i;
        count++;
    }
    return count;
}

static int take_class(const qn_atom_lists *lists, const brick_box *box, int class, int *list)
{
    int count = 0;
    for (int z = box->first_cell[2]; z < box->end_cell[2]; z++)
        for (int y = box->first_cell[1]; y < box->end_cell[1]; y++) {
            const double gap_y = cell_gap(lists, box, 1, y), gap_z = cell_gap(lists, box, 2, z);
            if (gap_y * gap_y + gap_z * gap_z > reach() * reach()) continue;
            const size_t row =
                ((size_t) class * (size_t)lists->cells[2] + (size_t)z) * (size_t)lists->cells[1] + (size_t)y;
            count += take_row(lists, box, row, list ? list + count : NULL);
        }
    return count;
}

typedef struct listing {
    const qn_atom_lists *lists;
    qn_brick_lists *out;
    int first; /* plane */
    bool fills;
} listing;

/* Count or fill the lists of a row of bricks along x. */
static qn_status list_row(size_t row, int worker, void *user)
{
    const listing *work = user;
    qn_brick_lists *out = work->out;
    (void)worker;
    for (int x = 0; x < out->bricks[0]; x++) {
        const size_t brick = row * (size_t)out->bricks[0] + (size_t)x;
        const int first[3] = {x * work->lists->brick, (int)(row % (size_t)out->bricks[1]) * work->lists->brick,
                              work->first + (int)(row / (size_t)out->bricks[1]) * work->lists->brick};
        const brick_box box = box_of(work->lists, first);
        int *starts = out->starts + 4 * brick;
        for (int class = 0; class < QN_ATOM_CLASSES; class ++) {
            int *list = out->atoms + starts[class];
            const int count = take_class(work->lists, &box, class, work->fills ? list : NULL);
            if (!work->fills) starts[class] = count;
        }
    }
    return QN_OK;
}

/* Turn the counts of classes into places. */
static qn_status place_lists(qn_brick_lists *out, size_t bricks)
{
    size_t total = 0;
    for (size_t brick = 0; brick < bricks; brick++) {
        int *starts = out->starts + 4 * brick;
        for (int class = 0; class < QN_ATOM_CLASSES; class ++) {
            const int count = starts[class];
            starts[class] = (int)total;
            total += (size_t)count;
        }
        starts[QN_ATOM_CLASSES] = (int)total;
        if (total > INT_MAX - (1 << 20))
            return QN_FAIL(QN_UNSUPPORTED, "the lists of atoms near a slab are longer than %d; expected fewer atoms",
                           INT_MAX);
    }
    out->atom_count = total;
    return QN_OK;
}

qn_status qn_brick_lists_make(const qn_atom_lists *lists, qn_pool *pool, int first, int count, qn_brick_lists *out)
{
    const int *points = lists->model->settings.grid.points;
    out->bricks[0] = (points[0] + lists->brick - 1) / lists->brick;
    out->bricks[1] = (points[1] + lists->brick - 1) / lists->brick;
    out->bricks[2] = (count + lists->brick - 1) / lists->brick;
    const size_t rows = (size_t)out->bricks[1] * (size_t)out->bricks[2], bricks = rows * (size_t)out->bricks[0];
    listing work = {lists, out, first, false};
    QN_TRY(qn_grow((void **)&out->starts, &out->starts_capacity, 4 * bricks, sizeof(int)));
    if (!out->atoms) QN_TRY(qn_grow((void **)&out->atoms, &out->capacity, 1, sizeof(int)));
    memset(out->starts, 0, 4 * bricks * sizeof(int));
    QN_TRY(qn_pool_run(pool, rows, list_row, &work));
    QN_TRY(place_lists(out, bricks));
    QN_TRY(qn_grow((void **)&out->atoms, &out->capacity, out->atom_count + 1, sizeof(int)));
    work.fills = true;
    return qn_pool_run(pool, rows, list_row, &work);
}

void qn_brick_lists_clear(qn_brick_lists *lists)
{
    qn_release(&lists->atoms);
    qn_release(&lists->starts);
    *lists = (qn_brick_lists){0};
}
