#define _POSIX_C_SOURCE 200809L
#include "job/leftovers.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"

enum { DEPTH_MAX = 64 };

static const char mark[] = ".partial.";

/* Whether no process writes this file any more. Nothing is being written by this one when leftovers are removed. */
static bool is_abandoned(const char *process)
{
    char *end;
    const long number = strtol(process, &end, 10);
    if (*end || process[0] < '0' || process[0] > '9' || number <= 0 || number > INT_MAX) return false;
    return number == (long)getpid() || qn_process_is_over(number);
}

/* Length of the name before ".partial.1234" if it is that of an abandoned file, else 0. */
static size_t length_before_mark(const char *name)
{
    const char *at = NULL;
    for (const char *next = name; (next = strstr(next, mark)); next++) at = next;
    return at && is_abandoned(at + strlen(mark)) ? (size_t)(at - name) : 0;
}

static bool is_partial(const char *name, const char *const *endings)
{
    const size_t before = length_before_mark(name);
    for (size_t i = 0; endings[i]; i++) {
        const size_t length = strlen(endings[i]);
        if (before > length && memcmp(name + before - length, endings[i], length) == 0) return true;
    }
    return false;
}

/* Remove such files from a folder and the folders in it. Links are not followed. */
static qn_status clean(const char *folder, const char *const *endings, int depth)
{
    struct stat information;
    DIR *entries = opendir(folder);
    qn_status status = QN_OK;
    if (!entries) return QN_OK;
    for (struct dirent *entry; status == QN_OK && (entry = readdir(entries));) {
        char *path = NULL;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        status = qn_path_join(folder, entry->d_name, &path);
        if (status != QN_OK || lstat(path, &information) != 0) information.st_mode = 0;
        if (S_ISDIR(information.st_mode) && depth < DEPTH_MAX)
            status = clean(path, endings, depth + 1);
        else if (S_ISREG(information.st_mode) && is_partial(entry->d_name, endings))
            unlink(path);
        qn_release(&path);
    }
    closedir(entries);
    return status;
}

qn_status qn_leftovers_remove(const char *folder, const char *const *endings)
{
    return clean(folder, endings, 0);
}

/* ---- files that are listed ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Remove an entry of the folder `listed_folder` ("", or ending with a slash) if it is left of a listed file. */
static qn_status remove_entry(const qn_output *output, const char *const *listed, size_t count,
                              const char *listed_folder, const char *entry)
{
    const size_t before = length_before_mark(entry);
    struct stat information;
    qn_text name = {0};
    char *path = NULL;
    if (before == 0) return QN_OK;
    qn_status status = qn_text_append(&name, "%s%.*s", listed_folder, (int)before, entry);
    const bool is_listed = status == QN_OK && bsearch(&name.data, listed, count, sizeof *listed, compare_names);
    if (is_listed) status = qn_text_append(&name, "%s", entry + before);
    if (is_listed && status == QN_OK) status = qn_output_listed_path(output, name.data, &path);
    if (path && lstat(path, &information) == 0 && S_ISREG(information.st_mode)) unlink(path);
    qn_release(&path);
    qn_text_clear(&name);
    return status;
}

static qn_status clean_listed(const qn_output *output, const char *const *listed, size_t count,
                              const char *listed_folder)
{
    char *path;
    QN_TRY(qn_output_listed_path(output, listed_folder, &path));
    DIR *entries = opendir(path[0] ? path : ".");
    qn_status status = QN_OK;
    qn_release(&path);
    if (!entries) return QN_OK;
    for (struct dirent *entry; status == QN_OK && (entry = readdir(entries));)
        status = remove_entry(output, listed, count, listed_folder, entry->d_name);
    closedir(entries);
    return status;
}

qn_status qn_leftovers_remove_listed(const qn_output *output, const char *const *listed, size_t count)
{
    qn_text folder = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        const char *name = qn_path_name(listed[i]);
        const size_t length = (size_t)(name - listed[i]);
        if (!qn_output_stays_inside(listed[i])) continue;
        if (folder.data && folder.length == length && strncmp(folder.data, listed[i], length) == 0) continue;
        qn_text_clear(&folder);
        status = qn_text_append(&folder, "%.*s", (int)length, listed[i]);
        if (status == QN_OK) status = clean_listed(output, listed, count, folder.data);
    }
    qn_text_clear(&folder);
    return status;
}
