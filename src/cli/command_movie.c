/* quern movie: micrographs from cryo-EM movies. */
#include <quern/movie.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_movie_option_table()};
}

static void print_result(const qn_movie_run_options *options, const qn_movie_result *result)
{
    char duration[48];
    const size_t done = result->movie_count - result->failed_count, new = done - result->resumed_count;
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    printf("%zu %s", done, cli_plural(done, "micrograph", "micrographs"));
    if (result->resumed_count) printf(" (%zu of them from the earlier run)", result->resumed_count);
    printf(" in %s", duration);
    if (new > 1) printf(", %.3g s a movie", result->seconds / (double)new);
    putchar('\n');
    if (result->failed_count)
        printf("%zu %s left out; reasons: %s/movies.csv\n", result->failed_count,
               cli_plural(result->failed_count, "movie was", "movies were"), options->output);
    printf("results in %s, report in %s\n", options->output, result->report);
}

typedef struct processing {
    qn_movie_run_options *options;
    qn_movie_result *result;
} processing;

static qn_status run_processing(qn_context *context, cli_progress *progress, void *user)
{
    processing *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_movie_run(context, job->options, &job->result);
}

static int run(void *memory)
{
    processing job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_processing, &job);
    if (job.result && !wanted->quiet && job.result->report[0]) print_result(job.options, job.result);
    qn_movie_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_movie = {
    .name = "movie",
    .summary = "align cryo-EM movies and sum them into micrographs",
    .description =
        "Correct movies of an electron microscope: gain, bad pixels, motion of the stage and local motion of the "
        "sample, and weights by exposure. Writes for each movie the micrographs, their power spectrum and a STAR file "
        "of the motion, and for all of them corrected_micrographs.star, movies.csv, run.json and report.html. RELION "
        "takes the folder as one of its own. Under mpirun the movies are dealt to all processes.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_movie_run_options),
    .run = run,
    .many_processes = true,
};
