/* To add a command: write command_<name>.c with its tables, list it here and in commands.h, and write
 * docs/commands/<name>.md. */
#include "cli/commands.h"

#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

const cli_command *const cli_commands[] = {&cli_dock,    &cli_screen,   &cli_trajectory, &cli_reconstruct, &cli_fsc,
                                           &cli_project, &cli_evaluate, &cli_devices,    &cli_tune,        &cli_fft,
                                           NULL};

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static void *create_settings(const cli_command *command)
{
    void *settings = calloc(1, command->settings_bytes);
    if (!settings) {
        cli_error(CLI_FAILED, "out of memory");
        return NULL;
    }
    if (command->subject) memcpy(settings, &command->subject, sizeof command->subject);
    command->set_defaults(settings);
    return settings;
}

/* The action that the first argument names; NULL, with *exit_code set, when there is none. */
static const cli_command *find_action(const cli_command *command, int count, char *const *arguments, int *exit_code)
{
    const char *names[64];
    size_t known = 0;
    const cli_command *const *actions = cli_command_actions(command);
    *exit_code = CLI_USAGE;
    if (count == 0) {
        cli_options_print_help(command, NULL, stderr);
        return NULL;
    }
    for (; actions[known]; known++) {
        names[known] = cli_action_word(actions[known]);
        if (strcmp(names[known], arguments[0]) == 0) return actions[known];
    }
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
    if (cli_command_actions(command) && count == 0) {
        cli_options_print_help(command, NULL, stdout);
        return CLI_DONE;
    }
    if (cli_command_actions(command)) {
        const cli_command *action = find_action(command, count, arguments, &exit_code);
        return action ? cli_command_help(action, 0, NULL) : exit_code;
    }
    void *settings = create_settings(command);
    if (!settings) return CLI_FAILED;
    cli_options_print_help(command, settings, stdout);
    free(settings);
    return CLI_DONE;
}

int cli_command_run(const cli_command *command, int count, char **arguments)
{
    char message[512];
    int exit_code = CLI_DONE;
    if (cli_command_actions(command)) {
        if (count > 0 && (strcmp(arguments[0], "-h") == 0 || strcmp(arguments[0], "--help") == 0))
            return cli_command_help(command, 0, NULL);
        const cli_command *action = find_action(command, count, arguments, &exit_code);
        return action ? cli_command_run(action, count - 1, arguments + 1) : exit_code;
    }
    void *settings = create_settings(command);
    if (!settings) return CLI_FAILED;
    switch (cli_options_parse(command, count, arguments, settings, message, sizeof message)) {
    case CLI_PARSED: exit_code = command->run(settings); break;
    case CLI_HELP_WANTED: exit_code = cli_command_help(command, 0, NULL); break;
    case CLI_BAD_USAGE:
        exit_code = cli_error(CLI_USAGE, "%s: %s (see quern %s -h)", command->name, message, command->name);
        break;
    }
    free(settings);
    return exit_code;
}
