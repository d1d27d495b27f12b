#define _XOPEN_SOURCE 700
#include "base/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { LIMIT_GIB = 16 };

typedef struct kept_pipe {
    struct kept_pipe *next;
    dev_t device;
    ino_t node;
    int descriptor; /* the temporary file with its content */
} kept_pipe;

static struct {
    pthread_mutex_t mutex; /* also held while a pipe is read, so that two threads do not share its bytes */
    int keepers;
    kept_pipe *first;
} kept = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void qn_pipes_keep(void)
{
    pthread_mutex_lock(&kept.mutex);
    kept.keepers++;
    pthread_mutex_unlock(&kept.mutex);
}

void qn_pipes_release(void)
{
    pthread_mutex_lock(&kept.mutex);
    kept.keepers--;
    while (kept.keepers == 0 && kept.first) {
        kept_pipe *pipe = kept.first;
        kept.first = pipe->next;
        close(pipe->descriptor);
        qn_release(&pipe);
    }
    pthread_mutex_unlock(&kept.mutex);
}

static qn_status cannot(const char *path, const char *what)
{
    const int reason = errno;
    return QN_FAIL(reason == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot %s: %s", path, what, strerror(reason));
}

/* Wait until the pipe has bytes, or its writers have closed it. A signal ends poll even where it restarts a read. */
static qn_status wait_for(const char *path, int descriptor)
{
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    if (poll(&waiting, 1, -1) >= 0) return QN_OK;
    if (errno == EINTR) return QN_FAIL(QN_CANCELLED, "%s: stopped while waiting for the data of this pipe", path);
    return cannot(path, "wait for the pipe");
}

static qn_status write_all(const char *path, int descriptor, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(descriptor, data + done, size - done);
        if (count < 0 && errno != EINTR) return cannot(path, "keep the data of this pipe in a temporary file");
        if (count > 0) done += (size_t)count;
    }
    return QN_OK;
}

/* Copy the pipe into a file, at most LIMIT_GIB. */
static qn_status copy_pipe(const char *path, int from, int to)
{
    char block[1 << 16];
    for (uint64_t copied = 0; copied <= (uint64_t)LIMIT_GIB << 30;) {
        QN_TRY(wait_for(path, from));
        const ssize_t count = read(from, block, sizeof block);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (count < 0) return cannot(path, "read");
        if (count == 0) return QN_OK;
        QN_TRY(write_all(path, to, block, (size_t)count));
        copied += (size_t)count;
    }
    return QN_FAIL(QN_UNSUPPORTED, "%s: is a pipe with more than %d GiB; expected at most that, or a file", path,
                   LIMIT_GIB);
}

static qn_status make_nameless_file(const char *path, int *descriptor)
{
    const char *folder = getenv("TMPDIR");
    qn_text name = {0};
    QN_TRY(qn_text_append(&name, "%s/quern-XXXXXX", folder && *folder ? folder : "/tmp"));
    *descriptor = mkstemp(name.data);
    const qn_status status = *descriptor < 0 ? cannot(path, "keep the data of this pipe in a temporary file") : QN_OK;
    if (status == QN_OK) unlink(name.data);
    qn_text_clear(&name);
    return status;
}

static qn_status keep(const char *path, int from, const struct stat *information, kept_pipe **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    kept_pipe *pipe = memory;
    *pipe = (kept_pipe){.next = kept.first, .device = information->st_dev, .node = information->st_ino};
    qn_status status = make_nameless_file(path, &pipe->descriptor);
    if (status == QN_OK) {
        status = copy_pipe(path, from, pipe->descriptor);
        if (status != QN_OK) close(pipe->descriptor);
    }
    if (status != QN_OK) {
        qn_release(&pipe);
        return status;
    }
    kept.first = pipe;
    *out = pipe;
    return QN_OK;
}

/* Open the kept content again, so that every reader has its own place in it. */
static qn_status open_again(const char *path, const kept_pipe *pipe, int *descriptor)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", pipe->descriptor);
    *descriptor = open(name, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? cannot(path, "open the temporary file with its data") : QN_OK;
}

static qn_status open_kept(const char *path, int from, const struct stat *information, int *descriptor)
{
    kept_pipe *pipe = kept.first;
    while (pipe && (pipe->device != information->st_dev || pipe->node != information->st_ino)) pipe = pipe->next;
    if (!pipe) QN_TRY(keep(path, from, information, &pipe));
    return open_again(path, pipe, descriptor);
}

/* A pipe that no run keeps: wait for its first bytes, then read it as usual. */
static qn_status open_directly(const char *path, int from, int *descriptor)
{
    QN_TRY(wait_for(path, from));
    const int flags = fcntl(from, F_GETFL);
    *descriptor = fcntl(from, F_DUPFD_CLOEXEC, 0);
    if (*descriptor < 0 || fcntl(*descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0) return cannot(path, "open");
    return QN_OK;
}

static qn_status open_pipe(const char *path, int from, const struct stat *information, int *descriptor)
{
    pthread_mutex_lock(&kept.mutex);
    const qn_status status =
        kept.keepers > 0 ? open_kept(path, from, information, descriptor) : open_directly(path, from, descriptor);
    pthread_mutex_unlock(&kept.mutex);
    return status;
}

qn_status qn_file_open(const char *path, int *descriptor)
{
    struct stat information;
    *descriptor = -1;
    const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* else a pipe waits for a writer here */
    if (opened < 0) return cannot(path, "open");
    qn_status status = fstat(opened, &information) != 0 ? cannot(path, "open") : QN_OK;
    if (status == QN_OK && S_ISREG(information.st_mode)) {
        *descriptor = opened;
        return QN_OK;
    }
    if (status == QN_OK && S_ISDIR(information.st_mode))
        status = QN_FAIL(QN_IO_ERROR, "%s: is a folder; expected a file", path);
    else if (status == QN_OK && (S_ISFIFO(information.st_mode) || S_ISSOCK(information.st_mode) || isatty(opened)))
        status = open_pipe(path, opened, &information, descriptor);
    else if (status == QN_OK)
        status = QN_FAIL(QN_UNSUPPORTED, "%s: is a device; expected a file or a pipe", path);
    close(opened);
    return status;
}
