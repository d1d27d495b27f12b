/* quern reconstruct: a volume from images whose orientations are known. */
#include <quern/reconstruct.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_reconstruct_option_table()};
}

static void print_result(const qn_reconstruct_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    printf("%llu image%s of %d x %d pixels", (unsigned long long)result->images, result->images == 1 ? "" : "s",
           result->image_side, result->image_side);
    if (result->operators > 1) printf(", each in %d orientations", result->operators);
    if (result->skipped) printf(", %llu left out for weights of 0 or less", (unsigned long long)result->skipped);
    putchar('\n');
    if (result->resolution_angstrom > 0)
        printf("resolution %.2f Å (FSC 0.143 of the half maps)\n", result->resolution_angstrom);
    printf("%.0f images/s, %s in all\n", result->images_per_s, duration);
    printf("map in %s, report in %s\n", result->map_path, result->report_path);
}

typedef struct reconstruction {
    qn_reconstruct_options *options;
    qn_reconstruct_result *result;
} reconstruction;

static qn_status run_reconstruction(qn_context *context, cli_progress *progress, void *user)
{
    reconstruction *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    qn_status status = qn_reconstruct_run(context, job->options, &job->result);
    progress->final = job->options->checkpoint_s == 0;
    return status;
}

static int run(void *memory)
{
    reconstruction job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_reconstruction, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result->report_path) print_result(job.result);
    qn_reconstruct_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_reconstruct = {
    .name = "reconstruct",
    .summary = "reconstruct a volume from images of particles whose orientations are known",
    .description =
        "Single-particle cryo-EM: every image's central slice is inserted into a Fourier volume, with its symmetric "
        "copies, and the volume is transformed back. Writes the map, and on request half maps with their Fourier shell "
        "correlation, with a report. Under mpirun the images are dealt to all processes.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_reconstruct_options),
    .run = run,
    .many_processes = true,
};
