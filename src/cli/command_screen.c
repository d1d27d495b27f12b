/* quern screen: docking of a library of small molecules into a receptor's site. */
#include <quern/screen.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/screen.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_screen_option_table()};
}

static void print_result(const qn_screen_options *options, const qn_screen_result *result)
{
    char duration[48], speed[64];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    cli_format_speed(result->interactions_per_s, "interactions", speed, sizeof speed);
    printf("%zu %s scored", result->molecule_count, cli_plural(result->molecule_count, "molecule", "molecules"));
    if (options->rigid)
        printf(" in %llu %s", (unsigned long long)result->conformer_count,
               cli_plural(result->conformer_count, "conformer", "conformers"));
    printf(", %zu rejected, best energy %.2f %s\n", result->rejection_count, result->best_energy, result->energy_unit);
    if (result->interactions_per_s > 0)
        printf("%s, %.0f %% of the search spent scoring, %s in all\n", speed, 100 * result->scoring_share, duration);
    else if (result->resumed_count < result->molecule_count + result->rejection_count)
        printf("%s in all\n", duration);
    else
        printf("every molecule had been searched before, %s in all\n", duration);
    if (result->unsettled_count)
        printf("%llu of the %s: fewer than four of %d rounds found the lowest energy; more --rounds or --poses may "
               "find a lower one\n",
               (unsigned long long)result->unsettled_count,
               cli_plural(result->conformer_count, "conformer", "conformers"), options->rounds);
    if (result->rejection_count) printf("reasons of rejected molecules: %s/rejected.csv\n", options->output);
    printf("results in %s, report in %s\n", options->output, result->report);
}

typedef struct screening {
    qn_screen_options *options;
    qn_screen_result *result;
} screening;

static qn_status run_screening(qn_context *context, cli_progress *progress, void *user)
{
    screening *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_screen_run(context, job->options, &job->result);
}

static int run(void *memory)
{
    screening job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_screening, &job);
    if (job.result && !wanted->quiet && job.result->report[0]) print_result(job.options, job.result);
    qn_screen_result_destroy(&job.result);
    return exit_code;
}

static const cli_command *const actions[] = {&cli_screen_pack, &cli_screen_deck, NULL};

const cli_command cli_screen = {
    .name = "screen",
    .summary = "dock a library of small molecules into a receptor's site and rank them",
    .description =
        "Virtual screening by docking: each molecule is placed in the site, its rotatable bonds turn, and its poses "
        "are scored with AutoDock Vina's energy; with --rigid its conformers are docked instead. Writes scores.csv, "
        "hits.sdf, hits.pdbqt, rejected.csv, run.json and report.html into the output folder. Under mpirun the "
        "molecules are dealt to all processes. A first word pack or deck is an action; a receptor of that name is "
        "./pack.",
    .actions = actions,
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_screen_options),
    .run = run,
    .many_processes = true,
};
