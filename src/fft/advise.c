/* Choice of the fastest size near a wanted one: limits, candidates by estimate, and the verdict. */
#include "fft/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "fft/engine.h"
#include "runtime/device.h"

/* Number of values of one axis that are combined with values of the other axes. */
enum { AXIS_VALUES_MAX = 12 };

/* Axes with limits up to this far apart are searched number by number, wider ones only for products of 2 … 13. */
enum { EVERY_NUMBER_SPAN = 2048, SMOOTH_PRIME_MAX = 13 };

/* Error of an estimate: a smaller predicted gain counts as none. */
static const double estimate_error = 0.05;

/* A measured gain below this counts as noise. */
static const double least_gain = 0.02;

int qn_fft_next_fast_size(qn_fft_engine engine, int least)
{
    (void)engine; /* the result is the same for all engines, which all have passes for 2, 3, 5 and 7 */
    if (least <= 1) return 1;
    if (least > QN_FFT_SIZE_MAX) return least; /* no transform is so long */
    /* Even sizes let real rows along x be transformed as complex rows of half the length. */
    for (int size = least + least % 2;; size += 2)
        if (qn_fft_without_primes_to(size, 7) == 1) return size;
}

/* (100 − percent) / 100 is not exact; less than a millionth of a point is taken as rounding error. */
int qn_fft_lowest_size(int size, double crop_percent)
{
    const int low = (int)ceil(size * (100 - crop_percent) / 100 - 1e-6);
    return low < 1 ? 1 : low;
}

int qn_fft_highest_size(int size, double grow_percent)
{
    const double high = floor(size * (100 + grow_percent) / 100 + 1e-6);
    return high > QN_FFT_SIZE_MAX ? QN_FFT_SIZE_MAX : (int)high;
}

/* A possible length of an axis, with each engine's cost for a line of it. */
typedef struct axis_value {
    int size;
    double cost[QN_FFT_MODELS_MAX];
    int passes[QN_FFT_MODELS_MAX];
    double rank; /* cost by which values are compared */
} axis_value;

typedef struct axis_values {
    axis_value *values;
    size_t count, capacity;
    int low, high, place;
    const qn_fft_question *question;
} axis_values;

static qn_status add_value(axis_values *axis, int size)
{
    void *memory = axis->values;
    const qn_status status = qn_grow(&memory, &axis->capacity, axis->count + 1, sizeof *axis->values);
    axis->values = memory;
    QN_TRY(status);
    axis_value *value = &axis->values[axis->count++];
    *value = (axis_value){.size = size};
    for (int i = 0; i < axis->question->model_count; i++)
        value->cost[i] = qn_fft_estimate_axis(&axis->question->models[i], size, axis->place, axis->question->real,
                                              &value->passes[i]);
    return QN_OK;
}

/* Add every product of `size` and primes from `prime` on that lies within the limits. */
static qn_status add_smooth(axis_values *axis, long long size, int prime)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    if (size >= axis->low) QN_TRY(add_value(axis, (int)size));
    for (int i = prime; i < (int)(sizeof primes / sizeof primes[0]); i++)
        if (size * primes[i] <= axis->high) QN_TRY(add_smooth(axis, size * primes[i], i));
    return QN_OK;
}

static double least_cost(const axis_value *value, int model_count)
{
    double least = -1;
    for (int i = 0; i < model_count; i++)
        if (value->cost[i] >= 0 && (least < 0 || value->cost[i] < least)) least = value->cost[i];
    return least;
}

/* Keep the cheapest values, and the wanted one. `others` is the cost per point of the other axes. The cost of a value
 * is multiplied by its length, since the whole grid grows with it. */
static void keep_best_values(axis_values *axis, double others, int wanted)
{
    size_t kept = 0;
    for (size_t i = 0; i < axis->count; i++) {
        const double cost = least_cost(&axis->values[i], axis->question->model_count);
        axis->values[i].rank = cost < 0 ? INFINITY : axis->values[i].size * (cost + others);
        if (axis->values[i].size == wanted) axis->values[i].rank = -1;
    }
    for (; kept < AXIS_VALUES_MAX && kept < axis->count; kept++) {
        size_t best = kept;
        for (size_t i = kept; i < axis->count; i++)
            if (axis->values[i].rank < axis->values[best].rank) best = i;
        const axis_value value = axis->values[best];
        axis->values[best] = axis->values[kept];
        axis->values[kept] = value;
    }
    axis->count = kept;
}

static qn_status list_values(const qn_fft_question *question, int wanted_axis, int place, axis_values *axis)
{
    const int wanted = question->options.size[wanted_axis];
    *axis = (axis_values){
        .low = question->low[wanted_axis], .high = question->high[wanted_axis], .place = place, .question = question};
    if (axis->high - axis->low <= EVERY_NUMBER_SPAN) {
        for (int size = axis->low; size <= axis->high; size++) QN_TRY(add_value(axis, size));
        return QN_OK;
    }
    QN_TRY(add_smooth(axis, 1, 0));
    return qn_fft_without_primes_to(wanted, SMOOTH_PRIME_MAX) == 1 ? QN_OK : add_value(axis, wanted);
}

/* The candidates found so far, best first. */
typedef struct candidate_list {
    const qn_fft_question *question;
    qn_fft_advice *rows;
    double *costs;
    size_t count, capacity, considered;
} candidate_list;

static bool same_size(const int a[3], const int b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static double total_change(const qn_fft_advice *row)
{
    double change = 0;
    for (int axis = 0; axis < 3; axis++) change += fabs(row->change_percent[axis]);
    return change;
}

static void insert_candidate(candidate_list *list, const qn_fft_advice *row, double cost)
{
    size_t at = list->count;
    for (size_t i = 0; i < list->count; i++)
        if (same_size(list->rows[i].size, row->size)) return; /* another order of the axes gave the same size */
    while (at > 0 && (cost < list->costs[at - 1] ||
                      (cost == list->costs[at - 1] && total_change(row) < total_change(&list->rows[at - 1]))))
        at--;
    if (at == list->capacity) return;
    if (list->count < list->capacity) list->count++;
    memmove(list->rows + at + 1, list->rows + at, (list->count - 1 - at) * sizeof *list->rows);
    memmove(list->costs + at + 1, list->costs + at, (list->count - 1 - at) * sizeof *list->costs);
    list->rows[at] = *row;
    list->costs[at] = cost;
}

/* Estimate a size: the engine that would run it, its passes, memory and cost. */
static double estimate_values(const qn_fft_question *question, const axis_value *const values[3], qn_fft_advice *row)
{
    double best = -1;
    const int batch = question->options.batch;
    const bool own = qn_fft_is_for_own(row->size);
    for (int i = 0; i < question->model_count; i++) {
        if (question->host_rule && question->model_count == 2 && (i == 0) != own) continue;
        double cost[3];
        int passes[3];
        for (int axis = 0; axis < 3; axis++) {
            cost[axis] = values[axis]->cost[i];
            passes[axis] = values[axis]->passes[i];
        }
        const qn_fft_estimate estimate = qn_fft_estimate_grid(&question->models[i], row->size, cost, passes,
                                                              question->real, batch, question->threads);
        if (!estimate.possible || (best >= 0 && estimate.cost >= best)) continue;
        best = estimate.cost;
        row->engine = question->models[i].engine;
        row->passes = estimate.passes;
        row->data_bytes = estimate.data_bytes;
        row->work_bytes = estimate.work_bytes;
        row->usable = true;
    }
    return best;
}

static bool fits(const qn_fft_question *question, const qn_fft_advice *row)
{
    /* Input and output are two buffers of about the same size. */
    return row->data_bytes + row->work_bytes <= question->memory_limit_bytes &&
           row->data_bytes / 2 <= question->buffer_limit_bytes;
}

double qn_fft_estimate_row(const qn_fft_question *question, qn_fft_advice *row)
{
    axis_value values[3];
    for (int axis = 0; axis < 3; axis++) {
        values[axis] = (axis_value){.size = row->size[axis]};
        for (int i = 0; i < question->model_count; i++)
            values[axis].cost[i] = qn_fft_estimate_axis(&question->models[i], row->size[axis], axis, question->real,
                                                        &values[axis].passes[i]);
    }
    return estimate_values(question, (const axis_value *const[]){&values[0], &values[1], &values[2]}, row);
}

static void set_changes(const qn_fft_question *question, const int wanted_axis[3], qn_fft_advice *row)
{
    for (int axis = 0; axis < 3; axis++) {
        const int wanted = question->options.size[wanted_axis[axis]];
        row->wanted_axis[axis] = wanted_axis[axis];
        row->change_percent[axis] = 100.0 * (row->size[axis] - wanted) / wanted;
    }
}

/* Add every combination of the kept values of three axes. */
static void combine(candidate_list *list, const int wanted_axis[3], const axis_values axes[3])
{
    const qn_fft_question *question = list->question;
    for (size_t z = 0; z < axes[2].count; z++)
        for (size_t y = 0; y < axes[1].count; y++)
            for (size_t x = 0; x < axes[0].count; x++) {
                const axis_value *const values[3] = {&axes[0].values[x], &axes[1].values[y], &axes[2].values[z]};
                qn_fft_advice row = {.size = {values[0]->size, values[1]->size, values[2]->size}};
                if (same_size(row.size, question->options.size)) continue;
                set_changes(question, wanted_axis, &row);
                const double cost = estimate_values(question, values, &row);
                if (cost >= 0 && fits(question, &row)) insert_candidate(list, &row, cost);
            }
}

/* Search one order of the axes: the wanted axis wanted_axis[i] stands at place i. */
static qn_status search_order(candidate_list *list, const int wanted_axis[3])
{
    const qn_fft_question *question = list->question;
    axis_values axes[3] = {0};
    double least[3], sum = 0;
    size_t combinations = 1;
    qn_status status = QN_OK;
    for (int place = 0; status == QN_OK && place < 3; place++) {
        status = list_values(question, wanted_axis[place], place, &axes[place]);
        least[place] = INFINITY;
        combinations *= axes[place].count;
        for (size_t i = 0; i < axes[place].count; i++) {
            const double cost = least_cost(&axes[place].values[i], question->model_count);
            if (cost >= 0 && cost < least[place]) least[place] = cost;
        }
        if (least[place] == (double)INFINITY) least[place] = 0;
        sum += least[place];
    }
    if (status == QN_OK) {
        list->considered += combinations;
        sum +=
            qn_fft_estimate_far(&question->models[0], question->options.size, question->real, question->options.batch);
        for (int place = 0; place < 3; place++)
            keep_best_values(&axes[place], sum - least[place], question->options.size[wanted_axis[place]]);
        combine(list, wanted_axis, axes);
    }
    for (int place = 0; place < 3; place++) qn_release(&axes[place].values);
    return status;
}

qn_status qn_fft_find_candidates(const qn_fft_question *question, size_t capacity, qn_fft_advice *rows, size_t *count,
                                 size_t *considered)
{
    /* The wanted order comes first: of equal sizes the first one found is kept. */
    static const int orders[][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    double costs[QN_FFT_ADVICE_ROWS_MAX];
    candidate_list list = {.question = question, .rows = rows, .costs = costs, .capacity = capacity};
    for (size_t i = 0; i < (question->options.swap_axes ? sizeof orders / sizeof orders[0] : 1); i++) {
        bool allowed = true; /* axes of length 1 keep their places */
        for (int place = 0; place < 3; place++)
            if (orders[i][place] != place)
                allowed = allowed && question->options.size[place] > 1 && question->options.size[orders[i][place]] > 1;
        if (allowed) QN_TRY(search_order(&list, orders[i]));
    }
    *count = list.count;
    *considered = list.considered;
    return QN_OK;
}

static void limit_axis(qn_fft_question *question, int axis)
{
    qn_fft_advice_options *options = &question->options;
    const double crop = options->crop_percent[axis], grow = options->grow_percent[axis];
    if (options->size[axis] == 0) options->size[axis] = 1;
    const int size = options->size[axis];
    if (size == 1) options->crop_percent[axis] = options->grow_percent[axis] = 0;
    question->low[axis] = size == 1 ? 1 : qn_fft_lowest_size(size, crop);
    question->high[axis] = size == 1 ? 1 : qn_fft_highest_size(size, grow);
}

static qn_status check_limits(qn_fft_question *question)
{
    qn_fft_advice_options *options = &question->options;
    bool free = options->swap_axes;
    QN_TRY(qn_option_check(qn_fft_advice_option_table(), options));
    for (int axis = 0; axis < 3; axis++) {
        limit_axis(question, axis);
        free =
            free || (options->size[axis] > 1 && (options->crop_percent[axis] > 0 || options->grow_percent[axis] > 0));
    }
    const int *size = options->size;
    if ((double)size[0] * size[1] * size[2] > 1e15)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a size of %d x %d x %d has more points than any memory holds", size[0],
                       size[1], size[2]);
    if (!free)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "%d x %d x %d may neither shrink nor grow (crop 0 %%, grow 0 %%), so there is nothing to choose; "
            "expected some of either",
            size[0], size[1], size[2]);
    return QN_OK;
}

/* FFTW and cuFFT may not be installed, so a tiny plan is tried. */
static bool engine_is_there(qn_device *device, qn_fft_engine engine)
{
    qn_fft_plan *plan = NULL;
    const qn_fft_options tiny = {
        .size_bytes = sizeof tiny, .size = {16}, .kind = QN_FFT_COMPLEX_FORWARD, .engine = engine};
    const bool there = qn_fft_plan_create(device, &tiny, &plan) == QN_OK;
    if (there)
        qn_fft_plan_destroy(&plan);
    else
        qn_error_clear();
    return there;
}

static qn_status choose_models(qn_device *device, qn_fft_question *question)
{
    const qn_device_info *info = qn_device_get_info(device);
    const char *driver = qn_device_inner_driver(device);
    const qn_fft_engine asked = question->options.engine;
    qn_fft_engine engines[QN_FFT_MODELS_MAX] = {asked};
    int count = 1;
    QN_TRY(qn_fft_check_engine(device, asked));
    if (asked == QN_FFT_AUTO) {
        question->host_rule = strcmp(driver, "host") == 0;
        engines[0] = question->host_rule ? QN_FFT_OWN : QN_FFT_VKFFT;
        const qn_fft_engine other = question->host_rule ? QN_FFT_FFTW : QN_FFT_CUFFT;
        if (strcmp(driver, "opencl") != 0 && engine_is_there(device, other)) engines[count++] = other;
    }
    uint64_t local_bytes = strcmp(driver, "cuda") == 0 ? qn_fft_vkfft_cuda_local_bytes(device) : 0;
    if (local_bytes == 0) local_bytes = info->local_memory_bytes;
    for (int i = 0; i < count; i++) question->models[i] = qn_fft_model_of(engines[i], local_bytes);
    question->model_count = count;
    return QN_OK;
}

static qn_status make_question(qn_device *device, const qn_fft_advice_options *options, qn_fft_question *question)
{
    const qn_device_info *info = qn_device_get_info(device);
    memset(question, 0, sizeof *question);
    question->options = *options;
    question->real = options->kind == QN_FFT_REAL_FORWARD || options->kind == QN_FFT_REAL_INVERSE;
    question->threads = qn_pool_threads(qn_context_pool(qn_device_context(device)));
    question->memory_limit_bytes = options->run.memory_bytes > 0 ? options->run.memory_bytes : info->memory_bytes;
    question->buffer_limit_bytes = info->largest_buffer_bytes;
    QN_TRY(check_limits(question));
    return choose_models(device, question);
}

void qn_fft_refuse_row(qn_fft_advice *row, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(row->reason, sizeof row->reason, format, values);
    va_end(values);
    row->usable = false;
}

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

/* Make the row of the wanted size, usable or not. Returns its cost. */
static double make_wanted_row(const qn_fft_question *question, qn_fft_advice *row)
{
    *row = (qn_fft_advice){.is_wanted = true};
    memcpy(row->size, question->options.size, sizeof row->size);
    set_changes(question, (const int[]){0, 1, 2}, row);
    const double cost = qn_fft_estimate_row(question, row);
    if (cost < 0) {
        row->engine = question->models[0].engine;
        qn_fft_refuse_row(row, "%s does not transform real rows of odd length this long",
                          qn_fft_engine_name(row->engine));
    } else if (!fits(question, row)) {
        qn_fft_refuse_row(row, "needs %.1f MiB, more than the %.1f MiB allowed",
                          mebibytes(row->data_bytes + row->work_bytes), mebibytes(question->memory_limit_bytes));
    }
    return cost;
}

static double row_time(const qn_fft_advice *row)
{
    return row->measured ? row->seconds : row->predicted_ratio;
}

/* Order of rows: measured rows first, then by time; unusable rows last. */
static bool comes_before(const qn_fft_advice *a, const qn_fft_advice *b)
{
    if (a->usable != b->usable) return a->usable;
    if (a->measured != b->measured) return a->measured;
    return row_time(a) < row_time(b);
}

static bool is_worth_it(const qn_fft_advice *row, const qn_fft_advice *wanted)
{
    if (!wanted->usable || row->measured != wanted->measured) return true;
    if (!row->measured) return row->predicted_ratio < wanted->predicted_ratio * (1 - estimate_error);
    return row->seconds < wanted->seconds * (1 - least_gain) &&
           row->seconds + row->spread_seconds < wanted->seconds - wanted->spread_seconds;
}

static void move_to_front(qn_fft_advice *rows, size_t from)
{
    const qn_fft_advice row = rows[from];
    memmove(rows + 1, rows, from * sizeof *rows);
    rows[0] = row;
}

/* Sort the rows, put the wanted size first unless another is clearly faster, and set speed-ups. */
static void judge(qn_fft_advice_report *report)
{
    qn_fft_advice *rows = report->rows;
    for (size_t i = 1; i < report->row_count; i++)
        for (size_t j = i; j > 0 && comes_before(&rows[j], &rows[j - 1]); j--) {
            const qn_fft_advice row = rows[j];
            rows[j] = rows[j - 1];
            rows[j - 1] = row;
        }
    for (size_t i = 0; i < report->row_count; i++)
        if (rows[i].is_wanted) report->wanted = i;
    if (report->wanted > 0 && !is_worth_it(&rows[0], &rows[report->wanted])) {
        move_to_front(rows, report->wanted);
        report->wanted = 0;
    }
    const qn_fft_advice wanted = rows[report->wanted];
    for (size_t i = 0; i < report->row_count; i++) {
        if (!rows[i].usable || !wanted.usable)
            rows[i].speed_up = 0;
        else if (rows[i].measured && wanted.measured)
            rows[i].speed_up = wanted.seconds / rows[i].seconds;
        else
            rows[i].speed_up = rows[i].predicted_ratio > 0 ? 1 / rows[i].predicted_ratio : 0;
    }
}

/* Fail because neither the wanted row nor another is usable. */
static qn_status refuse_all(const qn_fft_question *question, const qn_fft_advice *wanted, double wanted_cost)
{
    qn_fft_advice row = {0};
    if (wanted_cost < 0)
        return QN_FAIL(QN_UNSUPPORTED, "%d x %d x %d: %s, and the limits allow no other size", wanted->size[0],
                       wanted->size[1], wanted->size[2], wanted->reason);
    memcpy(row.size, question->low, sizeof row.size);
    (void)qn_fft_estimate_row(question, &row);
    return QN_FAIL(QN_OUT_OF_MEMORY,
                   "no size allowed for %d x %d x %d fits %.4g MiB: the smallest, %d x %d x %d, needs %.4g MiB",
                   question->options.size[0], question->options.size[1], question->options.size[2],
                   mebibytes(question->memory_limit_bytes), row.size[0], row.size[1], row.size[2],
                   mebibytes(row.data_bytes + row.work_bytes));
}

static qn_status find_rows(qn_device *device, const qn_fft_question *question, qn_fft_advice_report *report)
{
    qn_fft_advice *rows = report->rows;
    const double wanted_cost = make_wanted_row(question, &rows[0]);
    size_t found = 0;
    QN_TRY(
        qn_fft_find_candidates(question, (size_t)question->options.candidates, rows + 1, &found, &report->considered));
    report->row_count = found + 1;
    if (found == 0 && !rows[0].usable) return refuse_all(question, &rows[0], wanted_cost);
    for (size_t i = 0; i < report->row_count; i++) {
        qn_fft_advice again = rows[i];
        const double cost = qn_fft_estimate_row(question, &again);
        rows[i].predicted_ratio = wanted_cost > 0 ? cost / wanted_cost : 0;
    }
    if (!question->options.without_measuring) QN_TRY(qn_fft_measure_rows(device, question, rows, report->row_count, 0));
    judge(report);
    if (!rows[0].usable)
        return QN_FAIL(QN_UNSUPPORTED, "none of %zu sizes could be transformed; %d x %d x %d: %s", report->row_count,
                       rows[0].size[0], rows[0].size[1], rows[0].size[2], rows[0].reason);
    return QN_OK;
}

static qn_status advise(qn_device *device, const qn_fft_advice_options *options, qn_fft_advice_report *report)
{
    qn_fft_question question;
    QN_TRY(make_question(device, options, &question));
    const bool keeps = !options->without_cache && !options->without_measuring;
    if (keeps && !options->measure_again) {
        bool found = false;
        qn_fft_advice_take(device, &question.options, report, &found);
        if (found) return QN_OK;
    }
    void *memory;
    QN_TRY(qn_allocate((size_t)question.options.candidates + 1, sizeof *report->rows, &memory));
    report->rows = memory;
    QN_TRY(find_rows(device, &question, report));
    if (keeps) qn_fft_advice_keep(device, &question.options, report);
    return QN_OK;
}

qn_status qn_fft_advise(qn_device *device, const qn_fft_advice_options *options, qn_fft_advice_report **report)
{
    qn_fft_advice_options own;
    void *memory;
    *report = NULL;
    QN_TRY(qn_option_take(qn_fft_advice_option_table(), options, &own));
    QN_TRY(qn_allocate(1, sizeof **report, &memory));
    *report = memory;
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = advise(device, &own, *report);
    qn_log_return(outer);
    if (status != QN_OK) qn_fft_advice_report_destroy(report);
    return status;
}

void qn_fft_advice_report_destroy(qn_fft_advice_report **report)
{
    if (!*report) return;
    qn_release(&(*report)->rows);
    qn_release(report);
}
