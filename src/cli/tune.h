/* Shared by the actions of quern tune. */
#ifndef QN_CLI_TUNE_H
#define QN_CLI_TUNE_H

#include <quern/tune.h>

#include "cli/options.h"

extern const cli_command cli_tune_list, cli_tune_run, cli_tune_simulate, cli_tune_explain, cli_tune_export,
    cli_tune_import;

/* Check that a workload has this many sizes; no sizes mean its defaults. Returns the exit code, after printing an
 * error. */
int cli_tune_check_sizes(const qn_workload *workload, const int sizes[QN_WORKLOAD_SIZES]);

/* Open a store. `path` NULL: the user's store; "off": *store becomes NULL. Returns the exit code, after printing an
 * error. */
int cli_tune_open_store(qn_context *context, const char *path, qn_tune_store **store);

#endif
