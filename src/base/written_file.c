#define _XOPEN_SOURCE 700
#include "base/written_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

static qn_status system_failure(const qn_written_file *file, const char *what)
{
    const int reason = errno;
    return QN_FAIL(reason == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot %s: %s", file->name.data, what,
                   strerror(reason));
}

/* Replace the path by that of the file which a chain of symbolic links leads to, which need not exist. */
static qn_status follow_links(qn_text *path)
{
    enum { LINKS_MAX = 40 }; /* as Linux does */
    char target[4096];
    for (int i = 0; i < LINKS_MAX; i++) {
        const ssize_t length = readlink(path->data, target, sizeof target - 1);
        if (length < 0) return QN_OK; /* not a link */
        target[length] = '\0';
        const size_t folder = target[0] == '/' ? 0 : (size_t)(qn_path_name(path->data) - path->data);
        path->data[folder] = '\0';
        path->length = folder;
        QN_TRY(qn_text_append(path, "%s", target));
    }
    return QN_OK; /* a circle, which opening reports */
}

static qn_status open_beside(qn_written_file *file)
{
    QN_TRY(follow_links(&file->path));
    QN_TRY(qn_text_append(&file->temporary, "%s.partial.%ld", file->path.data, (long)getpid()));
    file->descriptor = open(file->temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor >= 0) return QN_OK;
    const qn_status status = system_failure(file, "create");
    qn_text_clear(&file->temporary);
    return status;
}

/* Open a temporary file without a name, which is copied into the pipe at the end. */
static qn_status open_nameless(qn_written_file *file)
{
    const char *folder = getenv("TMPDIR");
    qn_text path = {0};
    QN_TRY(qn_text_append(&path, "%s/quern-XXXXXX", folder && *folder ? folder : "/tmp"));
    file->target = file->descriptor;
    file->descriptor = mkstemp(path.data);
    qn_status status = QN_OK;
    if (file->descriptor < 0)
        status = QN_FAIL(QN_IO_ERROR, "%s: cannot make a temporary file for it in %s: %s", file->name.data,
                         folder && *folder ? folder : "/tmp", strerror(errno));
    else
        unlink(path.data);
    qn_text_clear(&path);
    return status;
}

static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static qn_status open_into(qn_written_file *file, bool goes_back)
{
    file->descriptor = is_standard_output(file->path.data) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                                           : open(file->path.data, O_WRONLY | O_CLOEXEC);
    if (file->descriptor < 0) return system_failure(file, "open");
    if (goes_back && lseek(file->descriptor, 0, SEEK_CUR) < 0) return open_nameless(file);
    return QN_OK;
}

qn_status qn_written_file_open(const char *path, bool goes_back, qn_written_file *file)
{
    struct stat information;
    *file = (qn_written_file){.descriptor = -1, .target = -1};
    const char *name = is_standard_output(path) ? "standard output" : path;
    qn_status status = qn_text_append(&file->name, "%s", name);
    if (status == QN_OK) status = qn_text_append(&file->path, "%s", path);
    if (status == QN_OK) {
        const bool exists = stat(path, &information) == 0;
        if (is_standard_output(path))
            status = open_into(file, goes_back);
        else if (exists && S_ISDIR(information.st_mode))
            status = QN_FAIL(QN_INVALID_ARGUMENT, "%s: is a folder; expected the name of a file", path);
        else if (exists && !S_ISREG(information.st_mode))
            status = open_into(file, goes_back);
        else
            status = open_beside(file);
    }
    if (status != QN_OK) qn_written_file_discard(file);
    return status;
}

static qn_status write_to(const qn_written_file *file, int descriptor, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(descriptor, data + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure(file, "write");
        done += (size_t)count;
    }
    return QN_OK;
}

qn_status qn_written_file_write(qn_written_file *file, const void *data, size_t size)
{
    return write_to(file, file->descriptor, data, size);
}

qn_status qn_written_file_go_to(qn_written_file *file, uint64_t offset)
{
    return lseek(file->descriptor, (off_t)offset, SEEK_SET) < 0 ? system_failure(file, "go back in") : QN_OK;
}

static qn_status copy_to_target(qn_written_file *file)
{
    char block[1 << 16];
    ssize_t got;
    QN_TRY(qn_written_file_go_to(file, 0));
    while ((got = read(file->descriptor, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_failure(file, "read the temporary file for it");
        QN_TRY(write_to(file, file->target, block, (size_t)got));
    }
    return QN_OK;
}

/* Flush to disk; pipes and devices cannot be flushed. */
static qn_status put_in_place(qn_written_file *file)
{
    if (file->target >= 0) QN_TRY(copy_to_target(file));
    if (file->temporary.data && fsync(file->descriptor) != 0 && errno != EINVAL)
        return system_failure(file, "flush to disk");
    const int closed = close(file->descriptor);
    file->descriptor = -1;
    if (closed != 0) return system_failure(file, "write");
    if (file->temporary.data && rename(file->temporary.data, file->path.data) != 0)
        return system_failure(file, "put in place");
    qn_text_clear(&file->temporary); /* there is nothing to remove */
    return QN_OK;
}

qn_status qn_written_file_finish(qn_written_file *file)
{
    const qn_status status = put_in_place(file);
    qn_written_file_discard(file);
    return status;
}

void qn_written_file_discard(qn_written_file *file)
{
    if (!file->name.data) return;
    if (file->descriptor >= 0) close(file->descriptor);
    if (file->target >= 0) close(file->target);
    if (file->temporary.data) unlink(file->temporary.data);
    qn_text_clear(&file->path);
    qn_text_clear(&file->temporary);
    qn_text_clear(&file->name);
    *file = (qn_written_file){.descriptor = -1, .target = -1};
}
