/* Lists of receptor atoms within reach of cells. The list of a cell has, in the order of the receptor, all atoms within
 * reach of any point of the cell and few others. Points at borders of cells are in one of the cells that meet there. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/random.h"
#include "score/kernels/score_poses_lists.h"

#include "runtime/prelude/prelude_host.h"

#include "score/kernels/score_poses_near.dev.h"

enum { ATOMS = 401, TYPES = 5, ROWS = 6 };

/* Rows 1 and 4 differ only in type 4, which no atom has; row 3 has no reach. */
static const double reach[ROWS * TYPES] = {9.34, 4, 0, 3.5, 1,   4, 4.5, 6, 0, 7,   3.5, 9, 2, 1, 0,
                                           0,    0, 0, 0,   0.5, 4, 4.5, 6, 0, 9.5, 0,   0, 3, 0, 0};
static const double margin = 0.011, side = 2.5;
static double positions[3 * ATOMS];
static int types[ATOMS];

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(5, stream, index);
}

/* Make atoms, a quarter of them on a lattice whose spacing is the side of a cell. */
static void make_atoms(void)
{
    for (int j = 0; j < ATOMS; j++) {
        types[j] = (int)(4 * uniform(1, (uint64_t)j));
        for (int axis = 0; axis < 3; axis++) {
            const double at = 18 * uniform(2, (uint64_t)(3 * j + axis)) - 30;
            positions[3 * j + axis] = j % 4 == 0 ? side * floor(at / side) : at;
        }
    }
}

static qn_score_lists_request request_of(int step, bool keep_parity)
{
    return (qn_score_lists_request){.positions = positions,
                                    .types = types,
                                    .atom_count = ATOMS,
                                    .row_count = ROWS,
                                    .type_count = TYPES,
                                    .reach_angstrom = reach,
                                    .smallest_side_angstrom = side,
                                    .step = step,
                                    .keep_parity = keep_parity};
}

static double gap_to(const qn_score_cells *cells, int axis, int cell, double place)
{
    const double edge = 1 / (double)cells->cells_per_angstrom, low = (double)cells->first[axis] + edge * cell;
    return place < low ? low - place : place > low + edge ? place - low - edge : 0;
}

/* Distance (Å) from an atom to the nearest point of a cell. */
static double distance_to(const qn_score_cells *cells, int cell, const double *place)
{
    const double x = gap_to(cells, 0, cell % cells->count[0], place[0]);
    const double y = gap_to(cells, 1, cell / cells->count[0] % cells->count[1], place[1]);
    const double z = gap_to(cells, 2, cell / cells->count[0] / cells->count[1], place[2]);
    return sqrt(x * x + y * y + z * z);
}

typedef struct list_faults {
    int missing, needless, disordered, out_of_step, held;
} list_faults;

static void check_list(const qn_score_lists *lists, const qn_score_lists_request *request, int row, int cell,
                       list_faults *faults)
{
    const int32_t *range = lists->ranges + 2 * (lists->class_of_row[row] * lists->cell_count + cell);
    bool is_listed[ATOMS] = {false};
    int last = -1;
    faults->out_of_step += range[1] % request->step != 0;
    for (int i = 0; i < range[1]; i++) {
        const int atom = lists->atoms[range[0] + i];
        faults->out_of_step += request->keep_parity && (atom ^ i) & 1;
        if (atom >= ATOMS) {
            faults->disordered += atom > ATOMS + 1;
            continue;
        }
        faults->disordered += atom <= last;
        last = atom;
        is_listed[atom] = true;
    }
    for (int j = 0; j < ATOMS; j++) {
        const double far = reach[row * TYPES + types[j]],
                     distance = distance_to(&lists->cells, cell, positions + 3 * j);
        faults->missing += far > 0 && distance <= far && !is_listed[j];
        faults->needless += is_listed[j] && (far == 0 || distance > far + margin);
        faults->held += is_listed[j];
    }
}

static void check_lists(int step, bool keep_parity)
{
    const qn_score_lists_request request = request_of(step, keep_parity);
    qn_score_lists lists;
    list_faults faults = {0};
    if (!CHECK_OK(qn_score_lists_create(&request, &lists))) return;
    for (int row = 0; row < ROWS; row++)
        for (int cell = 0; cell < lists.cell_count; cell++) check_list(&lists, &request, row, cell, &faults);
    CHECK(lists.class_count == 5 && lists.class_of_row[1] == lists.class_of_row[4]);
    CHECK(faults.missing == 0 && faults.needless == 0);
    CHECK(faults.disordered == 0 && faults.out_of_step == 0);
    CHECK(faults.held > 20 * ATOMS);
    qn_score_lists_clear(&lists);
}

static void lists_hold_the_atoms_within_reach(void)
{
    check_lists(1, false);
    check_lists(4, false);
    check_lists(2, true);
}

static int cell_at(const qn_score_cells *cells, const float place[3])
{
    int at[3];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = cell_along(place[axis], cells->first[axis], cells->cells_per_angstrom, cells->count[axis]);
    return cell_of(at[0], at[1], at[2], cells->count[0], cells->count[1]);
}

/* Points at corners of cells, within single precision: if such a point is within reach of an atom, its cell has the
 * atom on its list. */
static void points_at_borders_find_the_atoms_within_reach(void)
{
    const qn_score_lists_request request = request_of(1, false);
    qn_score_lists lists;
    int missing = 0, found = 0;
    if (!CHECK_OK(qn_score_lists_create(&request, &lists))) return;
    for (int i = 0; i < 4000; i++) {
        float place[3];
        for (int axis = 0; axis < 3; axis++) {
            const double line = floor(uniform(3, (uint64_t)(3 * i + axis)) * (lists.cells.count[axis] + 1));
            place[axis] = lists.cells.first[axis] + (float)(line / (double)lists.cells.cells_per_angstrom);
            for (int step = i % 5 - 2; step != 0; step += step < 0 ? 1 : -1)
                place[axis] = nextafterf(place[axis], step < 0 ? -1000 : 1000);
        }
        const int cell = cell_at(&lists.cells, place);
        for (int j = 0; j < ATOMS; j++) {
            const double dx = place[0] - positions[3 * j], dy = place[1] - positions[3 * j + 1];
            const double dz = place[2] - positions[3 * j + 2];
            if (!(dx * dx + dy * dy + dz * dz <= reach[types[j]] * reach[types[j]])) continue;
            bool is_listed = false;
            const int32_t *range = lists.ranges + 2 * cell;
            for (int k = 0; cell >= 0 && k < range[1]; k++) is_listed |= lists.atoms[range[0] + k] == j;
            missing += !is_listed;
            found += is_listed;
        }
    }
    CHECK(missing == 0 && found > 4000);
    CHECK(cell_at(&lists.cells, (float[3]){0, 0, NAN}) == -1 && cell_at(&lists.cells, (float[3]){0, -500, 0}) == -1);
    qn_score_lists_clear(&lists);
}

/* Atoms far apart, and so many atoms that lists of small cells would take gigabytes. */
static void memory_is_bounded(void)
{
    enum { MANY = 60000 };
    const double far_apart[6] = {-9000, -9000, -9000, 9000, 9000, 9000};
    const int alike[2] = {0, 0};
    qn_score_lists_request request = request_of(4, false);
    qn_score_lists lists;
    double *crowd = NULL;
    int *of_type = NULL;
    request.positions = far_apart;
    request.types = alike;
    request.atom_count = 2;
    if (CHECK_OK(qn_score_lists_create(&request, &lists))) {
        CHECK(lists.cell_count <= 1 << 16 && lists.entry_count < 1 << 16);
        qn_score_lists_clear(&lists);
    }
    if (!CHECK_OK(qn_allocate(3 * MANY, sizeof *crowd, (void **)&crowd))) return;
    if (!CHECK_OK(qn_allocate(MANY, sizeof *of_type, (void **)&of_type))) return;
    for (int i = 0; i < 3 * MANY; i++) crowd[i] = 30 * uniform(4, (uint64_t)i);
    request.positions = crowd;
    request.types = of_type;
    request.atom_count = MANY;
    if (CHECK_OK(qn_score_lists_create(&request, &lists))) {
        CHECK(lists.entry_count > 1 << 22 && lists.entry_count < 1 << 25);
        qn_score_lists_clear(&lists);
    }
    qn_release(&crowd);
    qn_release(&of_type);
}

int main(void)
{
    make_atoms();
    RUN(lists_hold_the_atoms_within_reach);
    RUN(points_at_borders_find_the_atoms_within_reach);
    RUN(memory_is_bounded);
    return check_finish();
}
