#include "flexible/kernels/maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/filled_buffer.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "score/vina.h"

#include "flexible/kernels/maps.dev.h"

extern const char qn_flexible_maps_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_flexible_maps_host);

enum { GROUP_SIZE, TYPES, TUNABLES };

static const double cell_angstrom = 4.001; /* half the cut-off, and the rounding of coordinates */

/* The receptor in cells, as the kernel takes it. */
typedef struct sorted_atoms {
    maps_scalars scalars;
    size_t count, cells;
    float (*atoms)[4];
    int32_t *starts;
} sorted_atoms;

typedef struct maps_problem {
    const maps_scalars *scalars;
    double atoms;
} maps_problem;

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const maps_scalars *s = ((const maps_problem *)user)->scalars;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    const size_t groups = ((size_t)s->nx + group - 1) / group;
    return (qn_geometry){{groups * group, (size_t)s->ny * (size_t)s->nz, 1}, {group, 1, 1}};
}

/* Pairs within 8 Å at the mean density of the cells. */
static void work(const void *user, qn_work *least)
{
    const maps_problem *problem = user;
    const maps_scalars *s = problem->scalars;
    const double points = (double)s->nx * s->ny * s->nz, values = points * s->types;
    const double volume = (double)s->cells_x * s->cells_y * s->cells_z * 64;
    const double near = fmin(problem->atoms, problem->atoms / volume * 4.0 / 3 * 3.14159265 * 512);
    *least = (qn_work){.bytes_read = 16 * problem->atoms,
                       .bytes_written = 4 * values,
                       .multiply_adds = points * near * 12 + values * near * 30};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_flexible_maps_host)[0](launch);
}

_Static_assert(sizeof(maps_scalars) == 15 * 4, "no padding");

static const qn_argument_declaration arguments[MAPS_ARGUMENTS] = {
    [MAPS_ATOMS] = {"atoms", QN_IN, QN_FLOAT32},
    [MAPS_STARTS] = {"starts", QN_IN, QN_INT32},
    [MAPS_PAIRS] = {"pairs", QN_IN, QN_FLOAT32},
    [MAPS_MAPS] = {"maps", QN_OUT, QN_FLOAT32},
    [MAPS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(maps_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"maps", arguments, MAPS_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
    [TYPES] = {"TYPES", {1, 2, 4, 8}, 4, 4, "maps of a pass"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "!device.is_host || (GROUP_SIZE == 64 && TYPES == 4)",
};

const qn_family qn_flexible_maps_family = {
    .name = "flexible/maps",
    .source = qn_flexible_maps_source,
    .source_path = "flexible/kernels/maps.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

qn_status qn_flexible_grid_of(const double centre[3], const double side[3], qn_flexible_grid *grid)
{
    double points = 1;
    for (int d = 0; d < 3; d++) {
        grid->centre_angstrom[d] = centre[d];
        const double along = ceil(side[d] / QN_FLEXIBLE_SPACING_ANGSTROM) + 1;
        if (!(along >= 2) || along > 4096)
            return QN_FAIL(QN_INVALID_ARGUMENT, "a box with a side of %g Å; expected 0.4 to 1500 Å", side[d]);
        grid->points[d] = (int)along;
        points *= along;
    }
    if (points > 1 << 30)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a box of %g x %g x %g Å has too many points; expected a smaller one",
                       side[0], side[1], side[2]);
    return QN_OK;
}

void qn_flexible_pair_parameters(int row_a, int row_b, float parameters[4])
{
    int count;
    const qn_vina_atom_type *table = qn_vina_type_table(&count), *a = &table[row_a], *b = &table[row_b];
    memset(parameters, 0, 4 * sizeof *parameters);
    parameters[0] = (float)((double)a->radius_angstrom + b->radius_angstrom);
    if (a->hydrophobic && b->hydrophobic) {
        parameters[1] = (float)QN_VINA_HYDROPHOBIC;
        parameters[2] = 1;
        parameters[3] = 1.5f;
    } else if ((a->donor && b->acceptor) || (a->acceptor && b->donor)) {
        parameters[1] = (float)QN_VINA_HYDROGEN_BOND;
        parameters[2] = (float)(1 / 0.7);
    }
}

/* Cells over the atoms that are in reach of the grid. */
static void choose_cells(const qn_score_receptor *receptor, const qn_flexible_grid *grid, sorted_atoms *sorted)
{
    maps_scalars *s = &sorted->scalars;
    int *const points[3] = {&s->nx, &s->ny, &s->nz}, *const cells[3] = {&s->cells_x, &s->cells_y, &s->cells_z};
    (void)receptor;
    s->spacing = (float)QN_FLEXIBLE_SPACING_ANGSTROM;
    s->cells_per_angstrom = (float)(1 / cell_angstrom);
    sorted->cells = 1;
    for (int d = 0; d < 3; d++) {
        const double half = 0.5 * QN_FLEXIBLE_SPACING_ANGSTROM * (grid->points[d] - 1);
        *points[d] = grid->points[d];
        s->corner[d] = (float)-half;
        s->cell_corner[d] = (float)(-half - 8.1);
        *cells[d] = (int)ceil((2 * half + 16.2) / cell_angstrom);
        sorted->cells *= (size_t)*cells[d];
    }
}

/* Cell of an atom; −1: out of reach. */
static int64_t cell_of(const float place[3], const maps_scalars *s)
{
    const int counts[3] = {s->cells_x, s->cells_y, s->cells_z};
    int64_t cell = 0;
    for (int d = 2; d >= 0; d--) {
        const int along = maps_cell(place[d], s->cell_corner[d], s->cells_per_angstrom);
        if (along < 0 || along >= counts[d]) return -1;
        cell = cell * counts[d] + along;
    }
    return cell;
}

static void place_of(const qn_score_receptor *receptor, const qn_flexible_grid *grid, size_t atom, float place[3])
{
    for (size_t d = 0; d < 3; d++)
        place[d] = (float)(receptor->positions_angstrom[3 * atom + d] - grid->centre_angstrom[d]);
}

/* Sort by counting; atoms of a cell keep the order of the file. */
static qn_status sort_atoms(const qn_score_receptor *receptor, const qn_flexible_grid *grid, sorted_atoms *sorted)
{
    float place[3];
    QN_TRY(qn_allocate(sorted->cells + 1, sizeof(int32_t), (void **)&sorted->starts));
    for (size_t i = 0; i < receptor->atom_count; i++) {
        place_of(receptor, grid, i, place);
        const int64_t cell = cell_of(place, &sorted->scalars);
        if (cell < 0) continue;
        sorted->starts[cell + 1]++;
        sorted->count++;
    }
    QN_TRY(qn_allocate(sorted->count + 1, sizeof *sorted->atoms, (void **)&sorted->atoms));
    for (size_t cell = 0; cell < sorted->cells; cell++) sorted->starts[cell + 1] += sorted->starts[cell];
    for (size_t i = 0; i < receptor->atom_count; i++) {
        place_of(receptor, grid, i, place);
        const int64_t cell = cell_of(place, &sorted->scalars);
        if (cell < 0) continue;
        float *atom = sorted->atoms[sorted->starts[cell]++];
        memcpy(atom, place, sizeof place);
        memcpy(atom + 3, &(int32_t){receptor->types[i]}, sizeof(int32_t));
    }
    for (size_t cell = sorted->cells; cell > 0; cell--) sorted->starts[cell] = sorted->starts[cell - 1];
    sorted->starts[0] = 0;
    return QN_OK;
}

static qn_status launch_maps(qn_queue *queue, const qn_configuration *configuration, const sorted_atoms *sorted,
                             qn_buffer *const buffers[3], qn_buffer *maps, qn_event **event)
{
    const maps_problem problem = {&sorted->scalars, (double)sorted->count};
    char problem_class[64];
    const qn_argument values[MAPS_ARGUMENTS] = {
        [MAPS_ATOMS] = qn_argument_buffer(buffers[0]),
        [MAPS_STARTS] = qn_argument_buffer(buffers[1]),
        [MAPS_PAIRS] = qn_argument_buffer(buffers[2]),
        [MAPS_MAPS] = qn_argument_buffer(maps),
        [MAPS_SCALARS] = qn_argument_struct(&sorted->scalars, sizeof sorted->scalars),
    };
    const maps_scalars *s = &sorted->scalars;
    snprintf(problem_class, sizeof problem_class, "points=2^%ld types=%d", lround(log2((double)s->nx * s->ny * s->nz)),
             s->types);
    const qn_family_call call = {.arguments = values,
                                 .argument_count = MAPS_ARGUMENTS,
                                 .problem = &problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_flexible_maps_family, queue, &call, event);
}

qn_status qn_flexible_maps(qn_queue *queue, const qn_configuration *configuration, const qn_score_receptor *receptor,
                           const qn_flexible_grid *grid, const int *types, int type_count, qn_buffer *maps,
                           qn_event **event)
{
    sorted_atoms sorted = {.scalars = {.types = type_count}};
    float pairs[QN_VINA_TYPES * MAPS_RECEPTOR_TYPES][4] = {{0}};
    qn_buffer *buffers[3] = {NULL};
    int rows;
    if (event) *event = NULL;
    (void)qn_vina_type_table(&rows);
    if (type_count < 1 || type_count > rows)
        return QN_FAIL(QN_INVALID_ARGUMENT, "flexible/maps: %d types; expected 1 to %d", type_count, rows);
    for (int t = 0; t < type_count; t++)
        for (int other = 0; other < rows; other++)
            qn_flexible_pair_parameters(types[t], other, pairs[t * MAPS_RECEPTOR_TYPES + other]);
    choose_cells(receptor, grid, &sorted);
    qn_status status = sort_atoms(receptor, grid, &sorted);
    if (status == QN_OK)
        status = qn_buffer_create_filled(queue, sorted.atoms, (sorted.count + 1) * sizeof *sorted.atoms, &buffers[0]);
    if (status == QN_OK)
        status = qn_buffer_create_filled(queue, sorted.starts, (sorted.cells + 1) * sizeof(int32_t), &buffers[1]);
    if (status == QN_OK)
        status = qn_buffer_create_filled(queue, pairs, (size_t)type_count * MAPS_RECEPTOR_TYPES * sizeof *pairs,
                                         &buffers[2]);
    if (status == QN_OK) status = launch_maps(queue, configuration, &sorted, buffers, maps, event);
    if (status == QN_OK) status = qn_queue_finish(queue);
    for (int i = 0; i < 3; i++) qn_buffer_release(&buffers[i]);
    qn_release(&sorted.atoms);
    qn_release(&sorted.starts);
    return status;
}
