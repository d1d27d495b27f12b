#include "tune/searcher_forest.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

enum { TERMS = 3, DEPTH = 48 };

/* A split sends to the left what has Σ sign · x[parameter] < threshold; a leaf has terms 0 and its value there. */
typedef struct node {
    float threshold; /* or the value of a leaf */
    uint32_t right;  /* the left child is the next node */
    uint8_t terms, parameter[TERMS];
    int8_t sign[TERMS];
    bool renamed;  /* x is a hash of the value number: no order */
    uint32_t salt; /* of that hash */
} node;

typedef struct grown_tree {
    node *nodes;
    size_t capacity, count;
} grown_tree;

struct qn_forest {
    const qn_space *space;
    qn_forest_options options;
    size_t parameters, varying;
    uint8_t vary[QN_SPACE_PARAMETERS];
    bool unordered[QN_SPACE_PARAMETERS];
    float *values[QN_SPACE_PARAMETERS]; /* x by value number */
    uint64_t seed, draws;
    grown_tree *trees;
    float *x, *y, *projected; /* [data][parameters], [data], [data] */
    size_t x_capacity, y_capacity, projected_capacity;
    uint32_t *order;
    size_t order_capacity;
};

static bool as_number(const qn_value *value, double *number)
{
    *number = value->kind == QN_INTEGER ? (double)value->as.integer
              : value->kind == QN_REAL  ? value->as.real
                                        : (double)value->as.boolean;
    return value->kind != QN_TEXT;
}

static qn_status set_values(qn_forest *forest, size_t p)
{
    size_t count = qn_space_value_count(forest->space, p);
    bool positive = true;
    double number;
    QN_TRY(qn_allocate(count, sizeof(float), (void **)&forest->values[p]));
    for (size_t i = 0; i < count; i++) {
        if (!as_number(qn_space_value(forest->space, p, i), &number)) forest->unordered[p] = true;
        if (!(number > 0)) positive = false;
    }
    for (size_t i = 0; i < count; i++) {
        (void)as_number(qn_space_value(forest->space, p, i), &number);
        forest->values[p][i] = (float)(forest->unordered[p] ? (double)i : positive ? log2(number) : number);
    }
    if (count > 1) forest->vary[forest->varying++] = (uint8_t)p;
    return QN_OK;
}

qn_status qn_forest_create(const qn_space *space, const qn_forest_options *options, uint64_t seed, qn_forest **forest)
{
    qn_forest *made;
    *forest = NULL;
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    *made = (qn_forest){.space = space, .options = *options, .seed = seed};
    made->parameters = qn_space_parameter_count(space);
    qn_status status = qn_allocate((size_t)options->trees, sizeof(*made->trees), (void **)&made->trees);
    for (size_t p = 0; status == QN_OK && p < made->parameters; p++) status = set_values(made, p);
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
    for (size_t p = 0; p < (*forest)->parameters; p++) qn_release(&(*forest)->values[p]);
    qn_release(&(*forest)->trees);
    qn_release(&(*forest)->x);
    qn_release(&(*forest)->y);
    qn_release(&(*forest)->projected);
    qn_release(&(*forest)->order);
    qn_release(forest);
}

static float project(const node *split, const float *x)
{
    if (split->renamed) {
        uint32_t hash = ((uint32_t)x[split->parameter[0]] + 1) * 2654435761u ^ split->salt;
        hash = (hash ^ hash >> 15) * 2246822519u;
        return (float)(hash >> 8) * 0x1p-24f;
    }
    float sum = (float)split->sign[0] * x[split->parameter[0]];
    for (int i = 1; i < split->terms; i++) sum += (float)split->sign[i] * x[split->parameter[i]];
    return sum;
}

/* One block of four random words is enough for a split and its threshold. */
static double draw_split(qn_forest *forest, node *split)
{
    uint32_t words[4], key[2] = {(uint32_t)forest->seed, (uint32_t)(forest->seed >> 32)};
    uint32_t counter[4] = {(uint32_t)forest->draws, (uint32_t)(forest->draws >> 32), 0x666f7265, 0x7374};
    forest->draws++;
    qn_random_block(counter, key, words);
    *split = (node){.terms = 1, .salt = words[2]};
    if (forest->varying > 1 && (words[0] & 0xffff) < forest->options.oblique * 0x10000)
        split->terms = words[0] >> 30 ? 2 : 3;
    for (int i = 0; i < split->terms; i++) {
        split->parameter[i] = forest->vary[((words[1] >> 10 * i & 0x3ff) * forest->varying) >> 10];
        split->sign[i] = words[0] >> (16 + i) & 1 ? -1 : 1;
    }
    for (int i = 0; i < split->terms; i++)
        if (forest->unordered[split->parameter[i]]) {
            split->parameter[0] = split->parameter[i];
            split->terms = 1;
            split->renamed = true;
        }
    return ((double)words[3] + 0.5) * 0x1p-32;
}

/* Sum of squares that a split takes away from order[0 … count), its threshold drawn within the data; below 0 when all
 * data have the same projection. */
static double try_split(qn_forest *forest, const uint32_t *order, size_t count, node *split, double place)
{
    float low = INFINITY, high = -INFINITY;
    double sum[2] = {0}, number[2] = {0};
    for (size_t i = 0; i < count; i++) {
        float value = project(split, forest->x + order[i] * forest->parameters);
        forest->projected[i] = value;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (!(high - low > 1e-5f)) return -1;
    split->threshold = low + (high - low) * (float)place;
    if (!(split->threshold > low)) split->threshold = high;
    for (size_t i = 0; i < count; i++) {
        int side = forest->projected[i] >= split->threshold;
        sum[side] += (double)forest->y[order[i]];
        number[side] += 1;
    }
    double total = sum[0] + sum[1];
    return sum[0] * sum[0] / number[0] + sum[1] * sum[1] / number[1] - total * total / (number[0] + number[1]);
}

static qn_status grow(qn_forest *forest, grown_tree *tree, uint32_t *order, size_t count, int depth)
{
    node best = {0};
    double best_gain = -1, sum = 0;
    bool same = true;
    QN_TRY(qn_grow((void **)&tree->nodes, &tree->capacity, tree->count + 1, sizeof(node)));
    size_t self = tree->count++;
    for (size_t i = 0; i < count; i++) {
        sum += (double)forest->y[order[i]];
        if (forest->y[order[i]] != forest->y[order[0]]) same = false;
    }
    if (!same && depth < DEPTH && count >= (size_t)forest->options.smallest_node)
        for (int i = 0, tried = 0; i < 4 * forest->options.tries && tried < forest->options.tries; i++) {
            node split;
            double place = draw_split(forest, &split);
            double gain = try_split(forest, order, count, &split, place);
            if (gain >= 0) tried++;
            if (gain > best_gain) {
                best_gain = gain;
                best = split;
            }
        }
    if (best_gain < 0) {
        tree->nodes[self] = (node){.threshold = (float)(sum / (double)count)};
        return QN_OK;
    }
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (project(&best, forest->x + order[i] * forest->parameters) < best.threshold) {
            uint32_t kept = order[i];
            order[i] = order[left];
            order[left++] = kept;
        }
    tree->nodes[self] = best;
    QN_TRY(grow(forest, tree, order, left, depth + 1));
    tree->nodes[self].right = (uint32_t)tree->count;
    return grow(forest, tree, order + left, count - left, depth + 1);
}

void qn_forest_encode(const qn_forest *forest, qn_point point, float *x)
{
    uint16_t numbers[QN_SPACE_PARAMETERS];
    qn_space_get(forest->space, point, numbers);
    for (size_t p = 0; p < forest->parameters; p++) x[p] = forest->values[p][numbers[p]];
}

qn_status qn_forest_build(qn_forest *forest, const qn_point *points, const double *targets, size_t data, int first,
                          int count)
{
    QN_TRY(qn_grow((void **)&forest->x, &forest->x_capacity, data * forest->parameters, sizeof(float)));
    QN_TRY(qn_grow((void **)&forest->y, &forest->y_capacity, data, sizeof(float)));
    QN_TRY(qn_grow((void **)&forest->projected, &forest->projected_capacity, data, sizeof(float)));
    QN_TRY(qn_grow((void **)&forest->order, &forest->order_capacity, data, sizeof(uint32_t)));
    for (size_t i = 0; i < data; i++) {
        qn_forest_encode(forest, points[i], forest->x + i * forest->parameters);
        forest->y[i] = (float)targets[i];
    }
    for (int t = first; t < first + count; t++) {
        for (size_t i = 0; i < data; i++) forest->order[i] = (uint32_t)i;
        forest->trees[t].count = 0;
        QN_TRY(grow(forest, &forest->trees[t], forest->order, data, 0));
    }
    return QN_OK;
}

float qn_forest_predict(const qn_forest *forest, int tree, const float *x)
{
    const node *nodes = forest->trees[tree].nodes, *at = nodes;
    while (at->terms) at = project(at, x) < at->threshold ? at + 1 : nodes + at->right;
    return at->threshold;
}
