/* quern tune model: portable models for the searcher profile. */
#include "cli/tune/tune.h"

#include "cli/output.h"

#include <math.h>
#include <string.h>

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_tune_model_train_option_table()};
}

static int run(void *memory)
{
    const qn_tune_model_options *options = memory;
    qn_tune_model_facts facts;
    const int exit_code = cli_report(qn_tune_model_train(options, &facts));
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = strcmp(options->output, "-") == 0 ? stderr : stdout; /* - holds the model */
    fprintf(stream, "%s: %zu counters of %zu parameters, learned from %llu configurations", options->output,
            facts.columns, facts.parameters, (unsigned long long)facts.samples);
    if (isfinite(facts.error))
        fprintf(stream, "; counts of configurations that were held out are predicted with a mean error of %.0f %%",
                100 * facts.error);
    fputc('\n', stream);
    return exit_code;
}

static const cli_command train = {
    .name = "tune model train",
    .summary = "train a model on a recorded space with hardware counters",
    .description = "Train a portable model on a recorded space with hardware counters, from any device. It predicts "
                   "the counters of a kernel from its parameters, and guides the searcher profile on other devices.",
    .list_parts = list_parts,
    .settings_bytes = sizeof(qn_tune_model_options),
    .run = run,
};

static const cli_command *const actions[] = {&train, NULL};

const cli_command cli_tune_model = {
    .name = "tune model",
    .summary = "make portable models for the searcher profile",
    .description = "A portable model predicts what a kernel does, in hardware counters, from its parameters; these "
                   "counts hardly depend on the device. The searcher profile uses it on devices that it was not "
                   "trained on.",
    .actions = actions,
};
