#define _GNU_SOURCE /* SOCK_CLOEXEC, pipe2, environ */
#include "tune/exchange/t1_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

/* ---- Starting ---- */

/* The worker is in a process group of its own, so that Ctrl-C at the terminal stops the tuning and not a test. */
static int spawn(const char *const *command, int socket, int messages, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, QN_TUNE_WORKER_DESCRIPTOR);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(process, command[0], &actions, &attributes, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Both ends get numbers above that of the worker's descriptor, so that none is overwritten before it is copied. */
static int raise_number(int descriptor)
{
    const int raised = fcntl(descriptor, F_DUPFD_CLOEXEC, QN_TUNE_WORKER_DESCRIPTOR + 1);
    close(descriptor);
    return raised;
}

static qn_status connect_worker(const char *const *command, qn_t1_worker *worker)
{
    int sockets[2], pipes[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return QN_FAIL(QN_IO_ERROR, "cannot make a socket for a worker: %s", strerror(errno));
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        close(sockets[0]);
        close(sockets[1]);
        return QN_FAIL(QN_IO_ERROR, "cannot make a pipe for a worker: %s", strerror(errno));
    }
    sockets[1] = raise_number(sockets[1]);
    pipes[1] = raise_number(pipes[1]);
    const int error = spawn(command, sockets[1], pipes[1], &worker->process);
    close(sockets[1]);
    close(pipes[1]);
    if (error != 0) {
        worker->process = 0;
        close(sockets[0]);
        close(pipes[0]);
        return QN_FAIL(QN_IO_ERROR, "%s: cannot start it as a worker: %s", command[0], strerror(error));
    }
    worker->socket = sockets[0];
    worker->messages = pipes[0];
    fcntl(worker->messages, F_SETFL, O_NONBLOCK);
    return QN_OK;
}

/* ---- Watching ---- */

/* Read what the worker printed, so that a full pipe does not stop it, and keep the end of it. */
static void read_messages(qn_t1_worker *worker)
{
    char bytes[4096];
    ssize_t got;
    while ((got = read(worker->messages, bytes, sizeof bytes)) > 0) {
        const size_t room = sizeof worker->said - 1, fresh = (size_t)got < room ? (size_t)got : room;
        size_t kept = worker->said_bytes < room - fresh ? worker->said_bytes : room - fresh;
        memmove(worker->said, worker->said + worker->said_bytes - kept, kept);
        memcpy(worker->said + kept, bytes + got - fresh, fresh);
        worker->said_bytes = kept + fresh;
        worker->said[worker->said_bytes] = 0;
    }
}

/* The last line that the worker printed, without a line feed; "": none. */
static const char *last_line(qn_t1_worker *worker)
{
    char *end = worker->said + worker->said_bytes;
    while (end > worker->said && (end[-1] == '\n' || end[-1] == '\r')) *--end = 0;
    const char *line = strrchr(worker->said, '\n');
    return line ? line + 1 : worker->said;
}

/* Resident memory of the process; 0: not known. */
static uint64_t resident_bytes(pid_t process)
{
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static const char *signal_meaning(int number)
{
    switch (number) {
    case SIGSEGV: return " (segmentation fault)";
    case SIGABRT: return " (abort)";
    case SIGBUS: return " (bus error)";
    case SIGFPE: return " (arithmetic error)";
    case SIGILL: return " (illegal instruction)";
    case SIGKILL: return " (killed)";
    default: return "";
    }
}

/* Wait for the end of the process and describe it. */
static void describe_death(qn_t1_worker *worker, char why[QN_MEASURE_REASON_BYTES])
{
    int state = 0;
    while (waitpid(worker->process, &state, 0) < 0 && errno == EINTR) continue;
    read_messages(worker);
    const char *said = last_line(worker);
    if (WIFSIGNALED(state))
        snprintf(why, QN_MEASURE_REASON_BYTES, "the process ended by signal %d%s%s%s", WTERMSIG(state),
                 signal_meaning(WTERMSIG(state)), *said ? ": " : "", said);
    else
        snprintf(why, QN_MEASURE_REASON_BYTES, "the process ended with exit code %d%s%s", WEXITSTATUS(state),
                 *said ? ": " : "", said);
    worker->process = 0;
    qn_t1_worker_stop(worker);
}

void qn_t1_worker_stop(qn_t1_worker *worker)
{
    int state;
    if (worker->process > 0) {
        kill(-worker->process, SIGKILL); /* with the compilers that a driver may have started */
        while (waitpid(worker->process, &state, 0) < 0 && errno == EINTR) continue;
    }
    if (worker->socket > 0) close(worker->socket);
    if (worker->messages > 0) close(worker->messages);
    *worker = (qn_t1_worker){0};
}

/* Wait up to 50 ms for a message. Returns 1: *reply is set; 0: none came; -1: the worker has ended. */
static int wait_for_reply(qn_t1_worker *worker, qn_t1_reply *reply)
{
    struct pollfd waited[2] = {{.fd = worker->socket, .events = POLLIN}, {.fd = worker->messages, .events = POLLIN}};
    if (poll(waited, 2, 50) <= 0) return 0;
    if (waited[1].revents & POLLIN) read_messages(worker);
    if (!waited[0].revents) {
        /* its standard output is closed, and its socket is not: a moment until the socket is closed too */
        if (waited[1].revents & POLLHUP) poll(NULL, 0, 1);
        return 0;
    }
    const ssize_t got = recv(worker->socket, reply, sizeof *reply, 0);
    if (got < 0 && errno == EINTR) return 0;
    if (got == (ssize_t)sizeof *reply) return 1;
    if (got > 0) kill(-worker->process, SIGKILL); /* it is no worker */
    return -1;
}

/* Wait until the worker has answered, has died, or was killed. */
static qn_t1_end wait_for_end(qn_t1_worker *worker, const qn_t1_worker_limits *limits, qn_t1_reply *reply,
                              char why[QN_MEASURE_REASON_BYTES])
{
    qn_t1_state state = QN_T1_WORKING;
    double since_s = qn_clock_s();
    for (;;) {
        const int got = wait_for_reply(worker, reply);
        if (got > 0 && reply->state == QN_T1_DONE) return QN_T1_ANSWERED;
        if (got < 0) {
            describe_death(worker, why);
            return QN_T1_DIED;
        }
        if (got > 0) {
            state = reply->state;
            since_s = qn_clock_s();
        }
        const double allowed_s = state == QN_T1_RUNNING ? limits->run_s : limits->work_s;
        if (qn_clock_s() - since_s > allowed_s) {
            qn_t1_worker_stop(worker);
            snprintf(why, QN_MEASURE_REASON_BYTES, "%s did not end within %.3g s, and its process was killed",
                     state == QN_T1_RUNNING ? "a run" : "compiling and comparing", allowed_s);
            return QN_T1_HUNG;
        }
        if (limits->memory_bytes > 0 && resident_bytes(worker->process) > limits->memory_bytes) {
            qn_t1_worker_stop(worker);
            snprintf(why, QN_MEASURE_REASON_BYTES, "its process took more than %.3g GiB of memory and was killed",
                     (double)limits->memory_bytes / 0x1p30);
            return QN_T1_OVERGROWN;
        }
    }
}

qn_status qn_t1_worker_start(const char *const *command, const qn_t1_setup *setup, const qn_t1_worker_limits *limits,
                             qn_t1_worker *worker)
{
    qn_t1_reply reply;
    char why[QN_MEASURE_REASON_BYTES];
    *worker = (qn_t1_worker){0};
    QN_TRY(connect_worker(command, worker));
    (void)!send(worker->socket, setup, sizeof *setup, MSG_NOSIGNAL); /* if it has ended, the wait finds that */
    if (wait_for_end(worker, limits, &reply, why) != QN_T1_ANSWERED)
        return QN_FAIL(QN_IO_ERROR, "%s: the worker did not start: %s", command[0], why);
    if (reply.status == QN_OK) return QN_OK;
    qn_t1_worker_stop(worker);
    return QN_FAIL(reply.status, "%s", reply.message);
}

qn_t1_end qn_t1_worker_ask(qn_t1_worker *worker, const qn_t1_request *request, const qn_t1_worker_limits *limits,
                           qn_t1_reply *reply, char why[QN_MEASURE_REASON_BYTES])
{
    why[0] = 0;
    (void)!send(worker->socket, request, sizeof *request, MSG_NOSIGNAL);
    return wait_for_end(worker, limits, reply, why);
}
