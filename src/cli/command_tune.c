/* quern tune: the tuner's command, and functions that its actions share. */
#include "cli/tune.h"

#include "cli/commands.h"
#include "cli/output.h"

#include <string.h>

int cli_tune_check_sizes(const qn_workload *workload, const int sizes[QN_WORKLOAD_SIZES])
{
    int wanted = 0, told = 0;
    char names[96] = "", text[96] = "";
    while (wanted < QN_WORKLOAD_SIZES && workload->size_names[wanted]) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", wanted ? "x" : "", workload->size_names[wanted]);
        wanted++;
    }
    for (; told < QN_WORKLOAD_SIZES && sizes[told] > 0; told++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%d", told ? "x" : "", sizes[told]);
    }
    if (told == 0 || told == wanted) return CLI_DONE;
    return cli_error(CLI_USAGE, "--size is \"%s\"; expected %s for %s", text, names, workload->name);
}

int cli_tune_open_store(qn_context *context, const char *path, qn_tune_store **store)
{
    *store = NULL;
    if (path && strcmp(path, "off") == 0) return CLI_DONE;
    return cli_report(qn_tune_store_open(context, path, store));
}

static const cli_command *const actions[] = {
    &cli_tune_list, &cli_tune_run, &cli_tune_simulate, &cli_tune_explain, &cli_tune_export, &cli_tune_import, NULL};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "find the fastest configuration of each kernel on this machine",
    .description =
        "Kernels have parameters, such as the number of work-items in a group, whose best values differ from "
        "device to device. Every command uses the best known values for its device; these actions look for "
        "better values, show known results, and exchange results with other tuners.",
    .actions = actions,
};
