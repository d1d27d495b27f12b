/* quern screen deck: the poses of a benchmark deck, checked against its reference energies. */
#include <quern/screen.h>

#include "cli/output.h"
#include "cli/screen.h"

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_screen_deck_option_table()};
}

static void print_deck(const qn_screen_deck_options *options, const qn_screen_deck_result *deck)
{
    printf("%d %s of %d ligand %s on %d receptor %s: %.3f s, %.3g interactions/s\n", deck->pose_count,
           cli_plural((unsigned long long)deck->pose_count, "pose", "poses"), deck->ligand_atoms,
           cli_plural((unsigned long long)deck->ligand_atoms, "atom", "atoms"), deck->receptor_atoms,
           cli_plural((unsigned long long)deck->receptor_atoms, "atom", "atoms"), deck->seconds,
           deck->interactions_per_s);
    if (options->cull) puts("the rate includes pairs out of range, which were skipped; --no-cull computes all pairs");
    printf("best pose %d, energy %.2f kJ/mol\n", deck->best_pose, deck->best_energy);
    if (deck->checked)
        printf("%d %s checked, worst difference %.2g of max(1, |reference|), %d over 2.5e-4\n", deck->checked,
               cli_plural((unsigned long long)deck->checked, "energy", "energies"), deck->worst_difference,
               deck->failed);
    else
        puts("the deck has no reference energies to check against");
}

static int score(qn_context *context, const qn_screen_deck_options *options, qn_screen_deck_result **result)
{
    qn_device *device = NULL;
    qn_status status = qn_device_open(context, options->run.device, &device);
    if (status == QN_OK) status = qn_screen_deck(device, options, result);
    qn_device_release(&device);
    return cli_report(status);
}

static int run(void *memory)
{
    const qn_screen_deck_options *options = memory;
    const qn_context_options of_context = {.size = sizeof of_context,
                                           .threads = options->run.threads,
                                           .explain = options->run.explain,
                                           .log = cli_log_warning};
    qn_context *context = NULL;
    qn_screen_deck_result *result = NULL;
    int exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = score(context, options, &result);
    qn_context_destroy(&context);
    if (exit_code != CLI_DONE) return exit_code;
    const int failed = result->failed, checked = result->checked;
    if (!options->run.quiet) print_deck(options, result);
    qn_screen_deck_result_destroy(&result);
    if (failed == 0) return CLI_DONE;
    return cli_error(CLI_FAILED, "%s: %d of %d energies %s from the reference", options->folder, failed, checked,
                     failed == 1 ? "differs" : "differ");
}

const cli_command cli_screen_deck = {
    .name = "screen deck",
    .summary = "score the poses of a miniBUDE deck, a benchmark",
    .description = "Score the poses of a miniBUDE deck on a device, print the speed, and check the energies "
                   "against the deck's reference energies.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_screen_deck_options),
    .run = run,
};
