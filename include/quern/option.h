/* Options: those that every program's run has, and the tables that say what each program's options are.
 *
 * Only a table defines an option: its name, the place of its value, its range, its default and its meaning. Defaults
 * are set from the table and values are checked against it, whether they come from a command line, from a plan or from
 * a program; help, manual and run.json are written from the table.
 *
 *     qn_dock_options options = qn_dock_default_options();
 *     qn_option row;
 *     if (!qn_option_find(qn_dock_option_table(), "spacing", &row)) return 1;
 *     if (qn_option_set(&row, "1.2", &options) != QN_OK) return 1;
 *     printf("%s: %g %s\n", row.name, options.spacing_angstrom, row.unit);
 */
#ifndef QUERN_OPTION_H
#define QUERN_OPTION_H

#include <quern/log.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How kernels get their configurations. */
typedef enum qn_tune_mode {
    QN_TUNE_AUTO,    /* as the environment variable QUERN_TUNE says; else ONLINE */
    QN_TUNE_ONLINE,  /* the run also tries configurations while it works */
    QN_TUNE_OFFLINE, /* the run tries configurations before it works */
    QN_TUNE_KNOWN,   /* results of earlier runs and those that come with the library */
    QN_TUNE_OFF      /* each kernel's fallback */
} qn_tune_mode;

/* Each program says in its header which of these it reads, and what they mean there. The struct is embedded in the
 * options of programs, so it cannot grow: later options take the place of `reserved`. */
typedef struct qn_run_options {
    const char *device;      /* see <quern/device.h>; several, separated by commas; "all": every GPU; default "auto" */
    int threads;             /* of the context that a program makes for the run; 0: every processor allowed */
    uint64_t memory_bytes;   /* approximate limit; 0: the program's default */
    qn_tune_mode tune;       /* default QN_TUNE_AUTO */
    const char *tune_budget; /* share of the run that trying configurations may cost: "2%", "0.02"; default "2%" */
    bool explain;            /* log where kernel configurations and engines came from */
    bool resume;             /* go on with an unfinished run in the output folder */
    bool overwrite;          /* replace a finished run in the output folder */
    bool strict;             /* QN_BAD_FORMAT at the end when inputs were left out */
    bool quiet;              /* commands print warnings and errors only */
    uint64_t seed;           /* of random numbers */
    int batch;               /* pieces of work in a launch; 0: chosen for the device */
    qn_progress_callback progress;
    void *progress_user;
    uint64_t reserved[8]; /* 0 */
} qn_run_options;

/* ---- tables ---- */

enum { QN_OPTION_SIZES_MAX = 5 };

/* The type of a value, and how it is written. */
typedef enum qn_option_kind {
    QN_OPTION_FLAG,     /* bool: yes or no; --name says yes */
    QN_OPTION_UNLESS,   /* bool, yes by default; --no-name says no */
    QN_OPTION_INTEGER,  /* int */
    QN_OPTION_WHOLE,    /* uint64_t */
    QN_OPTION_NUMBER,   /* double; where there are `choices`, one of these numbers */
    QN_OPTION_TEXT,     /* const char *, not empty; NULL: not given */
    QN_OPTION_PATH,     /* likewise, a file or a folder */
    QN_OPTION_TEXTS,    /* const char *const *, followed by a size_t: may be given several times */
    QN_OPTION_PAIR,     /* const char *[2]: two texts in a row */
    QN_OPTION_ENUM,     /* an enum: the index of one of `choices` */
    QN_OPTION_SHARE,    /* const char *: "5%" or "0.05" */
    QN_OPTION_BYTES,    /* uint64_t: "512MiB", "2GiB"; a bare number is in the row's unit */
    QN_OPTION_SECONDS,  /* double: "90s", "5min", "2h"; likewise */
    QN_OPTION_RANGE,    /* uint64_t[2]: "1-50000", the first and the last */
    QN_OPTION_BOX,      /* double[6]: "X,Y,Z,SIDE" or "X,Y,Z,A,B,C", a centre and three sides */
    QN_OPTION_PERCENTS, /* double[3]: "10%" or "10%,0,5%"; NaN for an axis that is not given */
    QN_OPTION_SIZES,    /* int[count]: "4096x4092"; 0 for an axis that is not given */
    QN_OPTION_QUOTA     /* int: "20", a count, or "50%", a share, as -50 */
} qn_option_kind;

typedef enum qn_option_group {
    QN_OPTION_OWN,      /* an option of the program */
    QN_OPTION_ARGUMENT, /* an input, which command lines identify by its position */
    QN_OPTION_RUN       /* an option of every run, in qn_run_options */
} qn_option_group;

typedef struct qn_option {
    const char *name; /* "max-resolution"; after two dashes on command lines */
    char letter;      /* '\0': none */
    qn_option_kind kind;
    qn_option_group group;
    const char *argument;         /* of the value, in help: "FOLDER" */
    size_t offset;                /* of the value in the options */
    double least, most;           /* of numbers; of bytes, of seconds */
    int count;                    /* of sizes, at most */
    const char *choices;          /* words separated by one space */
    const char *fallback;         /* the default as a user would write it; NULL or "": 0, no, not given */
    const char *fallback_meaning; /* in help, instead of the default's value; "": nothing */
    const char *unit;    /* of a number, after its name in run.json: "angstrom"; of a bare size or time: "MiB" */
    const char *meaning; /* one or two sentences with units, no final full stop */
    bool required;       /* a text that must be given */
    bool by_commands;    /* required on command lines only: programs may give it in memory, or omit it */
    bool is_output;      /* of a path: the command writes there */
    const struct qn_option *like; /* row that supplies all members not set here; its offset is added; NULL: none */
} qn_option;

typedef struct qn_option_table {
    const char *program;   /* "dock"; of an action, after its command: "tune run" */
    size_t size;           /* of the options, whose first member is their size_t size */
    const qn_option *rows; /* ended by one without name and like */
    /* QN_INVALID_ARGUMENT for options that cannot be combined. NULL: all combinations are valid. */
    qn_status (*check)(const void *options);
    /* The same for one option that is given, be its value the default: it may belong to others. NULL: all may be given.
     */
    qn_status (*check_given)(const void *options, const char *name);
} qn_option_table;

/* Get row `index`, completed from the row that it is like; false past the last row. */
bool qn_option_row(const qn_option_table *table, size_t index, qn_option *row);
bool qn_option_find(const qn_option_table *table, const char *name, qn_option *row);

/* Set the options to their defaults: their `size` to `size`, the values of rows to the rows' defaults, all else to 0.
 * `size` is that of the caller's struct in bytes. It may be smaller or larger than this library's struct if the
 * versions differ: rows beyond it are left out. */
void qn_option_defaults(const qn_option_table *table, void *options, size_t size);

/* Copy options that a program was given into a struct of this library, `own` (table->size bytes). Options that an older
 * struct does not have get their defaults; `given` NULL: all do. QN_INVALID_ARGUMENT for a size that no version had,
 * and for a newer struct that sets options which this library does not know. */
QN_MUST_CHECK qn_status qn_option_take(const qn_option_table *table, const void *given, void *own);

/* Set a value from a text, which must live as long as the options if the value is a text. QN_INVALID_ARGUMENT: "--name
 * is "text"; expected …". */
QN_MUST_CHECK qn_status qn_option_set(const qn_option *row, const char *text, void *options);

/* The same for values of several texts: QN_OPTION_TEXTS and QN_OPTION_PAIR. */
QN_MUST_CHECK qn_status qn_option_set_texts(const qn_option *row, const char *const *texts, size_t count,
                                            void *options);

/* The value as a user would write it; "" for a text that is not given. Returns the length that it needs. */
size_t qn_option_format(const qn_option *row, const void *options, char *text, size_t bytes);

/* Whether the value is the default. */
bool qn_option_is_default(const qn_option *row, const void *options);

/* Check all values, each by itself and then together. A default is always valid. QN_INVALID_ARGUMENT, with a message as
 * of qn_option_set. */
QN_MUST_CHECK qn_status qn_option_check(const qn_option_table *table, const void *options);

/* The same for a command line, which must also give the options that commands require. */
QN_MUST_CHECK qn_status qn_option_check_command(const qn_option_table *table, const void *options);

/* Check an option that a command line gives, by its row's name, beside the values of the others: some belong together,
 * also with their default values. qn_option_check does it for values that are not the defaults. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_option_check_given(const qn_option_table *table, const void *options, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
