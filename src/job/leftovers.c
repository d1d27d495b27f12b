#define _POSIX_C_SOURCE 200809L
#include "job/leftovers.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { DEPTH_MAX = 64 };

/* Whether it is the name of a file being written, NAME.mrc.partial.1234 (base/written_file.h). */
static bool is_partial(const char *name, const char *const *endings)
{
    static const char mark[] = ".partial.";
    const char *at = NULL;
    for (const char *next = name; (next = strstr(next, mark)); next++) at = next;
    if (!at || !at[strlen(mark)] || strspn(at + strlen(mark), "0123456789") != strlen(at + strlen(mark))) return false;
    for (size_t i = 0; endings[i]; i++) {
        const size_t length = strlen(endings[i]);
        if ((size_t)(at - name) > length && memcmp(at - length, endings[i], length) == 0) return true;
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
