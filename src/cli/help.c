#include "cli/options.h"

#include <stdint.h>
#include <string.h>

enum { TEXT_COLUMN = 30, LAST_COLUMN = 100 };

/* Print words of `text` from column `column`, continued at `indent`. */
static void print_wrapped(FILE *stream, const char *text, size_t column, size_t indent)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > LAST_COLUMN) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(stream, "%s%.*s", first ? "" : " ", (int)length, text);
        column += length + !first;
        first = false;
        text += length;
        text += *text == ' ';
    }
    fputc('\n', stream);
}

static void print_entry(FILE *stream, const char *left, const char *text)
{
    int written = fprintf(stream, "  %s", left);
    if (written + 2 > TEXT_COLUMN)
        fprintf(stream, "\n%*s", TEXT_COLUMN, "");
    else
        fprintf(stream, "%*s", TEXT_COLUMN - written, "");
    print_wrapped(stream, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void describe_default(const cli_option *option, const unsigned char *defaults, char *text, size_t bytes)
{
    const unsigned char *field = defaults + option->offset;
    text[0] = '\0';
    if (option->default_text) {
        snprintf(text, bytes, "%s", option->default_text);
    } else if (option->type == CLI_INTEGER) {
        int value;
        memcpy(&value, field, sizeof value);
        snprintf(text, bytes, "%d", value);
    } else if (option->type == CLI_SEED) {
        uint64_t value;
        memcpy(&value, field, sizeof value);
        snprintf(text, bytes, "%llu", (unsigned long long)value);
    } else if (option->type == CLI_NUMBER) {
        double value;
        memcpy(&value, field, sizeof value);
        snprintf(text, bytes, "%g", value);
    } else if (option->type == CLI_TEXT || option->type == CLI_CHOICE) {
        const char *value;
        memcpy(&value, field, sizeof value);
        if (value) snprintf(text, bytes, "%s", value);
    }
}

static void print_option(FILE *stream, const cli_option *option, const unsigned char *defaults)
{
    char left[96], fallback[96], text[1024];
    int length = option->letter ? snprintf(left, sizeof left, "-%c, --%s", option->letter, option->name)
                                : snprintf(left, sizeof left, "    --%s", option->name);
    if (option->argument) snprintf(left + length, sizeof left - (size_t)length, " %s", option->argument);
    length = snprintf(text, sizeof text, "%s", option->help);
    size_t used = (size_t)length;
    if (option->type == CLI_CHOICE)
        used += (size_t)snprintf(text + used, sizeof text - used, "; one of: %s", option->choices);
    describe_default(option, defaults, fallback, sizeof fallback);
    if (option->required)
        snprintf(text + used, sizeof text - used, " (required)");
    else if (fallback[0])
        snprintf(text + used, sizeof text - used, " (default %s)", fallback);
    print_entry(stream, left, text);
}

const char *cli_action_word(const cli_command *action)
{
    const char *space = strchr(action->name, ' ');
    return space ? space + 1 : action->name;
}

const cli_command *const *cli_command_actions(const cli_command *command)
{
    return command->make_actions ? command->make_actions() : command->actions;
}

static void print_actions(const cli_command *command, FILE *stream)
{
    const cli_command *const *actions = cli_command_actions(command);
    int width = 12;
    fprintf(stream, "Usage: quern %s ACTION [options] [arguments]\n\n", command->name);
    print_wrapped(stream, command->description, 0, 0);
    fputs("\nActions:\n", stream);
    for (size_t i = 0; actions[i]; i++)
        if ((int)strlen(cli_action_word(actions[i])) + 2 > width) width = (int)strlen(cli_action_word(actions[i])) + 2;
    for (size_t i = 0; actions[i]; i++)
        fprintf(stream, "  %-*s%s\n", width, cli_action_word(actions[i]), actions[i]->summary);
    fprintf(stream, "\nquern %s ACTION -h prints an action's options.\n", command->name);
}

void cli_options_print_help(const cli_command *command, const void *defaults, FILE *stream)
{
    if (cli_command_actions(command)) {
        print_actions(command, stream);
        return;
    }
    fprintf(stream, "Usage: quern %s", command->name);
    for (const cli_positional *place = command->positionals; place->name; place++)
        fprintf(stream, place->optional ? " [%s%s]" : " %s%s", place->name, place->many ? "..." : "");
    for (const cli_option *option = command->options; option->name; option++)
        if (option->required) fprintf(stream, " --%s %s", option->name, option->argument);
    fputs(" [options]", stream);
    fputs("\n\n", stream);
    print_wrapped(stream, command->description, 0, 0);
    if (command->positionals->name) fputs("\nArguments:\n", stream);
    for (const cli_positional *place = command->positionals; place->name; place++)
        print_entry(stream, place->name, place->help);
    fputs("\nOptions:\n", stream);
    for (const cli_option *option = command->options; option->name; option++) print_option(stream, option, defaults);
    print_entry(stream, "-h, --help", "print this text");
}
