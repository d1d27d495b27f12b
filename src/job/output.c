#define _POSIX_C_SOURCE 200809L
#include "job/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/journal.h"
#include "job/pieces.h"

static const char run_file[] = "run.json";

/* ---- names ---- */

qn_status qn_output_path(const qn_output *output, const char *name, char **path)
{
    qn_text text = {0};
    if (output->folder) return qn_path_join(output->folder, name, path);
    QN_TRY(qn_text_append(&text, "%s%s%s", output->stem, name[0] == '.' ? "" : "_", name));
    *path = text.data;
    return QN_OK;
}

qn_status qn_output_journals(const qn_output *output, char **folder)
{
    *folder = NULL;
    if (!output->journal_folder && !output->folder) return QN_OK;
    return output->journal_folder ? qn_output_path(output, output->journal_folder, folder)
                                  : qn_text_copy(output->folder, folder);
}

/* Length of the path of the files' folder, including the slash after it. */
static size_t folder_length(const qn_output *output)
{
    if (!output->folder) return (size_t)(qn_path_name(output->stem) - output->stem);
    const size_t length = strlen(output->folder);
    return length > 0 && output->folder[length - 1] == '/' ? length : length + 1;
}

const char *qn_output_listed_name(const qn_output *output, const char *path)
{
    return path + folder_length(output);
}

qn_status qn_output_listed_path(const qn_output *output, const char *listed_name, char **path)
{
    qn_text text = {0};
    const char *folder = output->folder ? output->folder : output->stem;
    const size_t length = folder_length(output);
    QN_TRY(qn_text_append(&text, "%.*s%s%s", (int)length, folder, strlen(folder) < length ? "/" : "", listed_name));
    *path = text.data;
    return QN_OK;
}

bool qn_output_stays_inside(const char *listed_name)
{
    if (listed_name[0] == '/' || listed_name[0] == '\0') return false;
    for (const char *part = listed_name; part; part = strchr(part, '/'), part += part != NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    return true;
}

/* ---- files of earlier runs ---- */

/* Content of run.json if a run of `program` wrote it, else NULL. */
static qn_status read_run(const qn_output *output, const char *program, json_t **run)
{
    char *path;
    *run = NULL;
    QN_TRY(qn_output_path(output, run_file, &path));
    json_t *json = json_load_file(path, 0, NULL);
    qn_release(&path);
    const char *name = json_string_value(json_object_get(json, "program"));
    if (name && strcmp(name, program) == 0)
        *run = json;
    else
        json_decref(json);
    return QN_OK;
}

static qn_status look_at_journal(const char *folder, int rank, const char *program, qn_output_found *found)
{
    char *path;
    bool ours = false, busy = false;
    QN_TRY(qn_rank_journal_path(folder, rank, &path));
    qn_status status = qn_journal_belongs(path, program, &ours);
    if (status == QN_OK && ours) status = qn_journal_is_busy(path, &busy);
    found->journals += ours;
    if (busy && !found->busy)
        found->busy = path;
    else
        qn_release(&path);
    return status;
}

static qn_status look_at_journals(const qn_output *output, const char *program, qn_output_found *found)
{
    char *folder;
    int *ranks = NULL;
    size_t count = 0;
    QN_TRY(qn_output_journals(output, &folder));
    qn_status status = folder && qn_file_exists(folder) ? qn_rank_journal_list(folder, &ranks, &count) : QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) status = look_at_journal(folder, ranks[i], program, found);
    qn_release(&ranks);
    qn_release(&folder);
    return status;
}

/* The entry of the folder that comes first by name, so that the message does not depend on the file system. */
static qn_status find_entry(const qn_output *output, char **path)
{
    char *first = NULL;
    qn_status status = QN_OK;
    struct stat information;
    if (stat(output->folder, &information) != 0 && (errno == ENOENT || errno == ENOTDIR)) return QN_OK;
    DIR *folder = opendir(output->folder);
    if (!folder && errno == ENOTDIR)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: is a file; expected a folder", output->folder);
    if (!folder) return QN_FAIL(QN_IO_ERROR, "%s: cannot open the folder: %s", output->folder, strerror(errno));
    for (struct dirent *entry; status == QN_OK && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (first && strcmp(entry->d_name, first) > 0) continue;
        qn_release(&first);
        status = qn_text_copy(entry->d_name, &first);
    }
    closedir(folder);
    if (status == QN_OK && first) status = qn_output_path(output, first, path);
    qn_release(&first);
    return status;
}

static qn_status find_name(const qn_output *output, char **path)
{
    for (size_t i = 0; output->names[i]; i++) {
        QN_TRY(qn_output_path(output, output->names[i], path));
        if (qn_file_exists(*path)) return QN_OK;
        qn_release(path);
    }
    return QN_OK;
}

qn_status qn_output_inspect(const qn_output *output, const char *program, qn_output_found *found)
{
    *found = (qn_output_found){.state = QN_OUTPUT_EMPTY};
    QN_TRY(output->folder ? find_entry(output, &found->foreign) : find_name(output, &found->foreign));
    if (output->folder && !found->foreign) return QN_OK;
    QN_TRY(read_run(output, program, &found->run));
    QN_TRY(look_at_journals(output, program, found));
    if (found->run)
        found->state = QN_OUTPUT_FINISHED;
    else if (found->journals > 0)
        found->state = QN_OUTPUT_UNFINISHED;
    else if (found->foreign)
        found->state = QN_OUTPUT_FOREIGN;
    if (found->state != QN_OUTPUT_FOREIGN) qn_release(&found->foreign);
    return QN_OK;
}

void qn_output_found_clear(qn_output_found *found)
{
    qn_release(&found->foreign);
    qn_release(&found->busy);
    json_decref(found->run);
    found->run = NULL;
}

/* ---- removing ---- */

/* Remove a file that a run wrote. A link, a device and a pipe stay: runs write into what they lead to. */
static void remove_written(const char *path)
{
    struct stat information;
    if (lstat(path, &information) == 0 && S_ISREG(information.st_mode)) unlink(path);
}

qn_status qn_output_remove_run(const qn_output *output)
{
    char *path;
    QN_TRY(qn_output_path(output, run_file, &path));
    unlink(path);
    qn_release(&path);
    return QN_OK;
}

void qn_output_remove_file(const qn_output *output, const char *listed_name)
{
    char *path;
    if (!qn_output_stays_inside(listed_name) || qn_output_listed_path(output, listed_name, &path) != QN_OK) return;
    /* beside an output file lie files of other runs, whose run.json may have been copied */
    const size_t stem = output->stem ? strlen(output->stem) : 0;
    if (stem > 0 && (strncmp(path, output->stem, stem) != 0 || !strchr("._", path[stem]))) {
        qn_release(&path);
        return;
    }
    remove_written(path);
    for (char *slash; (slash = strrchr(path, '/')) && slash >= path + folder_length(output);) {
        *slash = '\0';
        if (rmdir(path) != 0) break;
    }
    qn_release(&path);
}

qn_status qn_output_remove_files(const qn_output *output, const qn_output_found *found)
{
    size_t i;
    json_t *name;
    QN_TRY(qn_output_remove_run(output)); /* first, because a folder with a run.json is a finished run */
    json_array_foreach(json_object_get(found->run, "files"), i, name) if (json_is_string(name))
        qn_output_remove_file(output, json_string_value(name));
    for (i = 0; output->stem && output->names[i]; i++) {
        char *path;
        QN_TRY(qn_output_path(output, output->names[i], &path));
        remove_written(path);
        qn_release(&path);
    }
    return QN_OK;
}

/* Whether an entry of the journals' folder is a journal of the program or one of its files put aside. */
static bool is_of(const qn_output *output, const char *program, const char *name, const char *path)
{
    bool belongs = false;
    if (output->aside && strncmp(name, output->aside, strlen(output->aside)) == 0) return true;
    return qn_rank_of_journal(name) >= 0 && qn_journal_belongs(path, program, &belongs) == QN_OK && belongs;
}

static qn_status remove_entries(const qn_output *output, const char *program, const char *folder, int kept)
{
    qn_status status = QN_OK;
    DIR *entries = opendir(folder);
    if (!entries) return QN_OK;
    for (struct dirent *entry; status == QN_OK && (entry = readdir(entries));) {
        char *path = NULL;
        const int rank = qn_rank_of_journal(entry->d_name);
        if (rank >= 0 && rank == kept) continue;
        status = qn_path_join(folder, entry->d_name, &path);
        if (status == QN_OK && is_of(output, program, entry->d_name, path)) unlink(path);
        qn_release(&path);
    }
    closedir(entries);
    if (output->journal_folder) rmdir(folder); /* fails if the folder is not empty, which is intended */
    return status;
}

qn_status qn_output_remove_journals(const qn_output *output, const char *program, int kept)
{
    char *folder;
    QN_TRY(qn_output_journals(output, &folder));
    qn_status status = folder ? remove_entries(output, program, folder, kept) : QN_OK;
    qn_release(&folder);
    return status;
}

/* ---- values of the key ---- */

static qn_status find_in_journals(const qn_output *output, const char *name, char *value, size_t capacity)
{
    char *folder;
    int *ranks = NULL;
    size_t count = 0;
    QN_TRY(qn_output_journals(output, &folder));
    qn_status status = folder && qn_file_exists(folder) ? qn_rank_journal_list(folder, &ranks, &count) : QN_OK;
    for (size_t i = 0; i < count && status == QN_OK && !value[0]; i++) {
        char *path = NULL;
        status = qn_rank_journal_path(folder, ranks[i], &path);
        if (status == QN_OK) status = qn_journal_value(path, name, value, capacity);
        qn_release(&path);
    }
    qn_release(&ranks);
    qn_release(&folder);
    return status;
}

qn_status qn_output_value(const qn_output *output, const char *name, char *value, size_t capacity)
{
    const size_t length = strlen(name);
    char *path;
    size_t i;
    json_t *line;
    value[0] = '\0';
    QN_TRY(find_in_journals(output, name, value, capacity));
    if (value[0]) return QN_OK;
    QN_TRY(qn_output_path(output, run_file, &path));
    json_t *run = json_load_file(path, 0, NULL);
    qn_release(&path);
    json_array_foreach(json_object_get(run, "key"), i, line)
    {
        const char *text = json_string_value(line);
        if (text && strncmp(text, name, length) == 0 && text[length] == '=' && strlen(text + length + 1) < capacity)
            snprintf(value, capacity, "%s", text + length + 1);
    }
    json_decref(run);
    return QN_OK;
}
