/* What the actions of quern trajectory share. */
#ifndef QN_CLI_TRAJECTORY_H
#define QN_CLI_TRAJECTORY_H

#include <quern/trajectory.h>

#include "cli/options.h"

extern const cli_command cli_trajectory_run, cli_trajectory_list, cli_trajectory_convert;

enum { CLI_TRAJECTORY_CLASSES = 48 };

/* A run, and what it says at its end. Returns the exit code. */
int cli_trajectory_start(qn_trajectory_options *options);

/* The command of a class, made when the program runs, and what it points to. */
typedef struct cli_trajectory_made {
    const qn_query_class *query_class;
    cli_command command;
    qn_option rows[QN_QUERY_ROWS_MAX];
    qn_option_table table;
    char name[64], description[512];
} cli_trajectory_made;

/* `made` is all 0 before. */
void cli_trajectory_make_query(const qn_query_class *query_class, cli_trajectory_made *made);

#endif
