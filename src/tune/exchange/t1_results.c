#include "tune/exchange/t1_results.h"
#include "tune/exchange/t1_source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/exchange/header.h"
#include "tune/known.h"
#include "tune/recorded/builder.h"
#include "tune/session.h"
#include "tune/shipped.h"

static qn_status add_file(qn_hash *hash, const char *path)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_hash_add(hash, data, size);
    qn_release(&data);
    return QN_OK;
}

/* The kernel with the files that it includes. */
static qn_status add_source(qn_hash *hash, const char *path)
{
    char *source;
    QN_TRY(qn_t1_source_read(path, &source));
    for (const char *line = source; *line;) { /* #line has the path as the user spelled it */
        const size_t length = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        if (strncmp(line, "#line ", 6) != 0) qn_hash_add(hash, line, length);
        line += length;
    }
    qn_release(&source);
    return QN_OK;
}

qn_status qn_t1_key_make(const qn_t1 *problem, qn_device *device, qn_tune_key *key)
{
    qn_hash hash;
    char digest[65];
    qn_tune_key_of_device(device, key);
    snprintf(key->family, sizeof key->family, "%s", qn_space_name(problem->space));
    qn_hash_start(&hash);
    QN_TRY(add_file(&hash, problem->path));
    QN_TRY(add_source(&hash, problem->kernel_path));
    if (problem->reference_path) QN_TRY(add_source(&hash, problem->reference_path));
    qn_hash_finish(&hash, digest);
    snprintf(key->source, sizeof key->source, "%.*s", QN_TUNE_SOURCE_DIGITS, digest);
    return QN_OK;
}

void qn_t1_usual_text(const qn_t1 *problem, char *text, size_t capacity)
{
    const qn_space *space = problem->space;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    for (size_t i = 0; i < qn_space_parameter_count(space); i++) numbers[i] = (uint16_t)qn_space_usual(space, i);
    qn_tune_values_text(space, numbers, text, capacity);
}

/* ---- What is known ---- */

static qn_status look_up(qn_device *device, qn_tune_store *store, const char *path, qn_tune_known *known,
                         size_t capacity, size_t *count)
{
    char usual[QN_TUNE_CONFIGURATION_BYTES];
    qn_tune_key key;
    qn_t1 *problem;
    *count = 0;
    QN_TRY(qn_t1_read(path, &problem));
    qn_status status = qn_t1_key_make(problem, device, &key);
    qn_t1_usual_text(problem, usual, sizeof usual);
    if (status == QN_OK) status = qn_known_of_space(store, &key, problem->space, usual, known, capacity, count);
    qn_t1_destroy(&problem);
    return status;
}

qn_status qn_tune_lookup_file(qn_device *device, qn_tune_store *store, const char *path, qn_tune_known *known,
                              size_t capacity, size_t *count)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = look_up(device, store, path, known, capacity, count);
    qn_log_return(outer);
    return status;
}

/* ---- Export ---- */

/* List every value, tested or not, because other tuners take the lists for the space. Texts stay the space's. */
static qn_status add_parameters(const qn_space *space, qn_recorded_space_builder *builder)
{
    for (size_t p = 0; p < qn_space_parameter_count(space); p++) {
        const size_t count = qn_space_value_count(space, p);
        void *memory;
        QN_TRY(qn_recorded_space_add_parameter(builder, qn_space_parameter_name(space, p)));
        QN_TRY(qn_allocate(count, sizeof(qn_value), &memory));
        builder->orders[p] = memory;
        builder->order_counts[p] = count;
        for (size_t i = 0; i < count; i++) builder->orders[p][i] = *qn_space_value(space, p, i);
    }
    return QN_OK;
}

static qn_status add_rows(const qn_space *space, const qn_tune_row *rows, size_t count,
                          qn_recorded_space_builder *builder)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    for (size_t i = 0; i < count; i++) {
        qn_point point;
        if (rows[i].running || !qn_tune_point_read(space, rows[i].configuration, &point)) continue;
        qn_space_get(space, point, numbers);
        for (size_t p = 0; p < qn_space_parameter_count(space); p++) values[p] = *qn_space_value(space, p, numbers[p]);
        QN_TRY(qn_recorded_space_add_row(builder, values, &rows[i].test));
    }
    return QN_OK;
}

static qn_status write_record(const qn_t1 *problem, qn_device *device, const qn_tune_row *rows, size_t count,
                              qn_tune_format format, const char *path)
{
    static const qn_recorded_space_format formats[] = {[QN_TUNE_T4] = QN_RECORDED_T4,
                                                       [QN_TUNE_KERNEL_TUNER] = QN_RECORDED_KERNEL_TUNER,
                                                       [QN_TUNE_KTT] = QN_RECORDED_KTT};
    qn_recorded_space_builder builder = {.path = path};
    qn_recorded_space *record = NULL;
    qn_status status = qn_text_copy(problem->name, &builder.name);
    if (status == QN_OK) status = qn_text_copy(qn_device_get_info(device)->name, &builder.device);
    if (status == QN_OK) status = add_parameters(problem->space, &builder);
    if (status == QN_OK) status = add_rows(problem->space, rows, count, &builder);
    if (status == QN_OK) status = qn_recorded_space_build(&builder, &record);
    if (status == QN_OK) status = qn_recorded_space_write(record, formats[format], path);
    qn_recorded_space_destroy(&record);
    qn_recorded_space_builder_clear(&builder);
    return status;
}

static qn_status write_header(const qn_t1 *problem, qn_tune_store *store, const qn_tune_key *key, const char *path)
{
    char usual[QN_TUNE_CONFIGURATION_BYTES];
    qn_tune_best *best;
    qn_text text = {0};
    size_t count;
    qn_t1_usual_text(problem, usual, sizeof usual);
    QN_TRY(qn_tune_store_best_anywhere(store, key, &best, &count));
    qn_status status = qn_header_append(problem->name, key, best, count, 0, usual, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    qn_release(&best);
    return status;
}

static qn_status write_results(const qn_t1 *problem, qn_device *device, qn_tune_store *store, qn_tune_format format,
                               const char *path)
{
    qn_tune_key key;
    qn_tune_row *rows;
    size_t count;
    int64_t number;
    QN_TRY(qn_t1_key_make(problem, device, &key));
    if (format == QN_TUNE_HEADER) return write_header(problem, store, &key, path);
    QN_TRY(qn_tune_store_problem(store, &key, &number));
    QN_TRY(qn_tune_store_tests(store, number, &rows, &count));
    const qn_status status =
        count > 0 ? write_record(problem, device, rows, count, format, path)
                  : QN_FAIL(QN_NOT_FOUND,
                            "the store has no tests of %s, as it is now, on %s; expected those of quern tune run",
                            problem->path, key.device);
    qn_release(&rows);
    return status;
}

qn_status qn_tune_export_file(qn_device *device, qn_tune_store *store, const char *path, qn_tune_format format,
                              const char *output)
{
    qn_t1 *problem;
    if (!store) return QN_FAIL(QN_INVALID_ARGUMENT, "there is no tuning store; expected an open one");
    if ((unsigned)format > QN_TUNE_HEADER || format == QN_TUNE_SHIPPED)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: the format of exported results is %s; expected t4, kernel-tuner, ktt or header, because "
                       "shipped results are of the library's own kernels",
                       path, format == QN_TUNE_SHIPPED ? "quern" : "unknown");
    QN_TRY(qn_t1_read(path, &problem));
    const qn_status status = write_results(problem, device, store, format, output);
    qn_t1_destroy(&problem);
    return status;
}
