#include "flexible/receptor_sum.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vector.h"
#include "score/vina.h"

/* Sides of cells: short along x, since a row's range of atoms is cut there, and wide across, so that ranges fill
 * vectors; the fastest of some sizes in a protein. */
static const double side_angstrom[3] = {0.5, 4.5, 4.5};
#define CELLS_MAX (1L << 30)

static int cell_along(const qn_receptor_cells *cells, double coordinate, int axis)
{
    const double from_low = (coordinate - cells->low[axis]) / side_angstrom[axis];
    const int last = cells->cells[axis] - 1;
    return from_low <= 0 ? 0 : from_low >= last ? last : (int)from_low;
}

static size_t cell_of(const qn_receptor_cells *cells, const double *place)
{
    const size_t x = (size_t)cell_along(cells, place[0], 0), y = (size_t)cell_along(cells, place[1], 1);
    const size_t z = (size_t)cell_along(cells, place[2], 2);
    return (z * (size_t)cells->cells[1] + y) * (size_t)cells->cells[0] + x;
}

static qn_status lay_out(const qn_score_receptor *receptor, qn_receptor_cells *cells)
{
    double all = 1;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < receptor->atom_count; i++) {
            low = fmin(low, receptor->positions_angstrom[3 * i + (size_t)axis]);
            high = fmax(high, receptor->positions_angstrom[3 * i + (size_t)axis]);
        }
        cells->low[axis] = low, cells->high[axis] = high;
        const double count = receptor->atom_count > 0 ? floor((high - low) / side_angstrom[axis]) + 1 : 1;
        all *= count;
        if (all > (double)CELLS_MAX)
            return QN_FAIL(QN_UNSUPPORTED,
                           "the receptor's atoms are up to %.0f Å apart; expected a receptor of at most 2^30 cells of "
                           "%g × %g × %g Å",
                           high - low, side_angstrom[0], side_angstrom[1], side_angstrom[2]);
        cells->cells[axis] = (int)count;
    }
    return QN_OK;
}

static qn_status allocate(size_t atoms, qn_receptor_cells *cells)
{
    const size_t slots = (size_t)cells->cells[0] * (size_t)cells->cells[1] * (size_t)cells->cells[2];
    const size_t room = atoms + QN_RECEPTOR_SINGLE_LANES;
    double *values;
    float *singles;
    QN_TRY(qn_allocate(slots + 2, sizeof *cells->starts, (void **)&cells->starts));
    QN_TRY(qn_allocate((4 + QN_PARTNERS) * room, sizeof *values, &cells->memory));
    QN_TRY(qn_allocate((4 + QN_PARTNERS) * room, sizeof *singles, &cells->single_memory));
    values = cells->memory;
    singles = cells->single_memory;
    cells->x = values, cells->y = values + room, cells->z = values + 2 * room, cells->radius = values + 3 * room;
    cells->single.x = singles, cells->single.y = singles + room, cells->single.z = singles + 2 * room;
    cells->single.radius = singles + 3 * room;
    for (size_t k = 0; k < QN_PARTNERS; k++) {
        cells->partner[k] = values + (4 + k) * room;
        cells->single.partner[k] = singles + (4 + k) * room;
    }
    return QN_OK;
}

static void put(qn_receptor_cells *cells, size_t at, const double *place, const qn_vina_atom_type *type)
{
    cells->x[at] = place[0], cells->y[at] = place[1], cells->z[at] = place[2];
    cells->radius[at] = (double)type->radius_angstrom;
    cells->partner[QN_PARTNER_HYDROPHOBIC][at] = type->hydrophobic;
    cells->partner[QN_PARTNER_ACCEPTOR][at] = type->acceptor;
    cells->partner[QN_PARTNER_DONOR][at] = type->donor;
    cells->partner[QN_PARTNER_POLAR][at] = type->donor || type->acceptor;
    cells->single.x[at] = (float)(place[0] - cells->low[0]);
    cells->single.y[at] = (float)(place[1] - cells->low[1]);
    cells->single.z[at] = (float)(place[2] - cells->low[2]);
    cells->single.radius[at] = type->radius_angstrom;
    for (int k = 0; k < QN_PARTNERS; k++) cells->single.partner[k][at] = (float)cells->partner[k][at];
}

/* Sort atoms by cell, by counting. */
static void sort(const qn_score_receptor *receptor, qn_receptor_cells *cells)
{
    const size_t slots = (size_t)cells->cells[0] * (size_t)cells->cells[1] * (size_t)cells->cells[2];
    int count;
    const qn_vina_atom_type *table = qn_vina_type_table(&count);
    uint32_t *starts = cells->starts;
    for (size_t i = 0; i < receptor->atom_count; i++)
        starts[cell_of(cells, receptor->positions_angstrom + 3 * i) + 2]++;
    for (size_t slot = 2; slot < slots + 2; slot++) starts[slot] += starts[slot - 1];
    /* While atoms are put in, starts[s + 1] moves from the beginning of cell s to its end. */
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const double *place = receptor->positions_angstrom + 3 * i;
        put(cells, starts[cell_of(cells, place) + 1]++, place, &table[receptor->types[i]]);
    }
}

qn_status qn_receptor_cells_create(const qn_score_receptor *receptor, qn_receptor_cells *cells)
{
    *cells = (qn_receptor_cells){.add = QN_HOST_SELECT(qn_receptor_add_host)};
    QN_TRY(lay_out(receptor, cells));
    const qn_status status = allocate(receptor->atom_count, cells);
    if (status == QN_OK)
        sort(receptor, cells);
    else
        qn_receptor_cells_clear(cells);
    return status;
}

void qn_receptor_cells_clear(qn_receptor_cells *cells)
{
    qn_release(&cells->starts);
    qn_release(&cells->memory);
    qn_release(&cells->single_memory);
    *cells = (qn_receptor_cells){0};
}

/* ---- sums ---- */

/* No type is both hydrophobic and polar, so one ramp is enough. */
static qn_receptor_atom describe(const double place[3], const qn_vina_atom_type *type)
{
    qn_receptor_partner partner = QN_PARTNER_NONE;
    if (type->hydrophobic) partner = QN_PARTNER_HYDROPHOBIC;
    if (type->donor) partner = QN_PARTNER_ACCEPTOR;
    if (type->acceptor) partner = type->donor ? QN_PARTNER_POLAR : QN_PARTNER_DONOR;
    return (qn_receptor_atom){.x = place[0],
                              .y = place[1],
                              .z = place[2],
                              .radius = (double)type->radius_angstrom,
                              .weight = type->hydrophobic ? QN_VINA_HYDROPHOBIC : QN_VINA_HYDROGEN_BOND,
                              .good = type->hydrophobic ? 0.5 : -0.7,
                              .bad = type->hydrophobic ? 1.5 : 0,
                              .partner = partner};
}

/* Distance along an axis from a place to a cell, which begins at `from`. */
static double beside(double place, double from, double side)
{
    const double before = from - place, behind = -before - side;
    return before > 0 ? before : behind > 0 ? behind : 0;
}

/* A range of atoms, in the order of cells. */
typedef struct atom_range {
    uint32_t first, end;
} atom_range;

/* Atoms of a row of cells along x, `square` (Å²) away from a place in y and z, that may be within `reach` (Å). */
static atom_range range_of(const qn_receptor_cells *cells, double x, int y, int z, double reach, double square)
{
    const double along = sqrt(reach * reach - square);
    if (x + along < cells->low[0] || x - along > cells->high[0]) return (atom_range){0, 0};
    const size_t row = ((size_t)z * (size_t)cells->cells[1] + (size_t)y) * (size_t)cells->cells[0];
    return (atom_range){cells->starts[row + (size_t)cell_along(cells, x - along, 0)],
                        cells->starts[row + (size_t)cell_along(cells, x + along, 0) + 1]};
}

typedef void (*range_task)(atom_range range, void *user);

/* Call for the ranges of atoms that may be within `reach` of a place. */
static void each_range(const qn_receptor_cells *cells, const double place[3], double reach, range_task task, void *user)
{
    const int from[3] = {0, cell_along(cells, place[1] - reach, 1), cell_along(cells, place[2] - reach, 2)};
    const int to[3] = {0, cell_along(cells, place[1] + reach, 1), cell_along(cells, place[2] + reach, 2)};
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++) {
            const double dy = beside(place[1], cells->low[1] + y * side_angstrom[1], side_angstrom[1]);
            const double dz = beside(place[2], cells->low[2] + z * side_angstrom[2], side_angstrom[2]);
            if (dy * dy + dz * dz >= reach * reach) continue;
            const atom_range range = range_of(cells, place[0], y, z, reach, dy * dy + dz * dz);
            if (range.first < range.end) task(range, user);
        }
}

static void add_up(const qn_receptor_lanes *lanes, qn_receptor_precision precision, double totals[QN_SUMS])
{
    for (int i = 0; i < QN_SUMS; i++) {
        const double *d = lanes->of_double[i];
        const float *s = lanes->of_single[i];
        if (precision == QN_RECEPTOR_DOUBLE)
            totals[i] = (d[0] + d[1]) + (d[2] + d[3]);
        else
            totals[i] = (double)(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
    }
}

static void finish_sum(const qn_receptor_lanes *lanes, qn_receptor_precision precision, bool hydrophobic,
                       qn_receptor_terms *sum)
{
    double totals[QN_SUMS];
    add_up(lanes, precision, totals);
    *sum = (qn_receptor_terms){.gauss1 = totals[QN_SUM_GAUSS1],
                               .gauss2 = totals[QN_SUM_GAUSS2],
                               .repulsion = totals[QN_SUM_REPULSION],
                               .gradient = {totals[QN_SUM_X], totals[QN_SUM_Y], totals[QN_SUM_Z]}};
    *(hydrophobic ? &sum->hydrophobic : &sum->hydrogen_bond) = totals[QN_SUM_RAMP];
}

typedef struct range_sum {
    const qn_receptor_cells *cells;
    qn_receptor_add add;
    qn_receptor_atom atom;
    qn_receptor_lanes lanes;
} range_sum;

static void add_range(atom_range range, void *user)
{
    range_sum *sum = user;
    sum->add(sum->cells, &sum->atom, range.first, range.end, &sum->lanes);
}

void qn_receptor_sum(const qn_receptor_cells *cells, const double place[3], int type, qn_receptor_precision precision,
                     qn_receptor_terms *sum)
{
    int count;
    const qn_vina_atom_type *kind = &qn_vina_type_table(&count)[type];
    range_sum ranges;
    memset(&ranges, 0, sizeof ranges);
    ranges.cells = cells;
    ranges.add = cells->add[precision];
    ranges.atom = describe(place, kind);
    each_range(cells, place, QN_VINA_CUTOFF_ANGSTROM, add_range, &ranges);
    finish_sum(&ranges.lanes, precision, kind->hydrophobic, sum);
}

/* ---- Sums over lists ---- */

static const double slack_angstrom = 1; /* that an atom may move from where its list was made */

qn_status qn_receptor_near_create(int atoms, qn_receptor_near *near)
{
    const size_t count = (size_t)atoms, values = count * QN_RECEPTOR_NEAR_MAX;
    *near = (qn_receptor_near){.atoms = atoms};
    QN_TRY(qn_allocate(1, count * (3 * sizeof(double) + sizeof(int)) + 5 * values * sizeof(float), &near->memory));
    near->centres = near->memory;
    near->x = (float *)(near->centres + 3 * count);
    near->y = near->x + values;
    near->z = near->y + values;
    near->radius = near->z + values;
    near->partner = near->radius + values;
    near->counts = (int *)(near->partner + values);
    qn_receptor_near_forget(near);
    return QN_OK;
}

void qn_receptor_near_clear(qn_receptor_near *near)
{
    qn_release(&near->memory);
    *near = (qn_receptor_near){0};
}

void qn_receptor_near_forget(qn_receptor_near *near)
{
    for (int i = 0; i < near->atoms; i++) near->counts[i] = -1;
}

/* An atom whose list is being made. */
typedef struct atom_listing {
    const qn_receptor_cells *cells;
    const qn_receptor_near *near;
    size_t first; /* of the atom's values */
    float place[3];
    qn_receptor_partner partner;
    int count;
} atom_listing;

static void list_range(atom_range range, void *user)
{
    atom_listing *listing = user;
    const qn_receptor_cells *cells = listing->cells;
    const qn_receptor_near *near = listing->near;
    const float *partner = cells->single.partner[listing->partner];
    const float reach = (float)(QN_VINA_CUTOFF_ANGSTROM + slack_angstrom + 1e-3); /* and what rounding takes off */
    for (uint32_t i = range.first; i < range.end; i++) {
        const float dx = cells->single.x[i] - listing->place[0], dy = cells->single.y[i] - listing->place[1],
                    dz = cells->single.z[i] - listing->place[2];
        const int most = QN_RECEPTOR_NEAR_MAX - QN_RECEPTOR_SINGLE_LANES;
        const size_t at = listing->first + (size_t)(listing->count < most ? listing->count : most);
        near->x[at] = cells->single.x[i];
        near->y[at] = cells->single.y[i];
        near->z[at] = cells->single.z[i];
        near->radius[at] = cells->single.radius[i];
        near->partner[at] = partner[i];
        listing->count += dx * dx + dy * dy + dz * dz < reach * reach; /* else the next one is put in its place */
    }
}

/* Make the list of an atom at a place; without one, if it would be too long. */
static void list_atom(const qn_receptor_cells *cells, qn_receptor_near *near, int atom, const double place[3],
                      qn_receptor_partner partner)
{
    atom_listing listing = {.cells = cells,
                            .near = near,
                            .first = (size_t)atom * QN_RECEPTOR_NEAR_MAX,
                            .place = {(float)(place[0] - cells->low[0]), (float)(place[1] - cells->low[1]),
                                      (float)(place[2] - cells->low[2])},
                            .partner = partner};
    each_range(cells, place, QN_VINA_CUTOFF_ANGSTROM + slack_angstrom, list_range, &listing);
    memcpy(near->centres + 3 * atom, place, 3 * sizeof *place);
    near->counts[atom] = listing.count <= QN_RECEPTOR_NEAR_MAX - QN_RECEPTOR_SINGLE_LANES ? listing.count : -1;
}

void qn_receptor_sum_near(const qn_receptor_cells *cells, qn_receptor_near *near, int atom, const double place[3],
                          int type, qn_receptor_terms *sum)
{
    int count;
    const qn_vina_atom_type *kind = &qn_vina_type_table(&count)[type];
    const qn_receptor_atom described = describe(place, kind);
    if (near->counts[atom] < 0 ||
        qn_vector_square_between(place, near->centres + 3 * atom) > slack_angstrom * slack_angstrom)
        list_atom(cells, near, atom, place, described.partner);
    if (near->counts[atom] < 0) {
        qn_receptor_sum(cells, place, type, QN_RECEPTOR_SINGLE, sum);
        return;
    }
    const size_t first = (size_t)atom * QN_RECEPTOR_NEAR_MAX;
    qn_receptor_lanes lanes;
    qn_receptor_cells listed = {.single = {near->x + first, near->y + first, near->z + first, near->radius + first}};
    memset(&lanes, 0, sizeof lanes);
    memcpy(listed.low, cells->low, sizeof listed.low);
    listed.single.partner[described.partner] = near->partner + first;
    if (near->counts[atom] > 0)
        cells->add[QN_RECEPTOR_LISTED](&listed, &described, 0, (uint32_t)near->counts[atom], &lanes);
    finish_sum(&lanes, QN_RECEPTOR_SINGLE, kind->hydrophobic, sum);
}
