/* quern trajectory: its actions, with one action for every query class, and functions that all runs share. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trajectory/trajectory.h"

#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

static void print_summary(const qn_trajectory_options *options, const qn_trajectory_result *result)
{
    char duration[48], speed[64];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    cli_format_speed(result->frames_per_s, "frames", speed, sizeof speed);
    if (!result->report[0]) return; /* another process of the run prints it */
    printf("%llu %s of %zu %s, %zu %s: %s, %s in all\n", (unsigned long long)result->frame_count,
           result->frame_count == 1 ? "frame" : "frames", result->atom_count,
           result->atom_count == 1 ? "atom" : "atoms", result->query_count,
           result->query_count == 1 ? "query" : "queries", speed, duration);
    printf("results in %s, report in %s\n", options->output, result->report);
}

typedef struct analysis {
    qn_trajectory_options *options;
    qn_trajectory_result *result;
} analysis;

static qn_status run_analysis(qn_context *context, cli_progress *progress, void *user)
{
    analysis *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    for (size_t i = 0; i < job->options->trajectory_count; i++)
        progress->final |= strcmp(job->options->trajectories[i], "-") == 0; /* standard input cannot be read again */
    progress->final |= job->options->live != NULL;
    return qn_trajectory_run(context, job->options, &job->result);
}

int cli_trajectory_start(qn_trajectory_options *options)
{
    analysis job = {.options = options};
    const qn_run_options *wanted = &options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_analysis, &job);
    if (exit_code == CLI_DONE && !wanted->quiet) print_summary(options, job.result);
    qn_trajectory_result_destroy(&job.result);
    return exit_code;
}

/* ---- actions ---- */

/* The commands that are made at run time, one for each query class. */
typedef struct made_actions {
    const cli_command *list[CLI_TRAJECTORY_CLASSES + 4];
    cli_trajectory_made queries[CLI_TRAJECTORY_CLASSES];
} made_actions;

/* List the action for plans first, then the other actions that are not queries, then every query class in the library's
 * order. */
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
    .description = "Analyse trajectories of molecular dynamics, from files or from a running simulation. A plan runs "
                   "many queries on every frame at once; each query also has a short form of its own. Lengths are in "
                   "nm, times in ps, masses in amu and charges in e unless stated otherwise.",
    .make_actions = make_actions,
};
