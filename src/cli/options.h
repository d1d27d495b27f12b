/* Options as data. A command lists its options and positional arguments in tables; each entry says where in the
 * command's settings struct its value goes. The parser, the help text and the defaults shown in it all come from the
 * same table and the same freshly defaulted settings, so they cannot disagree. */
#ifndef QN_CLI_OPTIONS_H
#define QN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_type {
    CLI_FLAG,    /* bool, no value */
    CLI_INTEGER, /* int in [least, most] */
    CLI_SEED,    /* uint64_t, any */
    CLI_NUMBER,  /* double in [least, most] */
    CLI_TEXT,    /* const char *, not empty */
    CLI_CHOICE,  /* const char *, one of the words in `choices` */
    CLI_PAIR,    /* const char *[2], two values in a row */
    CLI_TEXTS    /* cli_texts: the option may be repeated */
} cli_type;

enum { CLI_TEXTS_MOST = 64 };

typedef struct cli_texts {
    const char *items[CLI_TEXTS_MOST];
    size_t count;
} cli_texts;

/* A table ends with an entry without a name. */
typedef struct cli_option {
    const char *name; /* without dashes */
    char letter;      /* '\0': none */
    cli_type type;
    const char *argument; /* what help calls the value: "FOLDER" */
    size_t offset;        /* of the field in the command's settings */
    double least, most;
    const char *choices;      /* words separated by one space */
    const char *help;         /* one or two sentences with units, no final full stop */
    const char *default_text; /* shown instead of the value, e.g. for a 0 that means "chosen"; "" shows nothing */
    bool required;
} cli_option;

/* Positional arguments are required unless `optional`, after which come optional ones only; `many` is allowed on the
 * last one. */
typedef struct cli_positional {
    const char *name;
    size_t offset; /* of a const char *, or of a cli_list when `many` */
    bool many, optional;
    const char *help;
} cli_positional;

typedef struct cli_list {
    const char *const *items;
    size_t count;
} cli_list;

/* A command that does one thing, or one that has `actions` ("tune" with "tune run", "tune list") and nothing below
 * them here. */
typedef struct cli_command {
    const char *name;                         /* of an action with its command's: "tune run" */
    const char *summary;                      /* one line, no final full stop */
    const char *description;                  /* paragraph of the help page */
    const struct cli_command *const *actions; /* ended by NULL */
    /* Instead of these, for actions that are only known when the program runs; the same list at every call. */
    const struct cli_command *const *(*make_actions)(void);
    const cli_positional *positionals;
    const cli_option *options;
    const void *subject; /* what tells commands of the same functions apart: set as the first field, a pointer, of the
                            settings before the defaults are; NULL: nothing is */
    size_t settings_bytes;
    void (*set_defaults)(void *settings);
    int (*run)(void *settings); /* the exit code */
} cli_command;

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum cli_parse_result { CLI_PARSED, CLI_HELP_WANTED, CLI_BAD_USAGE } cli_parse_result;

/* Read `count` arguments (without program and command name) into `settings`, which hold the defaults. Positional
 * arguments are moved to the front of `arguments`, in order. On CLI_BAD_USAGE one sentence is in `message`. */
cli_parse_result cli_options_parse(const cli_command *command, int count, char **arguments, void *settings,
                                   char *message, size_t message_bytes);

/* The actions of a command; NULL when it has none. */
const cli_command *const *cli_command_actions(const cli_command *command);

/* What an action is called after its command: "run" of "tune run". */
const char *cli_action_word(const cli_command *action);

/* The command's help page; `defaults` is NULL for one with actions. */
void cli_options_print_help(const cli_command *command, const void *defaults, FILE *stream);

/* The word of `words` that `text` is most likely a misspelling of, or NULL when none is close. */
const char *cli_nearest_word(const char *text, const char *const *words, size_t count);

#endif
