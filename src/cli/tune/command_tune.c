/* quern tune: the tuner's command, and functions that its actions share. */
#include "cli/tune/tune.h"

#include "cli/commands.h"
#include "cli/output.h"

#include <string.h>

int cli_tune_check_output(const char *name, const char *option, const char *path)
{
    bool reads = false;
    if (!path || !cli_tune_is_file(name)) return CLI_DONE;
    const int exit_code = cli_report(qn_tune_file_reads(name, path, &reads));
    if (exit_code != CLI_DONE || !reads) return exit_code;
    return cli_error(CLI_USAGE, "--%s is \"%s\", which is an input of %s; expected a file of its own", option, path,
                     name);
}

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

bool cli_tune_is_file(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

int cli_tune_find_workload(const char *name, const qn_workload **workload)
{
    const qn_status status = qn_workload_find(name, workload);
    if (status == QN_NOT_FOUND || status == QN_INVALID_ARGUMENT) return cli_error(CLI_USAGE, "%s", qn_error_message());
    return cli_report(status);
}

int cli_tune_check_searchers(const char *names)
{
    const char *const *known, *const *meanings;
    const size_t count = qn_tune_searchers(&known, &meanings);
    if (!names || strcmp(names, "all") == 0) return CLI_DONE;
    for (const char *at = names; *at;) {
        const size_t length = strcspn(at, ",");
        char word[64];
        size_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        while (i < count && strcmp(known[i], word) != 0) i++;
        if (i == count) {
            const char *nearest = cli_nearest_word(word, known, count);
            if (nearest) return cli_error(CLI_USAGE, "there is no searcher \"%s\"; did you mean %s?", word, nearest);
            char list[512] = "";
            for (size_t k = 0; k < count; k++) {
                const size_t used = strlen(list);
                snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", known[k]);
            }
            return cli_error(CLI_USAGE, "there is no searcher \"%s\"; there are %s", word, list);
        }
        at += length + (at[length] == ',');
    }
    return CLI_DONE;
}

void cli_tune_format_limit(double limit_seconds, double seconds, const char *pipe, char *text, size_t bytes)
{
    static const double most = 1.1; /* measured limits are too low by a few per cent at times */
    const double share = limit_seconds / seconds;
    text[0] = '\0';
    if (!(limit_seconds > 0)) return;
    if (share > most && pipe && strcmp(pipe, "memory") == 0)
        snprintf(text, bytes, "cache");
    else
        snprintf(text, bytes, "%.0f %%", 100 * share);
}

int cli_tune_open_store(qn_context *context, const char *path, qn_tune_store **store)
{
    *store = NULL;
    if (path && strcmp(path, "off") == 0) return CLI_DONE;
    return cli_report(qn_tune_store_open(context, path, store));
}

const char cli_tune_worker_word[] = "tune-worker";
const char *const cli_tune_worker[] = {"/proc/self/exe", cli_tune_worker_word, NULL};

int cli_tune_work(void)
{
    return cli_report(qn_tune_serve());
}

static const cli_command *const actions[] = {&cli_tune_list,   &cli_tune_run,    &cli_tune_simulate, &cli_tune_explain,
                                             &cli_tune_export, &cli_tune_import, &cli_tune_model,    NULL};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "find the fastest configuration of each kernel on this machine",
    .description =
        "Kernels have parameters, such as the number of work-items in a group, whose best values differ from "
        "device to device. Every command uses the best known values for its device; these actions look for "
        "better values, show known results, and exchange results with other tuners.",
    .actions = actions,
};
