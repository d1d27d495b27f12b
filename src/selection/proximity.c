#include "selection/proximity.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { CELLS_A_SIDE_MAX = 1024, IMAGES_MAX = 16 };

/* A parallelepiped divided into cells: the periodic box or, without one, the bounding box of the set. */
typedef struct grid {
    bool periodic;
    double origin_nm[3], vectors_nm[3][3], inverse[3][3];
    int counts[3];
    double reach[3]; /* the radius in cells, with a margin for rounding */
    double radius_squared;
} grid;

typedef struct point {
    double x, y, z;
} point;

struct qn_proximity {
    size_t atom_count;
    uint32_t *members; /* finite atoms of the set; `cells` has the cell of each */
    uint32_t *cells;
    point *places;                 /* of members, moved into the box */
    point *points;                 /* the same in the order of their cells, x fastest */
    uint32_t *starts;              /* [cell] first of its points; one more at the end */
    unsigned char *marks, *spread; /* [cell] whether a point may be near */
    size_t cell_capacity;
    size_t member_count;
};

qn_status qn_proximity_create(size_t atom_count, qn_proximity **proximity)
{
    void *memory;
    *proximity = NULL;
    QN_TRY(qn_allocate(1, sizeof **proximity, &memory));
    qn_proximity *made = memory;
    made->atom_count = atom_count;
    made->cell_capacity = 2 * atom_count + 64;
    struct {
        void *array;
        size_t count, size;
    } rooms[] = {{&made->members, atom_count, sizeof *made->members},
                 {&made->cells, atom_count, sizeof *made->cells},
                 {&made->places, atom_count, sizeof *made->places},
                 {&made->points, atom_count, sizeof *made->points},
                 {&made->starts, made->cell_capacity + 1, sizeof *made->starts},
                 {&made->marks, made->cell_capacity, 1},
                 {&made->spread, made->cell_capacity, 1}};
    qn_status status = QN_OK;
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0] && status == QN_OK; i++) {
        status = qn_allocate(rooms[i].count, rooms[i].size, &memory);
        if (status == QN_OK) memcpy(rooms[i].array, &memory, sizeof memory);
    }
    if (status == QN_OK)
        *proximity = made;
    else
        qn_proximity_destroy(&made);
    return status;
}

void qn_proximity_destroy(qn_proximity **proximity)
{
    qn_proximity *p = *proximity;
    if (!p) return;
    qn_release(&p->members);
    qn_release(&p->cells);
    qn_release(&p->places);
    qn_release(&p->points);
    qn_release(&p->starts);
    qn_release(&p->marks);
    qn_release(&p->spread);
    qn_release(proximity);
}

/* ---- The grid ---- */

static bool is_finite(const float *position)
{
    return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

/* Fractional coordinates in the grid, within 0 … 1 where the grid is periodic. */
static void fractions_of(const grid *g, const float *position, double fractions[3])
{
    double from[3];
    for (int k = 0; k < 3; k++) from[k] = position[k] - g->origin_nm[k];
    for (int k = 0; k < 3; k++) {
        fractions[k] = from[0] * g->inverse[0][k] + from[1] * g->inverse[1][k] + from[2] * g->inverse[2][k];
        if (g->periodic) fractions[k] -= floor(fractions[k]);
    }
}

/* Position relative to the grid's origin. */
static point place_of(const grid *g, const double f[3])
{
    return (point){f[0] * g->vectors_nm[0][0] + f[1] * g->vectors_nm[1][0] + f[2] * g->vectors_nm[2][0],
                   f[0] * g->vectors_nm[0][1] + f[1] * g->vectors_nm[1][1] + f[2] * g->vectors_nm[2][1],
                   f[0] * g->vectors_nm[0][2] + f[1] * g->vectors_nm[1][2] + f[2] * g->vectors_nm[2][2]};
}

static void list_members(qn_proximity *p, const float *positions, const uint64_t *set)
{
    p->member_count = 0;
    for (size_t word = 0; word * 64 < p->atom_count; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
            size_t atom = word * 64 + (size_t)__builtin_ctzll(bits);
            if (is_finite(positions + 3 * atom)) p->members[p->member_count++] = (uint32_t)atom;
        }
}

static void bound_members(const qn_proximity *p, const float *positions, grid *g)
{
    memset(g->vectors_nm, 0, sizeof g->vectors_nm);
    memset(g->inverse, 0, sizeof g->inverse);
    for (int k = 0; k < 3; k++) {
        double least = DBL_MAX, most = -DBL_MAX;
        for (size_t i = 0; i < p->member_count; i++) {
            double x = positions[3 * p->members[i] + k];
            least = fmin(least, x);
            most = fmax(most, x);
        }
        g->origin_nm[k] = least;
        g->vectors_nm[k][k] = fmax(most - least, 1e-3);
        g->inverse[k][k] = 1 / g->vectors_nm[k][k];
    }
}

/* Divide the grid into cells of half the radius where memory allows, so that few distant points are tested. */
static void cut(const qn_proximity *p, double radius_nm, grid *g)
{
    double thickness[3];
    for (int k = 0; k < 3; k++) {
        double column = hypot(hypot(g->inverse[0][k], g->inverse[1][k]), g->inverse[2][k]);
        thickness[k] = 1 / column;
        double cells = fmin(floor(thickness[k] / fmax(radius_nm / 2, DBL_MIN)), CELLS_A_SIDE_MAX);
        g->counts[k] = cells < 1 ? 1 : (int)cells;
    }
    while ((size_t)g->counts[0] * (size_t)g->counts[1] * (size_t)g->counts[2] > p->cell_capacity) {
        int *largest = &g->counts[0];
        for (int k = 1; k < 3; k++)
            if (g->counts[k] > *largest) largest = &g->counts[k];
        *largest = (*largest + 1) / 2;
    }
    for (int k = 0; k < 3; k++) g->reach[k] = radius_nm / thickness[k] * g->counts[k] * (1 + 1e-12) + 1e-9;
    g->radius_squared = radius_nm * radius_nm;
}

static uint32_t cell_at(const grid *g, const double fractions[3])
{
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) {
        int index = (int)(fractions[k] * g->counts[k]);
        cell[k] = (uint32_t)(index < 0 ? 0 : index >= g->counts[k] ? g->counts[k] - 1 : index);
    }
    return (cell[2] * (uint32_t)g->counts[1] + cell[1]) * (uint32_t)g->counts[0] + cell[0];
}

/* Sort the points by cell (counting sort). */
static void fill(qn_proximity *p, const float *positions, const grid *g)
{
    size_t cell_count = (size_t)g->counts[0] * (size_t)g->counts[1] * (size_t)g->counts[2];
    memset(p->starts, 0, (cell_count + 1) * sizeof *p->starts);
    for (size_t i = 0; i < p->member_count; i++) {
        double fractions[3];
        fractions_of(g, positions + 3 * p->members[i], fractions);
        p->places[i] = place_of(g, fractions);
        p->cells[i] = cell_at(g, fractions);
        p->starts[p->cells[i] + 1]++;
    }
    for (size_t cell = 0; cell < cell_count; cell++) {
        p->marks[cell] = p->starts[cell + 1] > 0;
        p->starts[cell + 1] += p->starts[cell];
    }
    for (size_t i = p->member_count; i-- > 0;) p->points[--p->starts[p->cells[i] + 1]] = p->places[i];
    /* starts[cell + 1] is now where the cell begins */
    memmove(p->starts, p->starts + 1, cell_count * sizeof *p->starts);
    p->starts[cell_count] = (uint32_t)p->member_count;
}

/* Mark the cells that are within reach of a marked cell along one axis. */
static void spread_along(qn_proximity *p, const grid *g, int axis)
{
    int stride = axis == 0 ? 1 : axis == 1 ? g->counts[0] : g->counts[0] * g->counts[1];
    int count = g->counts[axis], total = g->counts[0] * g->counts[1] * g->counts[2];
    int reach = g->reach[axis] >= count ? count : (int)g->reach[axis] + 1;
    memset(p->spread, 0, (size_t)total);
    for (int cell = 0; cell < total; cell++) {
        if (!p->marks[cell]) continue;
        int at = cell / stride % count, line = cell - at * stride;
        for (int step = -reach; step <= reach; step++) {
            int to = at + step;
            if (g->periodic)
                to = ((to % count) + count) % count;
            else if (to < 0 || to >= count)
                continue;
            p->spread[line + to * stride] = 1;
        }
    }
    unsigned char *marks = p->marks;
    p->marks = p->spread;
    p->spread = marks;
}

/* ---- Search ---- */

static bool any_near(const qn_proximity *p, uint32_t first, uint32_t last, point from, double radius_squared)
{
    for (uint32_t i = first; i < last; i++) {
        double x = p->points[i].x - from.x, y = p->points[i].y - from.y, z = p->points[i].z - from.z;
        if (x * x + y * y + z * z <= radius_squared) return true;
    }
    return false;
}

static int floor_divide(int value, int by)
{
    return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/* Search the cells first … last of a row; cells beyond the ends of the row are images of its cells. */
static bool row_is_near(const qn_proximity *p, const grid *g, int row, int first, int last, point from)
{
    int count = g->counts[0];
    for (int image = floor_divide(first, count); image * count <= last; image++) {
        int begin = first - image * count, end = last - image * count;
        if (begin < 0) begin = 0;
        if (end >= count) end = count - 1;
        point moved = {from.x - image * g->vectors_nm[0][0], from.y - image * g->vectors_nm[0][1],
                       from.z - image * g->vectors_nm[0][2]};
        if (any_near(p, p->starts[row + begin], p->starts[row + end + 1], moved, g->radius_squared)) return true;
    }
    return false;
}

/* Number `step` of the numbers around `middle`, the nearest first: middle, middle + 1, middle - 1, middle + 2 … */
static int around(int middle, int step)
{
    return step % 2 ? middle + (step + 1) / 2 : middle - step / 2;
}

/* Search the rows of one layer of cells, the middle ones first. `layer` lies in the grid; the caller has shifted `from`
 * by the layer's image. */
static bool layer_is_near(const qn_proximity *p, const grid *g, int layer, const int first[3], const int last[3],
                          int middle, point from)
{
    for (int step = 0; step <= 2 * (last[1] - first[1]); step++) {
        int y = around(middle, step);
        if (y < first[1] || y > last[1]) continue;
        int image = floor_divide(y, g->counts[1]);
        int row = (layer * g->counts[1] + y - image * g->counts[1]) * g->counts[0];
        if (p->starts[row] == p->starts[row + g->counts[0]]) continue;
        point moved = {from.x - image * g->vectors_nm[1][0], from.y - image * g->vectors_nm[1][1],
                       from.z - image * g->vectors_nm[1][2]};
        if (row_is_near(p, g, row, first[0], last[0], moved)) return true;
    }
    return false;
}

/* Search the cells of all layers in reach. For a periodic image, `from` is shifted instead of the image's points. */
static bool is_near(const qn_proximity *p, const grid *g, const double fractions[3])
{
    int first[3], last[3], middle[3];
    for (int k = 0; k < 3; k++) {
        double at = fractions[k] * g->counts[k], low = floor(at - g->reach[k]), high = floor(at + g->reach[k]);
        if (!g->periodic) low = fmax(low, 0), high = fmin(high, g->counts[k] - 1);
        if (low > high) return false;
        first[k] = (int)low, last[k] = (int)high;
        middle[k] = (int)fmin(fmax(floor(at), low), high);
    }
    point from = place_of(g, fractions);
    for (int step = 0; step <= 2 * (last[2] - first[2]); step++) {
        int z = around(middle[2], step);
        if (z < first[2] || z > last[2]) continue;
        int image = floor_divide(z, g->counts[2]);
        point moved = {from.x - image * g->vectors_nm[2][0], from.y - image * g->vectors_nm[2][1],
                       from.z - image * g->vectors_nm[2][2]};
        if (layer_is_near(p, g, z - image * g->counts[2], first, last, middle[1], moved)) return true;
    }
    return false;
}

/* Whether all points are near. By nearest images, no two points of a periodic box are farther apart than half the sum
 * of the lengths of its vectors. */
static bool reaches_all(const qn_box *box, double radius_nm)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += hypot(hypot(box->vectors_nm[k][0], box->vectors_nm[k][1]), box->vectors_nm[k][2]);
    return radius_nm > sum * 0.5 * (1 + 1e-9);
}

static qn_status check_images(const grid *g, const qn_box *box, double radius_nm)
{
    for (int k = 0; k < 3; k++)
        if (g->reach[k] > (double)IMAGES_MAX * g->counts[k])
            return QN_FAIL(
                QN_UNSUPPORTED,
                "within %g nm of atoms in a box that is %g nm thin; expected a radius of at most %d thicknesses",
                radius_nm, 2 * box->inscribed_radius_nm, IMAGES_MAX);
    return QN_OK;
}

qn_status qn_proximity_mark(qn_proximity *p, const qn_box *box, const float *positions_nm, const uint64_t *set,
                            double radius_nm, uint64_t *near)
{
    grid g = {.periodic = box->shape != QN_BOX_NONE};
    list_members(p, positions_nm, set);
    if (p->member_count == 0) return QN_OK;
    bool all = g.periodic && reaches_all(box, radius_nm);
    if (g.periodic) {
        memcpy(g.vectors_nm, box->vectors_nm, sizeof g.vectors_nm);
        memcpy(g.inverse, box->inverse, sizeof g.inverse);
    } else
        bound_members(p, positions_nm, &g);
    cut(p, radius_nm, &g);
    if (g.periodic && !all) QN_TRY(check_images(&g, box, radius_nm));
    fill(p, positions_nm, &g);
    for (int axis = 0; axis < 3 && !all; axis++) spread_along(p, &g, axis);
    for (size_t atom = 0; atom < p->atom_count; atom++) {
        const float *position = positions_nm + 3 * atom;
        double fractions[3];
        if (!is_finite(position)) continue;
        bool is = all || (set[atom / 64] >> (atom % 64) & 1);
        if (!is) {
            fractions_of(&g, position, fractions);
            /* without a box, an atom may lie outside the cells */
            is = (!g.periodic || p->marks[cell_at(&g, fractions)]) && is_near(p, &g, fractions);
        }
        if (is) near[atom / 64] |= (uint64_t)1 << (atom % 64);
    }
    return QN_OK;
}
