/* quern: find the command and run it. This is the only place that sets the exit code (cli/options.h). */
#include "cli/commands.h"
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static void print_usage(FILE *stream)
{
    fputs("Usage: quern COMMAND [options] [arguments]\n\n"
          "A compute kit for structural biology.\n\n"
          "Commands:\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++)
        fprintf(stream, "  %-12s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fputs("\n"
          "quern help COMMAND or quern COMMAND -h prints a command's options.\n"
          "quern --version prints the version.\n\n"
          "Exit codes: 0 done, 1 failed, 2 an option or a plan is wrong, 130 and 143 stopped by Ctrl-C and SIGTERM.\n",
          stream);
}

static int refuse_command(const char *name)
{
    const char *names[64] = {"help"};
    size_t count = 1;
    for (size_t i = 0; cli_commands[i]; i++) names[count++] = cli_commands[i]->name;
    const char *nearest = cli_nearest_word(name, names, count);
    if (nearest) return cli_error(CLI_USAGE, "unknown command \"%s\"; did you mean %s?", name, nearest);
    return cli_error(CLI_USAGE, "unknown command \"%s\" (see quern -h)", name);
}

static int run_help(int count, char **arguments)
{
    if (count == 0) {
        print_usage(stdout);
        return CLI_DONE;
    }
    const cli_command *command = cli_command_find(arguments[0]);
    return command ? cli_command_help(command, count - 1, arguments + 1) : refuse_command(arguments[0]);
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "help") == 0)
        return run_help(count - 2, arguments + 2);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        cli_print_version();
        return CLI_DONE;
    }
    if (strcmp(name, cli_tune_worker_word) == 0) return cli_tune_work();
    if (strcmp(name, cli_complete_word) == 0) return cli_complete(count - 2, arguments + 2);
    const cli_command *command = cli_command_find(name);
    if (command) return cli_command_run(command, count - 2, arguments + 2);
    if (name[0] == '-') return cli_error(CLI_USAGE, "unknown option %s (see quern -h)", name);
    return refuse_command(name);
}

int main(int count, char **arguments)
{
    cli_command_line_set(count, arguments);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, with a sentence and without remains */
    int exit_code = dispatch(count, arguments);
    /* A full disk or a closed pipe at standard output must not look like success. */
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && exit_code == CLI_DONE)
        exit_code = cli_error(CLI_FAILED, "cannot write to standard output: %s", strerror(errno));
    return exit_code;
}
