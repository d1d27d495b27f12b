#define _GNU_SOURCE /* pipe2 */
#include "format/compound/smiles_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"

typedef struct fed_line {
    char *text;
    size_t line;
} fed_line;

struct qn_smiles_process {
    char *path;
    qn_byte_source *lines;
    FILE *messages; /* the process's standard error */
    int input;      /* the process's standard input */
    pid_t child;    /* −1: none */
    qn_thread feeder;
    int exit; /* exit status as waitpid returns it */
    qn_error_trail failure;
    qn_status feeding; /* status of the feeder thread, once joined */
    pthread_mutex_t lock;
    /* protected by the lock: */
    bool stopping;
    fed_line *queue; /* from `taken` to `count` */
    size_t taken, count, capacity;
};

/* QN_CANCELLED when the process no longer reads. */
static qn_status write_line(qn_smiles_process *process, const char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(process->input, text + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EPIPE) return QN_CANCELLED;
        if (count < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot write to obabel: %s", process->path, strerror(errno));
        done += (size_t)count;
    }
    return QN_OK;
}

/* Remember a line; memory of lines that were taken is reused. */
static qn_status remember(qn_smiles_process *process, char *text, size_t line)
{
    if (process->taken > 64 && process->taken > process->count / 2) {
        process->count -= process->taken;
        memmove(process->queue, process->queue + process->taken, process->count * sizeof *process->queue);
        process->taken = 0;
    }
    void *queue = process->queue;
    qn_status status = qn_grow(&queue, &process->capacity, process->count + 1, sizeof *process->queue);
    process->queue = queue;
    if (status == QN_OK) process->queue[process->count++] = (fed_line){text, line};
    return status;
}

/* Send "SMILES number" to obabel and remember the whole line. */
static qn_status feed_line(qn_smiles_process *process, const char *text, size_t size, size_t line, size_t number)
{
    qn_text kept = {0}, fed = {0};
    size_t length = 0;
    while (length < size && !strchr(" \t", text[length])) length++;
    qn_status status = qn_text_append_bytes(&kept, text, size);
    if (status == QN_OK) status = qn_text_append_bytes(&fed, text, length);
    if (status == QN_OK) status = qn_text_append(&fed, " %zu\n", number);
    if (status == QN_OK) {
        pthread_mutex_lock(&process->lock);
        status = process->stopping ? QN_CANCELLED : remember(process, kept.data, line);
        pthread_mutex_unlock(&process->lock);
        if (status == QN_OK) kept = (qn_text){0};
    }
    if (status == QN_OK) status = write_line(process, fed.data, fed.length);
    qn_text_clear(&kept);
    qn_text_clear(&fed);
    return status;
}

static qn_status feed_all(qn_smiles_process *process)
{
    size_t number = 0;
    for (size_t line = 1;; line++) {
        const char *text;
        size_t size;
        QN_TRY(qn_byte_source_line(process->lines, &text, &size));
        if (size == 0) return QN_OK;
        size_t length = size;
        if (text[size - 1] != '\n' && size >= (size_t)1 << 20)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a line of over a MiB; expected a SMILES", process->path, line);
        while (length > 0 && strchr(" \t\r\n", text[length - 1])) length--;
        size_t blank = 0;
        while (blank < length && strchr(" \t", text[blank])) blank++;
        if (blank < length && text[blank] != '#' && !memchr(text, '\0', length))
            QN_TRY(feed_line(process, text + blank, length - blank, line, number++));
        qn_byte_source_take(process->lines, size);
    }
}

static qn_status run_feeder(void *user)
{
    qn_smiles_process *process = user;
    sigset_t pipe_signal;
    /* SIGPIPE is blocked: the return value of write shows that the process has ended. */
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL);
    process->feeding = feed_all(process);
    if (process->feeding != QN_OK && process->feeding != QN_CANCELLED)
        qn_error_save(process->feeding, &process->failure);
    close(process->input);
    process->input = -1;
    return QN_OK;
}

static qn_status spawn(qn_smiles_process *process, int input, int output)
{
    char *const arguments[] = {"obabel", "-ismi", "-osdf", "--gen3d", "-e", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* the process ends when no reader is left */
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(process->messages), STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child;
    int error = posix_spawnp(&child, "obabel", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error == ENOENT || error == EACCES)
        return QN_FAIL(
            QN_UNSUPPORTED,
            "%s: reading SMILES needs Open Babel's program obabel, which is not installed; expected it in PATH (on "
            "Debian: apt install openbabel), or an SDF file",
            process->path);
    if (error != 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot start obabel: %s", process->path, strerror(error));
    process->child = child;
    return QN_OK;
}

static qn_status connect_process(qn_smiles_process *process, qn_byte_source **sdf)
{
    int in[2], out[2];
    process->messages = tmpfile();
    if (!process->messages) return QN_FAIL(QN_IO_ERROR, "%s: cannot make a temporary file", process->path);
    if (pipe2(in, O_CLOEXEC) != 0)
        return QN_FAIL(QN_IO_ERROR, "%s: cannot make a pipe: %s", process->path, strerror(errno));
    process->input = in[1];
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        return QN_FAIL(QN_IO_ERROR, "%s: cannot make a pipe: %s", process->path, strerror(errno));
    }
    qn_status status = spawn(process, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    if (status != QN_OK) {
        close(out[0]);
        return status;
    }
    /* Start the feeder first: opening the source reads from the process, which waits for lines. */
    status = qn_thread_start(&process->feeder, run_feeder, process);
    if (status == QN_OK) return qn_byte_source_wrap(process->path, out[0], sdf);
    close(out[0]);
    return status;
}

qn_status qn_smiles_process_start(const char *path, qn_byte_source *lines, qn_smiles_process **out,
                                  qn_byte_source **sdf)
{
    void *memory;
    *out = NULL;
    *sdf = NULL;
    qn_status status = qn_allocate(1, sizeof **out, &memory);
    if (status != QN_OK) {
        qn_byte_source_close(&lines);
        return status;
    }
    qn_smiles_process *process = memory;
    process->lines = lines;
    process->input = -1;
    process->child = -1;
    pthread_mutex_init(&process->lock, NULL);
    status = qn_text_copy(path, &process->path);
    if (status == QN_OK) status = connect_process(process, sdf);
    if (status != QN_OK)
        qn_smiles_process_stop(&process);
    else
        *out = process;
    return status;
}

void qn_smiles_process_take(qn_smiles_process *process, char **text, size_t *line)
{
    *text = NULL;
    pthread_mutex_lock(&process->lock);
    if (process->taken < process->count) {
        *text = process->queue[process->taken].text;
        *line = process->queue[process->taken].line;
        process->taken++;
    }
    pthread_mutex_unlock(&process->lock);
}

/* The feeder ends when the process no longer reads or all lines are fed; the process ends after the feeder. */
static void wait_for_all(qn_smiles_process *process)
{
    (void)qn_thread_join(&process->feeder);
    if (process->input >= 0) close(process->input);
    process->input = -1;
    if (process->child > 0)
        while (waitpid(process->child, &process->exit, 0) < 0 && errno == EINTR) continue;
    process->child = -1;
}

/* The first line of the process's messages that has more than blanks, = and *. */
static void find_message(qn_smiles_process *process, char *message, size_t size)
{
    rewind(process->messages);
    while (fgets(message, (int)size, process->messages)) {
        message[strcspn(message, "\r\n")] = '\0';
        if (message[strspn(message, " =*\t")] != '\0') return;
    }
    snprintf(message, size, "it gave no message");
}

qn_status qn_smiles_process_finish(qn_smiles_process *process)
{
    char message[256];
    wait_for_all(process);
    bool exited = WIFEXITED(process->exit), by_signal = WIFSIGNALED(process->exit);
    if (by_signal || (exited && WEXITSTATUS(process->exit) != 0)) {
        find_message(process, message, sizeof message);
        return QN_FAIL(QN_IO_ERROR, "%s: obabel ended with %s %d: %s", process->path, by_signal ? "signal" : "status",
                       by_signal ? WTERMSIG(process->exit) : WEXITSTATUS(process->exit), message);
    }
    if (process->feeding == QN_OK || process->feeding == QN_CANCELLED) return QN_OK;
    return qn_error_restore(&process->failure);
}

void qn_smiles_process_stop(qn_smiles_process **process)
{
    qn_smiles_process *p = *process;
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_mutex_unlock(&p->lock);
    wait_for_all(p);
    for (size_t i = p->taken; i < p->count; i++) qn_release(&p->queue[i].text);
    qn_release(&p->queue);
    if (p->messages) fclose(p->messages);
    qn_byte_source_close(&p->lines);
    pthread_mutex_destroy(&p->lock);
    qn_release(&p->path);
    qn_release(process);
}
