/* What the actions of quern tune share. */
#ifndef QN_CLI_TUNE_H
#define QN_CLI_TUNE_H

#include <quern/tune.h>

#include "cli/options.h"

extern const cli_command cli_tune_list, cli_tune_run, cli_tune_simulate, cli_tune_explain, cli_tune_export,
    cli_tune_import;

/* "90", "90s", "5min", "1.5h" into seconds; the exit code, after a sentence about --`option`. */
int cli_tune_duration(const char *option, const char *text, double *seconds);

/* "256" or "512x512x64" into the sizes that a workload has; text NULL: zeros, for its defaults. */
int cli_tune_sizes(const char *text, const qn_workload *workload, int sizes[QN_WORKLOAD_SIZES]);

/* path NULL: the user's store; "off": *store is NULL. */
int cli_tune_open_store(qn_context *context, const char *path, qn_tune_store **store);

#endif
