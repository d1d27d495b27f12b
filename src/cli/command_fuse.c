/* quern fuse: short scripts of vector and matrix steps as a few kernels. */
#include <quern/fuse.h>

#include "cli/commands.h"
#include "cli/output.h"

/* ---- explain ---- */

static void list_explain_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_explain_option_table()};
}

static int run_explain(void *options)
{
    qn_context *context = NULL;
    qn_fuse_explanation *explanation = NULL;
    int exit_code = cli_report(qn_context_create(NULL, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_explain(context, options, &explanation));
    if (exit_code == CLI_DONE) fputs(explanation->text, stdout);
    qn_fuse_explanation_destroy(&explanation);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_explain = {
    .name = "fuse explain",
    .summary = "show which steps of a script share a kernel, and why others do not",
    .description =
        "Show the calls of a script, the kernels that they are fused into, the words of four bytes that these "
        "move, and the rule that keeps each two kernels apart.",
    .list_parts = list_explain_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_explain,
};

/* ---- list ---- */

static void list_list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_fuse_list_option_table()};
}

static int run_list(void *options)
{
    qn_context *context = NULL;
    qn_fuse_listing *listing = NULL;
    int exit_code = cli_report(qn_context_create(NULL, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_fuse_list(context, options, &listing));
    if (exit_code == CLI_DONE) fputs(listing->text, stdout);
    qn_fuse_listing_destroy(&listing);
    qn_context_destroy(&context);
    return exit_code;
}

static const cli_command fuse_list = {
    .name = "fuse list",
    .summary = "list the functions that scripts can call",
    .description = "List the functions of the library with their arguments' indices. An output that lacks an index is "
                   "reduced over it; functions without indices work on elements of any shape.",
    .list_parts = list_list_parts,
    .settings_bytes = sizeof(qn_fuse_options),
    .run = run_list,
};

static const cli_command *const actions[] = {&fuse_explain, &fuse_list, NULL};

const cli_command cli_fuse = {
    .name = "fuse",
    .summary = "fuse vector and matrix steps into kernels that read memory once",
    .description =
        "Compile short scripts of vector and matrix steps into a few kernels. Steps that read the same arrays "
        "share a kernel where the rules allow it.",
    .actions = actions,
};
