/* Trajectories: every frame is read once and pushed through all queries.
 *
 * A query is of a class (<quern/query.h>). The library's own classes are listed by qn_query_classes; a program adds its
 * own by qn_trajectory_options.user_classes.
 */
#ifndef QUERN_TRAJECTORY_H
#define QUERN_TRAJECTORY_H

#include <quern/option.h>
#include <quern/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- runs ---- */

/* A selection with a name of its own, which queries may use instead of its text. */
typedef struct qn_trajectory_selection {
    const char *name, *text;
} qn_trajectory_selection;

typedef enum qn_trajectory_choice { QN_AS_USUAL, QN_YES, QN_NO } qn_trajectory_choice;
typedef enum qn_trajectory_units { QN_TRAJECTORY_NM, QN_TRAJECTORY_ANGSTROM } qn_trajectory_units;

typedef struct qn_trajectory_query {
    const char *query_class;    /* one of qn_query_classes or of user_classes: "rdf" */
    const char *name;           /* of its output files; NULL: the class's */
    const char *select, *with;  /* texts or names of selections; NULL: all atoms; none */
    qn_trajectory_choice whole; /* as usual: where its class or the run wants it; no: the file's molecules are whole */
    const qn_trajectory_parameter *parameters;
    size_t parameter_count;
} qn_trajectory_query;

typedef struct qn_trajectory_options {
    const char *topology;            /* see <quern/topology.h> */
    const char *const *trajectories; /* read one after the other; "-" and FIFOs too */
    size_t trajectory_count;         /* 0 with a topology that has positions: these are the one frame */
    const char *live;                /* "host:8888": a running simulation instead of files; NULL */
    int live_every;                  /* ask it to send every n-th step; 0: as it does */
    double live_step_ps;             /* what a step takes, where it sends steps and no times; 0: not known */
    double live_timeout_s;           /* without a frame, default 600 */
    double live_interval_s;          /* between results that are written while it runs, default 5 */
    const char *index_file;          /* GROMACS .ndx: its groups are `group "NAME"` in selections; NULL */
    const qn_trajectory_selection *selections;
    size_t selection_count;
    const qn_trajectory_query *queries;
    size_t query_count;
    const qn_query_class *const *user_classes; /* ended by NULL; NULL: none */

    /* Frames that are analysed: those within both ranges, then every `stride`-th of them. */
    double begin_ps, end_ps;          /* inclusive; default -inf, inf. Frames without a time are in no narrower range */
    uint64_t first_frame, last_frame; /* inclusive, from 0 through all files; default 0, UINT64_MAX */
    uint64_t stride;                  /* default 1 */
    bool keep_overlaps; /* false: frames of a later file at or before the last time of the one before are left out */

    bool whole;                /* molecules are made whole for every query */
    bool periodic;             /* default true; false: as if frames had no box */
    qn_trajectory_units units; /* of lengths in selections, parameters and outputs; default nm */
    const char *output;        /* folder; see resume and overwrite */
    const char *format;        /* of tables: "xvg" (default), "csv" or "both" */
    qn_run_options run;        /* its memory is of frames under way; 0: an eighth of the machine's, up to 1 GiB */
} qn_trajectory_options;

qn_trajectory_options qn_trajectory_default_options(void);
const qn_option_table *qn_trajectory_option_table(void); /* see <quern/option.h> */

typedef struct qn_trajectory_summary {
    uint64_t frames, resumed; /* analysed; of them taken from the journal */
    uint64_t bytes;           /* of files, as read in this run */
    size_t atoms, queries, warnings;
    double seconds, frames_per_s; /* of frames that were not resumed, over the time that frames were analysed */
    char report[512];
} qn_trajectory_summary;

/* Read every frame once, push it through all queries and write their results into the output folder. A simulation that
 * ends, a file that ends inside a frame and frames that overlap are told as warnings. Errors: QN_NOT_FOUND,
 * QN_BAD_FORMAT (naming file and frame), QN_UNSUPPORTED, QN_ALREADY_EXISTS (other files in the output folder, or a run
 * without resume or overwrite), QN_INVALID_ARGUMENT (options, selections, parameters; a journal of other options on
 * resume), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. `summary` may be
 * NULL. */
QN_MUST_CHECK qn_status qn_trajectory_run(qn_context *context, const qn_trajectory_options *options,
                                          qn_trajectory_summary *summary);

typedef struct qn_trajectory_convert_options {
    const char *const *trajectories; /* read one after the other; "-" and FIFOs too */
    size_t trajectory_count;
    const char *topology;                     /* for select and whole; NULL: none */
    const char *select, *index_file;          /* atoms to write, the same in every frame; NULL: all; none */
    bool whole;                               /* make molecules whole; wants bonds */
    double begin_ps, end_ps;                  /* as in qn_trajectory_options */
    uint64_t first_frame, last_frame, stride; /* likewise */
    const char *output;                       /* .xtc or .dcd */
    double precision;                         /* of XTC: positions are multiples of 1/precision nm; default 1000 */
    qn_run_options run;                       /* its progress alone */
} qn_trajectory_convert_options;

qn_trajectory_convert_options qn_trajectory_default_convert_options(void);
const qn_option_table *qn_trajectory_convert_option_table(void);

/* Write the frames that the options choose; *frames, *atoms: how many. The file appears when it is complete. Errors as
 * of qn_trajectory_run; QN_UNSUPPORTED for an output of another ending. */
QN_MUST_CHECK qn_status qn_trajectory_convert(qn_context *context, const qn_trajectory_convert_options *options,
                                              uint64_t *frames, size_t *atoms);

/* ---- one query as a command asks for it ---- */

enum { QN_QUERY_PARAMETERS_MAX = 24, QN_QUERY_ROWS_MAX = QN_QUERY_PARAMETERS_MAX + 4 };

/* Which member is meant follows from the parameter's kind. */
typedef union qn_query_value_text {
    const char *text; /* NULL: not given */
    bool flag;
} qn_query_value_text;

typedef struct qn_query_request {
    const char *select, *with; /* as in qn_trajectory_query */
    qn_trajectory_choice whole;
    qn_query_value_text values[QN_QUERY_PARAMETERS_MAX]; /* in the order of the class's parameters */
} qn_query_request;

/* The rows of a class's short form, whose options are a qn_query_request; ended by one without a name. */
void qn_query_option_rows(const qn_query_class *query_class, qn_option rows[QN_QUERY_ROWS_MAX]);

/* The query that was asked for; `parameters` are its. */
void qn_query_of_request(const qn_query_request *request, const qn_query_class *query_class,
                         qn_trajectory_parameter parameters[QN_QUERY_PARAMETERS_MAX], qn_trajectory_query *query);

/* A plan: the options that a YAML file tells, see docs/commands/trajectory.md. Paths in it go by its folder. */
typedef struct qn_trajectory_plan qn_trajectory_plan;

/* Errors name file and line, unknown words with the nearest known one: QN_NOT_FOUND, QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_trajectory_plan_read(const char *path, qn_trajectory_plan **plan);
void qn_trajectory_plan_destroy(qn_trajectory_plan **plan);

/* Defaults overridden by the plan; what they point to lives as long as the plan. They may be changed. */
qn_trajectory_options qn_trajectory_plan_options(const qn_trajectory_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
