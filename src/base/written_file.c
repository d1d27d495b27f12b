#define _GNU_SOURCE /* sync_file_range */
#include "base/written_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pipe.h"

static qn_status system_failure(const qn_written_file *file, const char *what)
{
    const int reason = errno;
    return QN_FAIL(reason == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot %s: %s", file->name.data, what,
                   strerror(reason));
}

/* Number of the open descriptor that a path names, such as /dev/stdout or /dev/fd/3; -1: none. Opening such a path
 * again would begin at the start of the file that the descriptor leads to. */
static int descriptor_of(const char *path)
{
    int number = -1, length = 0;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    if (sscanf(path, "/dev/fd/%9d%n", &number, &length) == 1 && !path[length]) return number;
    if (sscanf(path, "/proc/self/fd/%9d%n", &number, &length) == 1 && !path[length]) return number;
    return -1;
}

/* Replace the path by that of the file which a chain of symbolic links leads to, which need not exist, or
 * by one that names a descriptor. */
static qn_status follow_links(qn_text *path)
{
    enum { LINKS_MAX = 40 }; /* as Linux does */
    char target[4096];
    for (int i = 0; i < LINKS_MAX && descriptor_of(path->data) < 0; i++) {
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
    QN_TRY(qn_text_append(&file->temporary, "%s.partial.%ld", file->path.data, (long)getpid()));
    file->descriptor = open(file->temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor >= 0) return QN_OK;
    const qn_status status = system_failure(file, "create");
    qn_text_clear(&file->temporary);
    return status;
}

/* Open what the path names. A pipe without a reader is waited for, until a signal: ENXIO says that there is none. */
static qn_status wait_for_reader(qn_written_file *file)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    while ((file->descriptor = open(file->name.data, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO)
        if (qn_file_waiting_is_over() || nanosleep(&pause, NULL) != 0)
            return QN_FAIL(QN_CANCELLED, "%s: stopped while waiting for a reader of this pipe", file->name.data);
    if (file->descriptor >= 0) (void)fcntl(file->descriptor, F_SETFL, O_WRONLY);
    return QN_OK;
}

/* Write into a descriptor, or into what the path names. What is written before its beginning goes through a file
 * without a name, unless that place can be found again. */
static qn_status open_into(qn_written_file *file, int number, bool goes_back)
{
    if (number >= 0)
        file->descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0);
    else
        QN_TRY(wait_for_reader(file));
    if (file->descriptor < 0) return system_failure(file, "open");
    if (!goes_back || (number < 0 && lseek(file->descriptor, 0, SEEK_CUR) >= 0)) return QN_OK;
    file->target = file->descriptor;
    file->descriptor = -1;
    return qn_nameless_file_open(file->name.data, &file->descriptor);
}

qn_status qn_written_file_open(const char *path, bool goes_back, qn_written_file *file)
{
    struct stat information;
    *file = (qn_written_file){.descriptor = -1, .target = -1};
    qn_status status = qn_text_append(&file->name, "%s", strcmp(path, "-") == 0 ? "standard output" : path);
    if (status == QN_OK) status = qn_text_append(&file->path, "%s", path);
    if (status == QN_OK) status = follow_links(&file->path);
    if (status == QN_OK) {
        const int number = descriptor_of(file->path.data);
        const bool exists = stat(path, &information) == 0;
        if (number >= 0)
            status = open_into(file, number, goes_back);
        else if (exists && S_ISDIR(information.st_mode))
            status = QN_FAIL(QN_IO_ERROR, "%s: is a folder; expected the name of a file", path);
        else if (exists && !S_ISREG(information.st_mode))
            status = open_into(file, -1, goes_back);
        else
            status = open_beside(file);
    }
    if (status != QN_OK) qn_written_file_discard(file);
    return status;
}

qn_status qn_written_file_write(qn_written_file *file, const void *data, size_t size)
{
    return qn_descriptor_write(file->descriptor, file->name.data, data, size);
}

qn_status qn_written_file_go_to(qn_written_file *file, uint64_t offset)
{
    return lseek(file->descriptor, (off_t)offset, SEEK_SET) < 0 ? system_failure(file, "go back in") : QN_OK;
}

qn_status qn_written_file_write_at(const qn_written_file *file, uint64_t offset, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = pwrite(file->descriptor, (const char *)data + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure(file, "write");
        done += (size_t)count;
    }
    return QN_OK;
}

void qn_written_file_push(const qn_written_file *file)
{
    /* Only a hint: file systems that do not know it flush at the end. */
    if (file->temporary.data) (void)sync_file_range(file->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static qn_status copy_to_target(qn_written_file *file)
{
    char block[1 << 16];
    ssize_t got;
    QN_TRY(qn_written_file_go_to(file, 0));
    while ((got = read(file->descriptor, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_failure(file, "read the temporary file for it");
        QN_TRY(qn_descriptor_write(file->target, file->name.data, block, (size_t)got));
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
