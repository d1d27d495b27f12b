#include "potential/maps/electrostatics.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/device_data.h"
#include "potential/maps/electrostatics_fit.h"
#include "potential/maps/kernels/electrostatics.h"
#include "potential/maps/tables.h"

enum {
    CELL_EDGE = 4000, /* mÅ, at least */
    CELLS_MAX = 128   /* along an axis */
};

static const double most_angstrom = 20000; /* from the centre */

/* Everything that is computed before the launches. */
typedef struct preparation {
    qn_float4 *atoms;  /* all, in the order of the input */
    qn_float4 *sorted; /* those that can be near a point, by cells */
    uint64_t *exact;   /* positions of the same, three doubles each */
    int *cell_of;      /* cell of each atom of the input; −1: none */
    int *starts;
    float *places, *weights; /* of every point of the three axes */
    uint64_t *places_exact;  /* as doubles */
    int *first;
    size_t atom_count, sorted_count, cell_count, place_count;
} preparation;

struct qn_electrostatics {
    qn_queue *queue;
    qn_potential_grid grid;
    qn_configuration configuration;
    bool has_configuration;
    const char *problem_class;
    int atom_count, planes_max, nodes[3];
    int *first;      /* node of each plane of points from which it is interpolated */
    bool *has_nodes; /* node planes of `values` that are computed */
    double near_pairs, middle_pairs;
    qn_work work[QN_ELECTROSTATICS_LAUNCHES];
    electrostatics_model model;
    electrostatics_cells cells;
    float origin[3]; /* of the nodes, mÅ */
    float guard;
    qn_buffer *atoms, *sorted, *exact, *starts, *table, *limits, *places, *places_exact, *weights, *first_nodes;
    qn_buffer *values, *rows, *columns; /* at all nodes; at points along x of some planes; likewise along x and y */
};

static size_t place_offset(const qn_potential_grid *grid, int axis)
{
    return (size_t)(axis > 0 ? grid->points[0] : 0) + (size_t)(axis > 1 ? grid->points[1] : 0);
}

static void clear_preparation(preparation *p)
{
    qn_release(&p->atoms);
    qn_release(&p->sorted);
    qn_release(&p->exact);
    qn_release(&p->cell_of);
    qn_release(&p->starts);
    qn_release(&p->places);
    qn_release(&p->weights);
    qn_release(&p->places_exact);
    qn_release(&p->first);
}

static qn_status allocate_preparation(preparation *p)
{
    const size_t atoms = p->atom_count + 1; /* buffers must not be empty */
    const size_t counts[9] = {atoms,          atoms,          atoms,          atoms,         p->cell_count + 1,
                              p->place_count, p->place_count, p->place_count, p->place_count};
    const size_t sizes[9] = {sizeof(qn_float4),
                             sizeof(qn_float4),
                             3 * sizeof(uint64_t),
                             sizeof(int),
                             sizeof(int),
                             sizeof(float),
                             sizeof(float) * ELECTROSTATICS_ORDER,
                             sizeof(uint64_t),
                             sizeof(int)};
    void **const places[9] = {(void **)&p->atoms,   (void **)&p->sorted,       (void **)&p->exact,
                              (void **)&p->cell_of, (void **)&p->starts,       (void **)&p->places,
                              (void **)&p->weights, (void **)&p->places_exact, (void **)&p->first};
    for (int i = 0; i < 9; i++) QN_TRY(qn_allocate(counts[i], sizes[i], places[i]));
    return QN_OK;
}

/* ---- points and nodes ---- */

static qn_status check_input(const qn_electrostatics_input *input)
{
    for (int axis = 0; axis < 3; axis++)
        if (-qn_potential_grid_offset(&input->grid, axis, 0) > most_angstrom)
            return QN_FAIL(QN_INVALID_ARGUMENT, "a grid of %d points with a spacing of %g Å; expected at most %g Å",
                           input->grid.points[axis], input->grid.spacing_angstrom, 2 * most_angstrom);
    for (size_t i = 0; i < 3 * input->atom_count; i++)
        if (!(fabs(input->positions_angstrom[i]) <= most_angstrom))
            return QN_FAIL(QN_INVALID_ARGUMENT, "atom %zu is %g Å from the centre of the grid; expected at most %g Å",
                           i / 3 + 1, fabs(input->positions_angstrom[i]), most_angstrom);
    return QN_OK;
}

/* Coordinates of the points of each axis, and the nodes and weights from which each is interpolated. The first point
 * lies at the fourth node. */
static void place_points(const qn_potential_grid *grid, preparation *p, qn_electrostatics *e)
{
    for (int axis = 0; axis < 3; axis++) {
        const double low = 1e3 * qn_potential_grid_offset(grid, axis, 0), node = (double)ELECTROSTATICS_NODE;
        e->origin[axis] = (float)(low - 3 * node);
        for (int i = 0; i < grid->points[axis]; i++) {
            const size_t place = place_offset(grid, axis) + (size_t)i;
            const double offset = qn_potential_grid_offset(grid, axis, i);
            const double at = (1e3 * offset - (double)e->origin[axis]) / node, whole = floor(at);
            p->places_exact[place] = qn_device_data_bits(offset);
            p->places[place] = (float)(1e3 * offset);
            p->first[place] = (int)whole - 3;
            qn_electrostatics_weights(at - whole, p->weights + place * ELECTROSTATICS_ORDER);
            e->nodes[axis] = p->first[place] + ELECTROSTATICS_ORDER;
        }
    }
}

/* Error of 100 r in single precision: coordinates in mÅ are rounded, and so are the steps from them to r ≤ 5 Å. */
static float find_guard(const qn_potential_grid *grid)
{
    const double half = 0x1p-24, rounded = 6 * half * 100 * ELECTROSTATICS_NEAR / 1e3;
    double widest = 0;
    for (int axis = 0; axis < 3; axis++) widest = fmax(widest, -1e3 * qn_potential_grid_offset(grid, axis, 0));
    return (float)(rounded + 0.1 * sqrt(3) * 2 * half * (widest + (double)ELECTROSTATICS_NEAR));
}

/* ---- cells of atoms ---- */

/* Cells cover the points' box and everything nearer than FAR to it. */
static void choose_cells(const qn_potential_grid *grid, electrostatics_cells *cells)
{
    double low[3], extent[3], edge = CELL_EDGE;
    int counts[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = 1e3 * qn_potential_grid_offset(grid, axis, 0) - (double)ELECTROSTATICS_FAR - 1;
        extent[axis] = -2 * low[axis];
        edge = fmax(edge, extent[axis] / CELLS_MAX);
    }
    for (int axis = 0; axis < 3; axis++) counts[axis] = (int)(extent[axis] / edge) + 1;
    *cells = (electrostatics_cells){counts[0],     counts[1],     counts[2],  (float)low[0],
                                    (float)low[1], (float)low[2], (float)edge};
}

static int cell_along(float at, float origin, float edge, int count)
{
    const float place = floorf((at - origin) / edge);
    return place < 0 || place >= (float)count ? -1 : (int)place;
}

static int cell_of_atom(const electrostatics_cells *cells, qn_float4 atom)
{
    const int x = cell_along(atom.x, cells->x, cells->edge, cells->nx);
    const int y = cell_along(atom.y, cells->y, cells->edge, cells->ny);
    const int z = cell_along(atom.z, cells->z, cells->edge, cells->nz);
    return x < 0 || y < 0 || z < 0 ? -1 : (z * cells->ny + y) * cells->nx + x;
}

/* Sort the atoms in the cells by cell, and within a cell in the order of the input. */
static void sort_atoms(const qn_electrostatics_input *input, const electrostatics_cells *cells, preparation *p)
{
    for (size_t a = 0; a < input->atom_count; a++) {
        const double *at = input->positions_angstrom + 3 * a;
        p->atoms[a] =
            (qn_float4){(float)(1e3 * at[0]), (float)(1e3 * at[1]), (float)(1e3 * at[2]), (float)input->charges_e[a]};
        p->cell_of[a] = cell_of_atom(cells, p->atoms[a]);
        if (p->cell_of[a] >= 0) p->starts[p->cell_of[a] + 1]++;
    }
    for (size_t c = 0; c < p->cell_count; c++) p->starts[c + 1] += p->starts[c];
    p->sorted_count = (size_t)p->starts[p->cell_count];
    for (size_t a = input->atom_count; a-- > 0;) {
        if (p->cell_of[a] < 0) continue;
        const int place = --p->starts[p->cell_of[a] + 1];
        p->sorted[place] = p->atoms[a];
        for (size_t k = 0; k < 3; k++)
            p->exact[3 * (size_t)place + k] = qn_device_data_bits(input->positions_angstrom[3 * a + k]);
    }
    /* Each end has moved to its cell's start: starts[c + 1] is the start of cell c. */
    memmove(p->starts, p->starts + 1, p->cell_count * sizeof *p->starts);
    p->starts[p->cell_count] = (int)p->sorted_count;
}

/* Number of points of an axis in [low, high]. */
static double points_between(const qn_potential_grid *grid, int axis, double low, double high)
{
    const double first = qn_potential_grid_offset(grid, axis, 0), spacing = grid->spacing_angstrom;
    const double from = fmax(0, ceil((low - first) / spacing));
    const double to = fmin(grid->points[axis] - 1, floor((high - first) / spacing));
    return fmax(0, to - from + 1);
}

/* Number of pairs of an atom and a point that are nearer than `reach`. */
static double count_pairs(const qn_electrostatics_input *input, double reach)
{
    const qn_potential_grid *grid = &input->grid;
    double count = 0;
    for (size_t a = 0; a < input->atom_count; a++) {
        const double *at = input->positions_angstrom + 3 * a;
        for (int z = 0; z < grid->points[2]; z++) {
            const double dz = qn_potential_grid_offset(grid, 2, z) - at[2];
            if (fabs(dz) >= reach) continue;
            for (int y = 0; y < grid->points[1]; y++) {
                const double dy = qn_potential_grid_offset(grid, 1, y) - at[1];
                const double left = reach * reach - dz * dz - dy * dy;
                if (left > 0) count += points_between(grid, 0, at[0] - sqrt(left), at[0] + sqrt(left));
            }
        }
    }
    return count;
}

/* ---- the device's side ---- */

static qn_status upload_all(qn_electrostatics *e, const preparation *p, const float *table)
{
    qn_queue *queue = e->queue;
    uint64_t limits[ELECTROSTATICS_ENTRIES];
    for (int n = 0; n < ELECTROSTATICS_ENTRIES; n++) limits[n] = qn_device_data_bits(qn_potential_entry_limit(n));
    const size_t sorted = p->sorted_count + (p->sorted_count == 0), all = p->atom_count + (p->atom_count == 0);
    qn_status status = qn_device_data_copy(queue, p->atoms, all * sizeof *p->atoms, &e->atoms);
    if (status == QN_OK) status = qn_device_data_copy(queue, p->sorted, sorted * sizeof *p->sorted, &e->sorted);
    if (status == QN_OK) status = qn_device_data_copy(queue, p->exact, 3 * sorted * sizeof *p->exact, &e->exact);
    if (status == QN_OK)
        status = qn_device_data_copy(queue, p->starts, (p->cell_count + 1) * sizeof *p->starts, &e->starts);
    if (status == QN_OK) status = qn_device_data_copy(queue, table, ELECTROSTATICS_ENTRIES * sizeof *table, &e->table);
    if (status == QN_OK) status = qn_device_data_copy(queue, p->places, p->place_count * sizeof *p->places, &e->places);
    if (status == QN_OK)
        status =
            qn_device_data_copy(queue, p->places_exact, p->place_count * sizeof *p->places_exact, &e->places_exact);
    if (status == QN_OK)
        status = qn_device_data_copy(queue, p->weights, p->place_count * ELECTROSTATICS_ORDER * sizeof *p->weights,
                                     &e->weights);
    if (status == QN_OK)
        status = qn_device_data_copy(queue, p->first, p->place_count * sizeof *p->first, &e->first_nodes);
    if (status == QN_OK) status = qn_device_data_copy(queue, limits, sizeof limits, &e->limits);
    return status;
}

/* Nodes along z that `planes` planes are interpolated from, at most. */
static int node_planes_most(const qn_electrostatics *e)
{
    int most = 0;
    for (int z = 0; z < e->grid.points[2]; z++) {
        const int last = z + e->planes_max < e->grid.points[2] ? z + e->planes_max : e->grid.points[2];
        const int count = e->first[last - 1] - e->first[z] + ELECTROSTATICS_ORDER;
        if (count > most) most = count;
    }
    return most;
}

static qn_status create_scratch(qn_electrostatics *e)
{
    qn_device *device = qn_queue_device(e->queue);
    const size_t nx = (size_t)e->nodes[0], ny = (size_t)e->nodes[1], nz = (size_t)node_planes_most(e);
    const size_t px = (size_t)e->grid.points[0], py = (size_t)e->grid.points[1];
    QN_TRY(qn_buffer_create(device, nx * ny * (size_t)e->nodes[2] * sizeof(float), &e->values));
    QN_TRY(qn_buffer_create(device, px * ny * nz * sizeof(float), &e->rows));
    return qn_buffer_create(device, px * py * nz * sizeof(float), &e->columns);
}

static qn_status fill_in(const qn_electrostatics_input *input, preparation *p, qn_electrostatics *e)
{
    float table[ELECTROSTATICS_ENTRIES];
    void *memory;
    choose_cells(&input->grid, &e->cells);
    p->atom_count = input->atom_count;
    p->cell_count = (size_t)e->cells.nx * (size_t)e->cells.ny * (size_t)e->cells.nz;
    p->place_count = place_offset(&input->grid, 2) + (size_t)input->grid.points[2];
    QN_TRY(allocate_preparation(p));
    QN_TRY(qn_allocate((size_t)input->grid.points[2], sizeof *e->first, &memory));
    e->first = memory;
    place_points(&input->grid, p, e);
    memcpy(e->first, p->first + place_offset(&input->grid, 2), (size_t)input->grid.points[2] * sizeof *e->first);
    QN_TRY(qn_allocate((size_t)e->nodes[2], sizeof *e->has_nodes, &memory));
    e->has_nodes = memory;
    sort_atoms(input, &e->cells, p);
    qn_electrostatics_fit(input->screening, input->entries, &e->model, table);
    QN_TRY(upload_all(e, p, table));
    if (input->counts_pairs) {
        e->near_pairs = count_pairs(input, 1e-3 * (double)ELECTROSTATICS_NEAR);
        e->middle_pairs = count_pairs(input, 1e-3 * (double)ELECTROSTATICS_FAR) - e->near_pairs;
    }
    return create_scratch(e);
}

const char *qn_electrostatics_problem_class(int points)
{
    return points < 64 ? "points=32" : points < 192 ? "points=128" : "points=256";
}

qn_status qn_electrostatics_create(qn_queue *queue, const qn_electrostatics_input *input,
                                   qn_electrostatics **electrostatics)
{
    preparation p = {0};
    void *memory;
    *electrostatics = NULL;
    QN_TRY(check_input(input));
    QN_TRY(qn_allocate(1, sizeof(qn_electrostatics), &memory));
    qn_electrostatics *e = memory;
    e->queue = queue;
    e->grid = input->grid;
    e->atom_count = (int)input->atom_count;
    e->planes_max = input->planes_max < input->grid.points[2] ? input->planes_max : input->grid.points[2];
    e->guard = find_guard(&input->grid);
    e->problem_class = qn_electrostatics_problem_class(input->grid.points[0]);
    qn_status status = fill_in(input, &p, e);
    clear_preparation(&p);
    if (status != QN_OK) qn_electrostatics_destroy(&e);
    *electrostatics = e;
    return status;
}

void qn_electrostatics_configure(qn_electrostatics *electrostatics, const qn_configuration *configuration)
{
    electrostatics->has_configuration = configuration != NULL;
    if (configuration) electrostatics->configuration = *configuration;
}

void qn_electrostatics_forget(qn_electrostatics *electrostatics)
{
    memset(electrostatics->has_nodes, false, (size_t)electrostatics->nodes[2]);
}

void qn_electrostatics_destroy(qn_electrostatics **electrostatics)
{
    qn_electrostatics *e = *electrostatics;
    if (!e) return;
    qn_buffer **const buffers[] = {&e->atoms,   &e->sorted,      &e->exact,        &e->starts, &e->table,
                                   &e->places,  &e->weights,     &e->places_exact, &e->values, &e->rows,
                                   &e->columns, &e->first_nodes, &e->limits};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    qn_release(&e->first);
    qn_release(&e->has_nodes);
    qn_release(electrostatics);
}

/* ---- launches ---- */

static qn_status launch(qn_electrostatics *e, int kernel, const qn_argument *arguments, int count,
                        const qn_electrostatics_problem *problem, qn_work *least, qn_event **event)
{
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = count,
                                 .problem = problem,
                                 .problem_class = e->problem_class,
                                 .configuration = e->has_configuration ? &e->configuration : NULL};
    qn_potential_electrostatics_family.kernels[kernel].work(problem, least);
    return qn_family_run(&qn_potential_electrostatics_family, e->queue, &call, event);
}

static size_t bytes_of(const qn_electrostatics_problem *problem)
{
    return (size_t)problem->values[0] * (size_t)problem->values[1] * (size_t)problem->values[2] * sizeof(float);
}

static qn_status launch_nodes(qn_electrostatics *e, int first, int planes, qn_event **event)
{
    const qn_electrostatics_problem problem = {.values = {e->nodes[0], e->nodes[1], planes}, .atoms = e->atom_count};
    const nodes_scalars scalars = {.atom_count = e->atom_count,
                                   .nx = e->nodes[0],
                                   .ny = e->nodes[1],
                                   .first_node = first,
                                   .x = e->origin[0],
                                   .y = e->origin[1],
                                   .z = e->origin[2],
                                   .model = e->model};
    const qn_argument values[NODES_ARGUMENTS] = {
        [NODES_ATOMS] = qn_argument_buffer(e->atoms),
        [NODES_VALUES] = qn_argument_buffer(e->values),
        [NODES_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(e, QN_ELECTROSTATICS_NODES, values, NODES_ARGUMENTS, &problem, &e->work[0], event);
}

static qn_status launch_expand(qn_electrostatics *e, const expand_scalars *scalars, qn_buffer *nodes, qn_buffer *to,
                               qn_work *least, qn_event **event)
{
    const qn_electrostatics_problem problem = {.values = {scalars->inner, scalars->outer, scalars->points}};
    const qn_argument values[EXPAND_ARGUMENTS] = {
        [EXPAND_NODES] = qn_argument_buffer(nodes),
        [EXPAND_WEIGHTS] = qn_argument_buffer(e->weights),
        [EXPAND_FIRST] = qn_argument_buffer(e->first_nodes),
        [EXPAND_VALUES] = qn_argument_range(to, 0, bytes_of(&problem)),
        [EXPAND_SCALARS] = qn_argument_struct(scalars, sizeof *scalars),
    };
    return launch(e, QN_ELECTROSTATICS_EXPAND, values, EXPAND_ARGUMENTS, &problem, least, event);
}

/* Compute the nodes of planes first … first + planes − 1 that are not computed yet, which lie together at one end. */
static qn_status compute_nodes(qn_electrostatics *e, int first, int planes, qn_event **event)
{
    int end = first + planes;
    while (first < end && e->has_nodes[first]) first++;
    while (first < end && e->has_nodes[end - 1]) end--;
    e->work[0] = (qn_work){0};
    if (first == end) return QN_OK;
    QN_TRY(launch_nodes(e, first, end - first, event));
    memset(e->has_nodes + first, true, (size_t)(end - first));
    return QN_OK;
}

/* From all nodes to points along x, for some planes of nodes. */
static qn_status expand_x(qn_electrostatics *e, int first, int planes, qn_event **event)
{
    const expand_scalars scalars = {.outer = e->nodes[1] * planes,
                                    .nodes = e->nodes[0],
                                    .points = e->grid.points[0],
                                    .inner = 1,
                                    .first_outer = first * e->nodes[1],
                                    .first_place = (int)place_offset(&e->grid, 0)};
    return launch_expand(e, &scalars, e->values, e->rows, &e->work[1], event);
}

/* From points along x to points along x and y. */
static qn_status expand_y(qn_electrostatics *e, int planes, qn_event **event)
{
    const expand_scalars scalars = {.outer = planes,
                                    .nodes = e->nodes[1],
                                    .points = e->grid.points[1],
                                    .inner = e->grid.points[0],
                                    .first_place = (int)place_offset(&e->grid, 1)};
    return launch_expand(e, &scalars, e->rows, e->columns, &e->work[2], event);
}

static qn_status launch_points(qn_electrostatics *e, int first, int count, int node_planes, qn_buffer *potential,
                               qn_event **event)
{
    const int *points = e->grid.points;
    const double share = (double)count / points[2];
    const qn_electrostatics_problem problem = {.values = {points[0], points[1], count},
                                               .atoms = e->atom_count,
                                               .near_pairs = share * e->near_pairs,
                                               .middle_pairs = share * e->middle_pairs};
    const points_scalars scalars = {.nx = points[0],
                                    .ny = points[1],
                                    .nz = count,
                                    .place_y = (int)place_offset(&e->grid, 1),
                                    .place_z = (int)place_offset(&e->grid, 2) + first,
                                    .first_node = e->first[first],
                                    .guard = e->guard,
                                    .cells = e->cells,
                                    .model = e->model};
    const size_t columns = (size_t)points[0] * (size_t)points[1] * (size_t)node_planes * sizeof(float);
    const qn_argument values[POINTS_ARGUMENTS] = {
        [POINTS_ATOMS] = qn_argument_buffer(e->sorted),
        [POINTS_EXACT] = qn_argument_buffer(e->exact),
        [POINTS_STARTS] = qn_argument_buffer(e->starts),
        [POINTS_TABLE] = qn_argument_buffer(e->table),
        [POINTS_LIMITS] = qn_argument_buffer(e->limits),
        [POINTS_PLACES] = qn_argument_buffer(e->places),
        [POINTS_PLACES_EXACT] = qn_argument_buffer(e->places_exact),
        [POINTS_COLUMNS] = qn_argument_range(e->columns, 0, columns),
        [POINTS_WEIGHTS] = qn_argument_buffer(e->weights),
        [POINTS_FIRST] = qn_argument_buffer(e->first_nodes),
        [POINTS_POTENTIAL] = qn_argument_range(potential, 0, bytes_of(&problem)),
        [POINTS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return launch(e, QN_ELECTROSTATICS_POINTS, values, POINTS_ARGUMENTS, &problem, &e->work[3], event);
}

qn_status qn_electrostatics_planes(qn_electrostatics *e, int first, int count, qn_buffer *potential,
                                   qn_event *events[QN_ELECTROSTATICS_LAUNCHES])
{
    qn_event *none[QN_ELECTROSTATICS_LAUNCHES] = {NULL};
    qn_event **event = events ? events : none;
    if (first < 0 || count < 1 || count > e->planes_max || count > e->grid.points[2] - first)
        return QN_FAIL(QN_INVALID_ARGUMENT, "planes %d to %d of an electrostatic map of %d planes; expected at most %d",
                       first, first + count - 1, e->grid.points[2], e->planes_max);
    const int first_node = e->first[first];
    const int node_planes = e->first[first + count - 1] - first_node + ELECTROSTATICS_ORDER;
    QN_TRY(compute_nodes(e, first_node, node_planes, events ? &event[0] : NULL));
    QN_TRY(expand_x(e, first_node, node_planes, events ? &event[1] : NULL));
    QN_TRY(expand_y(e, node_planes, events ? &event[2] : NULL));
    return launch_points(e, first, count, node_planes, potential, events ? &event[3] : NULL);
}

void qn_electrostatics_work(const qn_electrostatics *electrostatics, int launch_index, qn_work *least)
{
    *least = electrostatics->work[launch_index];
}
