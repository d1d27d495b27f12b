#include "score/kernels/score_poses_lists.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* Largest rounding error of positions and distances in single precision (Å). */
static const double margin_angstrom = 0.01;
/* Limits: 64 MiB of entries, by an estimate; 2^16 cells, each of which has a bin for every ligand type. */
static const double most_entries = 1 << 24, most_cells = 1 << 16;
static const double growth = 1.1; /* factor of the side of cells while there are too many */

static const double pi = 3.14159265358979;

/* State while lists are made: entries are counted first, then written. */
typedef struct list_maker {
    const qn_score_lists_request *request;
    qn_score_lists *lists;
    bool writes;
    double side;
} list_maker;

static bool is_alike(const double *a, const double *b, const int *count_of_type, int type_count)
{
    for (int type = 0; type < type_count; type++)
        if (count_of_type[type] > 0 && a[type] != b[type]) return false;
    return true;
}

/* Find class_of_row, and the first row of each class. */
static void find_classes(const qn_score_lists_request *request, const int *count_of_type, qn_score_lists *lists,
                         int *first_row)
{
    const int types = request->type_count;
    for (int row = 0; row < request->row_count; row++) {
        int class = 0;
        while (class < lists->class_count &&
               !is_alike(request->reach_angstrom + (size_t)row * (size_t)types,
                         request->reach_angstrom + (size_t)first_row[class] * (size_t)types, count_of_type, types))
            class ++;
        if (class == lists->class_count) first_row[lists->class_count++] = row;
        lists->class_of_row[row] = class;
    }
}

/* Estimate the entries of all lists: an atom is in the lists of all cells of its sphere, enlarged by one cell. */
static double estimate_entries(const qn_score_lists_request *request, const int *count_of_type, const int *first_row,
                               int classes, double side)
{
    double entries = 0;
    for (int class = 0; class < classes; class ++)
        for (int type = 0; type < request->type_count; type++) {
            const double reach = request->reach_angstrom[first_row[class] * request->type_count + type];
            const double grown = side * side * side + 6 * side * side * reach + 3 * pi * side * reach * reach +
                                 4 * pi / 3 * reach * reach * reach;
            if (reach > 0) entries += count_of_type[type] * grown / (side * side * side);
        }
    return entries;
}

/* Lay cells around all points within reach of any atom; returns their side. */
static double find_cells(const qn_score_lists_request *request, const int *count_of_type, const int *first_row,
                         qn_score_lists *lists)
{
    double low[3], high[3], reach = 0, side = request->smallest_side_angstrom;
    for (int i = 0; i < request->row_count * request->type_count; i++)
        reach = fmax(reach, request->reach_angstrom[i] + margin_angstrom);
    for (size_t axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = request->positions[axis];
        for (size_t j = 1; j < request->atom_count; j++) {
            low[axis] = fmin(low[axis], request->positions[3 * j + axis]);
            high[axis] = fmax(high[axis], request->positions[3 * j + axis]);
        }
    }
    for (;; side *= growth) {
        double number = 1;
        for (int axis = 0; axis < 3; axis++) number *= floor((high[axis] - low[axis] + 2 * reach) / side) + 1;
        if (number <= most_cells &&
            estimate_entries(request, count_of_type, first_row, lists->class_count, side) <= most_entries)
            break;
    }
    qn_score_cells *cells = &lists->cells;
    cells->cells_per_angstrom = (float)(1 / side);
    lists->cell_count = 1;
    for (int axis = 0; axis < 3; axis++) {
        cells->first[axis] = (float)(low[axis] - reach);
        cells->count[axis] = (int)((high[axis] - low[axis] + 2 * reach) / side) + 1;
        lists->cell_count *= cells->count[axis];
    }
    return 1 / (double)cells->cells_per_angstrom;
}

static void put(const list_maker *maker, int32_t *range, int32_t atom)
{
    if (maker->writes) maker->lists->atoms[range[0] + range[1]] = atom;
    range[1]++;
}

/* The atom without energy that may be the next entry of a list. */
static int32_t nobody(const list_maker *maker, const int32_t *range)
{
    const int32_t atom = (int32_t)maker->request->atom_count;
    return maker->request->keep_parity ? atom + ((atom + range[1]) & 1) : atom;
}

static void list_atom(const list_maker *maker, int32_t atom, int32_t *range)
{
    if (maker->request->keep_parity && ((range[1] ^ atom) & 1)) put(maker, range, nobody(maker, range));
    put(maker, range, atom);
}

/* Squared distance (Å²) along one axis from a position to the nearest point of a cell. */
static double gap_squared(const list_maker *maker, int axis, int cell, double place)
{
    const double low = (double)maker->lists->cells.first[axis] + maker->side * cell, high = low + maker->side;
    const double gap = place < low ? low - place : place > high ? place - high : 0;
    return gap * gap;
}

/* Find the cells along one axis with a point within `reach` of a position. */
static void find_span(const list_maker *maker, int axis, double place, double reach, int span[2])
{
    const double from = (place - reach - (double)maker->lists->cells.first[axis]) / maker->side;
    const double to = (place + reach - (double)maker->lists->cells.first[axis]) / maker->side;
    span[0] = (int)fmax(0, floor(from));
    span[1] = (int)fmin(maker->lists->cells.count[axis] - 1, floor(to));
}

/* Add an atom to the lists of all cells of a class within reach. */
static void list_in_reach(const list_maker *maker, int class, int32_t atom, double reach)
{
    const double *place = maker->request->positions + 3 * (size_t)atom;
    const qn_score_cells *cells = &maker->lists->cells;
    int32_t *ranges = maker->lists->ranges + 2 * (size_t) class * (size_t)maker->lists->cell_count;
    int x[2], y[2], z[2];
    find_span(maker, 1, place[1], reach, y);
    find_span(maker, 2, place[2], reach, z);
    for (int k = z[0]; k <= z[1]; k++)
        for (int j = y[0]; j <= y[1]; j++) {
            const double left = reach * reach - gap_squared(maker, 2, k, place[2]) - gap_squared(maker, 1, j, place[1]);
            if (left < 0) continue;
            find_span(maker, 0, place[0], sqrt(left), x);
            const size_t row = (size_t)cells->count[0] * ((size_t)j + (size_t)cells->count[1] * (size_t)k);
            for (int i = x[0]; i <= x[1]; i++) list_atom(maker, atom, ranges + 2 * (row + (size_t)i));
        }
}

static void fill_up(const list_maker *maker, int32_t *range)
{
    while (range[1] % maker->request->step != 0) put(maker, range, nobody(maker, range));
}

static void go_through(const list_maker *maker, const int *first_row)
{
    const qn_score_lists_request *request = maker->request;
    const size_t all = (size_t)maker->lists->class_count * (size_t)maker->lists->cell_count;
    for (int class = 0; class < maker->lists->class_count; class ++)
        for (size_t j = 0; j < request->atom_count; j++) {
            const double reach = request->reach_angstrom[first_row[class] * request->type_count + request->types[j]];
            if (reach > 0) list_in_reach(maker, class, (int32_t)j, reach + margin_angstrom);
        }
    for (size_t i = 0; i < all; i++) fill_up(maker, maker->lists->ranges + 2 * i);
}

static qn_status make_lists(const qn_score_lists_request *request, const int *first_row, double side,
                            qn_score_lists *lists)
{
    list_maker maker = {request, lists, false, side};
    const size_t all = (size_t)lists->class_count * (size_t)lists->cell_count;
    QN_TRY(qn_allocate(2 * all, sizeof *lists->ranges, (void **)&lists->ranges));
    go_through(&maker, first_row);
    for (size_t i = 0; i < all; i++) {
        lists->ranges[2 * i] = (int32_t)lists->entry_count;
        lists->entry_count += (size_t)lists->ranges[2 * i + 1];
        lists->ranges[2 * i + 1] = 0;
    }
    if (lists->entry_count > INT32_MAX)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%zu entries of cell lists", lists->entry_count);
    QN_TRY(qn_allocate(lists->entry_count + 1, sizeof *lists->atoms,
                       (void **)&lists->atoms)); /* at least one entry, since a buffer cannot be empty */
    maker.writes = true;
    go_through(&maker, first_row);
    return QN_OK;
}

qn_status qn_score_lists_create(const qn_score_lists_request *request, qn_score_lists *lists)
{
    int *count_of_type = NULL, *first_row = NULL;
    *lists = (qn_score_lists){0};
    qn_status status = qn_allocate((size_t)request->type_count, sizeof *count_of_type, (void **)&count_of_type);
    if (status == QN_OK) status = qn_allocate((size_t)request->row_count, sizeof *first_row, (void **)&first_row);
    if (status == QN_OK)
        status = qn_allocate((size_t)request->row_count, sizeof(int32_t), (void **)&lists->class_of_row);
    if (status == QN_OK) {
        for (size_t j = 0; j < request->atom_count; j++) count_of_type[request->types[j]]++;
        find_classes(request, count_of_type, lists, first_row);
        const double side = find_cells(request, count_of_type, first_row, lists);
        status = make_lists(request, first_row, side, lists);
    }
    qn_release(&count_of_type);
    qn_release(&first_row);
    if (status != QN_OK) qn_score_lists_clear(lists);
    return status;
}

void qn_score_lists_clear(qn_score_lists *lists)
{
    qn_release(&lists->class_of_row);
    qn_release(&lists->ranges);
    qn_release(&lists->atoms);
    *lists = (qn_score_lists){0};
}
