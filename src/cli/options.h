/* Command lines, read by the option tables (<quern/option.h>) that commands name. Everything about an option is in its
 * table; this header covers only the syntax of command lines and the layout of help. */
#ifndef QN_CLI_OPTIONS_H
#define QN_CLI_OPTIONS_H

#include <quern/option.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table of a command, and the offset of its options in the command's settings. Where several parts have a row of the
 * same name, the row of the first part is used. */
typedef struct cli_part {
    const qn_option_table *table;
    size_t offset;
    bool without_arguments; /* the table's inputs are not given on the command line */
} cli_part;

enum { CLI_PARTS_MAX = 3 };

/* A command: it either does one thing, or has only `actions` ("tune" with "tune run", "tune list"), or both ("screen"
 * with "screen pack"). */
typedef struct cli_command {
    const char *name;                         /* an action's name includes its command's: "tune run" */
    const char *summary;                      /* one line, no final full stop */
    const char *description;                  /* paragraph of the help page */
    const struct cli_command *const *actions; /* the list ends with NULL; NULL: none */
    /* Instead of `actions`, for actions that are known only at run time; returns the same list at every call. */
    const struct cli_command *const *(*make_actions)(void);
    const void *subject; /* distinguishes commands that share functions; the first field, a pointer, of the settings */
    /* Fill in the parts; the caller has already put an entry without a table after them. */
    void (*list_parts)(const void *subject, cli_part parts[CLI_PARTS_MAX]);
    size_t settings_bytes;
    /* Called after the command line is read and before the settings are checked, to fill in settings that depend on it,
     * such as a plan's options; afterwards the options of the command line are set again. Returns the exit code. NULL:
     * nothing to fill in. */
    int (*prepare)(void *settings);
    int (*run)(void *settings); /* returns the exit code; NULL: the command has only actions */
    bool many_processes;        /* processes that MPI started do the work together; otherwise the first works alone */
    void (*clear)(void *settings); /* release what prepare allocated; NULL: nothing */
} cli_command;

/* Exit codes. A run that a signal stopped ends with CLI_SIGNALLED + the signal's number, as shells report it: 130 for
 * SIGINT, 143 for SIGTERM. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SIGNALLED = 128 };

typedef enum cli_parse_result { CLI_PARSED, CLI_HELP_WANTED, CLI_BAD_USAGE } cli_parse_result;

/* One option as it was given. */
typedef struct cli_given {
    qn_option row;
    size_t offset; /* bytes from the settings to the part's options */
    const char *texts[2];
} cli_given;

/* A parsed command line. */
typedef struct cli_line {
    const cli_command *command;
    cli_part parts[CLI_PARTS_MAX + 1]; /* a part without a table ends the list */
    cli_given *given;
    size_t given_count;
    const char **repeated; /* the texts of options given several times; those of one option are consecutive */
    char **positionals;
    size_t positional_count;
    char composed[128]; /* a value whose numbers were given by words of their own, such as --center_x */
    char message[512];  /* one sentence, on CLI_BAD_USAGE */
} cli_line;

/* Read `count` arguments (without program and command name). Positional ones are moved to the front of `arguments`,
 * which must live as long as the line. */
cli_parse_result cli_line_read(const cli_command *command, int count, char **arguments, cli_line *line);
void cli_line_clear(cli_line *line);

/* Set the defaults; set the given options; check all of them together. */
void cli_line_set_defaults(const cli_line *line, void *settings);
cli_parse_result cli_line_apply(cli_line *line, void *settings);
cli_parse_result cli_line_check(cli_line *line, const void *settings);

/* Get the next row that a command line can set, starting from part 0 and row 0. Returns false after the last row. */
bool cli_row_next(const cli_part *parts, size_t *part, size_t *index, qn_option *row);

/* The actions of a command; NULL when it has none. */
const cli_command *const *cli_command_actions(const cli_command *command);

/* The action's word after the command's name: "run" of "tune run". */
const char *cli_action_word(const cli_command *action);

void cli_options_print_help(const cli_command *command, FILE *stream);

/* Print a line of the help: a name at the left, its meaning beside it or, if the name is long, below. */
void cli_help_print_entry(FILE *stream, const char *left, const char *text);

/* Find the word of `words` that `text` most likely misspells; NULL: none is close. */
const char *cli_nearest_word(const char *text, const char *const *words, size_t count);

#endif
