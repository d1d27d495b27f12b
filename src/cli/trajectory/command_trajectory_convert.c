/* quern trajectory convert: conversion of frames of any format to XTC or DCD. */
#include <quern/trajectory.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trajectory/trajectory.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_trajectory_convert_option_table()};
}

typedef struct conversion {
    qn_trajectory_convert_options *options;
    qn_trajectory_convert_result *result;
} conversion;

static qn_status convert(qn_context *context, cli_progress *progress, void *user)
{
    conversion *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    progress->final = true;
    return qn_trajectory_convert(context, job->options, &job->result);
}

static int run(void *memory)
{
    conversion job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const int exit_code = cli_progress_run(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1},
                                           wanted->quiet, convert, &job);
    const qn_trajectory_convert_result *result = job.result;
    if (exit_code == CLI_DONE && !wanted->quiet)
        printf("%llu %s of %zu %s in %s\n", (unsigned long long)result->frame_count,
               result->frame_count == 1 ? "frame" : "frames", result->atom_count,
               result->atom_count == 1 ? "atom" : "atoms", job.options->output);
    qn_trajectory_convert_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_trajectory_convert = {
    .name = "trajectory convert",
    .summary = "write frames of any format as XTC or DCD, of all atoms or some",
    .description = "Read trajectories of any known format and write the frames as one XTC or DCD file, which appears "
                   "when it is complete.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_trajectory_convert_options),
    .run = run,
};
