/* run.json: inputs, devices, times, warnings and files of a run. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <quern/tune.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "job/input.h"
#include "job/job.h"
#include "job/leftovers.h"
#include "report/json.h"

/* Digests of larger inputs are of both ends only: reading the whole file takes as long as some runs. */
static const uint64_t hashed_bytes_max = (uint64_t)1 << 28;

static void format_time(time_t moment, char text[24])
{
    struct tm date;
    text[0] = '\0';
    if (gmtime_r(&moment, &date)) strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &date);
}

/* ---- inputs ---- */

/* Find the size of a file, or of what a pipe gave. */
static qn_status find_size(const char *path, uint64_t *bytes)
{
    struct stat information;
    int descriptor;
    QN_TRY(qn_file_open(path, &descriptor));
    *bytes = fstat(descriptor, &information) == 0 ? (uint64_t)information.st_size : 0;
    close(descriptor);
    return QN_OK;
}

static qn_status look_at_input(qn_job_input *input, qn_job_reading reading)
{
    struct stat information;
    char *name;
    QN_TRY(qn_input_file(input->path, &name));
    qn_status status = QN_OK;
    if (stat(name, &information) != 0)
        status = qn_error_set(errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, __FILE__, __LINE__, "%s: cannot open: %s",
                              name, strerror(errno));
    if (status == QN_OK) {
        if (S_ISREG(information.st_mode)) format_time(information.st_mtime, input->modified);
        status = find_size(name, &input->bytes);
    }
    if (status == QN_OK) {
        const bool large = input->bytes > hashed_bytes_max;
        input->all_at_last = reading == QN_JOB_KEY_ENDS && !large;
        input->ends_only = reading == QN_JOB_READ_ENDS || reading == QN_JOB_KEY_ENDS || large;
        if (reading != QN_JOB_LIST_SIZE)
            status = input->ends_only ? qn_input_sample(name, &input->bytes, input->digest)
                                      : qn_input_hash(name, input->digest);
    }
    qn_release(&name);
    return status;
}

static qn_status add_input_to_key(qn_job *job, const qn_job_input *input, const char *name)
{
    return qn_job_key(job, "%s=%s, %llu bytes, %.16s\n", input->role, name, (unsigned long long)input->bytes,
                      input->digest);
}

/* Make room for one more input; its path is a copy of `path`. */
static qn_status begin_input(qn_job *job, const char *path, qn_job_input *input)
{
    void *list = job->inputs;
    QN_TRY(qn_grow(&list, &job->input_capacity, job->input_count + 1, sizeof *job->inputs));
    job->inputs = list;
    return qn_text_copy(path, &input->path);
}

static qn_status end_input(qn_job *job, qn_job_input *input, qn_status status)
{
    if (status == QN_OK)
        job->inputs[job->input_count++] = *input;
    else
        qn_release(&input->path);
    return status;
}

qn_status qn_job_input_add(qn_job *job, const char *role, const char *path, qn_job_reading reading)
{
    qn_job_input input = {.role = role};
    QN_TRY(begin_input(job, path, &input));
    qn_status status = look_at_input(&input, reading);
    if (status == QN_OK && reading != QN_JOB_LIST_ONLY && reading != QN_JOB_LIST_SIZE)
        status = add_input_to_key(job, &input, qn_path_name(path));
    return end_input(job, &input, status);
}

qn_status qn_job_input_add_memory(qn_job *job, const char *role, const char *name, uint64_t bytes,
                                  const char digest[65])
{
    qn_job_input input = {.role = role, .in_memory = true, .bytes = bytes};
    QN_TRY(begin_input(job, name, &input));
    memcpy(input.digest, digest, sizeof input.digest);
    return end_input(job, &input, add_input_to_key(job, &input, name));
}

/* Digest of the whole of an input whose digest in the key is of both ends. */
static void hash_at_last(qn_job_input *input)
{
    char digest[65];
    if (!input->all_at_last) return;
    input->all_at_last = false;
    input->ends_only = qn_input_hash(input->path, digest) != QN_OK;
    if (input->ends_only)
        qn_error_clear(); /* the file cannot be read any more */
    else
        memcpy(input->digest, digest, sizeof digest);
}

static json_t *describe_inputs(const qn_job *job)
{
    json_t *list = json_array();
    for (size_t i = 0; i < job->input_count; i++) {
        qn_job_input *input = &job->inputs[i];
        hash_at_last(input);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s?, s:s?}", "role", input->role,
                                              input->in_memory ? "memory" : "file", qn_json_text(input->path), "bytes",
                                              qn_json_unsigned(input->bytes), "modified",
                                              input->modified[0] ? input->modified : NULL,
                                              input->ends_only ? "sha256_of_both_ends" : "sha256",
                                              input->digest[0] ? input->digest : NULL));
    }
    return list;
}

/* ---- files ---- */

static qn_status add_file(qn_job *job, const char *listed_name)
{
    qn_job_texts *files = &job->files;
    void *list = files->text;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->text[i], listed_name) == 0) return QN_OK;
    QN_TRY(qn_grow(&list, &files->capacity, files->count + 1, sizeof *files->text));
    files->text = list;
    QN_TRY(qn_text_copy(listed_name, &files->text[files->count]));
    files->count++;
    return QN_OK;
}

static qn_status make_subfolder(const char *name, char *path)
{
    if (!strchr(name, '/')) return QN_OK;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    qn_status status = qn_folder_create(path);
    *slash = '/';
    return status;
}

/* Before the first file of a finished run is written again, remove run.json: until all files are written, the run is
 * not finished. */
static qn_status begin_again(qn_job *job)
{
    if (!job->found.run) return QN_OK;
    json_decref(job->found.run);
    job->found.run = NULL;
    return qn_output_remove_run(&job->output);
}

qn_status qn_job_path(qn_job *job, const char *name, char **path)
{
    if (job->in_memory) return QN_FAIL(QN_INTERNAL, "%s: a run without an output has no files", name);
    QN_TRY(qn_output_path(&job->output, name, path));
    pthread_mutex_lock(&job->mutex);
    qn_status status = begin_again(job);
    if (status == QN_OK) status = add_file(job, qn_output_listed_name(&job->output, *path));
    if (status == QN_OK) status = make_subfolder(name, *path);
    pthread_mutex_unlock(&job->mutex);
    if (status != QN_OK) qn_release(path);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static json_t *describe_texts(const qn_job_texts *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++) json_array_append_new(list, qn_json_text(texts->text[i]));
    return list;
}

/* ---- warnings ---- */

qn_status qn_job_copy_warnings(const qn_job *job, char ***warnings, size_t *count)
{
    void *memory;
    *count = 0;
    QN_TRY(qn_allocate(job->warnings.count, sizeof **warnings, &memory));
    *warnings = memory;
    for (size_t i = 0; i < job->warnings.count; i++) {
        QN_TRY(qn_text_copy(job->warnings.text[i], &(*warnings)[i]));
        ++*count;
    }
    return QN_OK;
}

/* A sentence in the log has no full stop. */
qn_status qn_job_report_warnings(const qn_job *job, qn_report *report)
{
    for (size_t i = 0; i < job->warnings.count; i++) {
        const char *text = job->warnings.text[i];
        const size_t length = strlen(text);
        QN_TRY(qn_report_warning(report, "%s%s", text, length > 0 && text[length - 1] == '.' ? "" : "."));
    }
    return QN_OK;
}

/* ---- kernels ---- */

enum { KERNEL_COLUMNS = 5, ORIGIN_BYTES = 256 };

static void origin_of(const qn_tune_gain *kernel, char text[ORIGIN_BYTES])
{
    qn_tune_origin_text(kernel->origin, kernel->nearness, kernel->found_on, text, ORIGIN_BYTES);
}

static json_t *describe_kernels(const qn_job *job)
{
    json_t *list = json_array();
    char origin[ORIGIN_BYTES];
    for (size_t i = 0; i < job->tuning.kernel_count; i++) {
        const qn_tune_gain *kernel = &job->tuning.kernels[i];
        origin_of(kernel, origin);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:o}", "family", kernel->family, "device",
                                              kernel->device, "class", kernel->problem_class, "configuration",
                                              kernel->configuration, "origin", qn_json_text(origin)));
    }
    return list;
}

qn_status qn_job_report_kernels(const qn_job *job, qn_report *report)
{
    static const char *const headers[KERNEL_COLUMNS] = {"Kernel", "Device", "Problem", "Configuration", "Origin"};
    const size_t count = job->tuning.kernel_count;
    void *memory, *texts;
    if (count == 0) return QN_OK;
    QN_TRY(qn_report_heading(report, "Kernels"));
    QN_TRY(qn_allocate(count * KERNEL_COLUMNS, sizeof(const char *), &memory));
    qn_status status = qn_allocate(count, ORIGIN_BYTES, &texts);
    if (status == QN_OK) {
        const char **cells = memory;
        for (size_t i = 0; i < count; i++, cells += KERNEL_COLUMNS) {
            const qn_tune_gain *kernel = &job->tuning.kernels[i];
            char *origin = (char *)texts + i * ORIGIN_BYTES;
            origin_of(kernel, origin);
            cells[0] = kernel->family, cells[1] = kernel->device, cells[2] = kernel->problem_class;
            cells[3] = kernel->configuration, cells[4] = origin;
        }
        status = qn_report_table(report, headers, KERNEL_COLUMNS, memory, count);
        qn_release(&texts);
    }
    qn_release(&memory);
    return status;
}

/* ---- run.json ---- */

json_t *qn_job_describe_device(const qn_device *device)
{
    const qn_device_info *info = qn_device_get_info(device);
    return json_pack("{s:o, s:o, s:o, s:o, s:i}", "identifier", qn_json_text(info->identifier), "name",
                     qn_json_text(info->name), "driver", qn_json_text(info->driver), "driver_version",
                     qn_json_text(info->driver_version), "compute_units", info->compute_units);
}

static json_t *describe_devices(const qn_job *job)
{
    json_t *list = json_array();
    for (int i = 0; i < job->device_count; i++) json_array_append_new(list, qn_job_describe_device(job->devices[i]));
    return list;
}

json_t *qn_job_describe_key(const qn_job *job)
{
    json_t *list = json_array();
    char *key;
    if (qn_text_copy(job->key.data, &key) != QN_OK) return NULL;
    for (char *line = key; *line;) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = '\0';
        json_array_append_new(list, qn_json_text(line));
        line = next;
    }
    qn_release(&key);
    return list;
}

static json_t *describe_sharing(const qn_job *job)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "shared_s", job->sharing.shared_s, "idle_s", job->sharing.idle_s,
                     "journal_s", job->sharing.journal_s, "ranks_s", qn_ranks_waited_s(job->ranks));
}

static json_t *describe_job(const qn_job *job)
{
    char started[24];
    format_time((time_t)job->started_at, started);
    return json_pack("{s:s, s:s, s:s, s:f, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o}", "program", job->program, "version",
                     QN_VERSION, "started", started, "seconds", qn_clock_s() - job->started_s, "inputs",
                     describe_inputs(job), "devices", describe_devices(job), "threads",
                     qn_context_threads(job->context), "ranks", qn_ranks_count(job->ranks), "sharing",
                     describe_sharing(job), "warnings", describe_texts(&job->warnings), "files",
                     describe_texts(&job->files), "key", qn_job_describe_key(job));
}

qn_status qn_job_facts(qn_job *job, json_t *own)
{
    char *path = NULL;
    if (job->in_memory) {
        json_decref(own);
        return QN_OK;
    }
    qn_status status = qn_job_path(job, "run.json", &path);
    if (job->files.count > 1) qsort(job->files.text, job->files.count, sizeof *job->files.text, compare_names);
    json_t *run = status == QN_OK ? describe_job(job) : NULL;
    if (run && job->tuning.kernel_count > 0) json_object_set_new(run, "kernels", describe_kernels(job));
    if (run && own && json_object_update(run, own) != 0) {
        json_decref(run);
        run = NULL;
    }
    json_decref(own);
    if (status == QN_OK) status = qn_json_write_file(run, path);
    if (status == QN_OK)
        status = qn_leftovers_remove_listed(&job->output, (const char *const *)job->files.text, job->files.count);
    job->finished |= status == QN_OK;
    qn_release(&path);
    return status;
}
