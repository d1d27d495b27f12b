/* quern dock: docking of two proteins, which gives ranked models of their complex. */
#include <quern/dock.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_dock_option_table()};
}

/* The lowest energy of each coefficient set. Energies of different sets have no common scale. */
static void print_energies(const qn_dock_result *result)
{
    const char *separator = " of";
    printf("lowest energy");
    for (size_t i = 0; i < result->set_count; i++) {
        const qn_dock_result_set *set = &result->sets[i];
        if (set->pose_count == 0) continue;
        printf("%s %s %.3f", separator, set->name, set->poses[0].energy);
        separator = ",";
    }
    printf("%s\n", result->set_count > 1 ? "; those of different sets cannot be compared" : "");
}

static void print_result(const qn_dock_options *options, const qn_dock_result *result)
{
    char duration[48];
    size_t clustered = 0;
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    for (size_t i = 0; i < result->pose_count; i++) clustered += result->poses[i].cluster >= 0;
    printf("%zu %s, %zu of them in %zu %s\n", result->pose_count, cli_plural(result->pose_count, "pose", "poses"),
           clustered, result->cluster_count, cli_plural(result->cluster_count, "cluster", "clusters"));
    if (result->pose_count > 0) print_energies(result);
    printf("grid %d x %d x %d, ", result->grid[0], result->grid[1], result->grid[2]);
    if (result->rotations_per_s > 0) printf("%.1f rotations/s, ", result->rotations_per_s); /* 0: all from a journal */
    printf("%s in all\n", duration);
    printf("results in %s, report in %s\n", options->output, result->report);
}

typedef struct docking {
    qn_dock_options *options;
    qn_dock_result *result;
} docking;

static qn_status run_docking(qn_context *context, cli_progress *progress, void *user)
{
    docking *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_dock_run(context, job->options, &job->result);
}

static int run(void *memory)
{
    docking job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_docking, &job);
    if (job.result && !wanted->quiet && job.result->report[0]) print_result(job.options, job.result);
    qn_dock_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_dock = {
    .name = "dock",
    .summary = "dock two proteins: search all rotations and translations, rank and cluster",
    .description =
        "Rigid protein-protein docking by FFT correlation. Searches rotations and translations of the ligand around "
        "the "
        "receptor, clusters the best poses and writes poses.csv, clusters.csv, contacts.csv, cluster_*.pdb, run.json, "
        "report.html, view.pml (PyMOL) and view.cxc (ChimeraX) into the output folder. Under mpirun the rotations are "
        "dealt to all processes.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_dock_options),
    .run = run,
    .many_processes = true,
};
