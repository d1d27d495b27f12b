/* quern project: images of a map as a microscope would see it. */
#include <quern/project.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_project_option_table()};
}

typedef struct projecting {
    qn_project_options *options;
    qn_project_result *result;
} projecting;

static qn_status run_projecting(qn_context *context, cli_progress *progress, void *user)
{
    projecting *job = user;
    progress->final = true;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_project_run(context, job->options, &job->result);
}

static int run(void *memory)
{
    char duration[48];
    projecting job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_projecting, &job);
    const qn_project_result *result = job.result;
    if (exit_code == CLI_DONE && !wanted->quiet) {
        cli_format_elapsed(result->seconds, duration, sizeof duration);
        printf("%llu image%s of %d x %d pixels of %g Å in %s, %s in all, %.0f images/s\n",
               (unsigned long long)result->image_count, result->image_count == 1 ? "" : "s", result->image_side,
               result->image_side, result->voxel_angstrom, job.options->output, duration, result->images_per_s);
    }
    qn_project_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_project = {
    .name = "project",
    .summary = "project a map: images as a microscope would see it from given directions",
    .description =
        "Make projections of a map, as references, templates or test data: central slices of its Fourier transform, at "
        "the angles and origins of a particle set or evenly spread, with contrast transfer function and noise if "
        "wanted. Writes a stack and, beside it, a RELION 3.1 STAR file of its images.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_project_options),
    .run = run,
    .many_processes = true,
};
