#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static qn_status system_failure(const char *path, const char *what)
{
    qn_status status = errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR;
    return QN_FAIL(status, "%s: cannot %s: %s", path, what, strerror(errno));
}

qn_status qn_file_read(const char *path, char **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return system_failure(path, "open");
    void *content = NULL;
    size_t capacity = 0, length = 0, got = 1;
    qn_status status = QN_OK;
    struct stat information;
    if (fstat(fileno(file), &information) == 0 && S_ISREG(information.st_mode) && information.st_size > 0)
        status = qn_grow(&content, &capacity, (size_t)information.st_size + 65537, 1);
    while (status == QN_OK && got > 0) {
        status = qn_grow(&content, &capacity, length + 65537, 1);
        if (status != QN_OK) break;
        got = fread((char *)content + length, 1, capacity - length - 1, file);
        length += got;
    }
    if (status == QN_OK && ferror(file)) status = system_failure(path, "read");
    fclose(file);
    if (status != QN_OK) {
        qn_release(&content);
        return status;
    }
    ((char *)content)[length] = '\0';
    *data = content;
    *size = length;
    return QN_OK;
}

static qn_status write_and_sync(int descriptor, const char *path, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(descriptor, data + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure(path, "write");
        done += (size_t)written;
    }
    if (fsync(descriptor) != 0 && errno != EINVAL) return system_failure(path, "flush to disk");
    return QN_OK;
}

qn_status qn_file_write(const char *path, const void *data, size_t size)
{
    qn_text temporary = {0};
    QN_TRY(qn_text_append(&temporary, "%s.partial.%ld", path, (long)getpid()));
    int descriptor = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    qn_status status = descriptor < 0 ? system_failure(path, "create") : write_and_sync(descriptor, path, data, size);
    if (descriptor >= 0 && close(descriptor) != 0 && status == QN_OK) status = system_failure(path, "write");
    if (status == QN_OK && rename(temporary.data, path) != 0) status = system_failure(path, "put in place");
    if (status != QN_OK && descriptor >= 0) unlink(temporary.data);
    qn_text_clear(&temporary);
    return status;
}

bool qn_file_exists(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0;
}

bool qn_file_is_same(const char *path, const char *other)
{
    struct stat first, second;
    return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

qn_status qn_folder_create(const char *path)
{
    char *copy;
    QN_TRY(qn_text_copy(path, &copy));
    int reason = 0; /* errno of the first parent folder that could not be created */
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST && reason == 0) reason = errno;
        *slash = '/';
    }
    struct stat information;
    qn_status status = QN_OK;
    if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
        if (errno == ENOENT && reason != 0) errno = reason;
        status = system_failure(path, "create the folder");
    } else if (stat(copy, &information) == 0 && !S_ISDIR(information.st_mode)) {
        status = qn_error_set(QN_ALREADY_EXISTS, __FILE__, __LINE__, "%s: is a file; expected a folder", path);
    }
    qn_release(&copy);
    return status;
}

qn_status qn_folder_is_empty(const char *path, bool *empty)
{
    *empty = true;
    DIR *folder = opendir(path);
    if (!folder) {
        if (errno == ENOENT) return QN_OK;
        return system_failure(path, "open the folder");
    }
    for (struct dirent *entry; *empty && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) *empty = false;
    closedir(folder);
    return QN_OK;
}

qn_status qn_path_join(const char *folder, const char *name, char **path)
{
    size_t length = strlen(folder);
    const char *separator = length == 0 || folder[length - 1] == '/' ? "" : "/";
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s%s%s", folder, separator, name));
    *path = text.data;
    return QN_OK;
}

qn_status qn_cache_folder(qn_text *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return qn_text_append(path, "%s/quern", cache);
    if (home && home[0] == '/') return qn_text_append(path, "%s/.cache/quern", home);
    return QN_FAIL(QN_NOT_FOUND, "neither XDG_CACHE_HOME nor HOME names a folder");
}

const char *qn_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
