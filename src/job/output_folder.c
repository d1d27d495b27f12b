/* The folders of a run's files. They are checked before the run, so that no hours are spent on results that cannot be
 * written. They are removed if a run that failed made them. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/output.h"

/* Cut *path to the path of its folder, "." if it has none. */
static qn_status go_up(char **path)
{
    size_t length = strlen(*path);
    while (length > 0 && (*path)[length - 1] != '/') length--; /* the name */
    while (length > 1 && (*path)[length - 1] == '/') length--; /* slashes before the name, but not the root */
    if (length == 0) {
        qn_release(path);
        return qn_text_copy(".", path);
    }
    (*path)[length] = '\0';
    return QN_OK;
}

static bool is_there(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static qn_status put_a_file(const char *folder)
{
    char *path;
    struct stat information;
    if (stat(folder, &information) == 0 && !S_ISDIR(information.st_mode))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: is a file; expected a folder", folder);
    QN_TRY(qn_path_join(folder, ".quern-XXXXXX", &path));
    const int descriptor = mkstemp(path);
    const int reason = errno;
    if (descriptor >= 0) {
        close(descriptor);
        unlink(path);
    }
    qn_release(&path);
    if (descriptor < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot write into this folder: %s", folder, strerror(reason));
    return QN_OK;
}

static qn_status look_up(char **folder, char **absent)
{
    QN_TRY(go_up(folder));
    while (!is_there(*folder)) {
        qn_release(absent);
        QN_TRY(qn_text_copy(*folder, absent));
        QN_TRY(go_up(folder));
    }
    return put_a_file(*folder);
}

qn_status qn_output_check_folder(const char *path, char **absent)
{
    struct stat information;
    char *folder;
    *absent = NULL;
    if (stat(path, &information) == 0 && S_ISDIR(information.st_mode))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: is a folder; expected the name of a file", path);
    QN_TRY(qn_text_copy(path, &folder));
    const qn_status status = look_up(&folder, absent);
    qn_release(&folder);
    if (status != QN_OK) qn_release(absent);
    return status;
}

void qn_output_remove_folders(const char *path, const char *absent)
{
    char *folder;
    bool is_last = false;
    if (!absent || qn_text_copy(path, &folder) != QN_OK) return;
    while (!is_last && go_up(&folder) == QN_OK && strlen(folder) >= strlen(absent)) {
        is_last = strcmp(folder, absent) == 0;
        if (rmdir(folder) != 0) break;
    }
    qn_release(&folder);
}
