/* The beginning of a run: check the files in its output, then make folder and journal. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/input.h"
#include "job/job.h"
#include "job/leftovers.h"
#include "job/pieces.h"

/* ---- check of the output, on the first rank ---- */

static qn_status refuse_foreign(const qn_job *job)
{
    const char *foreign = job->found.foreign;
    if (!job->output.folder)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: exists already; --overwrite replaces it, or choose another output",
                       foreign);
    return QN_FAIL(
        QN_ALREADY_EXISTS,
        "%s: the output folder holds %s, which is not of a run of quern %s; expected an empty or absent folder",
        job->output.folder, foreign + strlen(foreign) - strlen(qn_output_listed_name(&job->output, foreign)),
        job->program);
}

static qn_status judge(qn_job *job)
{
    const bool resume = job->options->resume, overwrite = job->options->overwrite;
    const qn_output_found *found = &job->found;
    if (found->busy)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: is in use by another run (%s); expected no other run at work there",
                       job->title, found->busy);
    switch (found->state) {
    case QN_OUTPUT_EMPTY:
        if (resume) return qn_job_warn(job, "%s: holds nothing to resume; the run begins at its start", job->title);
        break;
    case QN_OUTPUT_FOREIGN:
        if (job->output.folder || !overwrite) return refuse_foreign(job);
        break;
    case QN_OUTPUT_FINISHED:
        if (!resume && !overwrite)
            return QN_FAIL(QN_ALREADY_EXISTS,
                           "%s: holds a finished run; --overwrite replaces it, or choose another output", job->title);
        break;
    case QN_OUTPUT_UNFINISHED:
        if (!resume && !overwrite)
            return QN_FAIL(QN_ALREADY_EXISTS,
                           "%s: holds an unfinished run; --resume goes on with it, --overwrite begins again",
                           job->title);
        break;
    }
    return QN_OK;
}

/* Path of a file in the deepest folder that the run needs. */
static qn_status find_deepest(qn_job *job)
{
    if (!job->keeps_journal) return qn_output_path(&job->output, "run.json", &job->deepest);
    return qn_rank_journal_path(job->journal_folder, 0, &job->deepest);
}

/* Refuse an output in whose place or beside which no files can lie. */
static qn_status check_place(const qn_job *job)
{
    struct stat information;
    if (strcmp(job->place, "-") == 0 || (!job->output.folder && strcmp(job->title, "-") == 0))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "-: a run writes several files, which standard output cannot hold; expected "
                       "a name");
    if (!job->output.folder && stat(job->title, &information) == 0 && !S_ISREG(information.st_mode) &&
        !S_ISDIR(information.st_mode))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: is a device or a pipe; expected the name of a file, because other files lie beside it",
                       job->title);
    return QN_OK;
}

static qn_status look(qn_job *job, const qn_output *output)
{
    QN_TRY(qn_text_copy(output->folder ? output->folder : output->stem, &job->place));
    job->output = *output;
    job->output.folder = output->folder ? job->place : NULL;
    job->output.stem = output->folder ? NULL : job->place;
    job->judged = true;
    QN_TRY(output->folder ? qn_text_copy(output->folder, &job->title)
                          : qn_output_path(&job->output, output->names[0], &job->title));
    QN_TRY(check_place(job));
    QN_TRY(qn_output_journals(&job->output, &job->journal_folder));
    QN_TRY(find_deepest(job));
    if (!qn_job_is_first(job)) return QN_OK; /* the first rank checks, and may have made the folder by now */
    QN_TRY(qn_output_inspect(&job->output, job->program, &job->found));
    QN_TRY(judge(job));
    return qn_output_check_folder(job->deepest, &job->absent);
}

/* ---- the beginning, on the first rank ---- */

static qn_status join_lines(json_t *lines, qn_text *key)
{
    size_t i;
    json_t *line;
    QN_TRY(qn_text_append(key, "%s", ""));
    json_array_foreach(lines, i, line) if (json_is_string(line))
        QN_TRY(qn_text_append(key, "%s\n", json_string_value(line)));
    return QN_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Remove what killed processes left of the files of a finished run. */
static qn_status remove_leftovers(const qn_job *job)
{
    const json_t *files = json_object_get(job->found.run, "files");
    const size_t most = json_array_size(files);
    const char **listed;
    size_t count = 0, i;
    json_t *name;
    QN_TRY(qn_allocate(most, sizeof *listed, (void **)&listed));
    json_array_foreach(files, i, name) if (json_is_string(name)) listed[count++] = json_string_value(name);
    if (count > 1) qsort(listed, count, sizeof *listed, compare_names);
    const qn_status status = qn_leftovers_remove_listed(&job->output, listed, count);
    qn_release(&listed);
    return status;
}

/* Compare keys with a finished run whose journals were deleted. Its run.json has the key. */
static qn_status compare_with_finished(qn_job *job)
{
    qn_text theirs = {0}, ours = {0};
    char *path = NULL;
    json_t *lines = qn_job_describe_key(job);
    qn_status status = qn_output_path(&job->output, "run.json", &path);
    if (status == QN_OK) status = join_lines(json_object_get(job->found.run, "key"), &theirs);
    if (status == QN_OK) status = join_lines(lines, &ours);
    if (status == QN_OK) status = qn_key_compare(path, theirs.data, ours.data);
    if (status == QN_OK) qn_log(QN_LOG_NOTE, "%s: the run is finished; its results stay as they are", job->title);
    if (status == QN_OK) status = remove_leftovers(job);
    job->over = status == QN_OK;
    json_decref(lines);
    qn_text_clear(&theirs);
    qn_text_clear(&ours);
    qn_release(&path);
    return status;
}

static qn_status check_journals(const qn_job *job)
{
    int *ranks;
    size_t count;
    QN_TRY(qn_rank_journal_list(job->journal_folder, &ranks, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        char *path;
        status = qn_rank_journal_path(job->journal_folder, ranks[i], &path);
        if (status == QN_OK) status = qn_journal_check_key(path, job->key.data);
        qn_release(&path);
    }
    qn_release(&ranks);
    return status;
}

static qn_status check_resumed(qn_job *job)
{
    if (!job->options->resume || job->found.state == QN_OUTPUT_EMPTY) return QN_OK;
    return job->found.journals > 0 ? check_journals(job) : compare_with_finished(job);
}

static qn_status count_record(uint64_t piece, const void *data, size_t size, void *user)
{
    uint64_t *count = user;
    (void)piece;
    (void)data;
    (void)size;
    ++*count;
    return QN_OK;
}

static qn_status open_journal(qn_job *job)
{
    char *path;
    QN_TRY(qn_rank_journal_path(job->journal_folder, qn_ranks_rank(job->ranks), &path));
    qn_status status =
        qn_journal_open(path, job->key.data, job->options->resume, count_record, &job->recorded, &job->journal);
    qn_release(&path);
    return status;
}

static qn_status make_folder(const qn_job *job)
{
    char *folder;
    const size_t name = strlen(qn_path_name(job->deepest));
    QN_TRY(qn_text_copy(job->deepest, &folder));
    qn_status status = QN_OK;
    if (strlen(folder) > name + 1) {
        folder[strlen(folder) - name - 1] = '\0';
        status = qn_folder_create(folder);
    }
    qn_release(&folder);
    return status;
}

/* Fail if `path`, a file that is to be replaced, is an input of this run. */
static qn_status keep_inputs(const qn_job *job, const char *path)
{
    for (size_t i = 0; i < job->input_count; i++) {
        char *input;
        if (job->inputs[i].in_memory) continue;
        QN_TRY(qn_input_file(job->inputs[i].path, &input));
        const bool same = qn_file_is_same(input, path);
        qn_release(&input);
        if (same)
            return QN_FAIL(QN_ALREADY_EXISTS,
                           "%s: is an input of this run, and --overwrite would remove it; expected another output",
                           path);
    }
    return QN_OK;
}

static qn_status check_overwritten(const qn_job *job)
{
    size_t i;
    json_t *name;
    qn_status status = QN_OK;
    json_array_foreach(json_object_get(job->found.run, "files"), i, name)
    {
        char *path = NULL;
        if (status != QN_OK || !json_is_string(name)) continue;
        status = qn_output_listed_path(&job->output, json_string_value(name), &path);
        if (status == QN_OK) status = keep_inputs(job, path);
        qn_release(&path);
    }
    for (i = 0; job->output.stem && job->output.names[i] && status == QN_OK; i++) {
        char *path = NULL;
        status = qn_output_path(&job->output, job->output.names[i], &path);
        if (status == QN_OK) status = keep_inputs(job, path);
        qn_release(&path);
    }
    return status;
}

/* Files are removed after this rank has locked its journal, so that no other run is writing there. */
static qn_status begin_first(qn_job *job)
{
    QN_TRY(check_resumed(job));
    if (job->over) return QN_OK;
    if (job->options->overwrite) QN_TRY(check_overwritten(job));
    QN_TRY(make_folder(job));
    if (job->keeps_journal) QN_TRY(open_journal(job));
    if (!job->options->overwrite) return QN_OK;
    QN_TRY(qn_output_remove_journals(&job->output, job->program, job->keeps_journal ? 0 : -1));
    return qn_output_remove_files(&job->output, &job->found);
}

static qn_status begin(qn_job *job)
{
    if (job->in_memory) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_is_first(job) ? begin_first(job) : QN_OK));
    QN_TRY(qn_job_agree(job, qn_ranks_broadcast(job->ranks, &job->over, sizeof job->over)));
    if (job->over || !job->keeps_journal) return QN_OK;
    return qn_job_agree(job, qn_job_is_first(job) ? QN_OK : open_journal(job));
}

/* Refuse options and several ranks, which need files. */
static qn_status check_without_output(const qn_job *job)
{
    const bool resume = job->options->resume;
    if (resume || job->options->overwrite)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is asked for, but there is no output; expected the output of the run",
                       resume ? "resume" : "overwrite");
    if (qn_ranks_count(job->ranks) > 1)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%d processes run without an output; expected one process, or an output: processes share their "
                       "results through files",
                       qn_ranks_count(job->ranks));
    return QN_OK;
}

qn_status qn_job_output(qn_job *job, const qn_output *output, bool with_journal)
{
    job->keeps_journal = with_journal;
    job->in_memory = !output->folder && !output->stem;
    QN_TRY(qn_job_agree(job, qn_ranks_same_key(job->ranks, job->key.data, job->device_advice)));
    QN_TRY(qn_job_agree(job, job->in_memory ? check_without_output(job) : look(job, output)));
    return with_journal ? QN_OK : begin(job);
}

qn_status qn_job_journal(qn_job *job)
{
    return begin(job);
}
