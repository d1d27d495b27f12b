/* quern tunnel: tunnels from an active site to the surface. */
#include <quern/tunnel.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

enum { SHOWN_MOST = 10 };

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tunnel_option_table()};
}

typedef struct tunnelling {
    qn_tunnel_options *options;
    qn_tunnel_result *result;
} tunnelling;

static qn_status run_tunnelling(qn_context *context, cli_progress *progress, void *user)
{
    tunnelling *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_tunnel_run(context, job->options, &job->result);
}

static void print_clusters(const qn_tunnel_result *result)
{
    if (result->cluster_count == 0) return;
    printf("cluster  occupancy  bottleneck  length  priority\n");
    for (size_t c = 0; c < result->cluster_count && c < SHOWN_MOST; c++) {
        const qn_tunnel_cluster *cluster = &result->clusters[c];
        printf("%7d  %8.0f%%  %8.2f Å  %4.1f Å  %8.3f\n", (int)c + 1, 100 * cluster->occupancy,
               cluster->mean_bottleneck_angstrom, cluster->mean_length_angstrom, cluster->priority);
    }
    if (result->cluster_count > SHOWN_MOST) printf("and %d more\n", (int)(result->cluster_count - SHOWN_MOST));
}

/* The start moves to the widest place within reach, so users should see where it went. */
static void print_start(const qn_tunnel_result *result)
{
    const double *place = result->start_place_angstrom;
    if (result->start_moved_angstrom < 0.005) return;
    printf("start moved by %.2f Å to %.2f, %.2f, %.2f Å, where a sphere of %.2f Å fits%s\n",
           result->start_moved_angstrom, place[0], place[1], place[2], result->start_radius_angstrom,
           result->frame_count > 1 ? ", in the frame with the widest way out" : "");
}

static void print_result(const qn_tunnel_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    if (result->earlier_tunnel_count > 0) {
        printf("%llu tunnel%s in %s, found by the earlier run\n", (unsigned long long)result->earlier_tunnel_count,
               result->earlier_tunnel_count == 1 ? "" : "s", result->folder);
        return;
    }
    print_start(result);
    print_clusters(result);
    printf("%d tunnel%s in %s, %s\n", (int)result->tunnel_count, result->tunnel_count == 1 ? "" : "s", result->folder,
           duration);
}

static int run(void *memory)
{
    tunnelling job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_tunnelling, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_result(job.result);
    qn_tunnel_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_tunnel = {
    .name = "tunnel",
    .summary = "find tunnels from an active site to the surface of a protein",
    .description =
        "Find the ways by which ligands leave a structure: lines along the ridge of the clearance among its atoms, "
        "from a "
        "start inside to the surface, with the radius of the largest sphere that fits at each place. The tunnels of a "
        "trajectory's frames are put into clusters. Writes CAVER's and CaverDock's files, tables, and scripts for "
        "PyMOL, ChimeraX and Mol*.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_tunnel_options),
    .run = run,
    .many_processes = true,
};
