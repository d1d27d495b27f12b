#include "tune/searcher/forest.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

enum { BINS = 256, DEPTH = 48, LEAF = 255 };

static const uint64_t forest_stream = 0x666f72657374;

/* A point goes to the left if (uint8_t)((x[parameter] ^ flip) * odd) < cut. For an ordered parameter flip is 0 and odd
 * is 1; values without order get other numbers in each node. The left child is the next node. */
typedef struct node {
    uint8_t parameter, cut, flip, odd; /* parameter LEAF: a leaf */
    uint32_t right;
    float value; /* of a leaf */
} node;

typedef struct grown_tree {
    node *nodes;
    size_t capacity, count;
} grown_tree;

struct qn_forest {
    const qn_space *space;
    qn_forest_options options;
    size_t width, looked_at;
    uint8_t vary[QN_SPACE_PARAMETERS_MAX];
    bool unordered[QN_SPACE_PARAMETERS_MAX]; /* these three by varying parameter */
    uint8_t *codes[QN_SPACE_PARAMETERS_MAX]; /* x by value number */
    size_t bins[QN_SPACE_PARAMETERS_MAX];
    uint64_t seed, draws;
    grown_tree *trees;
    uint8_t *x; /* [data][width] */
    float *y;
    uint32_t *order;
    size_t x_capacity, y_capacity, order_capacity;
};

static size_t below(qn_forest *forest, size_t count)
{
    return (size_t)(qn_random_uniform(forest->seed, forest_stream, forest->draws++) * (double)count) % count;
}

static double number_of(const qn_value *value)
{
    return value->kind == QN_INTEGER ? (double)value->as.integer
           : value->kind == QN_REAL  ? value->as.real
                                     : (double)value->as.boolean;
}

static qn_status set_codes(qn_forest *forest, size_t p)
{
    size_t count = qn_space_value_count(forest->space, p), place = forest->width;
    if (count < 2) return QN_OK;
    QN_TRY(qn_allocate(count, 1, (void **)&forest->codes[place]));
    forest->vary[place] = (uint8_t)p;
    for (size_t i = 0; i < count; i++)
        if (qn_space_value(forest->space, p, i)->kind == QN_TEXT) forest->unordered[place] = true;
    for (size_t i = 0; i < count; i++) {
        size_t rank = forest->unordered[place] ? i : 0;
        double number = number_of(qn_space_value(forest->space, p, i));
        for (size_t k = 0; k < count && !forest->unordered[place]; k++)
            if (number_of(qn_space_value(forest->space, p, k)) < number) rank++;
        forest->codes[place][i] = (uint8_t)(count > BINS ? rank * BINS / count : rank);
    }
    forest->bins[place] = forest->unordered[place] || count > BINS ? BINS : count;
    forest->width++;
    return QN_OK;
}

qn_status qn_forest_create(const qn_space *space, const qn_forest_options *options, uint64_t seed, qn_forest **forest)
{
    qn_forest *made;
    *forest = NULL;
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    *made = (qn_forest){.space = space, .options = *options, .seed = seed};
    qn_status status = qn_allocate((size_t)options->trees, sizeof(*made->trees), (void **)&made->trees);
    for (size_t p = 0; status == QN_OK && p < qn_space_parameter_count(space); p++) status = set_codes(made, p);
    made->looked_at = (size_t)ceil(options->parameters * (double)made->width);
    if (status != QN_OK)
        qn_forest_destroy(&made);
    else
        *forest = made;
    return status;
}

void qn_forest_destroy(qn_forest **forest)
{
    if (!*forest) return;
    for (int t = 0; (*forest)->trees && t < (*forest)->options.trees; t++) qn_release(&(*forest)->trees[t].nodes);
    for (size_t p = 0; p < QN_SPACE_PARAMETERS_MAX; p++) qn_release(&(*forest)->codes[p]);
    qn_release(&(*forest)->trees);
    qn_release(&(*forest)->x);
    qn_release(&(*forest)->y);
    qn_release(&(*forest)->order);
    qn_release(forest);
}

static uint8_t seen_by(const node *split, const uint8_t *x)
{
    return (uint8_t)((x[split->parameter] ^ split->flip) * split->odd);
}

/* Try the cuts of one parameter; *gain is the reduction of the sum of squares by the best cut so far. Returns true if
 * the data differ in this parameter. */
static bool try_parameter(qn_forest *forest, const uint32_t *order, size_t count, double sum, size_t parameter,
                          node *best, double *gain)
{
    double sums[BINS], left = 0, all = sum * sum / (double)count;
    uint32_t counts[BINS];
    size_t bins = forest->bins[parameter], left_count = 0, last = 0;
    node split = {.parameter = (uint8_t)parameter, .odd = 1};
    if (forest->unordered[parameter]) {
        split.flip = (uint8_t)below(forest, BINS);
        split.odd = (uint8_t)(2 * below(forest, BINS / 2) + 1);
    }
    memset(sums, 0, bins * sizeof(*sums));
    memset(counts, 0, bins * sizeof(*counts));
    for (size_t i = 0; i < count; i++) {
        uint8_t bin = seen_by(&split, forest->x + order[i] * forest->width);
        sums[bin] += (double)forest->y[order[i]];
        counts[bin]++;
    }
    for (size_t bin = 0; bin < bins && left_count < count; bin++) {
        if (!counts[bin]) continue;
        double right = sum - left, right_count = (double)(count - left_count);
        double here = left_count ? left * left / (double)left_count + right * right / right_count - all : 0;
        if (left_count && here > *gain) {
            *gain = here;
            *best = split;
            best->cut = (uint8_t)(last + 1 + below(forest, bin - last));
        }
        left += sums[bin];
        left_count += counts[bin];
        last = bin;
        if (left_count == counts[bin] && left_count == count) return false;
    }
    return true;
}

static bool find_split(qn_forest *forest, const uint32_t *order, size_t count, double sum, node *best)
{
    uint8_t shuffled[QN_SPACE_PARAMETERS_MAX];
    double gain = 1e-12;
    size_t looked_at = 0;
    for (size_t p = 0; p < forest->width; p++) shuffled[p] = (uint8_t)p;
    for (size_t i = 0; i < forest->width && looked_at < forest->looked_at; i++) {
        size_t k = i + below(forest, forest->width - i);
        uint8_t parameter = shuffled[k];
        shuffled[k] = shuffled[i];
        if (try_parameter(forest, order, count, sum, parameter, best, &gain)) looked_at++;
    }
    return best->odd != 0;
}

static qn_status grow(qn_forest *forest, grown_tree *tree, uint32_t *order, size_t count, int depth)
{
    node best = {0};
    double sum = 0;
    bool same = true;
    QN_TRY(qn_grow((void **)&tree->nodes, &tree->capacity, tree->count + 1, sizeof(node)));
    size_t self = tree->count++, left = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)forest->y[order[i]];
        if (forest->y[order[i]] != forest->y[order[0]]) same = false;
    }
    if (same || depth >= DEPTH || count < (size_t)forest->options.smallest_node ||
        !find_split(forest, order, count, sum, &best)) {
        tree->nodes[self] = (node){.parameter = LEAF, .value = (float)(sum / (double)count)};
        return QN_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (seen_by(&best, forest->x + order[i] * forest->width) < best.cut) {
            uint32_t kept = order[i];
            order[i] = order[left];
            order[left++] = kept;
        }
    tree->nodes[self] = best;
    QN_TRY(grow(forest, tree, order, left, depth + 1));
    tree->nodes[self].right = (uint32_t)tree->count;
    return grow(forest, tree, order + left, count - left, depth + 1);
}

size_t qn_forest_width(const qn_forest *forest)
{
    return forest->width;
}

void qn_forest_encode(const qn_forest *forest, qn_point point, uint8_t *x)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(forest->space, point, numbers);
    for (size_t i = 0; i < forest->width; i++) x[i] = forest->codes[i][numbers[forest->vary[i]]];
}

qn_status qn_forest_build(qn_forest *forest, const qn_point *points, const double *targets, size_t data, int tree)
{
    QN_TRY(qn_grow((void **)&forest->x, &forest->x_capacity, data * forest->width + 1, 1));
    QN_TRY(qn_grow((void **)&forest->y, &forest->y_capacity, data, sizeof(float)));
    QN_TRY(qn_grow((void **)&forest->order, &forest->order_capacity, data, sizeof(uint32_t)));
    for (size_t i = 0; i < data; i++) {
        qn_forest_encode(forest, points[i], forest->x + i * forest->width);
        forest->y[i] = (float)targets[i];
        forest->order[i] = (uint32_t)below(forest, data);
    }
    forest->trees[tree].count = 0;
    return grow(forest, &forest->trees[tree], forest->order, data, 0);
}

float qn_forest_predict(const qn_forest *forest, int tree, const uint8_t *x)
{
    const node *nodes = forest->trees[tree].nodes, *at = nodes;
    while (at->parameter != LEAF) at = seen_by(at, x) < at->cut ? at + 1 : nodes + at->right;
    return at->value;
}
