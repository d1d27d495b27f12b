/* Shared by the actions of quern trajectory. */
#ifndef QN_CLI_TRAJECTORY_TRAJECTORY_H
#define QN_CLI_TRAJECTORY_TRAJECTORY_H

#include <quern/trajectory.h>

#include "cli/options.h"

extern const cli_command cli_trajectory_run, cli_trajectory_list, cli_trajectory_convert;

enum { CLI_TRAJECTORY_CLASSES = 48 };

/* Run, and print the summary. Returns the exit code. */
int cli_trajectory_start(qn_trajectory_options *options);

/* The command of a query class, made at run time, with the data that it points to. */
typedef struct cli_trajectory_made {
    const qn_query_class *query_class;
    cli_command command;
    qn_option rows[QN_QUERY_ROWS_MAX];
    qn_option_table table;
    char name[64], description[512];
} cli_trajectory_made;

/* Make the command of a query class. The caller has zeroed `made`. */
void cli_trajectory_make_query(const qn_query_class *query_class, cli_trajectory_made *made);

#endif
