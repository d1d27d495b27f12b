/* quern dock: two proteins in, ranked models of their complex out. */
#include <quern/dock.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_dock_option_table()};
}

static void print_summary(const qn_dock_options *options, const qn_dock_summary *summary)
{
    char duration[48];
    cli_format_duration(summary->seconds, duration, sizeof duration);
    printf("%zu poses in %zu clusters, best energy %.3f\n", summary->pose_count, summary->cluster_count,
           summary->best_energy);
    printf("grid %d × %d × %d, %.1f rotations/s, %s in all\n", summary->grid[0], summary->grid[1], summary->grid[2],
           summary->rotations_per_s, duration);
    printf("results in %s, report in %s\n", options->output, summary->report);
}

typedef struct docking {
    qn_dock_options *options;
    qn_dock_summary summary;
} docking;

static qn_status run_docking(qn_context *context, cli_progress *progress, void *user)
{
    docking *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    qn_status status = qn_dock_run(context, job->options, &job->summary);
    progress->mute = status == QN_CANCELLED && !job->summary.report[0];
    return status;
}

static int run(void *memory)
{
    docking job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {.threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_docking, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.summary.report[0]) print_summary(job.options, &job.summary);
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
};
