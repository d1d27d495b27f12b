/* Command lines, read by the tables of options (<quern/option.h>) that commands name. What a table says of an option is
 * said there alone: here is only how command lines are written and how help looks. */
#ifndef QN_CLI_OPTIONS_H
#define QN_CLI_OPTIONS_H

#include <quern/option.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table of a command, and where its options lie in the command's settings. Where parts have rows of one name, the
 * first part's counts. */
typedef struct cli_part {
    const qn_option_table *table;
    size_t offset;
    bool without_arguments; /* command lines do not tell its inputs */
} cli_part;

enum { CLI_PARTS_MAX = 3 };

/* A command that does one thing, one that has `actions` ("tune" with "tune run", "tune list") and nothing below them,
 * or both ("screen" with "screen pack"). */
typedef struct cli_command {
    const char *name;                         /* of an action with its command's: "tune run" */
    const char *summary;                      /* one line, no final full stop */
    const char *description;                  /* paragraph of the help page */
    const struct cli_command *const *actions; /* ended by NULL; NULL: none */
    /* Instead of these, for actions that are only known when the program runs; the same list at every call. */
    const struct cli_command *const *(*make_actions)(void);
    const void *subject; /* tells commands of the same functions apart; the first field, a pointer, of the settings */
    /* Fill in the parts; behind them is one without a table already. */
    void (*list_parts)(const void *subject, cli_part parts[CLI_PARTS_MAX]);
    size_t settings_bytes;
    /* Called once all is read, before it is judged, to fill in what depends on it, such as a plan's options: those of
     * the command line are set once more after it. Returns the exit code. NULL: there is nothing to fill in. */
    int (*prepare)(void *settings);
    int (*run)(void *settings);    /* the exit code; NULL: it has only actions */
    void (*clear)(void *settings); /* what prepare made; NULL: nothing */
} cli_command;

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum cli_parse_result { CLI_PARSED, CLI_HELP_WANTED, CLI_BAD_USAGE } cli_parse_result;

/* One option as it was given. */
typedef struct cli_given {
    qn_option row;
    size_t offset; /* of the part's options in the settings */
    const char *texts[2];
} cli_given;

/* A command line that was read. */
typedef struct cli_line {
    const cli_command *command;
    cli_part parts[CLI_PARTS_MAX + 1]; /* ended by one without a table */
    cli_given *given;
    size_t given_count;
    const char **repeated; /* the texts of options that are given several times, each option's together */
    char **positionals;
    size_t positional_count;
    char message[512]; /* one sentence, on CLI_BAD_USAGE */
} cli_line;

/* Read `count` arguments (without program and command name). Positional ones are moved to the front of `arguments`,
 * which must live as long as the line. */
cli_parse_result cli_line_read(const cli_command *command, int count, char **arguments, cli_line *line);
void cli_line_clear(cli_line *line);

/* Defaults; what was given; whether all goes together. */
void cli_line_set_defaults(const cli_line *line, void *settings);
cli_parse_result cli_line_apply(cli_line *line, void *settings);
cli_parse_result cli_line_check(cli_line *line, const void *settings);

/* The next row of the parts, from part 0 and row 0 on, that a command line can tell; false behind the last. */
bool cli_row_next(const cli_part *parts, size_t *part, size_t *index, qn_option *row);

/* The actions of a command; NULL when it has none. */
const cli_command *const *cli_command_actions(const cli_command *command);

/* What an action is called after its command: "run" of "tune run". */
const char *cli_action_word(const cli_command *action);

void cli_options_print_help(const cli_command *command, FILE *stream);

/* The word of `words` that `text` is most likely a misspelling of, or NULL when none is close. */
const char *cli_nearest_word(const char *text, const char *const *words, size_t count);

#endif
