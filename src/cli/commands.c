/* To add a command: write command_<name>.c with its tables, list it here and in commands.h, and write
 * docs/commands/<name>.md. */
#include "cli/commands.h"

#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_dock,      &cli_screen, &cli_trajectory, &cli_reconstruct, &cli_fsc,        &cli_project,  &cli_movie,
    &cli_potential, &cli_tunnel, &cli_transport,  &cli_cluster,     &cli_distance,   &cli_evaluate, &cli_devices,
    &cli_tune,      &cli_fft,    &cli_fuse,       &cli_deform,      &cli_completion, NULL};

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

/* Find the action that the first argument names. Returns NULL and sets *exit_code if there is none. For a command that
 * is itself runnable, any other word is an argument of its own. */
static const cli_command *find_action(const cli_command *command, int count, char *const *arguments, int *exit_code)
{
    const char *names[64];
    size_t known = 0;
    const cli_command *const *actions = cli_command_actions(command);
    *exit_code = CLI_USAGE;
    if (count == 0) {
        if (!command->run) cli_options_print_help(command, stderr);
        return NULL;
    }
    for (; actions[known]; known++) {
        names[known] = cli_action_word(actions[known]);
        if (strcmp(names[known], arguments[0]) == 0) return actions[known];
    }
    if (command->run) return NULL;
    const char *nearest = cli_nearest_word(arguments[0], names, known);
    if (nearest)
        cli_error(CLI_USAGE, "%s: unknown action \"%s\"; did you mean %s?", command->name, arguments[0], nearest);
    else
        cli_error(CLI_USAGE, "%s: unknown action \"%s\" (see quern %s -h)", command->name, arguments[0], command->name);
    return NULL;
}

int cli_command_help(const cli_command *command, int count, char *const *arguments)
{
    int exit_code;
    if (cli_command_actions(command) && count > 0) {
        const cli_command *action = find_action(command, count, arguments, &exit_code);
        if (action) return cli_command_help(action, 0, NULL);
        if (!command->run) return exit_code;
    }
    cli_options_print_help(command, stdout);
    return CLI_DONE;
}

static int refuse_usage(const cli_line *line)
{
    const char *name = line->command->name;
    return cli_error(CLI_USAGE, "%s: %s (see quern %s -h)", name, line->message, name);
}

/* Number of this process among those that a launcher of MPI programs (Open MPI, MPICH, PMIx, Slurm) started; 0: the
 * first, or no launcher. QUERN_MPI_LIBRARY=off says that the processes have nothing to do with each other. */
static int process_number(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    const char *library = getenv("QUERN_MPI_LIBRARY"), *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (library && strcmp(library, "off") == 0) return 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i])) return atoi(getenv(variables[i]));
    return tasks && atoi(tasks) > 1 && getenv("SLURM_PROCID") ? atoi(getenv("SLURM_PROCID")) : 0;
}

/* Fill the settings from defaults, `prepare`, and the command line, in this order; then check them; then run. */
static int run_with(cli_line *line, void *settings)
{
    const cli_command *command = line->command;
    if (command->subject) memcpy(settings, &command->subject, sizeof command->subject);
    cli_line_set_defaults(line, settings);
    if (cli_line_apply(line, settings) != CLI_PARSED) return refuse_usage(line);
    if (command->prepare) {
        const int exit_code = command->prepare(settings);
        if (exit_code != CLI_DONE) return exit_code;
        if (cli_line_apply(line, settings) != CLI_PARSED) return refuse_usage(line);
    }
    if (cli_line_check(line, settings) != CLI_PARSED) return refuse_usage(line);
    return command->run(settings);
}

static int run_line(const cli_command *command, int count, char **arguments)
{
    cli_line line;
    int exit_code = CLI_DONE;
    if (!command->many_processes && process_number() > 0) {
        if (process_number() == 1)
            fprintf(stderr,
                    "warning: a launcher started several processes; quern %s works in the first alone "
                    "(QUERN_MPI_LIBRARY=off: in each)\n",
                    command->name);
        return CLI_DONE;
    }
    void *settings = calloc(1, command->settings_bytes);
    switch (cli_line_read(command, count, arguments, &line)) {
    case CLI_PARSED:
        exit_code = settings ? run_with(&line, settings) : cli_error(CLI_FAILED, "out of memory");
        if (settings && command->clear) command->clear(settings);
        break;
    case CLI_HELP_WANTED: exit_code = cli_command_help(command, 0, NULL); break;
    case CLI_BAD_USAGE: exit_code = refuse_usage(&line); break;
    }
    cli_line_clear(&line);
    free(settings);
    return exit_code;
}

int cli_command_run(const cli_command *command, int count, char **arguments)
{
    int exit_code = CLI_DONE;
    if (!cli_command_actions(command)) return run_line(command, count, arguments);
    const bool help = count > 0 && (strcmp(arguments[0], "-h") == 0 || strcmp(arguments[0], "--help") == 0 ||
                                    (!command->run && strcmp(arguments[0], "help") == 0));
    const bool of_action = count > 1 && arguments[1][0] != '-';
    if (help) return cli_command_help(command, of_action ? count - 1 : 0, arguments + 1);
    const cli_command *action = find_action(command, count, arguments, &exit_code);
    if (action) return cli_command_run(action, count - 1, arguments + 1);
    return command->run ? run_line(command, count, arguments) : exit_code;
}
