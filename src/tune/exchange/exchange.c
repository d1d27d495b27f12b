/* Export and import of results: files of other tuners, and the text form of shipped results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/exchange/header.h"
#include "tune/model/nominal.h"
#include "tune/recorded/builder.h"
#include "tune/session.h"
#include "tune/shipped.h"
#include "tune/space/space.h"

typedef struct exchange {
    qn_device *device;
    qn_tune_store *store;
    const qn_workload *workload;
    const qn_family *family;
    int sizes[QN_WORKLOAD_SIZES];
    qn_tune_key key;
    int64_t problem;
    double scale; /* nominal seconds of a run of the workload; 0: not known */
} exchange;

/* Times in files are those of a run of this size; rows in the store may be of another size of the same class. */
static qn_status find_scale(exchange *with)
{
    qn_queue *queue = NULL;
    void *state = NULL;
    qn_work work = {0};
    if (!with->workload->work) return QN_OK;
    qn_status status = qn_queue_create(with->device, &queue);
    if (status == QN_OK) status = with->workload->create(queue, with->sizes, 1, &state);
    if (status == QN_OK) {
        with->workload->work(state, &work);
        with->scale = qn_tune_nominal_seconds(&work);
        qn_queue_settle(queue); /* it may still read the inputs that `create` made */
        with->workload->destroy(&state);
    }
    qn_queue_destroy(&queue);
    return status;
}

static qn_status open_exchange(exchange *with, const int sizes[QN_WORKLOAD_SIZES])
{
    char problem_class[64];
    if (!with->store) return QN_FAIL(QN_INVALID_ARGUMENT, "there is no tuning store; expected an open one");
    with->family = with->workload->family;
    qn_tune_workload_sizes(with->workload, qn_device_get_info(with->device), sizes, with->sizes);
    with->workload->problem_class(with->sizes, problem_class);
    QN_TRY(qn_tune_key_make(with->family, with->device, problem_class, &with->key));
    QN_TRY(find_scale(with));
    return qn_tune_store_problem(with->store, &with->key, &with->problem);
}

/* ---- Export ---- */

/* Keep the rows that are results, with their times scaled to a run of this size, and drop the others. */
static void keep_results(const exchange *with, qn_tune_row *rows, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        qn_configuration configuration;
        qn_tune_row *row = &rows[i];
        if (row->running || !qn_tune_configuration_read(with->family, row->configuration, &configuration)) continue;
        if (row->scale > 0 && with->scale > 0) {
            row->test.objective *= with->scale / row->scale;
            row->test.spread *= with->scale / row->scale;
        }
        rows[kept++] = *row;
    }
    *count = kept;
}

/* List every value of the family, tested or not, because other tuners take the lists for the space. */
static qn_status add_parameters(const qn_family *family, qn_recorded_space_builder *builder)
{
    for (int t = 0; t < family->tunable_count; t++) {
        const qn_tunable *tunable = &family->tunables[t];
        void *memory;
        QN_TRY(qn_recorded_space_add_parameter(builder, tunable->name));
        QN_TRY(qn_allocate((size_t)tunable->value_count, sizeof(qn_value), &memory));
        builder->orders[t] = memory;
        builder->order_counts[t] = (size_t)tunable->value_count;
        for (int i = 0; i < tunable->value_count; i++) builder->orders[t][i] = qn_value_integer(tunable->values[i]);
    }
    return QN_OK;
}

static qn_status add_row(const qn_family *family, const qn_tune_row *row, qn_recorded_space_builder *builder)
{
    qn_configuration configuration = {{0}};
    qn_value values[QN_TUNABLE_MAX];
    (void)qn_tune_configuration_read(family, row->configuration, &configuration);
    for (int t = 0; t < family->tunable_count; t++) values[t] = qn_value_integer(configuration.value[t]);
    return qn_recorded_space_add_row(builder, values, &row->test);
}

static qn_status write_record(const exchange *with, const qn_tune_row *rows, size_t count,
                              qn_recorded_space_format format, const char *path)
{
    qn_recorded_space_builder builder = {.path = path};
    qn_recorded_space *record = NULL;
    qn_status status = qn_text_copy(with->family->name, &builder.name);
    if (status == QN_OK) status = qn_text_copy(qn_device_get_info(with->device)->name, &builder.device);
    if (status == QN_OK) status = add_parameters(with->family, &builder);
    for (size_t i = 0; i < count && status == QN_OK; i++) status = add_row(with->family, &rows[i], &builder);
    if (status == QN_OK) status = qn_recorded_space_build(&builder, &record);
    if (status == QN_OK) status = qn_recorded_space_write(record, format, path);
    qn_recorded_space_destroy(&record);
    qn_recorded_space_builder_clear(&builder);
    return status;
}

static qn_status write_best(const exchange *with, const qn_tune_row *rows, size_t count, const char *path)
{
    const qn_tune_row *best = NULL;
    qn_text text = {0};
    for (size_t i = 0; i < count; i++)
        if (rows[i].test.outcome == QN_TEST_CORRECT && (!best || rows[i].test.objective < best->test.objective))
            best = &rows[i];
    if (!best)
        return QN_FAIL(QN_NOT_FOUND, "the store has no correct result of %s for %s on %s; expected one to export",
                       with->family->name, with->key.problem_class, with->key.device);
    qn_status status = qn_shipped_append_device(&with->key, &text);
    if (status == QN_OK) status = qn_shipped_append(&with->key, best->configuration, best->test.objective, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

static qn_status write_header(const exchange *with, const char *path)
{
    const qn_configuration fallback = qn_family_fallback(with->family);
    char usual[QN_TUNE_CONFIGURATION_BYTES];
    const char *slash = strrchr(with->family->name, '/');
    qn_tune_best *best;
    qn_text text = {0};
    size_t count;
    qn_tune_configuration_text(with->family, &fallback, usual, sizeof usual);
    QN_TRY(qn_tune_store_best_anywhere(with->store, &with->key, &best, &count));
    qn_status status =
        qn_header_append(slash ? slash + 1 : with->family->name, &with->key, best, count, with->scale, usual, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    qn_release(&best);
    return status;
}

qn_status qn_tune_export(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                         const int sizes[QN_WORKLOAD_SIZES], qn_tune_format format, const char *path)
{
    static const qn_recorded_space_format formats[] = {[QN_TUNE_T4] = QN_RECORDED_T4,
                                                       [QN_TUNE_KERNEL_TUNER] = QN_RECORDED_KERNEL_TUNER,
                                                       [QN_TUNE_KTT] = QN_RECORDED_KTT};
    exchange with = {.device = device, .store = store, .workload = workload};
    qn_tune_row *rows;
    size_t count;
    if ((unsigned)format > QN_TUNE_HEADER)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the format of tuning results is %d; expected a qn_tune_format, 0 to %d",
                       (int)format, (int)QN_TUNE_HEADER);
    QN_TRY(open_exchange(&with, sizes));
    if (format == QN_TUNE_HEADER) return write_header(&with, path);
    QN_TRY(qn_tune_store_tests(store, with.problem, &rows, &count));
    keep_results(&with, rows, &count);
    qn_status status = QN_OK;
    if (count == 0)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "the store has no tests of %s for %s on %s",
                              with.family->name, with.key.problem_class, with.key.device);
    else if (format == QN_TUNE_SHIPPED)
        status = write_best(&with, rows, count, path);
    else
        status = write_record(&with, rows, count, formats[format], path);
    qn_release(&rows);
    return status;
}

/* ---- Import ---- */

typedef struct import {
    exchange with;
    qn_space *space;
    uint64_t taken, left_out;
} import;

static qn_status take(import *to, const qn_configuration *configuration, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_point point;
    if (!qn_tune_point_of(to->space, configuration, &point)) {
        to->left_out++;
        return QN_OK;
    }
    qn_tune_point_text(to->space, point, text, sizeof text);
    to->taken++;
    return qn_tune_store_finish(to->with.store, to->with.problem, text, test, to->with.scale);
}

static qn_status refuse_parameters(const qn_family *family, const qn_space *space, const char *path)
{
    qn_text theirs = {0}, ours = {0};
    qn_status status = QN_OK;
    for (size_t p = 0; p < qn_space_parameter_count(space) && status == QN_OK; p++)
        status = qn_text_append(&theirs, "%s%s", p ? ", " : "", qn_space_parameter_name(space, p));
    for (int t = 0; t < family->tunable_count && status == QN_OK; t++)
        status = qn_text_append(&ours, "%s%s", t ? ", " : "", family->tunables[t].name);
    if (status == QN_OK)
        status =
            qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__, "%s: the parameters are %s; expected those of %s: %s",
                         path, theirs.data, family->name, ours.data ? ours.data : "none");
    qn_text_clear(&theirs);
    qn_text_clear(&ours);
    return status;
}

/* Find the parameter of the file for each tunable. */
static qn_status match_parameters(const qn_family *family, const qn_space *space, const char *path,
                                  size_t parameters[QN_TUNABLE_MAX])
{
    bool same = qn_space_parameter_count(space) == (size_t)family->tunable_count;
    for (int t = 0; t < family->tunable_count && same; t++)
        same = qn_space_find_parameter(space, family->tunables[t].name, &parameters[t]);
    return same ? QN_OK : refuse_parameters(family, space, path);
}

/* Get a whole number. Some writers write whole numbers as reals. */
static bool whole_value(const qn_value *value, int *whole)
{
    double number = value->kind == QN_INTEGER   ? (double)value->as.integer
                    : value->kind == QN_REAL    ? value->as.real
                    : value->kind == QN_BOOLEAN ? value->as.boolean
                                                : NAN;
    if (!(fabs(number) <= 1e9) || number != floor(number)) return false;
    *whole = (int)number;
    return true;
}

static qn_status import_record(import *to, const char *path, const char *data, size_t size)
{
    const qn_family *family = to->with.family;
    size_t parameters[QN_TUNABLE_MAX];
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_recorded_space *record = NULL;
    qn_status status = qn_recorded_space_read_memory(path, data, size, &record);
    if (status == QN_OK) status = match_parameters(family, record->space, path, parameters);
    for (qn_point point = 0; status == QN_OK && point < qn_space_size(record->space); point++) {
        qn_configuration configuration = {{0}};
        bool whole = true;
        qn_space_get(record->space, point, numbers);
        for (int t = 0; t < family->tunable_count && whole; t++)
            whole = whole_value(qn_space_value(record->space, parameters[t], numbers[parameters[t]]),
                                &configuration.value[t]);
        if (whole)
            status = take(to, &configuration, &record->tests[point]);
        else
            to->left_out++;
    }
    qn_recorded_space_destroy(&record);
    return status;
}

static qn_status import_shipped(import *to, const char *path, const char *text)
{
    const qn_tune_key *key = &to->with.key;
    qn_shipped_result *results;
    size_t count;
    bool found = false;
    QN_TRY(qn_shipped_read(key, path, text, &results, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        qn_configuration configuration;
        const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = results[i].seconds};
        if (results[i].nearness != QN_TUNE_THIS_DEVICE) continue;
        if (strcmp(results[i].problem_class, key->problem_class) != 0) continue;
        found = true;
        if (strcmp(results[i].source, key->source) != 0 || /* of another version of the kernel */
            !qn_tune_configuration_read(to->with.family, results[i].configuration, &configuration))
            to->left_out++;
        else
            status = take(to, &configuration, &test);
    }
    qn_release(&results);
    if (status == QN_OK && !found)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: no result of %s for %s on %s", path, to->with.family->name,
                       key->problem_class, key->device);
    return status;
}

static bool is_shipped_form(const char *data)
{
    return strncmp(data, "device ", 7) == 0 || data[0] == '#';
}

qn_status qn_tune_import(qn_device *device, qn_tune_store *store, const qn_workload *workload,
                         const int sizes[QN_WORKLOAD_SIZES], const char *path, uint64_t *taken, uint64_t *left_out)
{
import to = {.with = {.device = device, .store = store, .workload = workload } };
    char *data;
    size_t size;
    *taken = *left_out = 0;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = open_exchange(&to.with, sizes);
    if (status == QN_OK) status = qn_tune_family_space(workload->family, qn_device_get_info(device), &to.space);
    if (status == QN_OK)
        status = is_shipped_form(data) ? import_shipped(&to, path, data) : import_record(&to, path, data, size);
    qn_space_destroy(&to.space);
    qn_release(&data);
    *taken = to.taken;
    *left_out = to.left_out;
    return status;
}
