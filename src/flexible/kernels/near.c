/* Lists of a receptor's atoms near each cell of a grid, for exact energies (search.h). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "runtime/filled_buffer.h"
#include "runtime/prelude/prelude_host.h"
#include "score/vina.h"

#include "flexible/kernels/search.dev.h"

/* Small cells have short lists, but there are more of them. */
enum { SIDE_LEAST = 4, CELLS_MOST = 1 << 15 };
static const double reach_angstrom = QN_VINA_CUTOFF_ANGSTROM + 1e-3; /* and what rounding takes off */

/* Lists that are being made. */
typedef struct near_lists {
    const qn_flexible_grid *grid;
    qn_flexible_near *near;
    double side_angstrom, corner[3]; /* of cells; of the grid, relative to its centre */
    int32_t *starts, *atoms;
    float (*places)[4]; /* [atom] relative to the grid's centre; its row of Vina's table, as bits */
} near_lists;

static int cells_along(const qn_flexible_grid *grid, int side, int axis)
{
    return (grid->points[axis] - 1) / side + 1;
}

static double cells_of(const qn_flexible_grid *grid, int side)
{
    return (double)cells_along(grid, side, 0) * cells_along(grid, side, 1) * cells_along(grid, side, 2);
}

static void lay_out(const qn_flexible_grid *grid, near_lists *lists)
{
    qn_flexible_near *near = lists->near;
    near->side = SIDE_LEAST;
    while (cells_of(grid, near->side) > CELLS_MOST) near->side++;
    lists->side_angstrom = near->side * QN_FLEXIBLE_SPACING_ANGSTROM;
    for (int d = 0; d < 3; d++) {
        near->cells[d] = cells_along(grid, near->side, d);
        lists->corner[d] = -0.5 * QN_FLEXIBLE_SPACING_ANGSTROM * (grid->points[d] - 1);
    }
}

/* Distance along an axis from a place to a cell. */
static double beside(const near_lists *lists, double place, int axis, int cell)
{
    const double from = lists->corner[axis] + cell * lists->side_angstrom;
    return fmax(0, fmax(from - place, place - from - lists->side_angstrom));
}

typedef void (*cell_task)(near_lists *lists, size_t cell, int atom);

/* Call for the cells in reach of an atom. */
static void each_cell(near_lists *lists, int atom, cell_task task)
{
    const int *cells = lists->near->cells;
    const double square = reach_angstrom * reach_angstrom;
    int from[3], to[3];
    for (int d = 0; d < 3; d++) {
        const double first =
                         ((double)lists->places[atom][d] - reach_angstrom - lists->corner[d]) / lists->side_angstrom,
                     last = ((double)lists->places[atom][d] + reach_angstrom - lists->corner[d]) / lists->side_angstrom;
        from[d] = (int)fmin(fmax(0, floor(first)), cells[d]);
        to[d] = (int)fmax(-1, fmin(cells[d] - 1, floor(last)));
    }
    for (int k = from[2]; k <= to[2]; k++)
        for (int j = from[1]; j <= to[1]; j++) {
            const double y = beside(lists, (double)lists->places[atom][1], 1, j),
                         z = beside(lists, (double)lists->places[atom][2], 2, k);
            for (int i = from[0]; i <= to[0]; i++) {
                const double x = beside(lists, (double)lists->places[atom][0], 0, i);
                if (x * x + y * y + z * z < square)
                    task(lists, ((size_t)k * (size_t)cells[1] + (size_t)j) * (size_t)cells[0] + (size_t)i, atom);
            }
        }
}

static void count_atom(near_lists *lists, size_t cell, int atom)
{
    (void)atom;
    lists->starts[cell + 2]++;
}

static void list_atom(near_lists *lists, size_t cell, int atom)
{
    lists->atoms[lists->starts[cell + 1]++] = atom;
}

/* Atoms are listed by rising number, so that sums have the same bits everywhere. */
static qn_status make_lists(const qn_score_receptor *receptor, near_lists *lists)
{
    const size_t cells = (size_t)cells_of(lists->grid, lists->near->side);
    QN_TRY(qn_allocate(receptor->atom_count + 1, sizeof *lists->places, (void **)&lists->places));
    QN_TRY(qn_allocate(cells + 2, sizeof *lists->starts, (void **)&lists->starts));
    for (size_t i = 0; i < receptor->atom_count; i++) {
        for (size_t d = 0; d < 3; d++)
            lists->places[i][d] = (float)(receptor->positions_angstrom[3 * i + d] - lists->grid->centre_angstrom[d]);
        memcpy(&lists->places[i][3], &(int32_t){receptor->types[i]}, sizeof(int32_t));
        each_cell(lists, (int)i, count_atom);
    }
    for (size_t cell = 0; cell < cells; cell++) lists->starts[cell + 2] += lists->starts[cell + 1];
    const size_t all = (size_t)lists->starts[cells + 1];
    QN_TRY(qn_allocate(all + 1, sizeof *lists->atoms, (void **)&lists->atoms)); /* a buffer is never empty */
    for (size_t i = 0; i < receptor->atom_count; i++) each_cell(lists, (int)i, list_atom);
    lists->near->mean = (double)all / (double)cells;
    return QN_OK;
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_flexible_near *near, qn_buffer **buffer)
{
    near->bytes += (double)bytes;
    return qn_buffer_create_filled(queue, data, bytes, buffer);
}

static qn_status upload_all(qn_queue *queue, const qn_score_receptor *receptor, const near_lists *lists)
{
    static const size_t row_bytes = 4 * sizeof(float);
    float pairs[QN_SEARCH_TYPES * QN_SEARCH_TYPES][4] = {{0}};
    qn_flexible_near *near = lists->near;
    const size_t cells = (size_t)cells_of(lists->grid, near->side), all = (size_t)lists->starts[cells];
    int rows;
    (void)qn_vina_type_table(&rows);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++) qn_flexible_pair_parameters(a, b, pairs[a * QN_SEARCH_TYPES + b]);
    QN_TRY(upload(queue, lists->starts, (cells + 1) * sizeof *lists->starts, near, &near->starts));
    QN_TRY(upload(queue, lists->atoms, (all + 1) * sizeof *lists->atoms, near, &near->list));
    QN_TRY(upload(queue, lists->places, (receptor->atom_count + 1) * row_bytes, near, &near->atoms));
    QN_TRY(upload(queue, pairs, sizeof pairs, near, &near->pairs));
    return qn_queue_finish(queue);
}

qn_status qn_flexible_near_create(qn_queue *queue, const qn_score_receptor *receptor, const qn_flexible_grid *grid,
                                  qn_flexible_near *near)
{
    near_lists lists = {.grid = grid, .near = near};
    *near = (qn_flexible_near){0};
    lay_out(grid, &lists);
    qn_status status = make_lists(receptor, &lists);
    if (status == QN_OK) status = upload_all(queue, receptor, &lists);
    qn_release(&lists.starts);
    qn_release(&lists.atoms);
    qn_release(&lists.places);
    if (status != QN_OK) qn_flexible_near_clear(near);
    return status;
}

void qn_flexible_near_clear(qn_flexible_near *near)
{
    qn_buffer_release(&near->starts);
    qn_buffer_release(&near->list);
    qn_buffer_release(&near->atoms);
    qn_buffer_release(&near->pairs);
}
