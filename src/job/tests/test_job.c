/* labels: threads */
/* A toy program goes through every situation that a run's output can be in. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <quern/log.h>
#include <quern/version.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "job/input.h"
#include "job/job.h"
#include "report/json.h"
#include "runtime/context.h"

static qn_context *context;
static char warned[512];

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warned, sizeof warned, "%s", message);
}

static char *in_scratch(const char *name)
{
    static char paths[64][700];
    static int turn;
    char *path = paths[turn++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static bool is_there(const char *name)
{
    return qn_file_exists(in_scratch(name));
}

static void put(const char *name, const char *text)
{
    CHECK_OK(qn_file_write(in_scratch(name), text, strlen(text)));
}

/* ---- the toy program: it records four pieces, and writes their number into a file ---- */

typedef struct toy {
    qn_run_options run;
    qn_output output;
    const char *input; /* NULL: none */
    int seed;          /* written into the key */
    int fails_before;  /* piece before which the run fails; −1: none */
    bool without_journal, fails_at_the_end;
} toy;

typedef struct toy_state {
    const toy *options;
    qn_job *job;
    bool over;
    int pieces, resumed;
} toy_state;

static const qn_run_options usual = {.device = "host", .tune = QN_TUNE_OFF};

static qn_status see_piece(uint64_t piece, const void *data, size_t size, void *user)
{
    toy_state *run = user;
    (void)data;
    CHECK(piece < 4 && size == 5);
    run->resumed++;
    return QN_OK;
}

static qn_status write_pieces(toy_state *run)
{
    char *path, text[16];
    if (run->options->fails_at_the_end) return QN_FAIL(QN_IO_ERROR, "the disk is full");
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_job_path(run->job, "part/pieces.txt", &path));
    snprintf(text, sizeof text, "%d", run->pieces);
    qn_status status = qn_file_write(path, text, strlen(text));
    qn_release(&path);
    QN_TRY(status);
    return qn_job_facts(run->job, json_pack("{s:i}", "pieces", run->pieces));
}

static qn_status record_pieces(toy_state *run)
{
    for (run->pieces = run->resumed; run->pieces < 4; run->pieces++) {
        if (run->pieces == run->options->fails_before) return QN_FAIL(QN_CANCELLED, "stopped; continue with --resume");
        if (!run->options->without_journal) QN_TRY(qn_job_record(run->job, (uint64_t)run->pieces, "piece", 5));
    }
    return QN_OK;
}

static qn_status run_stages(toy_state *run)
{
    const toy *options = run->options;
    qn_job *job = run->job;
    if (options->input) QN_TRY(qn_job_agree(job, qn_job_input_add(job, "input", options->input, QN_JOB_READ_ALL)));
    QN_TRY(qn_job_key(job, "seed=%d\n", options->seed));
    QN_TRY(qn_job_agree(job, qn_job_devices(job)));
    QN_TRY(qn_job_output(job, &options->output, !options->without_journal));
    if (!options->without_journal) QN_TRY(qn_job_journal(job));
    run->over = job->over;
    if (job->over) return QN_OK;
    if (!options->without_journal) QN_TRY(qn_job_agree(job, qn_job_scan(job, see_piece, run)));
    QN_TRY(qn_job_agree(job, record_pieces(run)));
    return qn_job_agree(job, write_pieces(run));
}

static qn_status run_toy(const toy *options, toy_state *run)
{
    qn_job job;
    *run = (toy_state){.options = options, .job = &job};
    warned[0] = '\0';
    qn_status status = qn_job_open(context, "toy", &options->run, &job);
    if (status == QN_OK) status = run_stages(run);
    return qn_job_close(&job, status);
}

static toy toy_in(const char *folder)
{
    return (toy){.run = usual, .output = {.folder = in_scratch(folder)}, .fails_before = -1};
}

static void runs(const toy *options, int resumed)
{
    toy_state run;
    CHECK_OK(run_toy(options, &run));
    CHECK(run.pieces == 4 && run.resumed == resumed && !run.over);
}

static void is_refused(const toy *options, qn_status status, const char *message)
{
    toy_state run;
    CHECK_FAILS(run_toy(options, &run), status);
    CHECK_MESSAGE_HAS(message);
}

static void is_stopped(toy options, int before)
{
    options.fails_before = before;
    is_refused(&options, QN_CANCELLED, "continue with --resume");
}

/* ---- situations ---- */

static void an_absent_or_empty_folder_is_used(void)
{
    toy options = toy_in("new/deep");
    runs(&options, 0);
    CHECK(is_there("new/deep/part/pieces.txt") && is_there("new/deep/journal.0") && is_there("new/deep/run.json"));
    CHECK_OK(qn_folder_create(in_scratch("empty")));
    options = toy_in("empty");
    options.run.resume = true;
    runs(&options, 0);
    CHECK(strstr(warned, "empty: holds nothing to resume; the run begins at its start") != NULL);
}

static void foreign_files_are_left_alone(void)
{
    toy options = toy_in("foreign");
    CHECK_OK(qn_folder_create(in_scratch("foreign")));
    put("foreign/letter", "Dear Sir");
    for (int i = 0; i < 3; i++) {
        options.run.resume = i == 1;
        options.run.overwrite = i == 2;
        is_refused(&options, QN_ALREADY_EXISTS, "foreign: the output folder holds letter, which is not of a run of");
        CHECK(!is_there("foreign/journal.0") && !is_there("foreign/run.json"));
    }
    put("foreign/run.json", "{\"program\": \"dock\", \"files\": [\"letter\"]}");
    is_refused(&options, QN_ALREADY_EXISTS, "holds letter");
    CHECK(is_there("foreign/letter") && is_there("foreign/run.json"));
}

static void a_finished_run_is_replaced_with_overwrite(void)
{
    toy options = toy_in("finished");
    runs(&options, 0);
    put("finished/notes", "mine");
    is_refused(&options, QN_ALREADY_EXISTS, "finished: holds a finished run; --overwrite replaces it");
    options.run.overwrite = true;
    options.seed = 7; /* the key may differ */
    is_stopped(options, 1);
    CHECK(!is_there("finished/part") && !is_there("finished/run.json") && is_there("finished/notes"));
    runs(&options, 0);
    CHECK(is_there("finished/notes") && is_there("finished/part/pieces.txt"));
}

static void a_finished_run_is_written_again_from_its_journal(void)
{
    toy options = toy_in("again");
    runs(&options, 0);
    options.run.resume = true;
    runs(&options, 4);
    CHECK(is_there("again/run.json"));
    options.seed = 3;
    is_refused(&options, QN_ALREADY_EXISTS, "there seed=0, here seed=3");
    CHECK(is_there("again/run.json") && is_there("again/part/pieces.txt"));
    options.seed = 0;
    options.fails_at_the_end = true;
    is_refused(&options, QN_IO_ERROR, "disk");
    CHECK(is_there("again/run.json") && is_there("again/part/pieces.txt")); /* no file was overwritten */
}

static void a_finished_run_without_journals_stays_as_it_is(void)
{
    toy options = toy_in("kept");
    toy_state run;
    options.output.journal_folder = "unfinished";
    runs(&options, 0);
    CHECK(is_there("kept/run.json") && !is_there("kept/unfinished"));
    options.run.resume = true;
    CHECK_OK(run_toy(&options, &run));
    CHECK(run.over && run.pieces == 0);
    options.seed = 3;
    is_refused(&options, QN_ALREADY_EXISTS, "there seed=0, here seed=3");
    CHECK(is_there("kept/part/pieces.txt") && !is_there("kept/unfinished"));
}

static void an_unfinished_run_is_resumed_or_replaced(void)
{
    toy options = toy_in("unfinished");
    is_stopped(options, 2);
    CHECK(is_there("unfinished/journal.0") && !is_there("unfinished/run.json"));
    is_refused(&options, QN_ALREADY_EXISTS, "--resume goes on with it, --overwrite begins again");
    options.run.resume = true;
    options.seed = 3;
    is_refused(&options, QN_ALREADY_EXISTS, "there seed=0, here seed=3");
    options.seed = 0;
    runs(&options, 2);
    options = toy_in("unfinished_2");
    is_stopped(options, 2);
    options.run.overwrite = true;
    runs(&options, 0);
}

/* Keys are read by people, so 0.9 is not 0.90000000000000002; numbers that need all digits keep them, and texts such as
 * names of files are left as they are. */
static void keys_have_numbers_as_people_write_them(void)
{
    static const qn_run_options plain = {.device = "host"};
    qn_job job;
    if (!CHECK_OK(qn_job_open(context, "toy", &plain, &job))) return;
    const size_t before = job.key.length;
    CHECK_OK(qn_job_key(&job, "a=%.17g\nb=%.17g,%.17g %.17g\n", 0.9, 1.0 / 3, -0.05, 0.1 + 0.2));
    CHECK_OK(qn_job_key(&job, "file=%s count=%d", "0.90000000000000002.pdb 10000000000000000012", 7));
    CHECK_TEXT(job.key.data + before, "a=0.9\nb=0.3333333333333333,-0.05 0.30000000000000004\n"
                                      "file=0.90000000000000002.pdb 10000000000000000012 count=7");
    CHECK(job.key.length == before + strlen(job.key.data + before));
    CHECK(qn_job_close(&job, QN_CANCELLED) == QN_CANCELLED);
}

/* The journal is made as another version would make it. */
static void a_journal_of_another_version_is_refused(void)
{
    toy options = toy_in("version");
    qn_journal *journal;
    CHECK_OK(qn_folder_create(in_scratch("version")));
    CHECK_OK(qn_journal_open(in_scratch("version/journal.0"), "program=toy\nversion=0.0.1\nseed=0\n", false, NULL, NULL,
                             &journal));
    qn_journal_close(&journal);
    options.run.resume = true;
    is_refused(&options, QN_ALREADY_EXISTS, "there version=0.0.1, here version=");
}

static void a_folder_in_use_is_left_alone(void)
{
    toy options = toy_in("busy");
    is_stopped(options, 2);
    qn_journal *journal;
    char key[200];
    snprintf(key, sizeof key, "program=toy\nversion=%s\nseed=0\n", qn_version());
    CHECK_OK(qn_journal_open(in_scratch("busy/journal.0"), key, true, NULL, NULL, &journal));
    for (int i = 0; i < 3; i++) {
        options.run.resume = i == 1;
        options.run.overwrite = i == 2;
        is_refused(&options, QN_ALREADY_EXISTS, "busy: is in use by another run");
    }
    qn_journal_close(&journal);
    options.run.overwrite = false;
    options.run.resume = true;
    runs(&options, 2);
}

static void a_failure_before_the_first_record_leaves_nothing(void)
{
    toy options = toy_in("nothing/here");
    is_stopped(options, 0);
    CHECK(!is_there("nothing"));
    options.run.device = "abacus";
    is_refused(&options, QN_INVALID_ARGUMENT, "abacus");
    CHECK(!is_there("nothing"));
    options = toy_in("nothing/here");
    options.output.journal_folder = "unfinished";
    is_stopped(options, 0);
    CHECK(!is_there("nothing"));
    options.without_journal = true;
    options.fails_at_the_end = true;
    is_refused(&options, QN_IO_ERROR, "disk");
    CHECK(!is_there("nothing"));
    CHECK_OK(qn_folder_create(in_scratch("made")));
    options = toy_in("made");
    is_stopped(options, 0);
    CHECK(is_there("made") && !is_there("made/journal.0"));
}

static void files_with_a_stem_are_replaced_by_name(void)
{
    static const char *const names[] = {".txt", "part/pieces.txt", "run.json", NULL};
    toy options = {.run = usual, .output = {.stem = in_scratch("beside"), .names = names}, .fails_before = -1};
    options.without_journal = true;
    put("beside_letter", "Dear Sir");
    put("beside.txt", "a name of ours");
    is_refused(&options, QN_ALREADY_EXISTS, "beside.txt: exists already; --overwrite replaces it");
    options.run.overwrite = true;
    runs(&options, 0);
    CHECK(!is_there("beside.txt") && is_there("beside_letter") && is_there("beside_run.json"));
    options.run.overwrite = false;
    is_refused(&options, QN_ALREADY_EXISTS, "holds a finished run");
}

/* ---- facts ---- */

static const char *text_of(json_t *run, const char *name)
{
    const char *text = json_string_value(json_object_get(run, name));
    return text ? text : "";
}

static void run_json_lists_inputs_files_and_key(void)
{
    toy options = toy_in("facts");
    put("input.txt", "abc");
    options.input = in_scratch("input.txt");
    runs(&options, 0);
    json_t *run = json_load_file(in_scratch("facts/run.json"), 0, NULL);
    if (!CHECK(run != NULL)) return;
    CHECK_TEXT(text_of(run, "program"), "toy");
    CHECK_TEXT(text_of(run, "version"), qn_version());
    json_t *input = json_array_get(json_object_get(run, "inputs"), 0), *files = json_object_get(run, "files");
    CHECK_TEXT(text_of(input, "role"), "input");
    CHECK_TEXT(text_of(input, "file"), options.input);
    CHECK(json_integer_value(json_object_get(input, "bytes")) == 3);
    /* FIPS 180-4, the example of one block */
    CHECK_TEXT(text_of(input, "sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(json_array_size(files) == 2);
    CHECK_TEXT(json_string_value(json_array_get(files, 0)), "part/pieces.txt");
    CHECK_TEXT(json_string_value(json_array_get(files, 1)), "run.json");
    CHECK_TEXT(json_string_value(json_array_get(json_object_get(run, "key"), 0)), "program=toy");
    CHECK(json_integer_value(json_object_get(run, "pieces")) == 4);
    CHECK(json_array_size(json_object_get(run, "devices")) == 1);
    json_decref(run);
    put("input.txt", "abd");
    options.run.resume = true;
    is_refused(&options, QN_ALREADY_EXISTS, "there input=input.txt, 3 bytes, ba78");
}

static void an_input_in_memory_is_listed_and_belongs_to_the_key(void)
{
    /* FIPS 180-4, the example of one block: SHA-256 of "abc" */
    static const char digest[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    qn_job job;
    const qn_output output = {.folder = in_scratch("held")};
    CHECK_OK(qn_job_open(context, "toy", &usual, &job));
    CHECK_OK(qn_job_input_add_memory(&job, "receptor", "built", 3, digest));
    CHECK(strstr(job.key.data, "\nreceptor=built, 3 bytes, ba7816bf8f01cfea\n") != NULL);
    CHECK_OK(qn_job_output(&job, &output, false));
    CHECK_OK(qn_job_facts(&job, NULL));
    CHECK_OK(qn_job_close(&job, QN_OK));
    json_t *run = json_load_file(in_scratch("held/run.json"), 0, NULL);
    json_t *input = json_array_get(json_object_get(run, "inputs"), 0);
    CHECK_TEXT(text_of(input, "role"), "receptor");
    CHECK_TEXT(text_of(input, "memory"), "built");
    CHECK(json_integer_value(json_object_get(input, "bytes")) == 3 && !json_object_get(input, "file"));
    CHECK_TEXT(text_of(input, "sha256"), digest);
    json_decref(run);
}

static void an_input_is_a_path_or_an_object_in_memory(void)
{
    CHECK_OK(qn_input_check_one("receptor", "a.pdb", "receptor_molecule", NULL));
    CHECK_OK(qn_input_check_one("receptor", NULL, "receptor_molecule", context));
    CHECK_FAILS(qn_input_check_one("receptor", "a.pdb", "receptor_molecule", context), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("receptor and receptor_molecule are both given; expected one of the two");
    CHECK_FAILS(qn_input_check_one("receptor", NULL, "receptor_molecule", NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither receptor nor receptor_molecule is given; expected one of the two");
}

/* ---- without an output ---- */

typedef struct seen_records {
    int count;
    uint64_t pieces[8];
    char data[8][16];
    qn_job *job; /* gets one more record at the first call; NULL: none */
} seen_records;

static qn_status see_record(uint64_t piece, const void *data, size_t size, void *user)
{
    seen_records *seen = user;
    CHECK(seen->count < 8 && size < sizeof seen->data[0]);
    seen->pieces[seen->count] = piece;
    memcpy(seen->data[seen->count++], data, size);
    if (!seen->job) return QN_OK;
    qn_job *job = seen->job;
    seen->job = NULL;
    return qn_job_record(job, 99, "more", 4);
}

static void records_are_kept_in_memory_in_their_order(void)
{
    qn_job job;
    char path[8] = "none", *file = NULL;
    seen_records seen = {.job = &job}, again = {.count = 0}, other = {.count = 0};
    CHECK_OK(qn_job_open(context, "toy", &usual, &job));
    CHECK_OK(qn_job_output(&job, &(qn_output){.folder = NULL}, true));
    CHECK_OK(qn_job_journal(&job));
    CHECK(job.in_memory && !job.over);
    const qn_journal_part parts[] = {{"se", 2}, {NULL, 0}, {"ven", 3}};
    CHECK_OK(qn_job_record_parts(&job, 7, parts, 3));
    CHECK_OK(qn_job_record(&job, 3, NULL, 0));
    CHECK_OK(qn_job_scan(&job, see_record, &seen)); /* a record appended during the scan is not scanned */
    CHECK(seen.count == 2 && seen.pieces[0] == 7 && seen.pieces[1] == 3);
    CHECK_TEXT(seen.data[0], "seven");
    CHECK_OK(qn_job_scan_rank(&job, 0, see_record, &again));
    CHECK(again.count == 3 && again.pieces[2] == 99);
    CHECK_TEXT(again.data[2], "more");
    CHECK_OK(qn_job_scan_rank(&job, 1, see_record, &other));
    CHECK(other.count == 0);
    qn_job_records_end(&job);
    CHECK_FAILS(qn_job_path(&job, "poses.csv", &file), QN_INTERNAL);
    CHECK_OK(qn_job_facts(&job, json_object()));
    qn_job_report_path(&job, QN_OK, path, sizeof path);
    CHECK_TEXT(path, "");
    CHECK_OK(qn_job_close(&job, QN_OK));
}

static bool is_empty_folder(const char *path)
{
    return rmdir(path) == 0; /* fails if the folder is not empty */
}

static void a_run_without_an_output_writes_nothing(void)
{
    char before[700];
    toy options = {.run = usual, .fails_before = -1};
    CHECK_OK(qn_folder_create(in_scratch("work")));
    if (!CHECK(getcwd(before, sizeof before) && chdir(in_scratch("work")) == 0)) return;
    runs(&options, 0);
    is_stopped(options, 2);
    options.fails_at_the_end = true;
    is_refused(&options, QN_IO_ERROR, "the disk is full");
    options.fails_at_the_end = false;
    options.without_journal = true;
    runs(&options, 0);
    CHECK(chdir(before) == 0);
    CHECK(is_empty_folder(in_scratch("work")));
}

/* The option of a run turns explaining on for this run, and leaves the context as it was. */
static void a_run_may_explain_its_configurations(void)
{
    qn_job job;
    const qn_run_options options = {.device = "host", .explain = true};
    CHECK_OK(qn_job_open(context, "toy", &options, &job));
    CHECK(qn_context_set_explain(context, true));
    CHECK_OK(qn_job_close(&job, QN_OK));
    CHECK(!qn_context_set_explain(context, false));
}

static void resume_and_overwrite_need_an_output(void)
{
    toy options = {.run = usual, .fails_before = -1};
    options.run.resume = true;
    is_refused(&options, QN_INVALID_ARGUMENT, "--resume is asked for, but there is no output");
    options.run.resume = false;
    options.run.overwrite = true;
    is_refused(&options, QN_INVALID_ARGUMENT, "--overwrite is asked for, but there is no output");
}

/* ---- devices ---- */

typedef struct device_run {
    atomic_int calls;
    qn_status met[2];
} device_run;

static qn_status work(int device, void *user)
{
    device_run *run = user;
    run->calls++;
    qn_log(QN_LOG_WARNING, "device %d", device);
    if (run->met[device] != QN_OK) return QN_FAIL(run->met[device], "device %d failed", device);
    return QN_OK;
}

static void devices_meet(qn_status first, qn_status second, qn_status expected, const char *message)
{
    qn_job job;
    device_run run = {.met = {first, second}};
    const qn_run_options options = {.device = "host,checking:host", .tune = QN_TUNE_OFF};
    qn_status status = qn_job_open(context, "toy", &options, &job);
    if (status == QN_OK) status = qn_job_devices(&job);
    CHECK_OK(status);
    status = qn_job_each_device(&job, work, &run);
    CHECK_FAILS(status, expected);
    CHECK(run.calls == 2);
    if (status != QN_OK) CHECK_MESSAGE_HAS(message);
    uint64_t piece;
    bool none;
    CHECK_OK(qn_agreement_deal(&job.agreement, 1, &piece, &none));
    CHECK(none == (expected != QN_OK)); /* a failure cancels the remaining pieces */
    CHECK_FAILS(qn_job_close(&job, status), expected);
    CHECK(strncmp(warned, "device ", 7) == 0);
}

static void each_device_has_a_thread_and_the_first_failure_is_returned(void)
{
    devices_meet(QN_OK, QN_OK, QN_OK, "");
    devices_meet(QN_OK, QN_DEVICE_LOST, QN_DEVICE_LOST, "device 1 failed");
    devices_meet(QN_CANCELLED, QN_DEVICE_LOST, QN_DEVICE_LOST, "device 1 failed");
    devices_meet(QN_CANCELLED, QN_CANCELLED, QN_CANCELLED, "device 0 failed");
    devices_meet(QN_IO_ERROR, QN_DEVICE_LOST, QN_IO_ERROR, "device 0 failed");
}

int main(void)
{
    setenv("QUERN_MPI_LIBRARY", "off", 1);
    if (!CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .threads = 2, .log = on_log}, &context)))
        return check_finish();
    RUN(an_absent_or_empty_folder_is_used);
    RUN(foreign_files_are_left_alone);
    RUN(a_finished_run_is_replaced_with_overwrite);
    RUN(a_finished_run_is_written_again_from_its_journal);
    RUN(a_finished_run_without_journals_stays_as_it_is);
    RUN(an_unfinished_run_is_resumed_or_replaced);
    RUN(keys_have_numbers_as_people_write_them);
    RUN(a_journal_of_another_version_is_refused);
    RUN(a_folder_in_use_is_left_alone);
    RUN(a_failure_before_the_first_record_leaves_nothing);
    RUN(files_with_a_stem_are_replaced_by_name);
    RUN(run_json_lists_inputs_files_and_key);
    RUN(an_input_in_memory_is_listed_and_belongs_to_the_key);
    RUN(an_input_is_a_path_or_an_object_in_memory);
    RUN(records_are_kept_in_memory_in_their_order);
    RUN(a_run_without_an_output_writes_nothing);
    RUN(a_run_may_explain_its_configurations);
    RUN(resume_and_overwrite_need_an_output);
    RUN(each_device_has_a_thread_and_the_first_failure_is_returned);
    qn_context_destroy(&context);
    return check_finish();
}
