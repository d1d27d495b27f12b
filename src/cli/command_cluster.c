/* quern cluster: groups of structures that are alike. */
#include <math.h>
#include <quern/cluster.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_cluster_option_table()};
}

typedef struct clustering {
    qn_cluster_options *options;
    qn_cluster_result *result;
} clustering;

static qn_status run_clustering(qn_context *context, cli_progress *progress, void *user)
{
    clustering *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_cluster_run(context, job->options, &job->result);
}

enum { LISTED = 10 }; /* clusters */

static void print_summary(const qn_cluster_result *result, const char *output)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    const char *unit = result->unit && *result->unit ? ", Å" : "";
    printf("cluster    size  to medoid%s  medoid\n", unit);
    for (size_t c = 0; c < result->cluster_count && c < LISTED; c++) {
        const qn_cluster_facts *facts = &result->clusters[c];
        printf("%7zu %7zu  %*.3g  %s\n", c + 1, facts->size, *unit ? 12 : 9, facts->mean_medoid,
               result->names[facts->medoid]);
    }
    if (result->cluster_count > LISTED) printf("    and %zu more\n", result->cluster_count - LISTED);
    printf("%zu cluster%s of %zu structure%s", result->cluster_count, result->cluster_count == 1 ? "" : "s",
           result->count, result->count == 1 ? "" : "s");
    if (result->noise_count > 0) printf(", %zu in none", result->noise_count);
    if (!isnan(result->silhouette)) printf(", mean silhouette %.3f", result->silhouette);
    printf(", in %s, %s in all\n", output, duration);
}

static int run(void *memory)
{
    clustering job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_clustering, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result->clusters) print_summary(job.result, job.options->output);
    qn_cluster_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_cluster = {
    .name = "cluster",
    .summary = "group models or frames that are alike, and choose a representative of each group",
    .description =
        "Find clusters of structures: models of a protein, poses, or frames of a trajectory. The distances of all "
        "pairs "
        "are measured, or read from a file of quern distance; then structures are grouped by one of seven methods. "
        "Writes tables, the tree, representatives with scripts for PyMOL and ChimeraX, and a report.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_cluster_options),
    .run = run,
    .many_processes = true,
};
