/* quern transport: ligands through tunnels. */
#include <quern/transport.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

enum { SHOWN_MOST = 10 };

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_transport_option_table()};
}

typedef struct moving {
    qn_transport_options *options;
    qn_transport_result *result;
} moving;

static qn_status run_moving(qn_context *context, cli_progress *progress, void *user)
{
    moving *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    return qn_transport_run(context, job->options, &job->result);
}

static void print_result(const qn_transport_result *result)
{
    char duration[48];
    cli_format_elapsed(result->seconds, duration, sizeof duration);
    if (result->earlier_passage_count > 0) {
        printf("%llu passage%s in %s, found by the earlier run\n", (unsigned long long)result->earlier_passage_count,
               result->earlier_passage_count == 1 ? "" : "s", result->folder);
        return;
    }
    if (result->passage_count > 0)
        printf("energies in kcal/mol\n   bound  highest  surface  barrier in  barrier out  passage\n");
    for (size_t i = 0; i < result->passage_count && i < SHOWN_MOST; i++) {
        const qn_transport_passage *passage = &result->passages[i];
        printf("%8.2f %8.2f %8.2f %11.2f %12.2f  %s, %s, %s\n", passage->bound, passage->highest, passage->surface,
               passage->highest - passage->surface, passage->highest - passage->bound, passage->receptor,
               passage->tunnel, passage->ligand);
    }
    if (result->passage_count > SHOWN_MOST) printf("and %d more\n", (int)(result->passage_count - SHOWN_MOST));
    printf("%d passage%s in %s, %s\n", (int)result->passage_count, result->passage_count == 1 ? "" : "s",
           result->folder, duration);
}

static int run(void *memory)
{
    moving job = {.options = memory};
    const qn_run_options *wanted = &job.options->run;
    const qn_context_options of_context = {
        .size = sizeof of_context, .threads = wanted->threads, .explain = wanted->explain};
    const int exit_code = cli_progress_run(&of_context, wanted->quiet, run_moving, &job);
    if (exit_code == CLI_DONE && !wanted->quiet && job.result) print_result(job.result);
    qn_transport_result_destroy(&job.result);
    return exit_code;
}

const cli_command cli_transport = {
    .name = "transport",
    .summary = "move ligands through tunnels of a protein, and find the energy on their way",
    .description =
        "Move a flexible ligand through a tunnel from disc to disc with AutoDock Vina's energy. The lower bound is the "
        "lowest energy on each disc by itself; the upper bound is that of a way on which no atom moves far at once. "
        "Takes many receptors, tunnels and ligands at once. Writes profiles, poses, tables and a report.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_transport_options),
    .run = run,
    .many_processes = true,
};
