#include "pairs/distance_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { LEAF_ATOMS = QN_DISTANCE_ROW }; /* most atoms of a leaf, unless they are in the same cell of the last level */
enum { LEVELS = 21 };                  /* of the octree: three bits each, 63 bits in all */

/* An atom with its place along the Morton curve, which visits the cells of an octree in order. */
typedef struct placed_atom {
    uint64_t place; /* bits z y x of the first level, then those of the second, … */
    uint32_t atom;  /* index of the packed atom */
    uint32_t selections;
} placed_atom;

static int compare_places(const void *a, const void *b)
{
    const placed_atom *first = a, *second = b;
    if (first->place != second->place) return first->place < second->place ? -1 : 1;
    return first->atom < second->atom ? -1 : first->atom > second->atom;
}

void qn_distance_cells_clear(qn_distance_cells *cells)
{
    qn_release(&cells->rows[0]);
    qn_release(&cells->selections);
    qn_release(&cells->cells);
    *cells = (qn_distance_cells){0};
}

/* List the atoms of both selections, which ascend, each atom once. Returns their number. */
static size_t unite(const qn_distance_tree_request *request, uint32_t *atoms, placed_atom *placed)
{
    const qn_pair_atoms *chosen = request->atoms;
    const size_t first = chosen->atom_count[0], second = request->unordered ? 0 : chosen->atom_count[1];
    size_t count = 0;
    for (size_t i = 0, j = 0; i < first || j < second; count++) {
        const uint32_t a = i < first ? chosen->atoms[0][i] : UINT32_MAX,
                       b = j < second ? chosen->atoms[1][j] : UINT32_MAX;
        atoms[count] = a < b ? a : b;
        placed[count] = (placed_atom){.atom = (uint32_t)count, .selections = (a <= b ? 1U : 0U) | (b <= a ? 2U : 0U)};
        i += a <= b;
        j += b <= a;
    }
    return count;
}

/* Spread the lowest `LEVELS` bits of x: two zero bits go between neighbouring bits. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

static qn_status extent_of(const qn_distance_tree_request *request, const float *packed, size_t count, float low[3],
                           double *extent)
{
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    low[0] = low[1] = low[2] = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const float x = packed[4 * i + (size_t)axis];
            if (!isfinite(x))
                return QN_FAIL(QN_BAD_FORMAT, "frame %llu has a position that is not finite; expected numbers",
                               (unsigned long long)request->atoms->frame->number);
            low[axis] = fminf(low[axis], x);
            high[axis] = fmaxf(high[axis], x);
        }
    *extent = 0;
    for (int axis = 0; axis < 3; axis++) *extent = fmax(*extent, (double)high[axis] - low[axis]);
    return QN_OK;
}

static void place_atoms(const float *packed, size_t count, const float low[3], double extent, placed_atom *placed)
{
    const double last = (1 << LEVELS) - 1, scale = extent > 0 ? last / extent : 0;
    for (size_t i = 0; i < count; i++) {
        placed[i].place = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double cell = fmin(((double)packed[4 * i + (size_t)axis] - low[axis]) * scale, last);
            placed[i].place |= spread_bits((uint64_t)cell) << axis;
        }
    }
    qsort(placed, count, sizeof *placed, compare_places);
}

static qn_status make_rows(const float *packed, const placed_atom *placed, qn_distance_cells *cells)
{
    const size_t count = cells->atom_count;
    void *memory;
    QN_TRY(qn_allocate(3 * count + QN_DISTANCE_ROW, sizeof(float), &memory));
    cells->rows[0] = memory;
    cells->rows[1] = cells->rows[0] + count;
    cells->rows[2] = cells->rows[1] + count;
    QN_TRY(qn_allocate(count + QN_DISTANCE_ROW, 1, &memory));
    cells->selections = memory;
    for (size_t i = 0; i < count; i++) {
        for (size_t axis = 0; axis < 3; axis++) cells->rows[axis][i] = packed[4 * (size_t)placed[i].atom + axis];
        cells->selections[i] = (uint8_t)placed[i].selections;
    }
    return QN_OK;
}

/* Find the first atom in the second half of a cell. The cell is halved at the axis and level where its atoms first
 * differ. */
static uint32_t find_half(const placed_atom *placed, uint32_t first, uint32_t count)
{
    uint64_t bit = (uint64_t)1 << (3 * LEVELS - 1);
    const uint64_t differ = placed[first].place ^ placed[first + count - 1].place;
    while (!(differ & bit)) bit >>= 1;
    uint32_t low = first, high = first + count - 1; /* low is in the first half, high in the second */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (placed[middle].place & bit)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static qn_status split_cells(const placed_atom *placed, qn_distance_cells *cells)
{
    size_t capacity = 0;
    void *memory = NULL;
    QN_TRY(qn_grow(&memory, &capacity, 1 + 4 * cells->atom_count / LEAF_ATOMS, sizeof *cells->cells));
    cells->cells = memory;
    cells->cells[0] = (qn_distance_cell){.count = (uint32_t)cells->atom_count};
    cells->cell_count = 1;
    for (size_t k = 0; k < cells->cell_count; k++) {
        const uint32_t first = cells->cells[k].first, count = cells->cells[k].count;
        if (count <= LEAF_ATOMS || placed[first].place == placed[first + count - 1].place) continue;
        const uint32_t half = find_half(placed, first, count);
        QN_TRY(qn_grow(&memory, &capacity, cells->cell_count + 2, sizeof *cells->cells));
        cells->cells = memory;
        cells->cells[k].children = (uint32_t)cells->cell_count;
        cells->cells[cells->cell_count++] = (qn_distance_cell){.first = first, .count = half - first};
        cells->cells[cells->cell_count++] = (qn_distance_cell){.first = half, .count = first + count - half};
    }
    return QN_OK;
}

static void bound_leaf(const qn_distance_cells *cells, qn_distance_cell *leaf)
{
    for (int axis = 0; axis < 3; axis++) {
        leaf->low[axis] = INFINITY;
        leaf->high[axis] = -INFINITY;
        for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
            leaf->low[axis] = fminf(leaf->low[axis], cells->rows[axis][i]);
            leaf->high[axis] = fmaxf(leaf->high[axis], cells->rows[axis][i]);
        }
    }
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        leaf->selected[0] += cells->selections[i] & 1;
        leaf->selected[1] += cells->selections[i] >> 1;
    }
}

/* Compute bounds and counts of all cells; children come before their parents. */
static void bound_cells(qn_distance_cells *cells)
{
    for (size_t k = cells->cell_count; k-- > 0;) {
        qn_distance_cell *cell = &cells->cells[k];
        if (!cell->children) {
            bound_leaf(cells, cell);
            continue;
        }
        const qn_distance_cell *child = &cells->cells[cell->children];
        for (int axis = 0; axis < 3; axis++) {
            cell->low[axis] = fminf(child[0].low[axis], child[1].low[axis]);
            cell->high[axis] = fmaxf(child[0].high[axis], child[1].high[axis]);
        }
        for (int which = 0; which < 2; which++)
            cell->selected[which] = child[0].selected[which] + child[1].selected[which];
    }
}

static qn_status fill(const qn_distance_tree_request *request, uint32_t *atoms, placed_atom *placed, float **packed,
                      qn_distance_cells *cells)
{
    float low[3];
    double extent = 0, longest = 0;
    void *memory;
    cells->atom_count = unite(request, atoms, placed);
    QN_TRY(qn_allocate(4 * cells->atom_count, sizeof(float), &memory));
    *packed = memory;
    qn_histogram_pack(request->box, request->atoms->frame->positions_nm, atoms, cells->atom_count, *packed);
    QN_TRY(extent_of(request, *packed, cells->atom_count, low, &extent));
    for (int axis = 0; axis < 3; axis++) {
        const bool periodic = request->box->shape != QN_BOX_NONE;
        cells->edges[axis] = periodic ? (float)request->box->vectors_nm[axis][axis] : INFINITY;
        if (periodic) longest = fmax(longest, request->box->vectors_nm[axis][axis]);
    }
    cells->blur = (float)ldexp(fmax(longest, extent), -19); /* at least ten roundings of 2^-24 on each side */
    place_atoms(*packed, cells->atom_count, low, extent, placed);
    QN_TRY(make_rows(*packed, placed, cells));
    QN_TRY(split_cells(placed, cells));
    bound_cells(cells);
    return QN_OK;
}

qn_status qn_distance_cells_create(const qn_distance_tree_request *request, qn_distance_cells *cells)
{
    const size_t most = request->atoms->atom_count[0] + (request->unordered ? 0 : request->atoms->atom_count[1]) + 1;
    uint32_t *atoms = NULL;
    placed_atom *placed = NULL;
    float *packed = NULL;
    void *memory;
    *cells = (qn_distance_cells){0};
    qn_status status = qn_allocate(most, sizeof *atoms, &memory);
    if (status == QN_OK) {
        atoms = memory;
        status = qn_allocate(most, sizeof *placed, &memory);
    }
    if (status == QN_OK) {
        placed = memory;
        status = fill(request, atoms, placed, &packed, cells);
    }
    qn_release(&atoms);
    qn_release(&placed);
    qn_release(&packed);
    if (status != QN_OK) qn_distance_cells_clear(cells);
    return status;
}
