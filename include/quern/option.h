/* Options: those that every program's run has, and the tables that say what each program's options are.
 *
 * A table is the one place that knows an option: its name, where its value lies, its range, its default and its
 * meaning. Defaults are set from it and values are judged by it, whether they come from a command line, from a plan or
 * from a program; help, manual and run.json are written from it.
 *
 *     qn_dock_options options = qn_dock_default_options();
 *     options.run.device = "cuda:0";
 *     qn_option row;
 *     if (qn_option_find(qn_dock_table(), "spacing", &row) && qn_option_set(&row, "1.2", &options) == QN_OK) …
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

/* Each program says in its header which of these it reads, and what they mean there. */
typedef struct qn_run_options {
    const char *device;    /* see <quern/device.h>; several apart by commas; "all": every GPU; default "auto" */
    int threads;           /* of the context that a program makes for the run; 0: every processor allowed */
    uint64_t memory_bytes; /* at most about; 0: what there is */
    const char *tune; /* how kernels are tuned: "off", "known" (results of earlier runs), "online" (while it works),
                       * "offline" (before it works), "auto": QUERN_TUNE, else online where the run is estimated to
                       * take over a minute, else known; default "auto" */
    const char *tune_budget; /* share of the run that trying configurations may cost: "2%", "0.02" */
    bool explain;            /* log where kernel configurations and engines came from */
    bool resume;             /* go on with an unfinished run in the output folder */
    bool overwrite;          /* replace a finished run in the output folder */
    bool strict;             /* QN_BAD_FORMAT at the end when inputs were left out */
    bool quiet;              /* commands print warnings and errors only */
    uint64_t seed;           /* of random numbers */
    int batch;               /* pieces of work of a launch; 0: from the device */
    qn_progress_callback progress;
    void *progress_user;
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
    QN_OPTION_TEXTS,    /* const char *const *, and a size_t behind it: may be given several times */
    QN_OPTION_PAIR,     /* const char *[2]: two texts in a row */
    QN_OPTION_CHOICE,   /* const char *, one of `choices` */
    QN_OPTION_ENUM,     /* an enum: the place of one of `choices` */
    QN_OPTION_SHARE,    /* const char *: "5%" or "0.05" */
    QN_OPTION_BYTES,    /* uint64_t: "512MiB", "2GiB"; a bare number counts the row's unit */
    QN_OPTION_SECONDS,  /* double: "90s", "5min", "2h"; likewise */
    QN_OPTION_RANGE,    /* uint64_t[2]: "1-50000", the first and the last */
    QN_OPTION_BOX,      /* double[6]: "X,Y,Z,SIDE" or "X,Y,Z,A,B,C", a centre and three sides */
    QN_OPTION_PERCENTS, /* double[3]: "10%" or "10%,0,5%"; NaN for an axis that is not told */
    QN_OPTION_SIZES     /* int[count]: "4096x4092"; 0 for what is not told */
} qn_option_kind;

typedef enum qn_option_group {
    QN_OPTION_OWN,      /* an option of the program */
    QN_OPTION_ARGUMENT, /* an input, which command lines tell by its place */
    QN_OPTION_RUN       /* an option of every run, in qn_run_options */
} qn_option_group;

typedef struct qn_option {
    const char *name; /* "max-resolution"; behind dashes on command lines */
    char letter;      /* '\0': none */
    qn_option_kind kind;
    qn_option_group group;
    const char *argument;         /* of the value, in help: "FOLDER" */
    size_t offset;                /* of the value in the options */
    double least, most;           /* of numbers; of bytes, of seconds */
    int count;                    /* of sizes, at most */
    const char *choices;          /* words apart by one space */
    const char *fallback;         /* the default as a user would write it; NULL or "": 0, no, not given */
    const char *fallback_meaning; /* in help, instead of the default's value; "": nothing */
    const char *unit;    /* of a number, behind its name in run.json: "angstrom"; of a bare size or time: "MiB" */
    const char *meaning; /* one or two sentences with units, no final full stop */
    bool required;       /* a text that must be given */
    const struct qn_option *like; /* what is not said here is as there, and that row's offset is added; NULL */
} qn_option;

typedef struct qn_option_table {
    const char *program;   /* "dock"; of an action behind its command: "tune run" */
    size_t size;           /* of the options */
    const qn_option *rows; /* ended by one without name and like */
    /* Options that do not go together: QN_INVALID_ARGUMENT. NULL: any do. */
    qn_status (*check)(const void *options);
} qn_option_table;

/* A row, with what it takes from another one; false behind the last. */
bool qn_option_row(const qn_option_table *table, size_t index, qn_option *row);
bool qn_option_find(const qn_option_table *table, const char *name, qn_option *row);

/* All options become what they are by default; what no row says becomes 0. */
void qn_option_defaults(const qn_option_table *table, void *options);

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

/* Judge all values, each by itself and then together. A default is always good. QN_INVALID_ARGUMENT, as of
 * qn_option_set. */
QN_MUST_CHECK qn_status qn_option_check(const qn_option_table *table, const void *options);

/* The rows of qn_run_options: a program's table lists those that it reads, at the offset of its `run`. */
typedef enum qn_run_row {
    QN_RUN_DEVICES, /* several devices */
    QN_RUN_DEVICE,  /* one of them */
    QN_RUN_THREADS,
    QN_RUN_MEMORY,
    QN_RUN_TUNE,
    QN_RUN_TUNE_BUDGET,
    QN_RUN_EXPLAIN,
    QN_RUN_RESUME,
    QN_RUN_OVERWRITE,
    QN_RUN_STRICT,
    QN_RUN_QUIET,
    QN_RUN_SEED,
    QN_RUN_BATCH,
    QN_RUN_ROWS
} qn_run_row;

extern const qn_option qn_run_rows[QN_RUN_ROWS];

#ifdef __cplusplus
}
#endif
#endif
