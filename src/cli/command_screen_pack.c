/* quern screen pack: conversion of libraries to one packed library. */
#include <quern/screen.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/screen.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_screen_pack_option_table()};
}

typedef struct job {
    qn_screen_pack_options *options;
    qn_screen_pack_result *result;
} job;

static qn_status pack(qn_context *context, cli_progress *progress, void *user)
{
    job *packing = user;
    progress->final = true;
    packing->options->run.progress = cli_progress_on_progress;
    packing->options->run.progress_user = progress;
    return qn_screen_pack(context, packing->options, &packing->result);
}

static int run(void *memory)
{
    const qn_screen_pack_options *options = memory;
    job packing = {.options = memory};
    const int exit_code =
        cli_progress_run(&(qn_context_options){.size = sizeof(qn_context_options)}, options->run.quiet, pack, &packing);
    qn_screen_pack_result *result = packing.result;
    if (exit_code != CLI_DONE) return exit_code;
    const unsigned long long molecules = result->molecule_count, rejected = result->rejection_count;
    qn_screen_pack_result_destroy(&result);
    if (!options->run.quiet)
        fprintf(strcmp(options->output, "-") == 0 ? stderr : stdout, "%llu %s in %s, %llu rejected\n", molecules,
                cli_plural(molecules, "molecule", "molecules"), options->output, rejected);
    if (rejected == 0 || !options->run.strict) return CLI_DONE;
    return cli_error(CLI_FAILED, "%llu %s rejected; expected none, as --strict asks", rejected,
                     cli_plural(rejected, "molecule was", "molecules were"));
}

const cli_command cli_screen_pack = {
    .name = "screen pack",
    .summary = "write libraries as one packed library, which screens faster",
    .description = "Write the molecules of files as one packed library, which has a quarter of their size and is fast "
                   "to read. Molecules that cannot be packed are listed beside it, with the reason.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_screen_pack_options),
    .run = run,
};
