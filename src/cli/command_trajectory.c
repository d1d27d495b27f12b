/* quern trajectory: its actions, one of them for every class of queries, and what runs have in common. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trajectory.h"

#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

static void print_summary(const qn_trajectory_options *options, const qn_trajectory_summary *summary)
{
    char duration[48];
    cli_format_duration(summary->seconds, duration, sizeof duration);
    if (!summary->report[0]) return; /* another process of the run says it */
    printf("%llu %s of %zu atoms, %zu %s: %.4g frames/s, %s in all\n", (unsigned long long)summary->frames,
           summary->frames == 1 ? "frame" : "frames", summary->atoms, summary->queries,
           summary->queries == 1 ? "query" : "queries", summary->frames_per_s, duration);
    printf("results in %s, report in %s\n", options->output, summary->report);
}

typedef struct analysis {
    qn_trajectory_options *options;
    qn_trajectory_summary summary;
} analysis;

static qn_status run_analysis(qn_context *context, cli_progress *progress, void *user)
{
    analysis *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    for (size_t i = 0; i < job->options->trajectory_count; i++)
        progress->final |= strcmp(job->options->trajectories[i], "-") == 0; /* which cannot be read again */
    const qn_status status = qn_trajectory_run(context, job->options, &job->summary);
    progress->mute = status != QN_OK && !job->summary.report[0];
    return status;
}

int cli_trajectory_start(qn_trajectory_options *options)
{
    analysis job = {.options = options};
    const qn_run_options *wanted = &options->run;
    const qn_context_options of_context = {.threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_analysis, &job);
    if (exit_code == CLI_DONE && !wanted->quiet) print_summary(options, &job.summary);
    return exit_code;
}

/* ---- actions ---- */

/* All that is made when the program runs. */
typedef struct made_actions {
    const cli_command *list[CLI_TRAJECTORY_CLASSES + 4];
    cli_trajectory_made queries[CLI_TRAJECTORY_CLASSES];
} made_actions;

/* Plans first, then what else is not a query, then every class in the library's order. */
static const cli_command *const *make_actions(void)
{
    static made_actions *made;
    size_t count = 0;
    if (made) return made->list;
    made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->list[count++] = &cli_trajectory_run;
    made->list[count++] = &cli_trajectory_list;
    made->list[count++] = &cli_trajectory_convert;
    const qn_query_class *const *classes = qn_query_classes();
    for (size_t i = 0; classes[i] && i < CLI_TRAJECTORY_CLASSES; i++) {
        cli_trajectory_make_query(classes[i], &made->queries[i]);
        made->list[count++] = &made->queries[i].command;
    }
    return made->list;
}

const cli_command cli_trajectory = {
    .name = "trajectory",
    .summary = "analyse trajectories: distances, densities, sizes, dipoles, motion",
    .description = "Analyse trajectories of molecular dynamics, from files or from a running simulation. A plan asks "
                   "many queries of every frame at once; each query also has a short form of its own. Lengths are in "
                   "nm, times in ps, masses in amu and charges in e unless told otherwise.",
    .make_actions = make_actions,
};
