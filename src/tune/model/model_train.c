/* Extremely randomised trees (Geurts, Ernst, Wehenkel 2006): each node tries one random threshold per parameter, and
 * takes the split that explains most of the variance, summed over all columns. Every tree is trained on all samples. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/random.h"
#include "tune/model/model_data.h"

enum { DEFAULT_TREES = 10, SAMPLES_PER_LEAF_STEP = 1000 };

typedef struct training {
    qn_tuning_model *model;
    const double *features; /* [sample][parameter] */
    const double *targets;  /* [sample][column], standard deviations from the mean */
    uint32_t *order;        /* samples; a node has a range of them */
    double *left, *all;     /* [column] sums */
    size_t least_leaf;
    uint64_t seed, stream, draw;
} training;

static qn_status learn_parameter(const qn_space *space, size_t number, qn_tuning_model_parameter *parameter)
{
    QN_TRY(qn_text_copy(qn_space_parameter_name(space, number), &parameter->name));
    size_t count = qn_space_value_count(space, number);
    QN_TRY(qn_allocate(count, sizeof(char *), (void **)&parameter->texts));
    for (size_t i = 0; i < count; i++) {
        const qn_value *value = qn_space_value(space, number, i);
        if (value->kind == QN_TEXT) QN_TRY(qn_text_copy(value->as.text, &parameter->texts[parameter->text_count++]));
    }
    return QN_OK;
}

static qn_status describe(const qn_recorded_space *record, qn_tuning_model *model)
{
    QN_TRY(qn_text_copy(record->device ? record->device : "", &model->device));
    QN_TRY(
        qn_allocate(qn_space_parameter_count(record->space), sizeof *model->parameters, (void **)&model->parameters));
    model->parameter_count = qn_space_parameter_count(record->space);
    for (size_t i = 0; i < model->parameter_count; i++)
        QN_TRY(learn_parameter(record->space, i, &model->parameters[i]));
    QN_TRY(qn_allocate(record->counter_count, sizeof *model->columns, (void **)&model->columns));
    model->column_count = record->counter_count;
    for (size_t c = 0; c < record->counter_count; c++)
        QN_TRY(qn_text_copy(record->counter_names[c], &model->columns[c].name));
    return QN_OK;
}

static bool is_sample(const qn_recorded_space *record, const qn_tuning_model_options *options, uint64_t point)
{
    if (options->learned && !options->learned[point]) return false;
    if (record->tests[point].outcome != QN_TEST_CORRECT) return false;
    const double *counters = record->counters + point * record->counter_count;
    for (size_t c = 0; c < record->counter_count; c++)
        if (!isfinite(counters[c])) return false;
    return true;
}

static void gather(const qn_recorded_space *record, const qn_tuning_model_options *options,
                   const qn_tuning_model *model, double *features, double *targets)
{
    size_t sample = 0, parameters = model->parameter_count, columns = model->column_count;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    for (uint64_t point = 0; point < qn_space_size(record->space); point++) {
        if (!is_sample(record, options, point)) continue;
        qn_space_get(record->space, point, numbers);
        for (size_t i = 0; i < parameters; i++)
            features[sample * parameters + i] =
                qn_tuning_model_feature(&model->parameters[i], qn_space_value(record->space, i, numbers[i]));
        for (size_t c = 0; c < columns; c++)
            targets[sample * columns + c] = log1p(fmax(0, record->counters[point * columns + c]));
        sample++;
    }
}

static void standardise(qn_tuning_model *model, double *targets)
{
    size_t columns = model->column_count, samples = model->sample_count;
    for (size_t c = 0; c < columns; c++) {
        double sum = 0, squares = 0;
        for (size_t s = 0; s < samples; s++) sum += targets[s * columns + c];
        double mean = sum / (double)samples;
        for (size_t s = 0; s < samples; s++)
            squares += (targets[s * columns + c] - mean) * (targets[s * columns + c] - mean);
        double scale = sqrt(squares / (double)samples);
        if (scale < 1e-9) scale = 0; /* only rounding errors */
        for (size_t s = 0; s < samples; s++)
            targets[s * columns + c] = scale > 0 ? (targets[s * columns + c] - mean) / scale : 0;
        model->columns[c].mean = mean;
        model->columns[c].scale = scale;
    }
}

/* Compute the sum over both sides of (sum of targets)² / samples: the variance that the split explains, up to a
 * constant. Returns -1 if a side is too small. */
static double judge(const training *t, size_t begin, size_t end, size_t parameter, double threshold)
{
    size_t parameters = t->model->parameter_count, columns = t->model->column_count, count = 0;
    memset(t->left, 0, columns * sizeof *t->left);
    for (size_t i = begin; i < end; i++) {
        size_t sample = t->order[i];
        if (!(t->features[sample * parameters + parameter] < threshold)) continue;
        count++;
        for (size_t c = 0; c < columns; c++) t->left[c] += t->targets[sample * columns + c];
    }
    size_t others = end - begin - count;
    if (count < t->least_leaf || others < t->least_leaf) return -1;
    double explained = 0;
    for (size_t c = 0; c < columns; c++) {
        double right = t->all[c] - t->left[c];
        explained += t->left[c] * t->left[c] / (double)count + right * right / (double)others;
    }
    return explained;
}

static bool choose_split(training *t, size_t begin, size_t end, size_t *parameter, double *threshold)
{
    size_t parameters = t->model->parameter_count;
    double best = -1;
    for (size_t p = 0; p < parameters; p++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = begin; i < end; i++) {
            double x = t->features[t->order[i] * parameters + p];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (!(low < high)) continue;
        /* in (low, high], so that both sides have samples */
        double cut = high - (high - low) * qn_random_uniform(t->seed, t->stream, t->draw++);
        if (cut <= low) cut = high;
        double explained = judge(t, begin, end, p, cut);
        if (explained > best) {
            best = explained;
            *parameter = p;
            *threshold = cut;
        }
    }
    return best >= 0;
}

static size_t partition(training *t, size_t begin, size_t end, size_t parameter, double threshold)
{
    size_t parameters = t->model->parameter_count, middle = begin;
    for (size_t i = begin; i < end; i++) {
        uint32_t sample = t->order[i];
        if (!(t->features[sample * parameters + parameter] < threshold)) continue;
        t->order[i] = t->order[middle];
        t->order[middle++] = sample;
    }
    return middle;
}

static void sum_targets(training *t, size_t begin, size_t end)
{
    size_t columns = t->model->column_count;
    memset(t->all, 0, columns * sizeof *t->all);
    for (size_t i = begin; i < end; i++)
        for (size_t c = 0; c < columns; c++) t->all[c] += t->targets[t->order[i] * columns + c];
}

static qn_status add_leaf(training *t, size_t count, uint32_t *row)
{
    qn_tuning_model *model = t->model;
    size_t columns = model->column_count;
    QN_TRY(qn_grow((void **)&model->leaves, &model->leaf_capacity, (model->leaf_count + 1) * columns,
                   sizeof *model->leaves));
    for (size_t c = 0; c < columns; c++)
        model->leaves[model->leaf_count * columns + c] =
            (int32_t)lround(t->all[c] / (double)count / QN_MODEL_LEAF_STEP);
    *row = (uint32_t)model->leaf_count++;
    return QN_OK;
}

/* The depth is at most the number of samples minus one; usually it is a few dozen. */
static qn_status grow(training *t, qn_tuning_model_tree *tree, size_t begin, size_t end)
{
    size_t number = tree->node_count, parameter = 0;
    QN_TRY(qn_grow((void **)&tree->nodes, &tree->node_capacity, number + 1, sizeof *tree->nodes));
    tree->node_count++;
    tree->nodes[number] = (qn_tuning_model_node){.parameter = -1};
    sum_targets(t, begin, end);
    double threshold = 0;
    if (end - begin < 2 * t->least_leaf || !choose_split(t, begin, end, &parameter, &threshold))
        return add_leaf(t, end - begin, &tree->nodes[number].right);
    size_t middle = partition(t, begin, end, parameter, threshold);
    tree->nodes[number].parameter = (int)parameter;
    tree->nodes[number].threshold = threshold;
    QN_TRY(grow(t, tree, begin, middle));
    tree->nodes[number].right = (uint32_t)tree->node_count;
    return grow(t, tree, middle, end);
}

static qn_status grow_all(training *t, size_t trees)
{
    qn_tuning_model *model = t->model;
    QN_TRY(qn_allocate(trees, sizeof *model->trees, (void **)&model->trees));
    model->tree_count = trees;
    for (size_t i = 0; i < trees; i++) {
        for (size_t s = 0; s < model->sample_count; s++) t->order[s] = (uint32_t)s;
        t->stream = i;
        t->draw = 0;
        QN_TRY(grow(t, &model->trees[i], 0, model->sample_count));
    }
    return QN_OK;
}

static qn_status learn(const qn_recorded_space *record, const qn_tuning_model_options *options, qn_tuning_model *model)
{
    QN_TRY(describe(record, model));
    for (uint64_t point = 0; point < qn_space_size(record->space); point++)
        model->sample_count += is_sample(record, options, point);
    size_t samples = model->sample_count;
    if (samples < 2 || !record->counter_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "recorded space %s has %zu correct points with counters; a model needs at least two",
                       record->name, samples);
    double *features = NULL, *targets = NULL;
    training t = {.model = model, .seed = options->seed};
    t.least_leaf = options->least_leaf > 0 ? (size_t)options->least_leaf : 1 + samples / SAMPLES_PER_LEAF_STEP;
    qn_status status = qn_allocate(samples * model->parameter_count, sizeof(double), (void **)&features);
    if (status == QN_OK) status = qn_allocate(samples * model->column_count, sizeof(double), (void **)&targets);
    if (status == QN_OK) status = qn_allocate(samples, sizeof *t.order, (void **)&t.order);
    if (status == QN_OK) status = qn_allocate(model->column_count, sizeof(double), (void **)&t.left);
    if (status == QN_OK) status = qn_allocate(model->column_count, sizeof(double), (void **)&t.all);
    if (status == QN_OK) {
        gather(record, options, model, features, targets);
        standardise(model, targets);
        t.features = features;
        t.targets = targets;
        status = grow_all(&t, options->trees > 0 ? (size_t)options->trees : DEFAULT_TREES);
    }
    qn_release(&features);
    qn_release(&targets);
    qn_release(&t.order);
    qn_release(&t.left);
    qn_release(&t.all);
    return status;
}

qn_status qn_tuning_model_train(const qn_recorded_space *record, const qn_tuning_model_options *options,
                                qn_tuning_model **model)
{
    *model = NULL;
    QN_TRY(qn_allocate(1, sizeof **model, (void **)model));
    qn_status status = learn(record, options, *model);
    if (status != QN_OK) qn_tuning_model_destroy(model);
    return status;
}
