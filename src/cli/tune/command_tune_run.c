/* quern tune run: tune a workload of the library or a kernel of the user's own. */
#define _DEFAULT_SOURCE 1
#include <quern/tune.h>

#include "cli/canvas.h"
#include "cli/commands.h"
#include "cli/convergence.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    qn_tune_request request;
    cli_files files;
} settings;

static const qn_option file_rows[] = {
    {.like = &cli_report_row},
    {.like = &cli_csv_row, .meaning = "write every test to FILE as comma-separated values, with those of earlier runs"},
    {0}};
static const qn_option_table file_table = {"tune run", sizeof(cli_files), file_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_run_option_table(), .offset = offsetof(settings, request)};
    parts[1] = (cli_part){.table = &file_table, .offset = offsetof(settings, files)};
}

/* State of the progress callback. */
typedef struct watcher {
    const qn_tune_request *request;
    const cli_files *files;
    cli_progress progress;
    qn_tune_step *steps; /* tests of earlier runs first */
    double *best;        /* after each step */
    size_t count, earlier, capacity, failed;
    uint64_t space_size;
    double fallback_objective;
    bool out_of_memory, line_shown;
} watcher;

static void remove_line(watcher *watch)
{
    if (watch->line_shown) fputs("\r\033[K", stderr);
    watch->line_shown = false;
}

/* Seconds of a run, also if the objective is not the time. */
static double seconds_of(const qn_test *test)
{
    return test->seconds > 0 ? test->seconds : test->objective;
}

static void forget_steps(watcher *watch)
{
    for (size_t i = 0; i < watch->count; i++) free((char *)watch->steps[i].reason);
    watch->count = watch->earlier = watch->failed = 0;
}

/* Find the step of a configuration; watch->count if there is none. */
static size_t find_step(const watcher *watch, const char *text)
{
    size_t i = 0;
    while (i < watch->count && strcmp(watch->steps[i].text, text) != 0) i++;
    return i;
}

static bool make_room(watcher *watch)
{
    if (watch->count == watch->capacity) {
        size_t capacity = watch->capacity ? 2 * watch->capacity : 256;
        qn_tune_step *steps = realloc(watch->steps, capacity * sizeof *steps);
        if (steps) watch->steps = steps;
        double *best = realloc(watch->best, capacity * sizeof *best);
        if (best) watch->best = best;
        if (!steps || !best) return false;
        watch->capacity = capacity;
    }
    return true;
}

/* Drop the step of an earlier run, because this run made the test again. */
static void drop_earlier(watcher *watch, const char *text)
{
    const size_t at = find_step(watch, text);
    if (at >= watch->earlier) return;
    free((char *)watch->steps[at].reason);
    watch->failed -= watch->steps[at].outcome != QN_TEST_CORRECT;
    memmove(&watch->steps[at], &watch->steps[at + 1], (watch->count - at - 1) * sizeof *watch->steps);
    memmove(&watch->best[at], &watch->best[at + 1], (watch->count - at - 1) * sizeof *watch->best);
    watch->count--;
    watch->earlier--;
}

static bool keep_step(watcher *watch, const qn_tune_progress *state)
{
    qn_tune_step step = {.outcome = state->test->outcome,
                         .objective = seconds_of(state->test),
                         .elapsed_seconds = state->seconds,
                         .earlier = state->earlier};
    qn_space_format(state->space, state->point, step.text, sizeof step.text);
    if (!make_room(watch)) return false;
    if (!state->earlier) drop_earlier(watch, step.text);
    step.reason = state->reason ? strdup(state->reason) : NULL;
    watch->steps[watch->count] = step;
    watch->best[watch->count++] = state->best.outcome == QN_TEST_CORRECT ? state->best.objective : INFINITY;
    watch->earlier += state->earlier;
    watch->failed += state->test->outcome != QN_TEST_CORRECT;
    watch->space_size = qn_space_size(state->space);
    return true;
}

/* A test of an earlier run, or one that was made again to compare the best. */
static int on_known(const qn_tune_progress *state, void *user)
{
    watcher *watch = user;
    char text[sizeof watch->steps->text];
    if (state->earlier) {
        watch->out_of_memory = !keep_step(watch, state);
        return watch->out_of_memory || cli_interrupted();
    }
    qn_space_format(state->space, state->point, text, sizeof text);
    const size_t at = find_step(watch, text);
    if (at < watch->count) {
        watch->failed += (state->test->outcome != QN_TEST_CORRECT) - (watch->steps[at].outcome != QN_TEST_CORRECT);
        watch->steps[at].outcome = state->test->outcome;
        watch->steps[at].objective = seconds_of(state->test);
        if (watch->steps[at].earlier) { /* now it is of this run, after all others */
            watch->steps[at].earlier = false;
            watch->steps[at].elapsed_seconds = watch->steps[watch->count - 1].elapsed_seconds;
            watch->earlier--;
        }
    }
    return cli_interrupted();
}

/* Print one row of the live table: an improvement. */
static void print_improvement(const watcher *watch, const qn_tune_progress *state)
{
    char time[32], elapsed[32], faster[32] = "", limit[16] = "", text[256];
    const double seconds = seconds_of(&state->best);
    cli_format_seconds(seconds, time, sizeof time);
    cli_format_duration(state->seconds, elapsed, sizeof elapsed);
    cli_tune_format_limit(state->limit_seconds, seconds, state->pipe, limit, sizeof limit);
    qn_space_format(state->space, state->best_point, text, sizeof text);
    if (watch->fallback_objective > 0)
        snprintf(faster, sizeof faster, "%.2f", watch->fallback_objective / state->best.objective);
    printf("%6llu  %9s  %10s  %7s  %6s  %s\n", (unsigned long long)state->tests, elapsed, time, faster, limit, text);
    fflush(stdout);
}

/* Some seconds pass before the first test. */
static void tell_preparation(watcher *watch)
{
    if (!watch->progress.terminal || watch->request->run.quiet) return;
    fputs("\r\033[Kpreparing: the limits of the device, the reference", stderr);
    fflush(stderr);
    watch->line_shown = true;
}

static void print_status(watcher *watch, const qn_tune_progress *state)
{
    char time[32], elapsed[32];
    if (!watch->progress.terminal) return;
    cli_format_duration(state->seconds, elapsed, sizeof elapsed);
    cli_format_seconds(state->best.outcome == QN_TEST_CORRECT ? seconds_of(&state->best) : 0, time, sizeof time);
    fprintf(stderr, "\r\033[Ktest %zu of %llu configurations, %zu failed, best %s, %s", watch->count,
            (unsigned long long)watch->space_size, watch->failed, time, elapsed);
    fflush(stderr);
    watch->line_shown = true;
}

/* Whether a file is standard output, which then holds nothing else. */
static bool prints_file(const cli_files *files)
{
    return cli_files_are_output(files) || (files->report && strcmp(files->report, "-") == 0);
}

static int on_progress(const qn_tune_progress *state, void *user)
{
    watcher *watch = user;
    if (!keep_step(watch, state)) {
        watch->out_of_memory = true;
        return 1;
    }
    if (watch->count == watch->earlier + 1 && state->test->outcome == QN_TEST_CORRECT)
        watch->fallback_objective = state->test->objective;
    remove_line(watch);
    if (!watch->request->run.quiet && !prints_file(watch->files)) {
        if (state->improved) print_improvement(watch, state);
        print_status(watch, state);
    }
    return cli_interrupted();
}

static void on_log(qn_log_level level, const char *message, void *user)
{
    watcher *watch = user;
    remove_line(watch);
    cli_progress_on_log(level, message, &watch->progress);
}

/* Print the objective if it is not the time, and the Pareto front. */
static void print_objective(const watcher *watch, const qn_tune_result *result)
{
    const char *objective = watch->request->tune.objective;
    char time[32];
    if (!objective) return;
    if (result->best.joules > 0)
        printf(", %.4g J a run (%.0f W)", result->best.joules, result->best.joules / seconds_of(&result->best));
    printf("\nObjective (%.*s): %.4g", (int)strcspn(objective, ","), objective, result->best.objective);
    if (result->fallback.outcome == QN_TEST_CORRECT)
        printf(", %.2f times better than %.4g of the usual configuration",
               result->fallback.objective / result->best.objective, result->fallback.objective);
    if (result->front_count == 0) return;
    printf("\n\nPareto front (no other configuration is better in every objective):\n%10s  %10s  %s\n", "time",
           "energy", "configuration");
    for (size_t i = 0; i < result->front_count; i++) {
        char energy[32] = "";
        cli_format_seconds(result->front[i].seconds, time, sizeof time);
        if (result->front[i].joules > 0) snprintf(energy, sizeof energy, "%.4g J", result->front[i].joules);
        printf("%10s  %10s  %s\n", time, energy, result->front[i].text);
    }
}

static void print_limit(const qn_tune_result *result, double seconds)
{
    char limit[16];
    cli_tune_format_limit(result->limit_seconds, seconds, result->pipe, limit, sizeof limit);
    if (strcmp(limit, "cache") == 0)
        printf(", faster than the memory (%.3g times its limit): the data stay in a cache at this --size",
               result->limit_seconds / seconds);
    else if (*limit)
        printf(", %s of the limit (%s)", limit, result->pipe);
}

static void print_result(const watcher *watch, const qn_tune_result *result)
{
    char best[32], usual[32], time[32];
    uint64_t failed = 0;
    const double seconds = seconds_of(&result->best);
    cli_format_seconds(seconds, best, sizeof best);
    cli_format_seconds(seconds_of(&result->fallback), usual, sizeof usual);
    cli_format_duration(result->seconds, time, sizeof time);
    if (!watch->request->run.quiet && !watch->request->tune.objective) {
        cli_convergence_print(stdout, watch->best, watch->count, cli_terminal_columns(stdout));
    }
    printf("\nBest: %s\n%s", result->text, best);
    if (result->best.spread > 0) printf(" ± %.1f %%", 100 * result->best.spread / result->best.objective);
    if (result->fallback.outcome == QN_TEST_CORRECT)
        printf(", %.2f times as fast as the usual configuration (%s)", seconds_of(&result->fallback) / seconds, usual);
    print_limit(result, seconds);
    print_objective(watch, result);
    printf("\n%llu %s in %s, with the preparation and the last comparison", (unsigned long long)result->tests,
           cli_plural(result->tests, "configuration", "configurations"), time);
    if (watch->earlier > 0) printf(" (%zu of them in earlier runs)", watch->earlier);
    printf(": %s.\n", result->finished);
    for (int kind = QN_TEST_WRONG; kind <= QN_TEST_CRASH; kind++) failed += result->failed[kind];
    if (failed == 0) return;
    printf("%llu failed:", (unsigned long long)failed);
    for (int kind = QN_TEST_WRONG; kind <= QN_TEST_CRASH; kind++)
        if (result->failed[kind] > 0)
            printf(" %s %llu", qn_test_outcome_name((qn_test_outcome)kind), (unsigned long long)result->failed[kind]);
    putchar('\n');
}

static int write_csv(const char *path, const watcher *watch)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    fputs("test,elapsed_s,outcome,time_ms,configuration,run,reason\n", document.stream);
    for (size_t i = 0; i < watch->count; i++) {
        const qn_tune_step *step = &watch->steps[i];
        fprintf(document.stream, "%zu,", i + 1);
        if (!step->earlier) fprintf(document.stream, "%.3f", step->elapsed_seconds);
        fprintf(document.stream, ",%s,", qn_test_outcome_name(step->outcome));
        if (step->outcome == QN_TEST_CORRECT) fprintf(document.stream, "%.6g", 1e3 * step->objective);
        fputc(',', document.stream);
        cli_csv_text(document.stream, step->text);
        fputs(step->earlier ? ",earlier," : ",this,", document.stream);
        cli_csv_text(document.stream, step->reason ? step->reason : "");
        fputc('\n', document.stream);
    }
    return cli_document_close(&document);
}

/* "out.html" for one name; "out.gemm.html" when there are several. */
static void name_output(const char *path, const char *name, bool several, char *text, size_t bytes)
{
    const char *slash = strrchr(name, '/'), *word = slash ? slash + 1 : name, *dot = strrchr(path, '.');
    int stem = dot && !strchr(dot, '/') ? (int)(dot - path) : (int)strlen(path);
    if (several && strcmp(path, "-") != 0)
        snprintf(text, bytes, "%.*s.%.*s%s", stem, path, (int)strcspn(word, "."), word, path + stem);
    else
        snprintf(text, bytes, "%s", path);
}

static int write_files(const watcher *watch, const char *name, const qn_device *device, const qn_tune_result *result)
{
    const cli_files *files = watch->files;
    const bool several = watch->request->name_count > 1;
    char path[1024];
    int exit_code = CLI_DONE;
    if (files->csv) {
        name_output(files->csv, name, several, path, sizeof path);
        exit_code = write_csv(path, watch);
    }
    if (exit_code != CLI_DONE || !files->report) return exit_code;
    const qn_tune_trace trace = {.name = name,
                                 .device = qn_device_get_info(device)->name,
                                 .searcher = watch->request->tune.tuner.searcher,
                                 .space_size = watch->space_size,
                                 .steps = watch->steps,
                                 .step_count = watch->count,
                                 .fallback_seconds =
                                     result->fallback.outcome == QN_TEST_CORRECT ? seconds_of(&result->fallback) : 0,
                                 .limit_seconds = result->limit_seconds,
                                 .pipe = result->pipe};
    name_output(files->report, name, several, path, sizeof path);
    exit_code = cli_report(qn_tune_write_report(&trace, path));
    if (exit_code == CLI_DONE && !watch->request->run.quiet) printf("Report: %s\n", path);
    return exit_code;
}

static int tune_one(qn_device *device, const char *name, qn_tune_options *with, watcher *watch)
{
    qn_tune_result result = {0};
    const qn_workload *workload = NULL;
    forget_steps(watch);
    watch->fallback_objective = 0;
    if (!cli_tune_is_file(name) && qn_workload_find(name, &workload) == QN_OK) name = workload->name;
    if (!watch->request->run.quiet && !prints_file(watch->files)) {
        printf("%s on %s (%s)\n", name, qn_device_get_info(device)->identifier, qn_device_get_info(device)->name);
        printf("%6s  %9s  %10s  %7s  %6s  %s\n", "test", "elapsed", "time",
               watch->request->tune.objective ? "better" : "faster", "limit", "configuration");
    }
    tell_preparation(watch);
    qn_status status =
        workload ? qn_tune_run(device, workload, with, &result) : qn_tune_run_file(device, name, with, &result);
    remove_line(watch);
    if (watch->out_of_memory) return cli_error(CLI_FAILED, "out of memory");
    if (status == QN_CANCELLED && !workload && watch->request->store == NULL) /* a workload's message says so */
        fputs("quern: stopped; the same command continues from here\n", stderr);
    int exit_code = cli_report(status);
    if (exit_code == CLI_DONE && !prints_file(watch->files)) print_result(watch, &result);
    if (exit_code != CLI_DONE && watch->count == 0) return exit_code;
    const int written = write_files(watch, name, device, &result); /* of a failure too: they show the reasons */
    return exit_code == CLI_DONE ? written : exit_code;
}

/* Tune one name on the device that is wanted; "auto" depends on the language of a kernel of the user's own. */
static int tune_name(qn_context *context, const char *name, qn_tune_options *with, watcher *watch)
{
    const char *wanted = watch->request->run.device;
    qn_device *device = NULL;
    int exit_code = cli_tune_check_output(name, "csv", watch->files->csv);
    if (exit_code == CLI_DONE) exit_code = cli_tune_check_output(name, "report", watch->files->report);
    if (exit_code != CLI_DONE) return exit_code;
    exit_code = cli_report(cli_tune_is_file(name) ? qn_tune_file_device(context, name, wanted, &device)
                                                  : qn_device_open(context, wanted, &device));
    if (exit_code == CLI_DONE) exit_code = tune_one(device, name, with, watch);
    qn_device_release(&device);
    return exit_code;
}

static int tune_all(qn_context *context, qn_tune_options *with, watcher *watch)
{
    const qn_tune_request *chosen = watch->request;
    int exit_code = CLI_DONE;
    cli_interrupt_watch();
    for (size_t i = 0; i < chosen->name_count && exit_code == CLI_DONE; i++) {
        if (i > 0) putchar('\n');
        exit_code = tune_name(context, chosen->names[i], with, watch);
    }
    return exit_code;
}

/* Tune in a context whose log goes to the watcher. */
static int tune_watched(qn_tune_options *with, watcher *watch)
{
    const qn_tune_request *chosen = watch->request;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = chosen->run.threads, .log = on_log, .log_user = watch};
    qn_context *context = NULL;
    with->progress = on_progress;
    with->known = on_known;
    with->progress_user = watch;
    cli_progress_start(&watch->progress, stderr, chosen->run.quiet);
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_tune_open_store(context, chosen->store, &with->store);
    if (exit_code == CLI_DONE) exit_code = tune_all(context, with, watch);
    qn_context_destroy(&context);
    qn_tune_store_close(&with->store);
    cli_progress_finish(&watch->progress);
    forget_steps(watch);
    free(watch->steps);
    free(watch->best);
    return exit_code;
}

/* Check the names before the first of them is tuned. */
static int check_names(const qn_tune_request *chosen)
{
    int exit_code = cli_tune_check_searchers(chosen->tune.tuner.searcher);
    for (size_t i = 0; i < chosen->name_count && exit_code == CLI_DONE; i++) {
        const qn_workload *workload;
        if (cli_tune_is_file(chosen->names[i])) continue;
        exit_code = cli_tune_find_workload(chosen->names[i], &workload);
        if (exit_code == CLI_DONE) exit_code = cli_tune_check_sizes(workload, chosen->tune.sizes);
    }
    return exit_code;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    watcher watch = {.request = &chosen->request, .files = &chosen->files};
    qn_tune_options with = chosen->request.tune;
    with.size = sizeof with;
    with.tuner.seed = chosen->request.run.seed;
    with.worker = cli_tune_worker;
    with.worker_memory_bytes = chosen->request.run.memory_bytes;
    const int exit_code = check_names(&chosen->request);
    if (exit_code != CLI_DONE) return exit_code;
    return tune_watched(&with, &watch);
}

const cli_command cli_tune_run = {
    .name = "tune run",
    .summary = "tune kernels now, offline",
    .description =
        "Try configurations of a kernel on a synthetic problem, check each result, and store the fastest for "
        "every later command on this machine. The same command continues a stopped or killed run.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};
