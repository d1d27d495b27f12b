/* quern potential: interaction maps around a receptor. */
#include <quern/potential.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <string.h>

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_potential_option_table()};
}

typedef struct mapping {
    qn_potential_options *options;
    qn_potential_result *result;
} mapping;

static qn_status run_mapping(qn_context *context, cli_progress *progress, void *user)
{
    mapping *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_potential_run(context, job->options, &job->result);
}

static const char *unit_of(const char *map)
{
    static const char *const of_charge[] = {"e", "d", "coulomb"};
    for (size_t i = 0; i < sizeof of_charge / sizeof of_charge[0]; i++)
        if (strcmp(map, of_charge[i]) == 0) return "kcal/mol/e";
    return strcmp(map, "f") == 0 ? "Å" : "kcal/mol";
}

static void print_result(const qn_potential_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    for (size_t i = 0; i < result->map_count; i++)
        printf("%-5s %10.3f to %.3f %s  %s\n", result->maps[i].name, result->maps[i].least, result->maps[i].most,
               unit_of(result->maps[i].name), result->maps[i].file);
    printf("%d maps of %d x %d x %d points around %d atoms in %s\n", (int)result->map_count, result->points[0],
           result->points[1], result->points[2], (int)result->atom_count, duration);
}

static int run(void *memory)
{
    mapping job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    if (!job.options->gpf && !job.options->output)
        return cli_error(CLI_USAGE, "potential: no output is given; expected --output with a folder, or --gpf");
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_mapping, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_result(job.result);
    qn_potential_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_potential = {
    .name = "potential",
    .summary = "make interaction maps around a receptor, as AutoGrid does",
    .description =
        "Make maps of a receptor's interaction with probe atoms for AutoDock 4: dispersion, hydrogen bonds, "
        "desolvation and electrostatics at each point of a grid. Takes AutoGrid's grid parameter files and writes the "
        "same files, or takes the grid from options. Values agree with AutoGrid 4.2.6's within the rounding "
        "of their last digits.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_potential_options),
    .run = run,
    .many_processes = true,
};
