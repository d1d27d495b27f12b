/* Folders of outputs that are looked at before a run, and taken away after one that failed. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "reconstruct/output_folder.h"

static char *in_scratch(const char *name)
{
    static char paths[4][700];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static void folders_that_are_there_are_left_as_they_were(void)
{
    char *absent;
    bool empty;
    CHECK_OK(qn_output_folder_check(in_scratch("map.mrc"), &absent));
    CHECK(absent == NULL);
    CHECK_OK(qn_folder_is_empty(check_scratch_folder(), &empty));
    CHECK(empty);
    qn_output_folder_tidy(in_scratch("map.mrc"), absent);
    CHECK(qn_file_exists(check_scratch_folder()));
    CHECK_OK(qn_output_folder_check("map.mrc", &absent)); /* in the working folder */
    CHECK(absent == NULL);
}

static void folders_that_were_made_go(void)
{
    char *absent;
    CHECK_OK(qn_output_folder_check(in_scratch("a/b//c/map.mrc"), &absent));
    if (!CHECK(absent != NULL)) return;
    CHECK_TEXT(absent, in_scratch("a"));
    CHECK(!qn_file_exists(in_scratch("a"))); /* looking makes none */
    CHECK_OK(qn_folder_create(in_scratch("a/b/c")));
    qn_output_folder_tidy(in_scratch("a/b//c/map.mrc"), absent);
    CHECK(!qn_file_exists(in_scratch("a")) && qn_file_exists(check_scratch_folder()));
    CHECK_OK(qn_folder_create(in_scratch("a/b/c")));
    CHECK_OK(qn_file_write(in_scratch("a/kept"), "x", 1));
    qn_output_folder_tidy(in_scratch("a/b/c/map.mrc"), absent);
    CHECK(!qn_file_exists(in_scratch("a/b")) && qn_file_exists(in_scratch("a/kept")));
    qn_release(&absent);
}

static void what_takes_no_file_is_refused(void)
{
    char *absent;
    CHECK_OK(qn_file_write(in_scratch("file"), "x", 1));
    CHECK_FAILS(qn_output_folder_check(in_scratch("file/map.mrc"), &absent), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("file: is a file; expected a folder");
    CHECK(absent == NULL);
    CHECK_FAILS(qn_output_folder_check(in_scratch("file/new/map.mrc"), &absent), QN_INVALID_ARGUMENT);
    CHECK(absent == NULL);
    CHECK_FAILS(qn_output_folder_check(check_scratch_folder(), &absent), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("is a folder");
    CHECK_FAILS(qn_output_folder_check("/proc/new/map.mrc", &absent), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("/proc: cannot write into this folder");
    if (geteuid() == 0) return; /* may write anywhere */
    CHECK(mkdir(in_scratch("locked"), 0500) == 0);
    CHECK_FAILS(qn_output_folder_check(in_scratch("locked/map.mrc"), &absent), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("Permission denied");
}

int main(void)
{
    RUN(folders_that_are_there_are_left_as_they_were);
    RUN(folders_that_were_made_go);
    RUN(what_takes_no_file_is_refused);
    return check_finish();
}
