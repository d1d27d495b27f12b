/* quern distance: how far apart structures are. */
#include <quern/distance.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_distance_option_table()};
}

typedef struct measuring {
    qn_distance_options *options;
    qn_distance_result *result;
} measuring;

static qn_status run_measuring(qn_context *context, cli_progress *progress, void *user)
{
    measuring *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_distance_run(context, job->options, &job->result);
}

static void print_summary(const qn_distance_result *result, const char *output)
{
    char duration[48], speed[64];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    cli_format_speed(result->pairs_per_s, "pairs", speed, sizeof speed);
    printf("%zu model%s of %zu atom%s", result->count, result->count == 1 ? "" : "s", result->atom_count,
           result->atom_count == 1 ? "" : "s");
    if (result->reference_count > 0)
        printf(", %zu reference%s", result->reference_count, result->reference_count == 1 ? "" : "s");
    printf(": %.4g to %.4g%s%s, mean %.4g, in %s, %s in all, %s\n", result->smallest, result->largest,
           result->unit[0] ? " " : "", result->unit, result->mean, output, duration, speed);
}

static int run(void *memory)
{
    measuring job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_measuring, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result->names) print_summary(job.result, job.options->output);
    qn_distance_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_distance = {
    .name = "distance",
    .summary = "measure the distances between models or frames: each with each, or with references",
    .description =
        "Measure how far apart structures are: models of a protein, poses, or frames of a trajectory. Without "
        "references each is compared with each; with --to or --between, each is compared with every reference.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_distance_options),
    .run = run,
    .many_processes = true,
};
