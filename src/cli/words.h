/* Words of other programs on the command line: options of GROMACS, cpptraj, AutoDock Vina, RELION, HADDOCK and Kernel
 * Tuner that mean what an option or an argument here means, and those that mean something else, whose refusal names
 * what to give instead. docs/coming-from-other-programs.md has the same table, and cli/words compares the two.
 * These words belong to command lines alone: plans and programs use the names of the option tables. */
#ifndef QN_CLI_WORDS_H
#define QN_CLI_WORDS_H

#include "cli/options.h"

typedef enum cli_word_kind {
    CLI_WORD_SAME,    /* another name of a row */
    CLI_WORD_PART,    /* one of the numbers of a row's value: --center_x */
    CLI_WORD_REFUSED, /* not taken, because the meaning is not the same */
    CLI_WORD_CLASH    /* an option here with another meaning, refused with values that only the other meaning has */
} cli_word_kind;

typedef struct cli_word {
    const char *scope; /* a command, an action, or all actions: "screen", "trajectory rdf", "trajectory *"; NULL: all */
    const char *program; /* "AutoDock Vina" */
    const char *word;    /* with its dashes */
    cli_word_kind kind;
    const char *option;    /* the row's name; of a clash, the row that is refused; NULL where it is refused */
    const char *value;     /* SAME: the only value taken; CLASH: a pattern of values that are refused */
    const char *gives;     /* SAME: what the row gets; with `value` NULL the word has no value of its own */
    const char *also;      /* PART: a flag that the row gets along with it */
    const char *separator; /* PART: between the numbers */
    size_t place, places;  /* PART: of the number among all */
    const char *advice;    /* REFUSED and CLASH: what to give instead */
} cli_word;

/* The table; ended by one without a word. */
extern const cli_word cli_words[];

/* Whether a word belongs to a command and, unless it is refused, to a row that its command line can set; the row and
 * the part that has it are given. */
bool cli_word_applies(const cli_word *word, const cli_command *command, const cli_part *parts, qn_option *row,
                      size_t *part);

/* Whether an option that has been given is a clash: the message is then complete. */
bool cli_word_clashes(const cli_command *command, const qn_option *row, const char *value, char *message, size_t bytes);

/* Print which words a command takes as well, program by program; nothing if there are none. */
void cli_words_print_help(const cli_command *command, const cli_part *parts, FILE *stream);

#endif
