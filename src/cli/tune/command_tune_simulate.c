/* quern tune simulate: searchers on recorded spaces, without the device. */
#include "cli/tune/tune.h"

#include "cli/files.h"
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    qn_tune_simulate_options simulate;
    cli_files files;
} settings;

static const qn_option file_rows[] = {
    {.like = &cli_csv_row,
     .meaning = "write the scores to FILE as comma-separated values; - prints them instead of the table"},
    {0}};
static const qn_option_table file_table = {"tune simulate", sizeof(cli_files), file_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_simulate_option_table(), .offset = offsetof(settings, simulate)};
    parts[1] = (cli_part){.table = &file_table, .offset = offsetof(settings, files)};
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_table(const qn_tune_scores *scores)
{
    bool counted = false;
    for (size_t i = 0; i < scores->row_count; i++) counted |= scores->rows[i].file && scores->rows[i].counted;
    printf("%-20s  %-40s  %7s  %7s  %17s  %10s  %14s\n", "searcher", "space", "budget", "score", "95 % interval",
           "time score", "tests to 1.1x");
    for (size_t i = 0; i < scores->row_count; i++) {
        const qn_tune_score *row = &scores->rows[i];
        char interval[32];
        if (!row->file && !counted) continue; /* a mean of no rows */
        snprintf(interval, sizeof interval, "%.3f to %.3f", row->low, row->high);
        printf("%-20s  %-40s  ", row->searcher, row->file ? name_of(row->file) : "mean");
        if (row->file)
            printf("%7llu", (unsigned long long)row->budget);
        else
            printf("%7s", "");
        printf("  %7.3f  %17s  %10.3f", row->score, interval, row->time_score);
        if (row->file) printf("  %14.1f%s", row->tests_to_110_percent, row->counted ? "" : "  (not in the mean)");
        putchar('\n');
    }
}

static int write_csv(const char *path, const qn_tune_scores *scores)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    fputs("searcher,space,budget_tests,score,low,high,time_score,tests_to_110_percent,counted\n", document.stream);
    for (size_t i = 0; i < scores->row_count; i++) {
        const qn_tune_score *row = &scores->rows[i];
        cli_csv_text(document.stream, row->searcher);
        fputc(',', document.stream);
        cli_csv_text(document.stream, row->file ? row->file : "mean");
        fprintf(document.stream, ",%llu,%.6f,%.6f,%.6f,%.6f,%.3f,%d\n", (unsigned long long)row->budget, row->score,
                row->low, row->high, row->time_score, row->tests_to_110_percent, row->counted);
    }
    return cli_document_close(&document);
}

static int run(void *memory)
{
    const settings *chosen = memory;
    qn_context *context = NULL;
    qn_tune_scores *scores = NULL;
    int exit_code = cli_tune_check_searchers(chosen->simulate.searchers);
    if (exit_code != CLI_DONE) return exit_code;
    exit_code = cli_report(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options),
                                                                   .threads = chosen->simulate.run.threads,
                                                                   .log = cli_log_warning},
                                             &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_tune_simulate(context, &chosen->simulate, &scores));
    if (exit_code == CLI_DONE && !cli_files_are_output(&chosen->files)) print_table(scores);
    if (exit_code == CLI_DONE && chosen->files.csv) exit_code = write_csv(chosen->files.csv, scores);
    qn_tune_scores_destroy(&scores);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_tune_simulate = {
    .name = "tune simulate",
    .summary = "compare searchers on recorded spaces, without a device",
    .description = "Replay recorded spaces, in which every configuration was measured once, and score searchers on "
                   "them: 0 is what random search finds on average, 1 is finding the best at once. "
                   "docs/design/tuning.md says how the score is defined.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};
