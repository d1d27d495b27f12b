#include "cli/words.h"

#include <string.h>

enum { TEXT_COLUMN = 30, LAST_COLUMN = 100 };

/* Print the words of `text` from column `column` on; further lines begin at `indent`. */
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

void cli_help_print_entry(FILE *stream, const char *left, const char *text)
{
    int written = fprintf(stream, "  %s", left);
    if (written + 2 > TEXT_COLUMN)
        fprintf(stream, "\n%*s", TEXT_COLUMN, "");
    else
        fprintf(stream, "%*s", TEXT_COLUMN - written, "");
    print_wrapped(stream, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* Write the default as a user would write it; "" if the help does not show it. */
static void describe_default(const qn_option *row, char *text, size_t bytes)
{
    const char *fallback = row->fallback_meaning ? row->fallback_meaning : row->fallback ? row->fallback : "";
    const bool is_length = row->kind == QN_OPTION_TEXT && row->unit && *fallback;
    snprintf(text, bytes, "%s%s%s", fallback, is_length ? " " : "", is_length ? row->unit : "");
}

static void print_option(FILE *stream, const qn_option *row)
{
    char left[96], fallback[96], text[1024];
    const char *negation = row->kind == QN_OPTION_UNLESS ? "no-" : "";
    int length = row->letter ? snprintf(left, sizeof left, "-%c, --%s%s", row->letter, negation, row->name)
                             : snprintf(left, sizeof left, "    --%s%s", negation, row->name);
    if (row->argument) snprintf(left + length, sizeof left - (size_t)length, " %s", row->argument);
    size_t used = (size_t)snprintf(text, sizeof text, "%s", row->meaning);
    if (row->choices) used += (size_t)snprintf(text + used, sizeof text - used, "; one of: %s", row->choices);
    if (row->kind == QN_OPTION_BYTES)
        used += (size_t)snprintf(text + used, sizeof text - used, "; a number in %s, or with a unit, such as 512MiB",
                                 row->unit ? row->unit : "bytes");
    describe_default(row, fallback, sizeof fallback);
    if (fallback[0])
        snprintf(text + used, sizeof text - used, " (default %s)", fallback);
    else if (row->required)
        snprintf(text + used, sizeof text - used, " (required)");
    cli_help_print_entry(stream, left, text);
}

const char *cli_action_word(const cli_command *action)
{
    const char *space = strrchr(action->name, ' ');
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
    fputs("\nActions:\n", stream);
    for (size_t i = 0; actions[i]; i++)
        if ((int)strlen(cli_action_word(actions[i])) + 2 > width) width = (int)strlen(cli_action_word(actions[i])) + 2;
    for (size_t i = 0; actions[i]; i++)
        fprintf(stream, "  %-*s%s\n", width, cli_action_word(actions[i]), actions[i]->summary);
    fprintf(stream, "\nquern %s ACTION -h prints an action's options.\n", command->name);
}

/* Print the words of the usage line after the command's name. */
static void print_usage(const cli_part *parts, FILE *stream)
{
    size_t part = 0, index = 0;
    qn_option row;
    while (cli_row_next(parts, &part, &index, &row)) {
        if (row.group != QN_OPTION_ARGUMENT) continue;
        const char *dots = row.kind == QN_OPTION_TEXTS ? "..." : "";
        fprintf(stream, row.required ? " %s%s" : " [%s%s]", row.argument, dots);
    }
    part = index = 0;
    while (cli_row_next(parts, &part, &index, &row))
        if (row.group != QN_OPTION_ARGUMENT && row.required && !row.fallback_meaning)
            fprintf(stream, " --%s %s", row.name, row.argument);
    fputs(" [options]\n\n", stream);
}

/* Print the rows of one group under a title, if it has any. */
static void print_group(const cli_part *parts, qn_option_group group, const char *title, FILE *stream)
{
    size_t part = 0, index = 0, printed = 0;
    qn_option row;
    while (cli_row_next(parts, &part, &index, &row)) {
        if (row.group != group) continue;
        if (printed++ == 0) fprintf(stream, "\n%s:\n", title);
        if (group == QN_OPTION_ARGUMENT)
            cli_help_print_entry(stream, row.argument, row.meaning);
        else
            print_option(stream, &row);
    }
}

void cli_options_print_help(const cli_command *command, FILE *stream)
{
    cli_part parts[CLI_PARTS_MAX + 1] = {{0}};
    fprintf(stream, "Usage: quern %s", command->name);
    if (!command->run) {
        fputs(" ACTION [options] [arguments]\n\n", stream);
        print_wrapped(stream, command->description, 0, 0);
        print_actions(command, stream);
        return;
    }
    command->list_parts(command->subject, parts);
    print_usage(parts, stream);
    print_wrapped(stream, command->description, 0, 0);
    print_group(parts, QN_OPTION_ARGUMENT, "Arguments", stream);
    print_group(parts, QN_OPTION_OWN, "Options", stream);
    print_group(parts, QN_OPTION_RUN, "Options of the run", stream);
    cli_words_print_help(command, parts, stream);
    fputc('\n', stream);
    cli_help_print_entry(stream, "-h, --help", "print this text");
    if (cli_command_actions(command)) print_actions(command, stream);
}
