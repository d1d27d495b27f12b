/* Store of measured advice: one file for each device, $XDG_CACHE_HOME/quern/fft-advice-<key>.json.
 *
 * The key is a hash of everything that times depend on: the device, its driver's version, this version of quern and the
 * threads of the host. Each answer is stored with its question, which includes the engine. A file holds the latest
 * answers, the newest last. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "fft/advise.h"
#include "runtime/device.h"

enum { FORMAT = 1, ANSWERS_MAX = 200, KEY_DIGITS = 16 };

static qn_status make_path(qn_device *device, qn_text *path)
{
    const qn_device_info *info = qn_device_get_info(device);
    char threads[16], digest[65];
    snprintf(threads, sizeof threads, "%d", qn_context_threads(qn_device_context(device)));
    const char *parts[] = {QN_VERSION, info->driver, info->name, info->driver_version, threads};
    qn_hash hash;
    qn_hash_start(&hash);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) qn_hash_add(&hash, parts[i], strlen(parts[i]) + 1);
    qn_hash_finish(&hash, digest);
    QN_TRY(qn_cache_folder(path));
    QN_TRY(qn_folder_create(path->data));
    return qn_text_append(path, "/fft-advice-%.*s.json", KEY_DIGITS, digest);
}

static qn_status make_question_text(const qn_fft_advice_options *options, qn_text *text)
{
    QN_TRY(qn_text_append(text, "kind %d, engine %s, batch %d, candidates %d, swap %d, limit %llu", (int)options->kind,
                          qn_fft_engine_name(options->engine), options->batch, options->candidates, options->swap_axes,
                          (unsigned long long)options->run.memory_bytes));
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_text_append(text, "; %d -%.17g +%.17g", options->size[axis], options->crop_percent[axis],
                              options->grow_percent[axis]));
    return QN_OK;
}

static json_t *row_to_json(const qn_fft_advice *row)
{
    json_t *json = json_pack("{s:[iii], s:[iii], s:[fff], s:i, s:f, s:b, s:f, s:f, s:i, s:I, s:I, s:f, s:b, s:b, s:s}",
                             "size", row->size[0], row->size[1], row->size[2], "wanted_axis", row->wanted_axis[0],
                             row->wanted_axis[1], row->wanted_axis[2], "change_percent", row->change_percent[0],
                             row->change_percent[1], row->change_percent[2], "passes", row->passes, "predicted_ratio",
                             row->predicted_ratio, "measured", row->measured, "seconds", row->seconds, "spread_seconds",
                             row->spread_seconds, "engine", (int)row->engine, "data_bytes", (json_int_t)row->data_bytes,
                             "work_bytes", (json_int_t)row->work_bytes, "speed_up", row->speed_up, "wanted",
                             row->is_wanted, "usable", row->usable, "reason", row->reason);
    return json;
}

static bool row_from_json(json_t *json, qn_fft_advice *row)
{
    int measured, wanted, usable, engine;
    json_int_t data_bytes, work_bytes;
    const char *reason;
    json_error_t error;
    *row = (qn_fft_advice){0};
    if (json_unpack_ex(json, &error, 0,
                       "{s:[iii], s:[iii], s:[FFF], s:i, s:F, s:b, s:F, s:F, s:i, s:I, s:I, s:F, s:b, s:b, s:s}",
                       "size", &row->size[0], &row->size[1], &row->size[2], "wanted_axis", &row->wanted_axis[0],
                       &row->wanted_axis[1], &row->wanted_axis[2], "change_percent", &row->change_percent[0],
                       &row->change_percent[1], &row->change_percent[2], "passes", &row->passes, "predicted_ratio",
                       &row->predicted_ratio, "measured", &measured, "seconds", &row->seconds, "spread_seconds",
                       &row->spread_seconds, "engine", &engine, "data_bytes", &data_bytes, "work_bytes", &work_bytes,
                       "speed_up", &row->speed_up, "wanted", &wanted, "usable", &usable, "reason", &reason) != 0)
        return false;
    row->measured = measured;
    row->is_wanted = wanted;
    row->usable = usable;
    row->engine = (qn_fft_engine)engine;
    row->data_bytes = (uint64_t)data_bytes;
    row->work_bytes = (uint64_t)work_bytes;
    snprintf(row->reason, sizeof row->reason, "%s", reason);
    for (int axis = 0; axis < 3; axis++)
        if (row->size[axis] < 1 || row->wanted_axis[axis] < 0 || row->wanted_axis[axis] > 2) return false;
    return engine > QN_FFT_AUTO && engine <= QN_FFT_CUFFT && row->seconds >= 0 && data_bytes > 0 && work_bytes >= 0;
}

/* Check an answer against the question: sizes within its limits, the wanted size among them. */
static bool answer_fits(const qn_fft_advice_options *options, const qn_fft_advice_report *report)
{
    bool fits = report->wanted < report->row_count;
    for (size_t i = 0; i < report->row_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const qn_fft_advice *row = &report->rows[i];
            const int from = row->wanted_axis[axis], size = options->size[from];
            const int low = qn_fft_lowest_size(size, options->crop_percent[from]),
                      high = qn_fft_highest_size(size, options->grow_percent[from]);
            fits = fits && row->size[axis] >= low && row->size[axis] <= high;
            if (row->is_wanted) fits = fits && i == report->wanted && row->size[axis] == options->size[axis];
        }
    return fits && report->rows[report->wanted].is_wanted;
}

static bool answer_from_json(json_t *answer, const qn_fft_advice_options *options, qn_fft_advice_report *report)
{
    json_t *rows = json_object_get(answer, "rows");
    const size_t count = json_array_size(rows);
    void *memory;
    if (count < 1 || count > QN_FFT_ADVICE_ROWS_MAX) return false;
    if (qn_allocate(count, sizeof *report->rows, &memory) != QN_OK) return false;
    report->rows = memory;
    report->row_count = count;
    report->wanted = (size_t)json_integer_value(json_object_get(answer, "wanted"));
    report->considered = (size_t)json_integer_value(json_object_get(answer, "considered"));
    report->from_cache = true;
    bool right = true;
    for (size_t i = 0; right && i < count; i++) right = row_from_json(json_array_get(rows, i), &report->rows[i]);
    return right && answer_fits(options, report);
}

static void set_aside(const char *path, const char *why)
{
    qn_text aside = {0};
    if (qn_text_append(&aside, "%s.corrupt", path) == QN_OK && rename(path, aside.data) == 0)
        qn_log(QN_LOG_WARNING, "%s: not a file of measured transform sizes (%s); it was set aside as %s", path, why,
               aside.data);
    else
        qn_log(QN_LOG_WARNING, "%s: not a file of measured transform sizes (%s), and it cannot be renamed: %s", path,
               why, strerror(errno));
    qn_text_clear(&aside);
}

/* Load the file's document; NULL if there is no file or it was renamed as damaged. */
static json_t *load(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    if (qn_file_read(path, &data, &size) != QN_OK) {
        qn_error_clear();
        return NULL;
    }
    json_error_t error;
    json_t *document = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
    qn_release(&data);
    if (!document) {
        char why[192];
        snprintf(why, sizeof why, "line %d: %s", error.line, error.text);
        set_aside(path, why);
        return NULL;
    }
    const json_int_t format = json_integer_value(json_object_get(document, "quern_fft_advice"));
    if (format != FORMAT || !json_is_array(json_object_get(document, "answers"))) {
        set_aside(path, format != FORMAT ? "\"quern_fft_advice\" is not 1" : "it has no list \"answers\"");
        json_decref(document);
        return NULL;
    }
    return document;
}

/* Index of the answer to `question`; the number of answers if there is none. */
static size_t find_answer(json_t *answers, const char *question)
{
    size_t i = 0;
    for (; i < json_array_size(answers); i++) {
        const char *text = json_string_value(json_object_get(json_array_get(answers, i), "question"));
        if (text && strcmp(text, question) == 0) break;
    }
    return i;
}

void qn_fft_advice_take(qn_device *device, const qn_fft_advice_options *options, qn_fft_advice_report *report,
                        bool *found)
{
    qn_text path = {0}, question = {0};
    *found = false;
    qn_status status = make_path(device, &path);
    if (status == QN_OK) status = make_question_text(options, &question);
    json_t *document = status == QN_OK ? load(path.data) : NULL;
    json_t *answers = json_object_get(document, "answers");
    json_t *answer = question.data ? json_array_get(answers, find_answer(answers, question.data)) : NULL;
    if (answer) {
        *found = answer_from_json(answer, options, report);
        if (!*found) {
            qn_release(&report->rows);
            *report = (qn_fft_advice_report){0};
            set_aside(path.data, "an answer does not fit its question");
        }
    }
    if (status != QN_OK) qn_error_clear(); /* without a store the sizes are measured */
    json_decref(document);
    qn_text_clear(&path);
    qn_text_clear(&question);
}

static json_t *answer_to_json(const char *question, const qn_fft_advice_report *report)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < report->row_count; i++) json_array_append_new(rows, row_to_json(&report->rows[i]));
    return json_pack("{s:s, s:I, s:I, s:o}", "question", question, "wanted", (json_int_t)report->wanted, "considered",
                     (json_int_t)report->considered, "rows", rows);
}

static json_t *empty_document(qn_device *device)
{
    const qn_device_info *info = qn_device_get_info(device);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:i, s:[]}", "quern_fft_advice", FORMAT, "quern", QN_VERSION, "driver",
                     info->driver, "device", info->name, "driver_version", info->driver_version, "threads",
                     qn_context_threads(qn_device_context(device)), "answers");
}

void qn_fft_advice_keep(qn_device *device, const qn_fft_advice_options *options, const qn_fft_advice_report *report)
{
    qn_text path = {0}, question = {0};
    qn_status status = make_path(device, &path);
    if (status == QN_OK) status = make_question_text(options, &question);
    if (status == QN_OK) {
        json_t *document = load(path.data);
        if (!document) document = empty_document(device);
        json_t *answers = json_object_get(document, "answers");
        const size_t same = find_answer(answers, question.data);
        if (same < json_array_size(answers)) json_array_remove(answers, same);
        while (json_array_size(answers) >= ANSWERS_MAX) json_array_remove(answers, 0);
        json_array_append_new(answers, answer_to_json(question.data, report));
        char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        if (text) status = qn_file_write(path.data, text, strlen(text));
        free(text);
        json_decref(document);
    }
    if (status != QN_OK) {
        qn_log(QN_LOG_DEBUG, "measured transform sizes are not kept: %s", qn_error_message());
        qn_error_clear();
    }
    qn_text_clear(&path);
    qn_text_clear(&question);
}
