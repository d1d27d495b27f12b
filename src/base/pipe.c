#define _XOPEN_SOURCE 700
#include "base/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

enum { LIMIT_GIB = 16 };

typedef struct kept_pipe {
    struct kept_pipe *next;
    dev_t device;
    ino_t node;
    int descriptor; /* the temporary file with its content */
    bool reading;   /* a thread is reading the pipe */
} kept_pipe;

/* The pipes that the runs of one context keep. Threads of a run log into the log of its context. */
typedef struct keeper {
    struct keeper *next;
    const void *log; /* qn_log_target */
    int runs, processes;
    kept_pipe *first;
} keeper;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below; never held while a pipe is read */
static pthread_cond_t read_to_end = PTHREAD_COND_INITIALIZER;
static keeper *keepers;

/* The caller holds the mutex. */
static keeper *find_keeper(void)
{
    const void *log = qn_log_current().target;
    keeper *found = keepers;
    while (found && found->log != log) found = found->next;
    return found;
}

void qn_pipes_keep(void)
{
    void *memory;
    pthread_mutex_lock(&mutex);
    keeper *own = find_keeper();
    if (!own && qn_allocate(1, sizeof *own, &memory) == QN_OK) {
        own = memory;
        *own = (keeper){.next = keepers, .log = qn_log_current().target};
        keepers = own;
    }
    if (own) own->runs++; /* otherwise pipes are read once */
    pthread_mutex_unlock(&mutex);
}

static void remove_keeper(keeper *own)
{
    keeper **place = &keepers;
    while (*place != own) place = &(*place)->next;
    *place = own->next;
    while (own->first) {
        kept_pipe *pipe = own->first;
        own->first = pipe->next;
        close(pipe->descriptor);
        qn_release(&pipe);
    }
    qn_release(&own);
}

void qn_pipes_release(void)
{
    pthread_mutex_lock(&mutex);
    keeper *own = find_keeper();
    if (own && --own->runs == 0) remove_keeper(own);
    pthread_mutex_unlock(&mutex);
}

void qn_pipes_set_processes(int processes)
{
    pthread_mutex_lock(&mutex);
    keeper *own = find_keeper();
    if (own) own->processes = processes;
    pthread_mutex_unlock(&mutex);
}

static atomic_bool stop_waiting;

void qn_file_stop_waiting(void)
{
    atomic_store(&stop_waiting, true);
}

bool qn_file_waiting_is_over(void)
{
    return atomic_load(&stop_waiting);
}

static qn_status cannot(const char *path, const char *what)
{
    const int reason = errno;
    return QN_FAIL(reason == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot %s: %s", path, what, strerror(reason));
}

/* Wait until the pipe has bytes, or its writers have closed it. A signal ends poll even where it restarts a read. */
static qn_status wait_for(const char *path, int descriptor)
{
    enum { TURN_MS = 50 };
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    int ready = 0;
    while (ready == 0 && !qn_file_waiting_is_over()) ready = poll(&waiting, 1, TURN_MS);
    if (ready > 0) return QN_OK;
    if (ready == 0 || errno == EINTR)
        return QN_FAIL(QN_CANCELLED, "%s: stopped while waiting for the data of this pipe", path);
    return cannot(path, "wait for the pipe");
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
        QN_TRY(qn_descriptor_write(to, path, block, (size_t)count));
        copied += (size_t)count;
    }
    return QN_FAIL(QN_UNSUPPORTED, "%s: is a pipe with more than %d GiB; expected at most that, or a file", path,
                   LIMIT_GIB);
}

/* Add an entry for a pipe that this thread is going to read. The caller holds the mutex. */
static qn_status add(keeper *own, const struct stat *information, kept_pipe **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    *out = memory;
    **out = (kept_pipe){.next = own->first,
                        .device = information->st_dev,
                        .node = information->st_ino,
                        .descriptor = -1,
                        .reading = true};
    own->first = *out;
    return QN_OK;
}

static void drop(keeper *own, kept_pipe *pipe)
{
    kept_pipe **place = &own->first;
    while (*place != pipe) place = &(*place)->next;
    *place = pipe->next;
    if (pipe->descriptor >= 0) close(pipe->descriptor);
    qn_release(&pipe);
}

/* Read a pipe to its end. The caller holds the mutex, which is released meanwhile. */
static qn_status read_pipe(const char *path, int from, keeper *own, kept_pipe *pipe)
{
    pthread_mutex_unlock(&mutex);
    qn_status status = qn_nameless_file_open(path, &pipe->descriptor);
    if (status == QN_OK) status = copy_pipe(path, from, pipe->descriptor);
    pthread_mutex_lock(&mutex);
    pipe->reading = false;
    if (status != QN_OK) drop(own, pipe);
    pthread_cond_broadcast(&read_to_end);
    return status;
}

/* Open the kept content again, so that every reader has its own place in it. */
static qn_status open_again(const char *path, const kept_pipe *pipe, int *descriptor)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", pipe->descriptor);
    *descriptor = open(name, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? cannot(path, "open the temporary file with its data") : QN_OK;
}

/* The caller holds the mutex. */
static qn_status open_kept(const char *path, int from, keeper *own, const struct stat *information, int *descriptor)
{
    if (own->processes > 1)
        return QN_FAIL(QN_UNSUPPORTED, "%s: is a pipe, which %d processes cannot share; expected a file", path,
                       own->processes);
    for (;;) {
        kept_pipe *pipe = own->first;
        while (pipe && (pipe->device != information->st_dev || pipe->node != information->st_ino)) pipe = pipe->next;
        if (pipe && !pipe->reading) return open_again(path, pipe, descriptor);
        if (pipe) {
            pthread_cond_wait(&read_to_end, &mutex);
            continue; /* it may be gone */
        }
        QN_TRY(add(own, information, &pipe));
        QN_TRY(read_pipe(path, from, own, pipe));
    }
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
    pthread_mutex_lock(&mutex);
    keeper *own = find_keeper();
    const qn_status status = own ? open_kept(path, from, own, information, descriptor) : QN_OK;
    pthread_mutex_unlock(&mutex);
    return own ? status : open_directly(path, from, descriptor);
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
    else if (status == QN_OK && (S_ISFIFO(information.st_mode) || isatty(opened)))
        status = open_pipe(path, opened, &information, descriptor);
    else if (status == QN_OK)
        status = QN_FAIL(QN_UNSUPPORTED, "%s: is a device; expected a file or a pipe", path);
    close(opened);
    return status;
}
