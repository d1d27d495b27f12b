/* quern tune: the command of the tuner, and what its actions share. */
#include "cli/tune.h"

#include "cli/commands.h"
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_tune_duration(const char *option, const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    double number = strtod(text, &end);
    while (*end == ' ') end++;
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number > 0 && isfinite(number)) {
            *seconds = number * units[i].seconds;
            return CLI_DONE;
        }
    return cli_error(CLI_USAGE, "--%s is \"%s\"; expected a time such as 60s, 5min or 2h", option, text);
}

int cli_tune_sizes(const char *text, const qn_workload *workload, int sizes[QN_WORKLOAD_SIZES])
{
    int wanted = 0, found = 0;
    char names[96] = "";
    for (int i = 0; i < QN_WORKLOAD_SIZES; i++) sizes[i] = 0;
    if (!text) return CLI_DONE;
    while (wanted < QN_WORKLOAD_SIZES && workload->size_names[wanted]) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", wanted ? "x" : "", workload->size_names[wanted]);
        wanted++;
    }
    const char *at = text;
    bool good = true, more = true;
    while (good && more) {
        char *end;
        errno = 0;
        long number = strtol(at, &end, 10);
        good = end != at && errno == 0 && number >= 1 && number <= INT_MAX && found < wanted;
        more = *end == 'x';
        if (good) sizes[found++] = (int)number;
        at = end + more;
    }
    if (good && found == wanted && *at == '\0') return CLI_DONE;
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
    .description = "Kernels have parameters, such as how many work-items share what, whose best values differ from "
                   "device to device. Every command uses the best ones known for its device; these actions look for "
                   "better ones, show what is known, and exchange results with other tuners.",
    .actions = actions,
};
