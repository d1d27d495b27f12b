/* The command table. */
#ifndef QN_CLI_COMMANDS_H
#define QN_CLI_COMMANDS_H

#include "cli/options.h"

extern const cli_command cli_dock, cli_screen, cli_trajectory, cli_reconstruct, cli_fsc, cli_project, cli_potential,
    cli_movie, cli_tunnel, cli_transport, cli_cluster, cli_distance, cli_evaluate, cli_devices, cli_tune, cli_fft,
    cli_fuse, cli_deform, cli_completion;

/* All commands; the list ends with NULL. */
extern const cli_command *const cli_commands[];

/* Find a command by its name; NULL: none. */
const cli_command *cli_command_find(const char *name);

/* Run a command with the arguments after its name; where it has actions, the first argument is the action's name.
 * Returns the exit code. */
int cli_command_run(const cli_command *command, int count, char **arguments);

/* Print the help page of a command, or of its action named by the first of `count` arguments, on standard output.
 * Returns the exit code. */
int cli_command_help(const cli_command *command, int count, char *const *arguments);

/* Print the text of quern --version. */
void cli_print_version(void);

/* A hidden word in place of a command: quern tune starts this program with it for kernels of the user's own. */
extern const char cli_tune_worker_word[];

/* Be such a worker. Returns the exit code. */
int cli_tune_work(void);

/* A hidden word in place of a command, with which the completion scripts of shells (`quern completion SHELL`) ask what
 * may stand for the last of the words after it. So names, meanings and devices are those of this version. */
extern const char cli_complete_word[];

/* Print what may stand for the last of `count` words, which follow "quern" on a command line: a line for each, the
 * word, a tab and its meaning, and the line ":files" where names of files fit too. Returns the exit code. */
int cli_complete(int count, char **words);

#endif
