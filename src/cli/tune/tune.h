/* Shared by the actions of quern tune. */
#ifndef QN_CLI_TUNE_TUNE_H
#define QN_CLI_TUNE_TUNE_H

#include <quern/tune.h>

#include "cli/options.h"

extern const cli_command cli_tune_list, cli_tune_run, cli_tune_simulate, cli_tune_explain, cli_tune_export,
    cli_tune_import, cli_tune_model;

/* Check that a workload has this many sizes; no sizes mean its defaults. Returns the exit code, after printing an
 * error. */
int cli_tune_check_sizes(const qn_workload *workload, const int sizes[QN_WORKLOAD_SIZES]);

/* Whether a name is that of a T1 file, "*.json". */
bool cli_tune_is_file(const char *name);

/* Find a workload, a wrong name is a usage error. Returns the exit code, after printing an error. */
int cli_tune_find_workload(const char *name, const qn_workload **workload);

/* Check the names of searchers, separated by commas; NULL and "all" are valid. Returns the exit code, after printing an
 * error. */
int cli_tune_check_searchers(const char *names);

/* Write the share of the device's limit that a run of `seconds` reaches: "93 %". Memory-bound work can seem to exceed
 * the limit when its data come from a cache: "cache". "" if the limit is not known. */
void cli_tune_format_limit(double limit_seconds, double seconds, const char *pipe, char *text, size_t bytes);

/* The command line of a worker for kernels of the user's own: this program with cli_tune_worker_word. */
extern const char *const cli_tune_worker[];

/* Open a store. `path` NULL: the user's store; "off": *store becomes NULL. Returns the exit code, after printing an
 * error. */
int cli_tune_open_store(qn_context *context, const char *path, qn_tune_store **store);

/* Refuse `path`, the output of --option (NULL: none), if the T1 file `name` reads it. Returns the exit code. */
int cli_tune_check_output(const char *name, const char *option, const char *path);

#endif
