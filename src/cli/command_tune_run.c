/* quern tune run: tune a workload of the library or a kernel of the user's own. */
#define _DEFAULT_SOURCE 1
#include <quern/tune.h>

#include "cli/canvas.h"
#include "cli/commands.h"
#include "cli/convergence.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    cli_list names;
    const char *device, *size, *budget, *searcher, *model, *objective, *timeout, *store, *report, *csv;
    int tests, threads, compile_threads;
    double fraction, target, precision, remaining_gain;
    uint64_t seed;
    bool restart, quiet;
} settings;

static const cli_positional positionals[] = {
    {.name = "NAME",
     .offset = offsetof(settings, names),
     .many = true,
     .help = "workloads of quern tune list, or T1 files (*.json) that describe kernels of your own"},
    {0}};

static const cli_option options[] = {
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = offsetof(settings, device),
     .help = "auto, host, opencl:N or cuda:N (see quern devices)"},
    {.name = "size",
     .letter = 's',
     .type = CLI_TEXT,
     .argument = "N[xNxN]",
     .offset = offsetof(settings, size),
     .default_text = "the workload's own, larger on GPUs",
     .help = "size of the problem, as many numbers as quern tune list names for the workload"},
    {.name = "budget",
     .letter = 'b',
     .type = CLI_TEXT,
     .argument = "TIME",
     .offset = offsetof(settings, budget),
     .help = "stop after this long: 60s, 5min, 2h"},
    {.name = "tests",
     .letter = 'n',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, tests),
     .least = 0,
     .most = 1e9,
     .default_text = "no limit",
     .help = "stop after this many configurations"},
    {.name = "fraction",
     .type = CLI_NUMBER,
     .argument = "SHARE",
     .offset = offsetof(settings, fraction),
     .least = 0,
     .most = 1,
     .default_text = "no limit",
     .help = "stop after this share of the valid configurations"},
    {.name = "target",
     .type = CLI_NUMBER,
     .argument = "MS",
     .offset = offsetof(settings, target),
     .least = 0,
     .most = 1e9,
     .default_text = "none",
     .help = "stop once a run takes no longer than this many milliseconds"},
    {.name = "gain",
     .type = CLI_NUMBER,
     .argument = "SHARE",
     .offset = offsetof(settings, remaining_gain),
     .least = 0,
     .most = 1,
     .default_text = "none",
     .help = "stop once what more tests are expected to gain is less than this share of the time of a run"},
    {.name = "searcher",
     .type = CLI_TEXT,
     .argument = "NAME",
     .offset = offsetof(settings, searcher),
     .help = "how to choose what to try next (see docs/commands/tune.md)"},
    {.name = "model",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, model),
     .default_text = "made from the kernel's declaration",
     .help = "portable model for the searcher profile"},
    {.name = "objective",
     .type = CLI_TEXT,
     .argument = "WHAT",
     .offset = offsetof(settings, objective),
     .default_text = "seconds",
     .help = "what to make small: seconds, joules, or an expression of seconds, joules, watts and limit_seconds; of "
             "several apart by commas the first, and the Pareto front of all is printed"},
    {.name = "seed",
     .type = CLI_SEED,
     .argument = "NUMBER",
     .offset = offsetof(settings, seed),
     .help = "of the searcher's random numbers and the problem's inputs"},
    {.name = "timeout",
     .type = CLI_TEXT,
     .argument = "TIME",
     .offset = offsetof(settings, timeout),
     .default_text = "20 times the best, at least 1s",
     .help = "give up a configuration whose run takes longer"},
    {.name = "precision",
     .type = CLI_NUMBER,
     .argument = "SHARE",
     .offset = offsetof(settings, precision),
     .least = 0.0001,
     .most = 1,
     .help = "repeat runs until the 95 % confidence interval is this share of the time wide"},
    {.name = "compile-threads",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, compile_threads),
     .least = 0,
     .most = 256,
     .default_text = "one less than the CPU threads, at most 8",
     .help = "threads that compile ahead of the measuring"},
    {.name = "store",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, store),
     .default_text = "the user's, see docs/commands/tune.md",
     .help = "keep the results in FILE, and go on from what it has; off keeps nothing"},
    {.name = "restart",
     .type = CLI_FLAG,
     .offset = offsetof(settings, restart),
     .help = "forget what the store has of this problem and begin anew"},
    {.name = "report",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, report),
     .default_text = "",
     .help = "write a page with the curve, the best and the failed configurations to FILE (HTML)"},
    {.name = "csv",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, csv),
     .default_text = "",
     .help = "write every test to FILE as comma-separated values"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use",
     .help = "CPU threads of the host device"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = offsetof(settings, quiet),
     .help = "print the result only"},
    {0}};

static void set_defaults(void *memory)
{
    *(settings *)memory =
        (settings){.device = "auto", .budget = "60s", .searcher = "auto", .seed = 1, .precision = 0.01};
}

/* What the progress callback keeps of a run. */
typedef struct watcher {
    const settings *chosen;
    cli_progress progress;
    qn_tune_step *steps;
    double *best;
    size_t count, capacity, failed;
    uint64_t space_size;
    double fallback_seconds, fallback_objective;
    bool out_of_memory, line_shown;
} watcher;

static void remove_line(watcher *watch)
{
    if (watch->line_shown) fputs("\r\033[K", stderr);
    watch->line_shown = false;
}

/* Of a run, whatever the objective is. */
static double seconds_of(const qn_test *test)
{
    return test->seconds > 0 ? test->seconds : test->objective;
}

static bool keep_step(watcher *watch, const qn_tune_progress *state)
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
    qn_tune_step *step = &watch->steps[watch->count];
    *step = (qn_tune_step){
        .outcome = state->test->outcome, .objective = seconds_of(state->test), .elapsed_seconds = state->seconds};
    qn_space_format(state->space, state->point, step->text, sizeof step->text);
    watch->best[watch->count++] = state->best.outcome == QN_TEST_CORRECT ? state->best.objective : INFINITY;
    watch->failed += state->test->outcome != QN_TEST_CORRECT;
    watch->space_size = qn_space_size(state->space);
    return true;
}

/* One row of the live table: an improvement. */
static void print_improvement(const watcher *watch, const qn_tune_progress *state)
{
    char time[32], elapsed[32], limit[16] = "", text[256];
    const double seconds = seconds_of(&state->best);
    cli_format_seconds(seconds, time, sizeof time);
    cli_format_duration(state->seconds, elapsed, sizeof elapsed);
    if (state->limit_seconds > 0) snprintf(limit, sizeof limit, "%3.0f %%", 100 * state->limit_seconds / seconds);
    qn_space_format(state->space, state->best_point, text, sizeof text);
    printf("%6zu  %9s  %10s  %7.2f  %6s  %s\n", watch->count, elapsed, time,
           watch->fallback_objective > 0 ? watch->fallback_objective / state->best.objective : 1.0, limit, text);
    fflush(stdout);
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

static int on_progress(const qn_tune_progress *state, void *user)
{
    watcher *watch = user;
    if (!keep_step(watch, state)) {
        watch->out_of_memory = true;
        return 1;
    }
    if (watch->count == 1) {
        watch->fallback_seconds = seconds_of(state->test);
        watch->fallback_objective = state->test->objective;
    }
    remove_line(watch);
    if (!watch->chosen->quiet) {
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

/* What was made small instead of the time, and what else is worth having. */
static void print_objective(const watcher *watch, const qn_tune_result *result)
{
    const char *objective = watch->chosen->objective;
    char time[32];
    if (!objective) return;
    if (result->best.joules > 0)
        printf(", %.4g J a run (%.0f W)", result->best.joules, result->best.joules / seconds_of(&result->best));
    printf("\nObjective (%.*s): %.4g", (int)strcspn(objective, ","), objective, result->best.objective);
    if (result->fallback.outcome == QN_TEST_CORRECT)
        printf(", %.2f times better than %.4g of the usual configuration",
               result->fallback.objective / result->best.objective, result->fallback.objective);
    if (result->front_count == 0) return;
    printf("\n\nBettered by no other one in every objective:\n%10s  %10s  %s\n", "time", "energy", "configuration");
    for (size_t i = 0; i < result->front_count; i++) {
        char energy[32] = "";
        cli_format_seconds(result->front[i].seconds, time, sizeof time);
        if (result->front[i].joules > 0) snprintf(energy, sizeof energy, "%.4g J", result->front[i].joules);
        printf("%10s  %10s  %s\n", time, energy, result->front[i].text);
    }
}

static void print_result(const watcher *watch, const qn_tune_result *result)
{
    char best[32], usual[32], time[32];
    uint64_t failed = 0;
    const double seconds = seconds_of(&result->best);
    cli_format_seconds(seconds, best, sizeof best);
    cli_format_seconds(seconds_of(&result->fallback), usual, sizeof usual);
    cli_format_duration(result->seconds, time, sizeof time);
    if (!watch->chosen->quiet && !watch->chosen->objective) {
        cli_convergence_print(stdout, watch->best, watch->count, cli_terminal_columns(stdout));
    }
    printf("\nBest: %s\n%s", result->text, best);
    if (result->best.spread > 0) printf(" ± %.1f %%", 100 * result->best.spread / result->best.objective);
    if (result->fallback.outcome == QN_TEST_CORRECT)
        printf(", %.2f times as fast as the usual configuration (%s)", seconds_of(&result->fallback) / seconds, usual);
    if (result->limit_seconds > 0)
        printf(", %.0f %% of the limit (%s)", 100 * result->limit_seconds / seconds, result->pipe);
    print_objective(watch, result);
    printf("\n%llu configurations in %s: %s.\n", (unsigned long long)result->tests, time, result->finished);
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
    fputs("test,elapsed_s,outcome,time_ms,configuration\n", document.stream);
    for (size_t i = 0; i < watch->count; i++) {
        const qn_tune_step *step = &watch->steps[i];
        fprintf(document.stream, "%zu,%.3f,%s,", i + 1, step->elapsed_seconds, qn_test_outcome_name(step->outcome));
        if (step->outcome == QN_TEST_CORRECT) fprintf(document.stream, "%.6g", 1e3 * step->objective);
        fputc(',', document.stream);
        cli_csv_text(document.stream, step->text);
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
    const settings *chosen = watch->chosen;
    const bool several = chosen->names.count > 1;
    char path[1024];
    int exit_code = CLI_DONE;
    if (chosen->csv) {
        name_output(chosen->csv, name, several, path, sizeof path);
        exit_code = write_csv(path, watch);
    }
    if (exit_code != CLI_DONE || !chosen->report) return exit_code;
    const qn_tune_trace trace = {.name = name,
                                 .device = qn_device_get_info(device)->name,
                                 .searcher = chosen->searcher,
                                 .space_size = watch->space_size,
                                 .steps = watch->steps,
                                 .step_count = watch->count,
                                 .fallback_seconds = watch->fallback_seconds,
                                 .limit_seconds = result->limit_seconds,
                                 .pipe = result->pipe};
    name_output(chosen->report, name, several, path, sizeof path);
    exit_code = cli_report(qn_tune_write_report(&trace, path));
    if (exit_code == CLI_DONE && !chosen->quiet) printf("Report: %s\n", path);
    return exit_code;
}

static bool is_file(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int tune_one(qn_device *device, const char *name, qn_tune_options *with, watcher *watch)
{
    qn_tune_result result = {0};
    const qn_workload *workload = NULL;
    watch->count = watch->failed = 0;
    watch->fallback_seconds = watch->fallback_objective = 0;
    if (!is_file(name)) {
        int exit_code = cli_report(qn_workload_find(name, &workload));
        if (exit_code == CLI_DONE) exit_code = cli_tune_sizes(watch->chosen->size, workload, with->sizes);
        if (exit_code != CLI_DONE) return exit_code;
        name = workload->name;
    }
    if (!watch->chosen->quiet) {
        printf("%s on %s (%s)\n", name, qn_device_get_info(device)->identifier, qn_device_get_info(device)->name);
        printf("%6s  %9s  %10s  %7s  %6s  %s\n", "test", "elapsed", "time",
               watch->chosen->objective ? "better" : "faster", "limit", "configuration");
    }
    qn_status status =
        workload ? qn_tune_run(device, workload, with, &result) : qn_tune_run_file(device, name, with, &result);
    remove_line(watch);
    if (watch->out_of_memory) return cli_error(CLI_FAILED, "out of memory");
    if (status == QN_CANCELLED && watch->chosen->store == NULL)
        fputs("quern: stopped; the same command goes on from here\n", stderr);
    int exit_code = cli_report(status);
    if (exit_code != CLI_DONE) return exit_code;
    print_result(watch, &result);
    return write_files(watch, name, device, &result);
}

static int tune_all(qn_context *context, qn_tune_options *with, watcher *watch)
{
    const settings *chosen = watch->chosen;
    qn_device *device = NULL;
    int exit_code = cli_report(qn_device_open(context, chosen->device, &device));
    if (exit_code != CLI_DONE) return exit_code;
    cli_interrupt_watch();
    for (size_t i = 0; i < chosen->names.count && exit_code == CLI_DONE; i++) {
        if (i > 0) putchar('\n');
        exit_code = tune_one(device, chosen->names.items[i], with, watch);
    }
    qn_device_release(&device);
    return exit_code;
}

/* In a context whose log the watcher hears. */
static int tune_watched(qn_tune_options *with, watcher *watch)
{
    const settings *chosen = watch->chosen;
    const qn_context_options of_context = {.threads = chosen->threads, .log = on_log, .log_user = watch};
    qn_context *context = NULL;
    with->progress = on_progress;
    with->progress_user = watch;
    cli_progress_start(&watch->progress, stderr, chosen->quiet);
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = cli_tune_open_store(context, chosen->store, &with->store);
    if (exit_code == CLI_DONE) exit_code = tune_all(context, with, watch);
    qn_context_destroy(&context);
    qn_tune_store_close(&with->store);
    cli_progress_finish(&watch->progress);
    free(watch->steps);
    free(watch->best);
    return exit_code;
}

static int run(void *memory)
{
    const settings *chosen = memory;
    watcher watch = {.chosen = chosen};
    qn_tune_options with = {.tuner = {.searcher = chosen->searcher,
                                      .seed = chosen->seed,
                                      .tests = (uint64_t)chosen->tests,
                                      .fraction = chosen->fraction,
                                      .target = 1e-3 * chosen->target,
                                      .remaining_gain = chosen->remaining_gain},
                            .objective = chosen->objective,
                            .model = chosen->model,
                            .precision = chosen->precision,
                            .compile_threads = chosen->compile_threads,
                            .restart = chosen->restart};
    if (chosen->objective && chosen->target > 0)
        return cli_error(CLI_USAGE, "--target is of the time of a run; it cannot be used with --objective");
    int exit_code = cli_tune_duration("budget", chosen->budget, &with.tuner.seconds);
    if (exit_code == CLI_DONE && chosen->timeout)
        exit_code = cli_tune_duration("timeout", chosen->timeout, &with.timeout_seconds);
    return exit_code == CLI_DONE ? tune_watched(&with, &watch) : exit_code;
}

const cli_command cli_tune_run = {
    .name = "tune run",
    .summary = "tune kernels now, offline",
    .description = "Try configurations of a kernel on a made-up problem, check each result, and keep the fastest for "
                   "every later command on this machine. A stopped or killed run goes on where it was.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};
