#include "potential/vina/kernels/vina_maps.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/host_variant.h"

#include "potential/vina/kernels/vina_maps.dev.h"

extern const char qn_potential_vina_maps_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_potential_vina_maps_host);

_Static_assert((int)QN_VINA_MAPS_ENTRIES == (int)VINA_MAPS_ENTRIES, "one size of tables");
_Static_assert(VINA_MAPS_SQUARE *QN_VINA_MAPS_ENTRIES_PER_SQUARE_ANGSTROM == 1000000, "one scale of tables");

enum { GROUP_SIZE, PROBES, TUNABLES };

static int bricks_of(int points)
{
    return (points + VINA_MAPS_SIDE - 1) / VINA_MAPS_SIDE;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_vina_maps_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE], probes = (size_t)configuration->value[PROBES];
    size_t items = VINA_MAPS_BRICK;
    for (int d = 0; d < 3; d++) items *= (size_t)bricks_of(problem->points[d]);
    return (qn_geometry){{(items + group - 1) / group * group, ((size_t)problem->probes + probes - 1) / probes, 1},
                         {group, 1, 1}};
}

/* An addition for each pair and map, and the last step of the squared distance of each pair. */
static void work(const void *user, qn_work *least)
{
    const qn_vina_maps_problem *problem = user;
    const double points = (double)problem->points[0] * problem->points[1] * problem->points[2];
    *least = (qn_work){.bytes_read = 16.0 * problem->atoms,
                       .bytes_written = 4 * points * problem->probes,
                       .multiply_adds = problem->pairs * (problem->probes + 1)};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_vina_maps_host)[0](launch);
}

_Static_assert(sizeof(vina_maps_scalars) == 8 * 4, "no padding");

static const qn_argument_declaration arguments[VINA_MAPS_ARGUMENTS] = {
    [VINA_MAPS_ATOMS] = {"atoms", QN_IN, QN_INT32},
    [VINA_MAPS_LIST] = {"list", QN_IN, QN_INT32},
    [VINA_MAPS_STARTS] = {"starts", QN_IN, QN_INT32},
    [VINA_MAPS_AXES] = {"axes", QN_IN, QN_INT32},
    [VINA_MAPS_TABLES] = {"tables", QN_IN, QN_FLOAT32},
    [VINA_MAPS_RESULT] = {"result", QN_OUT, QN_FLOAT32},
    [VINA_MAPS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(vina_maps_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"vina_maps", arguments, VINA_MAPS_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {64, 128, 256}, 3, 64, "work-items per group"},
    [PROBES] = {"PROBES", {2, 4, 8, 16}, 4, 8, "maps of a work-item"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "!device.is_host || (GROUP_SIZE == 64 && PROBES == 8)",
};

const qn_family qn_potential_vina_maps_family = {
    .name = "potential/vina_maps",
    .source = qn_potential_vina_maps_source,
    .source_path = "potential/vina/kernels/vina_maps.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

int qn_vina_maps_row(int probes)
{
    return (probes + QN_VINA_MAPS_ROW - 1) / QN_VINA_MAPS_ROW * QN_VINA_MAPS_ROW;
}

/* ---- bricks ---- */

/* Distance of a place from a brick along one axis, in thousandths of an Å. */
static int64_t outside(const int32_t *axis, int points, int brick, int32_t place)
{
    const int first = brick * VINA_MAPS_SIDE;
    const int last = first + VINA_MAPS_SIDE - 1 < points ? first + VINA_MAPS_SIDE - 1 : points - 1;
    if (place < axis[first]) return (int64_t)axis[first] - place;
    return place > axis[last] ? (int64_t)place - axis[last] : 0;
}

/* First and last brick along an axis that a place reaches; first > last: none. */
static void bricks_in_reach(const int32_t *axis, int points, int32_t place, int64_t reach, int range[2])
{
    const int bricks = bricks_of(points);
    range[0] = 0;
    range[1] = bricks - 1;
    while (range[0] < bricks && outside(axis, points, range[0], place) >= reach) range[0]++;
    while (range[1] >= range[0] && outside(axis, points, range[1], place) >= reach) range[1]--;
}

/* Visit the bricks near an atom: count them, or add the atom to their lists. */
static void visit(const int points[3], const int32_t *const axes[3], const int32_t *place, int32_t atom,
                  qn_vina_maps_bricks *b, int32_t *fill)
{
    const int64_t reach = 8000;
    int range[3][2];
    for (int d = 0; d < 3; d++) bricks_in_reach(axes[d], points[d], place[d], reach, range[d]);
    for (int z = range[2][0]; z <= range[2][1]; z++) {
        const int64_t dz = outside(axes[2], points[2], z, place[2]);
        for (int y = range[1][0]; y <= range[1][1]; y++) {
            const int64_t dy = outside(axes[1], points[1], y, place[1]), dyz = dz * dz + dy * dy;
            for (int x = range[0][0]; x <= range[0][1]; x++) {
                const int64_t dx = outside(axes[0], points[0], x, place[0]);
                const size_t brick = ((size_t)z * (size_t)b->bricks[1] + (size_t)y) * (size_t)b->bricks[0] + (size_t)x;
                if (dyz + dx * dx >= reach * reach) continue;
                if (fill)
                    b->list[fill[brick]++] = atom;
                else
                    b->starts[brick + 1]++;
            }
        }
    }
}

qn_status qn_vina_maps_bricks_create(const int points[3], const int32_t *axes, const int32_t *atoms, size_t atom_count,
                                     qn_vina_maps_bricks *bricks)
{
    const int32_t *const axis[3] = {axes, axes + points[0], axes + points[0] + points[1]};
    size_t count = 1;
    int64_t total = 0;
    int32_t *fill = NULL;
    *bricks = (qn_vina_maps_bricks){0};
    for (int d = 0; d < 3; d++) count *= (size_t)(bricks->bricks[d] = bricks_of(points[d]));
    QN_TRY(qn_allocate(count + 1, sizeof *bricks->starts, (void **)&bricks->starts));
    for (size_t i = 0; i < atom_count; i++) visit(points, axis, atoms + 4 * i, (int32_t)i, bricks, NULL);
    for (size_t b = 1; b <= count; b++) total += bricks->starts[b];
    qn_status status = QN_OK;
    if (total > INT32_MAX - 1)
        status = QN_FAIL(QN_INVALID_ARGUMENT,
                         "potential/vina_maps: %lld atoms near bricks; expected fewer than 2^31: "
                         "compute fewer layers at a time",
                         (long long)total);
    if (status == QN_OK) status = qn_allocate((size_t)total + 1, sizeof *bricks->list, (void **)&bricks->list);
    if (status == QN_OK) status = qn_allocate(count, sizeof *fill, (void **)&fill);
    if (status == QN_OK) {
        for (size_t b = 0; b < count; b++) {
            bricks->starts[b + 1] += bricks->starts[b];
            fill[b] = bricks->starts[b];
        }
        for (size_t i = 0; i < atom_count; i++) visit(points, axis, atoms + 4 * i, (int32_t)i, bricks, fill);
    } else
        qn_vina_maps_bricks_clear(bricks);
    qn_release(&fill);
    return status;
}

void qn_vina_maps_bricks_clear(qn_vina_maps_bricks *bricks)
{
    qn_release(&bricks->starts);
    qn_release(&bricks->list);
    *bricks = (qn_vina_maps_bricks){0};
}

/* ---- launch ---- */

void qn_vina_maps_problem_class(int probes, char text[64])
{
    snprintf(text, 64, "maps=%d", probes <= 8 ? 8 : probes <= 16 ? 16 : 64);
}

static qn_status check(const qn_vina_maps_problem *problem)
{
    for (int d = 0; d < 3; d++)
        if (problem->points[d] < 1)
            return QN_FAIL(QN_INVALID_ARGUMENT, "potential/vina_maps: %d points; expected at least 1",
                           problem->points[d]);
    if (problem->probes < 1 || problem->probes > 64 || problem->kinds < 1 || problem->kinds > 64)
        return QN_FAIL(QN_INVALID_ARGUMENT, "potential/vina_maps: %d maps of %d kinds of atoms; expected 1 to 64",
                       problem->probes, problem->kinds);
    return QN_OK;
}

qn_status qn_vina_maps(qn_queue *queue, const qn_configuration *configuration, const qn_vina_maps_problem *problem,
                       qn_buffer *atoms, qn_buffer *list, qn_buffer *starts, qn_buffer *axes, qn_buffer *tables,
                       qn_buffer *result, qn_event **event)
{
    char problem_class[64];
    QN_TRY(check(problem));
    const int *n = problem->points;
    const vina_maps_scalars scalars = {.nx = n[0],
                                       .ny = n[1],
                                       .nz = n[2],
                                       .bricks_x = bricks_of(n[0]),
                                       .bricks_y = bricks_of(n[1]),
                                       .bricks_z = bricks_of(n[2]),
                                       .probes = problem->probes,
                                       .row = qn_vina_maps_row(problem->probes)};
    const qn_argument values[VINA_MAPS_ARGUMENTS] = {
        [VINA_MAPS_ATOMS] = qn_argument_buffer(atoms),
        [VINA_MAPS_LIST] = qn_argument_buffer(list),
        [VINA_MAPS_STARTS] = qn_argument_buffer(starts),
        [VINA_MAPS_AXES] = qn_argument_buffer(axes),
        [VINA_MAPS_TABLES] = qn_argument_buffer(tables),
        [VINA_MAPS_RESULT] = qn_argument_range(
            result, 0, (size_t)problem->probes * (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof(float)),
        [VINA_MAPS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_vina_maps_problem_class(problem->probes, problem_class);
    const qn_family_call call = {.arguments = values,
                                 .argument_count = VINA_MAPS_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_potential_vina_maps_family, queue, &call, event);
}
