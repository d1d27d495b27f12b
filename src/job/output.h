/* The output of a run: the place of its files, and the files that are there before the run begins.
 *
 * A run has a folder of its own ("out": out/poses.csv), or its files have a common stem and lie beside other files
 * ("maps/first": maps/first.mrc, maps/first_half1.mrc). In the latter case, files whose names do not begin with the
 * stem are ignored.
 */
#ifndef QN_JOB_OUTPUT_H
#define QN_JOB_OUTPUT_H

#include <jansson.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_output {
    const char *folder;         /* folder of the run's own; NULL: there is a stem */
    const char *stem;           /* common beginning of the files' paths; NULL: there is a folder */
    const char *const *names;   /* with a stem: names of all files that a run may write, without the stem; NULL ends */
    const char *journal_folder; /* name of a folder for journals, removed when the run is complete; NULL: journals lie
                                 * among the results and are kept */
    const char *aside;          /* beginning of the names of other files in the journals' folder, such as "sums."; NULL:
                                 * there are none */
} qn_output;

typedef enum qn_output_state {
    QN_OUTPUT_EMPTY,
    QN_OUTPUT_FOREIGN,    /* files that no run of this program wrote */
    QN_OUTPUT_UNFINISHED, /* journals of this program, and no run.json */
    QN_OUTPUT_FINISHED    /* a run.json of this program */
} qn_output_state;

typedef struct qn_output_found {
    qn_output_state state;
    char *foreign;   /* path of a file that makes the state QN_OUTPUT_FOREIGN; NULL in other states */
    json_t *run;     /* content of run.json; NULL: there is none of this program */
    char *busy;      /* path of a journal that another process writes; NULL: there is none */
    size_t journals; /* number of journals of this program */
} qn_output_found;

/* Path of the file `name` of the run. With the stem "first", "run.json" becomes "first_run.json", and ".mrc" becomes
 * "first.mrc". Released with qn_release. */
QN_MUST_CHECK qn_status qn_output_path(const qn_output *output, const char *name, char **path);

/* Path of the folder of journals; NULL if the output can have none. Released with qn_release. */
QN_MUST_CHECK qn_status qn_output_journals(const qn_output *output, char **folder);

/* Name of a file as run.json lists it: the part of `path` after the folder of the files. */
const char *qn_output_listed_name(const qn_output *output, const char *path);

/* Path of a file that run.json lists. Released with qn_release. */
QN_MUST_CHECK qn_status qn_output_listed_path(const qn_output *output, const char *listed_name, char **path);

/* Whether a name that run.json lists is a path within the folder. Anybody may have written the file. */
bool qn_output_stays_inside(const char *listed_name);

/* Find the files of earlier runs, without changing anything. `found` must be cleared after a failure too. */
QN_MUST_CHECK qn_status qn_output_inspect(const qn_output *output, const char *program, qn_output_found *found);
void qn_output_found_clear(qn_output_found *found);

/* Remove the files that a finished run lists and, with a stem, those of `names`. Other files stay. */
QN_MUST_CHECK qn_status qn_output_remove_files(const qn_output *output, const qn_output_found *found);

/* Remove the program's journals except that of rank `kept` (−1: no exception), and the files put aside. Remove the
 * journals' own folder if it is empty then. */
QN_MUST_CHECK qn_status qn_output_remove_journals(const qn_output *output, const char *program, int kept);

/* Remove run.json, so that the output no longer counts as a finished run. */
QN_MUST_CHECK qn_status qn_output_remove_run(const qn_output *output);

/* Remove one file of the run, and the folders between the file and the output if they are empty then. */
void qn_output_remove_file(const qn_output *output, const char *listed_name);

/* Value of the line "name=value" in the key of the journals, or of run.json if there are no journals; "" if there is no
 * such line. */
QN_MUST_CHECK qn_status qn_output_value(const qn_output *output, const char *name, char *value, size_t capacity);

/* Check that `path` can be written, by a temporary file in its folder, or in the deepest folder above it that exists.
 * *absent gets the topmost folder that has to be made, NULL if all folders exist; it is released with qn_release.
 * QN_IO_ERROR, QN_INVALID_ARGUMENT (`path` is a folder, or a part of it is a file). */
QN_MUST_CHECK qn_status qn_output_check_folder(const char *path, char **absent);

/* Remove the folder of `path` and the folders above it up to `absent`, as long as they are empty. */
void qn_output_remove_folders(const char *path, const char *absent);

#endif
