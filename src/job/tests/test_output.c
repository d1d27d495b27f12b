/* The output of a run: paths of its files, the state of the output before the run, and folders made and removed. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "job/journal.h"
#include "job/output.h"

static char *in_scratch(const char *name)
{
    static char paths[256][700];
    static int turn;
    char *path = paths[turn++ % 256];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static void put(const char *name, const char *text)
{
    CHECK_OK(qn_file_write(in_scratch(name), text, strlen(text)));
}

static bool is_there(const char *name)
{
    return qn_file_exists(in_scratch(name));
}

static void path_is(const qn_output *output, const char *name, const char *expected, const char *listed)
{
    char *path;
    CHECK_OK(qn_output_path(output, name, &path));
    CHECK_TEXT(path, expected);
    CHECK_TEXT(qn_output_listed_name(output, path), listed);
    qn_release(&path);
}

static void file_names_follow_the_output(void)
{
    path_is(&(qn_output){.folder = "out"}, "run.json", "out/run.json", "run.json");
    path_is(&(qn_output){.folder = "out/"}, "balanced/poses.csv", "out/balanced/poses.csv", "balanced/poses.csv");
    path_is(&(qn_output){.stem = "maps/first"}, "half1.mrc", "maps/first_half1.mrc", "first_half1.mrc");
    path_is(&(qn_output){.stem = "first"}, ".ccp4", "first.ccp4", "first.ccp4");
}

static void looks_like(const qn_output *output, qn_output_state state, const char *foreign)
{
    qn_output_found found;
    if (CHECK_OK(qn_output_inspect(output, "toy", &found))) {
        CHECK(found.state == state);
        CHECK_TEXT(found.foreign ? found.foreign : "", foreign);
    }
    qn_output_found_clear(&found);
}

static void begin_journal(const char *name, const char *key)
{
    qn_journal *journal;
    CHECK_OK(qn_journal_open(in_scratch(name), key, false, NULL, NULL, &journal));
    qn_journal_close(&journal);
}

static void the_state_of_a_folder_follows_from_its_files(void)
{
    const qn_output output = {.folder = in_scratch("told")};
    char text[40];
    looks_like(&output, QN_OUTPUT_EMPTY, "");
    CHECK_OK(qn_folder_create(in_scratch("told")));
    looks_like(&output, QN_OUTPUT_EMPTY, "");
    put("told/letter", "Dear Sir");
    put("told/notes", "");
    looks_like(&output, QN_OUTPUT_FOREIGN, in_scratch("told/letter"));
    begin_journal("told/journal.0", "program=other\n");
    looks_like(&output, QN_OUTPUT_FOREIGN, in_scratch("told/journal.0"));
    begin_journal("told/journal.1", "program=toys\n"); /* another program's too */
    looks_like(&output, QN_OUTPUT_FOREIGN, in_scratch("told/journal.0"));
    begin_journal("told/journal.2", "program=toy\nversion=0\n");
    looks_like(&output, QN_OUTPUT_UNFINISHED, "");
    put("told/run.json", "{\"program\": \"other\"}");
    looks_like(&output, QN_OUTPUT_UNFINISHED, "");
    put("told/run.json", "{\"program\": \"toy\"}");
    looks_like(&output, QN_OUTPUT_FINISHED, "");
    for (size_t length = 0; length < 27; length++) { /* a journal cut short by a kill */
        snprintf(text, sizeof text, "%.*s", (int)length, "quern journal 2\nprogram=toy\nversion=0\n");
        put("told/journal.2", text);
        unlink(in_scratch("told/run.json"));
        looks_like(&output, QN_OUTPUT_UNFINISHED, "");
    }
    put("file", "x");
    qn_output_found found;
    CHECK_FAILS(qn_output_inspect(&(qn_output){.folder = in_scratch("file")}, "toy", &found), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("is a file; expected a folder");
    qn_output_found_clear(&found);
}

static void files_with_a_stem_are_recognised_by_their_names(void)
{
    static const char *const names[] = {".mrc", "half1.mrc", "run.json", NULL};
    const qn_output output = {.stem = in_scratch("beside_map"), .names = names, .journal_folder = "unfinished"};
    put("beside_letter", "Dear Sir");
    looks_like(&output, QN_OUTPUT_EMPTY, "");
    put("beside_map_half1.mrc", "x");
    looks_like(&output, QN_OUTPUT_FOREIGN, in_scratch("beside_map_half1.mrc"));
    CHECK_OK(qn_folder_create(in_scratch("beside_map_unfinished")));
    begin_journal("beside_map_unfinished/journal.0", "program=toy\n");
    looks_like(&output, QN_OUTPUT_UNFINISHED, "");
    put("beside_map_run.json", "{\"program\": \"toy\"}");
    looks_like(&output, QN_OUTPUT_FINISHED, "");
}

static void only_listed_files_are_removed(void)
{
    const qn_output output = {.folder = in_scratch("mixed"), .aside = "sums."};
    qn_output_found found;
    CHECK_OK(qn_folder_create(in_scratch("mixed/balanced")));
    put("mixed/poses.csv", "x");
    put("mixed/balanced/poses.csv", "x");
    put("mixed/letter", "Dear Sir");
    put("outside", "x");
    put("mixed/run.json", "{\"program\": \"toy\", \"files\": [\"poses.csv\", \"balanced/poses.csv\", \"../outside\", "
                          "\"balanced/../../outside\", \"\", 7, \"run.json\"]}");
    put("mixed/sums.0.1", "x");
    begin_journal("mixed/journal.0", "program=toy\n");
    begin_journal("mixed/journal.1", "program=toy\n");
    begin_journal("mixed/journal.2", "program=other\n");
    CHECK_OK(qn_output_inspect(&output, "toy", &found));
    CHECK(found.journals == 2);
    CHECK_OK(qn_output_remove_journals(&output, "toy", 0));
    CHECK(is_there("mixed/journal.0") && !is_there("mixed/journal.1") && !is_there("mixed/sums.0.1"));
    CHECK(is_there("mixed/journal.2"));
    CHECK_OK(qn_output_remove_files(&output, &found));
    CHECK(!is_there("mixed/poses.csv") && !is_there("mixed/balanced") && !is_there("mixed/run.json"));
    CHECK(is_there("mixed/letter") && is_there("outside") && is_there("mixed/journal.0"));
    qn_output_found_clear(&found);
}

static void values_come_from_journals_or_run_json(void)
{
    const qn_output output = {.folder = in_scratch("values")};
    char value[16];
    CHECK_OK(qn_output_value(&output, "batch", value, sizeof value));
    CHECK_TEXT(value, "");
    CHECK_OK(qn_folder_create(in_scratch("values")));
    put("values/run.json", "{\"program\": \"toy\", \"key\": [\"batch=12\", \"batches=7\"]}");
    CHECK_OK(qn_output_value(&output, "batch", value, sizeof value));
    CHECK_TEXT(value, "12");
    begin_journal("values/journal.3", "program=toy\nbatch=34\n");
    CHECK_OK(qn_output_value(&output, "batch", value, sizeof value));
    CHECK_TEXT(value, "34");
}

static void existing_folders_stay_unchanged(void)
{
    char *absent;
    bool empty;
    CHECK_OK(qn_output_check_folder(in_scratch("map.mrc"), &absent));
    CHECK(absent == NULL);
    CHECK_OK(qn_folder_is_empty(check_scratch_folder(), &empty)); /* this test comes first */
    CHECK(empty);
    qn_output_remove_folders(in_scratch("map.mrc"), absent);
    CHECK(qn_file_exists(check_scratch_folder()));
    CHECK_OK(qn_output_check_folder("map.mrc", &absent)); /* in the working folder */
    CHECK(absent == NULL);
}

static void folders_that_were_made_are_removed(void)
{
    char *absent;
    CHECK_OK(qn_output_check_folder(in_scratch("a/b//c/map.mrc"), &absent));
    if (!CHECK(absent != NULL)) return;
    CHECK_TEXT(absent, in_scratch("a"));
    CHECK(!qn_file_exists(in_scratch("a"))); /* the check makes no folder */
    CHECK_OK(qn_folder_create(in_scratch("a/b/c")));
    qn_output_remove_folders(in_scratch("a/b//c/map.mrc"), absent);
    CHECK(!qn_file_exists(in_scratch("a")) && qn_file_exists(check_scratch_folder()));
    CHECK_OK(qn_folder_create(in_scratch("a/b/c")));
    CHECK_OK(qn_file_write(in_scratch("a/kept"), "x", 1));
    qn_output_remove_folders(in_scratch("a/b/c/map.mrc"), absent);
    CHECK(!qn_file_exists(in_scratch("a/b")) && qn_file_exists(in_scratch("a/kept")));
    qn_release(&absent);
}

static void paths_that_cannot_be_written_are_refused(void)
{
    char *absent;
    CHECK_OK(qn_file_write(in_scratch("file"), "x", 1));
    CHECK_FAILS(qn_output_check_folder(in_scratch("file/map.mrc"), &absent), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("file: is a file; expected a folder");
    CHECK(absent == NULL);
    CHECK_FAILS(qn_output_check_folder(in_scratch("file/new/map.mrc"), &absent), QN_INVALID_ARGUMENT);
    CHECK(absent == NULL);
    CHECK_FAILS(qn_output_check_folder(check_scratch_folder(), &absent), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("is a folder");
    CHECK_FAILS(qn_output_check_folder("/proc/new/map.mrc", &absent), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("/proc: cannot write into this folder");
    if (geteuid() == 0) return; /* root may write anywhere */
    CHECK(mkdir(in_scratch("locked"), 0500) == 0);
    CHECK_FAILS(qn_output_check_folder(in_scratch("locked/map.mrc"), &absent), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("Permission denied");
}

int main(void)
{
    RUN(existing_folders_stay_unchanged);
    RUN(folders_that_were_made_are_removed);
    RUN(paths_that_cannot_be_written_are_refused);
    RUN(file_names_follow_the_output);
    RUN(the_state_of_a_folder_follows_from_its_files);
    RUN(files_with_a_stem_are_recognised_by_their_names);
    RUN(only_listed_files_are_removed);
    RUN(values_come_from_journals_or_run_json);
    return check_finish();
}
