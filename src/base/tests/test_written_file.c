/* Files that are written: what lies under their name before, during and after, for each kind of name. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/written_file.h"

static char path_text[4][512];

static const char *in_scratch(int place, const char *name)
{
    snprintf(path_text[place], sizeof path_text[place], "%s/%s", check_scratch_folder(), name);
    return path_text[place];
}

static void holds(const char *path, const char *expected)
{
    char *data;
    size_t size;
    if (!CHECK_OK(qn_file_read(path, &data, &size))) return;
    CHECK_TEXT(data, expected);
    qn_release(&data);
}

static int temporaries(void)
{
    char command[600];
    snprintf(command, sizeof command, "test -z \"$(find '%s' -name '*.partial*')\"", check_scratch_folder());
    return system(command);
}

static void a_regular_file_is_untouched_or_complete(void)
{
    const char *path = in_scratch(0, "plain.txt");
    qn_written_file file;
    CHECK_OK(qn_file_write(path, "old", 3));
    CHECK_OK(qn_written_file_open(path, true, &file));
    CHECK_OK(qn_written_file_write(&file, "new and longer", 14));
    holds(path, "old");
    CHECK_OK(qn_written_file_go_to(&file, 0));
    CHECK_OK(qn_written_file_write(&file, "N", 1));
    CHECK_OK(qn_written_file_finish(&file));
    holds(path, "New and longer");
    CHECK_OK(qn_written_file_open(path, false, &file));
    CHECK_OK(qn_written_file_write(&file, "never", 5));
    qn_written_file_discard(&file);
    qn_written_file_discard(&file);
    holds(path, "New and longer");
    CHECK(temporaries() == 0);
}

static void a_link_stays_and_its_target_is_replaced(void)
{
    struct stat information;
    CHECK(mkdir(in_scratch(0, "folder"), 0777) == 0);
    const char *target = in_scratch(0, "folder/target.txt"), *link = in_scratch(1, "link.txt");
    const char *second = in_scratch(2, "second.txt");
    CHECK_OK(qn_file_write(target, "old", 3));
    CHECK(symlink("folder/target.txt", link) == 0 && symlink(link, second) == 0);
    CHECK_OK(qn_file_write(second, "new", 3));
    holds(target, "new");
    CHECK(lstat(link, &information) == 0 && S_ISLNK(information.st_mode));
    CHECK(lstat(second, &information) == 0 && S_ISLNK(information.st_mode));
    const char *dangling = in_scratch(3, "dangling.txt");
    CHECK(symlink("folder/made.txt", dangling) == 0);
    CHECK_OK(qn_file_write(dangling, "made", 4));
    holds(in_scratch(0, "folder/made.txt"), "made");
}

typedef struct reading {
    const char *path;
    char data[64];
    size_t size;
} reading;

static void *read_pipe(void *user)
{
    reading *own = user;
    FILE *file = fopen(own->path, "rb");
    own->size = fread(own->data, 1, sizeof own->data - 1, file);
    fclose(file);
    return NULL;
}

/* Also where the writer goes back: the reader gets the final bytes in order. */
static void a_pipe_is_written_into(void)
{
    for (int goes_back = 0; goes_back < 2; goes_back++) {
        reading own = {.path = in_scratch(0, goes_back ? "second.pipe" : "first.pipe")};
        struct stat information;
        qn_written_file file;
        pthread_t thread;
        CHECK(mkfifo(own.path, 0666) == 0);
        CHECK(pthread_create(&thread, NULL, read_pipe, &own) == 0);
        CHECK_OK(qn_written_file_open(own.path, goes_back, &file));
        CHECK_OK(qn_written_file_write(&file, "?eader", 6));
        if (goes_back) {
            CHECK_OK(qn_written_file_go_to(&file, 0));
            CHECK_OK(qn_written_file_write(&file, "R", 1));
        }
        CHECK_OK(qn_written_file_finish(&file));
        pthread_join(thread, NULL);
        CHECK_TEXT(own.data, goes_back ? "Reader" : "?eader");
        CHECK(stat(own.path, &information) == 0 && S_ISFIFO(information.st_mode));
    }
}

/* The file of a redirected standard output has content that is not the writer's. */
static void a_link_to_a_redirected_output_appends(void)
{
    const char *path = in_scratch(0, "appended.txt"), *link = in_scratch(1, "standard-output");
    qn_written_file file;
    CHECK(symlink("/dev/stdout", link) == 0);
    fflush(stdout);
    const int outer = dup(STDOUT_FILENO), redirected = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    CHECK(write(redirected, "above ", 6) == 6 && dup2(redirected, STDOUT_FILENO) == STDOUT_FILENO);
    qn_status status = qn_written_file_open(link, true, &file);
    if (status == QN_OK) status = qn_written_file_write(&file, "?bc", 3);
    if (status == QN_OK) status = qn_written_file_go_to(&file, 0);
    if (status == QN_OK) status = qn_written_file_write(&file, "a", 1);
    if (status == QN_OK) status = qn_written_file_finish(&file);
    dup2(outer, STDOUT_FILENO);
    close(outer);
    close(redirected);
    CHECK_OK(status);
    holds(path, "above abc");
}

static void devices_stay_devices(void)
{
    struct stat information;
    CHECK_OK(qn_file_write("/dev/null", "gone", 4));
    CHECK(stat("/dev/null", &information) == 0 && S_ISCHR(information.st_mode));
    CHECK_FAILS(qn_file_write("/dev/full", "too much", 8), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("/dev/full: cannot write: No space left on device");
    CHECK(stat("/dev/full", &information) == 0 && S_ISCHR(information.st_mode));
}

/* A path that names an open descriptor is written at the descriptor's present place, not into a new file there. */
static void open_descriptors_are_written_at_their_place(void)
{
    const char *path = in_scratch(0, "redirected.txt");
    char name[64];
    qn_written_file file;
    const int descriptor = open(path, O_CREAT | O_RDWR, 0666);
    CHECK(write(descriptor, "before ", 7) == 7);
    snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
    CHECK_OK(qn_file_write(name, "one ", 4));
    CHECK_OK(qn_written_file_open(name, true, &file));
    CHECK_OK(qn_written_file_write(&file, "?wo", 3));
    CHECK_OK(qn_written_file_go_to(&file, 0));
    CHECK_OK(qn_written_file_write(&file, "t", 1));
    CHECK_OK(qn_written_file_finish(&file));
    CHECK(write(descriptor, " after", 6) == 6);
    close(descriptor);
    holds(path, "before one two after");
}

static void failures_leave_nothing(void)
{
    CHECK_FAILS(qn_file_write(check_scratch_folder(), "x", 1), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("is a folder; expected the name of a file");
    CHECK_FAILS(qn_file_write(in_scratch(0, "absent/file.txt"), "x", 1), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("absent/file.txt: cannot create");
    const char *path = in_scratch(0, "limited.txt");
    struct rlimit before, limit;
    static char large[8192];
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = 4096;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_OK(qn_file_write(path, "kept", 4));
    CHECK_FAILS(qn_file_write(path, large, sizeof large), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("limited.txt: cannot write: File too large");
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    holds(path, "kept");
    CHECK(temporaries() == 0);
}

/* A request that came before the wait ends it too. The process keeps the request, so this test is the last. */
static void a_pipe_without_a_reader_is_not_waited_for_after_a_request_to_stop(void)
{
    qn_written_file file;
    const char *path = in_scratch(0, "unread.pipe");
    CHECK(mkfifo(path, 0666) == 0);
    qn_file_stop_waiting();
    CHECK_FAILS(qn_written_file_open(path, false, &file), QN_CANCELLED);
    CHECK_MESSAGE_HAS("unread.pipe: stopped while waiting for a reader of this pipe");
}

int main(void)
{
    RUN(a_regular_file_is_untouched_or_complete);
    RUN(a_link_stays_and_its_target_is_replaced);
    RUN(a_pipe_is_written_into);
    RUN(a_link_to_a_redirected_output_appends);
    RUN(devices_stay_devices);
    RUN(open_descriptors_are_written_at_their_place);
    RUN(failures_leave_nothing);
    RUN(a_pipe_without_a_reader_is_not_waited_for_after_a_request_to_stop);
    return check_finish();
}
