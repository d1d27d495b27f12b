#define _GNU_SOURCE 1 /* mkostemp */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "base/written_file.h"

static qn_status system_failure(const char *path, const char *what)
{
    qn_status status = errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR;
    return QN_FAIL(status, "%s: cannot %s: %s", path, what, strerror(errno));
}

static const size_t whole_file_most_bytes = (size_t)4 << 30;

static qn_status refuse_large(const char *path)
{
    return QN_FAIL(QN_UNSUPPORTED, "%s: has more than %zu GiB; expected at most that of a file of this kind", path,
                   whole_file_most_bytes >> 30);
}

static qn_status read_whole(const char *path, FILE *file, void **content, size_t *length)
{
    struct stat information = {0};
    size_t capacity = 0, got = 1;
    if (fstat(fileno(file), &information) != 0) return system_failure(path, "read");
    if ((uint64_t)information.st_size > whole_file_most_bytes) return refuse_large(path);
    QN_TRY(qn_grow(content, &capacity, (size_t)information.st_size + 65537, 1));
    while (got > 0) {
        if (*length > whole_file_most_bytes) return refuse_large(path);
        QN_TRY(qn_grow(content, &capacity, *length + 65537, 1));
        got = fread((char *)*content + *length, 1, capacity - *length - 1, file);
        *length += got;
    }
    return ferror(file) ? system_failure(path, "read") : QN_OK;
}

qn_status qn_file_read(const char *path, char **data, size_t *size)
{
    int descriptor;
    size_t length = 0;
    void *content = NULL;
    *data = NULL;
    *size = 0;
    QN_TRY(qn_file_open(path, &descriptor));
    FILE *file = fdopen(descriptor, "rb");
    qn_status status = file ? read_whole(path, file, &content, &length) : system_failure(path, "open");
    if (file)
        fclose(file);
    else
        close(descriptor);
    if (status != QN_OK) {
        qn_release(&content);
        return status;
    }
    ((char *)content)[length] = '\0';
    *data = content;
    *size = length;
    return QN_OK;
}

qn_status qn_file_write(const char *path, const void *data, size_t size)
{
    qn_written_file file;
    QN_TRY(qn_written_file_open(path, false, &file));
    const qn_status status = qn_written_file_write(&file, data, size);
    if (status == QN_OK) return qn_written_file_finish(&file);
    qn_written_file_discard(&file);
    return status;
}

qn_status qn_descriptor_write(int descriptor, const char *name, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(descriptor, (const char *)data + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure(name, "write");
        done += (size_t)count;
    }
    return QN_OK;
}

qn_status qn_nameless_file_open(const char *name, int *descriptor)
{
    const char *chosen = getenv("TMPDIR"), *folder = chosen && *chosen ? chosen : "/tmp";
    qn_text path = {0};
    QN_TRY(qn_text_append(&path, "%s/quern-XXXXXX", folder));
    *descriptor = mkostemp(path.data, O_CLOEXEC);
    qn_status status = QN_OK;
    if (*descriptor < 0)
        status =
            QN_FAIL(QN_IO_ERROR, "%s: cannot make a temporary file for it in %s: %s", name, folder, strerror(errno));
    else
        unlink(path.data);
    qn_text_clear(&path);
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
