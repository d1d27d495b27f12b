/* Pipes as inputs: read again while a run keeps them, waited for until a signal, and bounded. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pipe.h"

static char pipe_path[512];

static void *write_pipe(void *user)
{
    FILE *file = fopen(pipe_path, "wb");
    fputs(user, file);
    fclose(file);
    return NULL;
}

static void make_pipe(const char *name)
{
    snprintf(pipe_path, sizeof pipe_path, "%s/%s", check_scratch_folder(), name);
    CHECK(mkfifo(pipe_path, 0666) == 0);
}

static void reads(const char *expected)
{
    char *data;
    size_t size;
    if (!CHECK_OK(qn_file_read(pipe_path, &data, &size))) return;
    CHECK_TEXT(data, expected);
    CHECK(size == strlen(expected));
    qn_release(&data);
}

static void a_kept_pipe_is_read_again(void)
{
    pthread_t thread;
    int first, second;
    char byte[2] = "";
    make_pipe("kept.pipe");
    qn_pipes_keep();
    qn_pipes_keep();
    CHECK(pthread_create(&thread, NULL, write_pipe, "once") == 0);
    reads("once");
    pthread_join(thread, NULL);
    reads("once");
    /* each opening has its own place, and can go back */
    CHECK_OK(qn_file_open(pipe_path, &first));
    CHECK_OK(qn_file_open(pipe_path, &second));
    CHECK(lseek(first, 2, SEEK_SET) == 2 && read(first, byte, 1) == 1 && byte[0] == 'c');
    CHECK(read(second, byte, 1) == 1 && byte[0] == 'o');
    close(first);
    close(second);
    qn_pipes_release();
    reads("once");
    qn_pipes_release();
    /* the next run reads what is written for it */
    CHECK(pthread_create(&thread, NULL, write_pipe, "again") == 0);
    qn_pipes_keep();
    reads("again");
    qn_pipes_release();
    pthread_join(thread, NULL);
}

/* While a run of one context waits for a pipe, runs of another begin, read and end. */
static void contexts_keep_their_own_pipes(void)
{
    qn_log_target first = {.mutex = PTHREAD_MUTEX_INITIALIZER}, second = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    make_pipe("shared.pipe");
    const qn_log_scope outer = qn_log_enter(&first);
    qn_pipes_keep();
    CHECK(pthread_create(&thread, NULL, write_pipe, "first") == 0);
    reads("first");
    pthread_join(thread, NULL);
    (void)qn_log_enter(&second);
    qn_pipes_keep();
    CHECK(pthread_create(&thread, NULL, write_pipe, "second") == 0);
    reads("second");
    pthread_join(thread, NULL);
    (void)qn_log_enter(&first);
    reads("first");
    qn_pipes_release();
    (void)qn_log_enter(&second);
    reads("second");
    qn_pipes_release();
    qn_log_return(outer);
}

static void *open_and_close(void *user)
{
    int descriptor = -1;
    qn_pipes_keep();
    const qn_status status = qn_file_open(user, &descriptor);
    if (descriptor >= 0) close(descriptor);
    qn_pipes_release();
    return status == QN_OK ? user : NULL;
}

static void a_wait_for_a_pipe_stops_no_other_run(void)
{
    qn_log_target other = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_t waiting;
    void *result;
    make_pipe("awaited.pipe");
    CHECK(pthread_create(&waiting, NULL, open_and_close, pipe_path) == 0);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    const qn_log_scope outer = qn_log_enter(&other);
    qn_pipes_keep(); /* the test would hang here */
    qn_pipes_release();
    qn_log_return(outer);
    (void)write_pipe("late");
    CHECK(pthread_join(waiting, &result) == 0 && result);
}

static void without_a_run_a_pipe_is_read_once(void)
{
    pthread_t thread;
    make_pipe("direct.pipe");
    CHECK(pthread_create(&thread, NULL, write_pipe, "directly") == 0);
    reads("directly");
    pthread_join(thread, NULL);
}

static void on_alarm(int number)
{
    (void)number;
}

/* A signal ends the wait although it restarts system calls. */
static void a_signal_ends_the_wait_for_a_pipe(void)
{
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    int descriptor;
    make_pipe("silent.pipe");
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    for (int keeps = 0; keeps < 2; keeps++) {
        if (keeps) qn_pipes_keep();
        alarm(1);
        CHECK_FAILS(qn_file_open(pipe_path, &descriptor), QN_CANCELLED);
        CHECK_MESSAGE_HAS("silent.pipe: stopped while waiting for the data of this pipe");
        if (keeps) qn_pipes_release();
    }
}

static void devices_and_folders_are_refused(void)
{
    char *data;
    size_t size;
    CHECK_FAILS(qn_file_read("/dev/zero", &data, &size), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("/dev/zero: is a device; expected a file or a pipe");
    CHECK_FAILS(qn_file_read(check_scratch_folder(), &data, &size), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("is a folder; expected a file");
}

/* A sparse file of 5 GiB takes no space. */
static void files_that_are_read_whole_are_bounded(void)
{
    char *data, path[512];
    size_t size;
    snprintf(path, sizeof path, "%s/large", check_scratch_folder());
    const int descriptor = open(path, O_CREAT | O_WRONLY, 0666);
    CHECK(ftruncate(descriptor, (off_t)5 << 30) == 0);
    close(descriptor);
    CHECK_FAILS(qn_file_read(path, &data, &size), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("large: has more than 4 GiB; expected at most that");
}

/* Nobody writes. The process keeps the request, so this test is the last. */
static void a_request_before_the_wait_for_a_pipe_ends_it(void)
{
    char *data;
    size_t size;
    make_pipe("late.pipe");
    qn_file_stop_waiting();
    CHECK_FAILS(qn_file_read(pipe_path, &data, &size), QN_CANCELLED);
    CHECK_MESSAGE_HAS("late.pipe: stopped while waiting for the data of this pipe");
}

int main(void)
{
    RUN(a_kept_pipe_is_read_again);
    RUN(contexts_keep_their_own_pipes);
    RUN(a_wait_for_a_pipe_stops_no_other_run);
    RUN(without_a_run_a_pipe_is_read_once);
    RUN(a_signal_ends_the_wait_for_a_pipe);
    RUN(devices_and_folders_are_refused);
    RUN(files_that_are_read_whole_are_bounded);
    RUN(a_request_before_the_wait_for_a_pipe_ends_it);
    return check_finish();
}
