/* Where the files of a run go, and what lies there before the run begins.
 *
 * A run has a folder of its own ("out": out/poses.csv), or its files lie beside others under one stem ("maps/first":
 * maps/first.mrc, maps/first_half1.mrc); then only names that begin with the stem count.
 */
#ifndef QN_JOB_OUTPUT_H
#define QN_JOB_OUTPUT_H

#include <jansson.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_output {
    const char *folder;         /* the run's own, or NULL */
    const char *stem;           /* of files beside others, or NULL */
    const char *const *names;   /* with a stem: all that a run may write, without the stem, ended by NULL */
    const char *journal_folder; /* name of a folder for journals alone, gone when the run is complete; NULL: journals
                                 * lie among the results and stay */
    const char *aside;          /* files of that folder that are no journals begin so: "sums."; NULL: there are none */
} qn_output;

typedef enum qn_output_state {
    QN_OUTPUT_EMPTY,
    QN_OUTPUT_FOREIGN,    /* files that no run of this program left */
    QN_OUTPUT_UNFINISHED, /* journals of this program, and no run.json */
    QN_OUTPUT_FINISHED    /* a run.json of this program */
} qn_output_state;

typedef struct qn_output_found {
    qn_output_state state;
    char *foreign;   /* path of one of the files; NULL in other states */
    json_t *run;     /* content of run.json; NULL: there is none of this program */
    char *busy;      /* a journal that another process writes; NULL */
    size_t journals; /* how many there are of this program */
} qn_output_found;

/* The path of a file of the run, "run.json"; with a stem "first_run.json", and of ".mrc" "first.mrc". Released with
 * qn_release. */
QN_MUST_CHECK qn_status qn_output_path(const qn_output *output, const char *name, char **path);

/* The folder that journals lie in, NULL where there can be none; released with qn_release. */
QN_MUST_CHECK qn_status qn_output_journals(const qn_output *output, char **folder);

/* The name of a file by the folder that files lie in, as run.json lists it: the part of `path` behind that folder. */
const char *qn_output_listed_name(const qn_output *output, const char *path);

/* The path of a file that run.json lists; released with qn_release. */
QN_MUST_CHECK qn_status qn_output_listed_path(const qn_output *output, const char *listed_name, char **path);

/* Look at what is there, without changing anything. Clear `found` also after a failure. */
QN_MUST_CHECK qn_status qn_output_look(const qn_output *output, const char *program, qn_output_found *found);
void qn_output_found_clear(qn_output_found *found);

/* Remove what a finished run lists and, with a stem, all of `names`; other files stay. */
QN_MUST_CHECK qn_status qn_output_remove_files(const qn_output *output, const qn_output_found *found);

/* Remove the program's journals, but the one of rank `kept` (−1: none is), and what was put aside; the journals' own
 * folder where it is empty then. */
QN_MUST_CHECK qn_status qn_output_remove_journals(const qn_output *output, const char *program, int kept);

/* Remove run.json: what is there is no finished run any more. */
QN_MUST_CHECK qn_status qn_output_remove_run(const qn_output *output);

/* Remove one file of the run, and the folders between it and the output that are empty then. */
void qn_output_remove_file(const qn_output *output, const char *listed_name);

/* The value of line "name=value" of the key that the journals, or else run.json, have; "" when there is none. */
QN_MUST_CHECK qn_status qn_output_value(const qn_output *output, const char *name, char *value, size_t capacity);

/* Whether `path` can be written: into its folder, or where that is absent into the next one above that is there, a file
 * is put and taken away again. *absent is the topmost folder that would have to be made, NULL where all are there;
 * released with qn_release. QN_IO_ERROR, QN_INVALID_ARGUMENT (`path` is a folder, or below a file). */
QN_MUST_CHECK qn_status qn_output_check_folder(const char *path, char **absent);

/* Remove the folder of `path` and those above it up to `absent`, as far as they are empty. */
void qn_output_remove_folders(const char *path, const char *absent);

#endif
