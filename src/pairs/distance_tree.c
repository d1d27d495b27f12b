#include "pairs/distance_tree.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pairs/distance_cells.h"

/* Number of pairs of cells that are dealt to threads: many for each thread, and the same for any number of threads. */
enum { TASKS = 2048 };

/* A pair of cells, or a cell with itself. */
typedef struct cell_pair {
    uint32_t cells[2];
    uint64_t pairs;    /* number of pairs of atoms */
    float least, most; /* squares of the least and the largest distance */
    int bin;           /* bin of the least distance */
} cell_pair;

typedef struct pair_list {
    cell_pair *pairs;
    size_t count, capacity;
    uint64_t atom_pairs;
} pair_list;

typedef struct tree_walk {
    qn_distance_cells cells;
    const qn_histogram_bins *bins;
    bool unordered;
    float *squared_edges;
    qn_distance_leaves leaves;
    qn_distance_leaves_count count_leaves;
    pair_list tasks;
    uint64_t budget;      /* pairs that may stay unresolved */
    uint64_t *counts;     /* of each worker, then those of list_tasks */
    uint64_t *unresolved; /* of each task: first its budget, then the number of its unresolved pairs */
    size_t worker_count, stride;
} tree_walk;

static uint64_t *counts_of(const tree_walk *walk, size_t worker)
{
    return walk->counts + worker * walk->stride;
}

/* ---- pairs of cells ---- */

static uint64_t count_atom_pairs(const tree_walk *walk, const qn_distance_cell *a, const qn_distance_cell *b)
{
    if (walk->unordered) return a == b ? (uint64_t)a->count * (a->count - 1) / 2 : (uint64_t)a->count * b->count;
    if (a != b) return (uint64_t)a->selected[0] * b->selected[1] + (uint64_t)a->selected[1] * b->selected[0];
    return (uint64_t)a->selected[0] * a->selected[1] - (a->selected[0] + a->selected[1] - a->count);
}

/* Bound the squares of the least and the largest distance to nearest images. Along each axis the difference lies
 * between `from` and `to`, whose mean is not below 0. Beyond half an edge, the distance to the nearest image decreases
 * again. */
static void find_range(const qn_distance_cells *cells, const qn_distance_cell *a, const qn_distance_cell *b,
                       float *least, float *most)
{
    *least = *most = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float edge = cells->edges[axis], half = 0.5F * edge;
        const float difference = b->high[axis] - a->low[axis], other = a->high[axis] - b->low[axis];
        const float to = fmaxf(difference, other), from = -fminf(difference, other);
        const float near = fminf(from, edge - to) - cells->blur;
        const float far = (to < half ? to : fminf(half, edge - from)) + cells->blur;
        *least += near > 0 ? near * near : 0;
        *most += far * far;
    }
}

static int find_bin(const tree_walk *walk, float square)
{
    const float *edges = walk->squared_edges;
    if (!(square < edges[walk->bins->count])) return walk->bins->count;
    int bin = (int)(sqrtf(square) * walk->leaves.scale + walk->leaves.shift);
    while (square < edges[bin]) bin--;
    while (square >= edges[bin + 1]) bin++;
    return bin;
}

/* Count the pairs of two cells at once if all lie in one bin. Otherwise the pair of cells stays open: returns false,
 * and describes the pair in *pair. */
static bool resolve(const tree_walk *walk, uint32_t first, uint32_t second, uint64_t *counts, cell_pair *pair)
{
    const qn_distance_cell *a = &walk->cells.cells[first], *b = &walk->cells.cells[second];
    *pair = (cell_pair){.cells = {first, second}, .pairs = count_atom_pairs(walk, a, b)};
    if (pair->pairs == 0) return true;
    find_range(&walk->cells, a, b, &pair->least, &pair->most);
    pair->bin = find_bin(walk, pair->least);
    if (pair->bin < walk->bins->count && !(pair->most < walk->squared_edges[pair->bin + 1])) return false;
    counts[pair->bin] += pair->pairs;
    return true;
}

static float size_of(const qn_distance_cell *cell)
{
    float square = 0;
    for (int axis = 0; axis < 3; axis++)
        square += (cell->high[axis] - cell->low[axis]) * (cell->high[axis] - cell->low[axis]);
    return square;
}

static bool are_leaves(const tree_walk *walk, const cell_pair *pair)
{
    return !walk->cells.cells[pair->cells[0]].children && !walk->cells.cells[pair->cells[1]].children;
}

/* Split the larger cell, and resolve the new pairs of cells as far as possible. Returns the number of those that stay
 * open; -1 if both cells are leaves. */
static int split(const tree_walk *walk, const cell_pair *pair, uint64_t *counts, cell_pair open[3])
{
    const uint32_t x = pair->cells[0], y = pair->cells[1];
    const qn_distance_cell *a = &walk->cells.cells[x], *b = &walk->cells.cells[y];
    int count = 0;
    if (are_leaves(walk, pair)) return -1;
    if (x == y) {
        count += !resolve(walk, a->children, a->children, counts, &open[count]);
        count += !resolve(walk, a->children + 1, a->children + 1, counts, &open[count]);
        count += !resolve(walk, a->children, a->children + 1, counts, &open[count]);
        return count;
    }
    const bool split_first = a->children && (!b->children || size_of(a) >= size_of(b));
    const uint32_t children = split_first ? a->children : b->children, other = split_first ? y : x;
    for (uint32_t k = 0; k < 2; k++) count += !resolve(walk, children + k, other, counts, &open[count]);
    return count;
}

/* Spread the pairs over the bins that their range of distances reaches. Distances of atoms drawn uniformly from two
 * cells are rare at both ends of the range. At a fraction s of the range, the share of pairs below is taken as
 * 3 s² - 2 s³, which has half the error of the proportion s. The cumulative sums are rounded, so that no pair is lost.
 */
static void spread(const tree_walk *walk, const cell_pair *pair, uint64_t *counts)
{
    const double least = sqrt((double)pair->least), most = sqrt((double)pair->most);
    uint64_t below = 0;
    for (int bin = pair->bin; below < pair->pairs; bin++) {
        const double edge = bin < walk->bins->count ? qn_histogram_bins_edge(walk->bins, bin + 1) : most;
        const double part = edge < most ? (edge - least) / (most - least) : 1;
        const double share = part * part * (3 - 2 * part);
        const uint64_t up_to = part < 1 ? (uint64_t)(share * (double)pair->pairs + 0.5) : pair->pairs;
        if (up_to <= below) continue;
        counts[bin] += up_to - below;
        below = up_to;
    }
}

/* Return budget · part / whole, but at most `part`. */
static uint64_t share_of(uint64_t budget, uint64_t part, uint64_t whole)
{
    const uint64_t share = whole > 0 ? (uint64_t)((double)budget * ((double)part / (double)whole)) : 0;
    return share < part ? share : part;
}

/* Count an open pair of cells. Returns the number of pairs that stay unresolved, at most `budget`. A new pair of cells
 * gets its share of the budget that those before it did not need. */
static uint64_t visit(const tree_walk *walk, const cell_pair *pair, uint64_t budget, uint64_t *counts)
{
    cell_pair open[3];
    uint64_t unresolved = 0, left = 0;
    if (pair->pairs <= budget) {
        spread(walk, pair, counts);
        return pair->pairs;
    }
    const int count = split(walk, pair, counts, open);
    if (count < 0) {
        const qn_distance_cell *a = &walk->cells.cells[pair->cells[0]], *b = &walk->cells.cells[pair->cells[1]];
        walk->count_leaves(&walk->leaves, (const uint32_t[2]){a->first, a->first + a->count},
                           (const uint32_t[2]){b->first, b->first + b->count},
                           (const int[2]){pair->bin, find_bin(walk, pair->most)}, counts);
        return 0;
    }
    for (int k = 0; k < count; k++) left += open[k].pairs;
    for (int k = 0; k < count; k++) {
        unresolved += visit(walk, &open[k], share_of(budget - unresolved, open[k].pairs, left), counts);
        left -= open[k].pairs;
    }
    return unresolved;
}

/* ---- all pairs ---- */

static qn_status append(pair_list *list, const cell_pair *pair)
{
    void *memory = list->pairs;
    QN_TRY(qn_grow(&memory, &list->capacity, list->count + 1, sizeof *pair));
    list->pairs = memory;
    list->pairs[list->count++] = *pair;
    list->atom_pairs += pair->pairs;
    return QN_OK;
}

static qn_status split_all(const tree_walk *walk, const pair_list *list, uint64_t *counts, bool *any, pair_list *next)
{
    *any = false;
    for (size_t k = 0; k < list->count; k++) {
        cell_pair open[3];
        int count = split(walk, &list->pairs[k], counts, open);
        if (count < 0)
            QN_TRY(append(next, &list->pairs[k]));
        else
            *any = true;
        for (int i = 0; i < count; i++) QN_TRY(append(next, &open[i]));
    }
    return QN_OK;
}

/* List open pairs of cells, enough of them to be dealt to threads. Pairs that are resolved on the way are counted. */
static qn_status list_tasks(tree_walk *walk)
{
    uint64_t *counts = counts_of(walk, walk->worker_count);
    cell_pair all;
    bool any = true;
    if (!resolve(walk, 0, 0, counts, &all)) QN_TRY(append(&walk->tasks, &all));
    while (any && walk->tasks.count > 0 && walk->tasks.count < TASKS && walk->tasks.atom_pairs > walk->budget) {
        pair_list next = {0};
        qn_status status = split_all(walk, &walk->tasks, counts, &any, &next);
        pair_list before = walk->tasks;
        walk->tasks = next;
        qn_release(&before.pairs);
        QN_TRY(status);
    }
    return QN_OK;
}

static qn_status share_budget(tree_walk *walk)
{
    uint64_t budget = walk->budget, left = walk->tasks.atom_pairs;
    void *memory;
    QN_TRY(qn_allocate(walk->tasks.count, sizeof *walk->unresolved, &memory));
    walk->unresolved = memory;
    for (size_t k = 0; k < walk->tasks.count; k++) {
        const cell_pair *pair = &walk->tasks.pairs[k];
        const uint64_t share = share_of(budget, pair->pairs, left);
        walk->unresolved[k] = are_leaves(walk, pair) && share < pair->pairs
                                  ? 0
                                  : share; /* leaves use all or nothing, so leave it to others */
        budget -= walk->unresolved[k];
        left -= pair->pairs;
    }
    return QN_OK;
}

static qn_status visit_task(size_t index, int worker, void *user)
{
    const tree_walk *walk = user;
    uint64_t *unresolved = &walk->unresolved[index];
    *unresolved = visit(walk, &walk->tasks.pairs[index], *unresolved, counts_of(walk, (size_t)worker));
    return QN_OK;
}

static void prepare_leaves(tree_walk *walk)
{
    const qn_distance_cells *cells = &walk->cells;
    walk->count_leaves = QN_HOST_SELECT(qn_distance_leaves_host)[0];
    walk->leaves =
        (qn_distance_leaves){.rows = {cells->rows[0], cells->rows[1], cells->rows[2]},
                             .selections = walk->unordered ? NULL : cells->selections,
                             .squared_edges = walk->squared_edges,
                             .bins = walk->bins->count,
                             .scale = (float)(1 / walk->bins->width_nm),
                             .shift = walk->bins->centred ? 0.5F : 0,
                             .unsure = (float)ldexp(walk->bins->count + 1.0, -21), /* roundings of 2^-24 each */
                             .edges = {cells->edges[0], cells->edges[1], cells->edges[2]}};
}

static qn_status run(const qn_distance_tree_request *request, qn_pool *pool, tree_walk *walk, uint64_t *counts,
                     uint64_t *unresolved)
{
    const size_t bins = (size_t)walk->bins->count;
    void *memory;
    walk->worker_count = pool ? (size_t)qn_pool_threads(pool) : 1;
    walk->stride = (bins + 1 + 15) / 16 * 16;
    QN_TRY(qn_allocate(bins + 1, sizeof *walk->squared_edges, &memory));
    walk->squared_edges = memory;
    qn_histogram_bins_squared_edges(walk->bins, walk->squared_edges);
    QN_TRY(qn_allocate((walk->worker_count + 1) * walk->stride, sizeof *walk->counts, &memory));
    walk->counts = memory;
    QN_TRY(qn_distance_cells_create(request, &walk->cells));
    prepare_leaves(walk);
    const uint64_t all = walk->cells.atom_count ? count_atom_pairs(walk, walk->cells.cells, walk->cells.cells) : 0;
    walk->budget = (uint64_t)(request->most_unresolved * (double)all);
    if (all == 0) return QN_OK;
    QN_TRY(list_tasks(walk));
    QN_TRY(share_budget(walk));
    QN_TRY(qn_pool_run(pool, walk->tasks.count, visit_task, walk));
    for (size_t k = 0; k < walk->tasks.count; k++) *unresolved += walk->unresolved[k];
    for (size_t worker = 0; worker <= walk->worker_count; worker++)
        for (size_t bin = 0; bin <= bins; bin++) counts[bin] += counts_of(walk, worker)[bin];
    return QN_OK;
}

qn_status qn_distance_tree_count(const qn_distance_tree_request *request, qn_pool *pool, uint64_t *counts,
                                 uint64_t *unresolved)
{
    tree_walk walk = {.bins = request->bins, .unordered = request->unordered};
    memset(counts, 0, ((size_t)request->bins->count + 1) * sizeof *counts);
    *unresolved = 0;
    if (request->box->shape == QN_BOX_TRICLINIC)
        return QN_FAIL(QN_UNSUPPORTED,
                       "frame %llu has a triclinic box; approximate histograms expect a rectangular box or none",
                       (unsigned long long)request->atoms->frame->number);
    qn_status status = run(request, pool, &walk, counts, unresolved);
    qn_distance_cells_clear(&walk.cells);
    qn_release(&walk.squared_edges);
    qn_release(&walk.counts);
    qn_release(&walk.unresolved);
    qn_release(&walk.tasks.pairs);
    return status;
}
