/* Trajectories: every frame is read once and pushed through all queries.
 *
 * Topology and frames come from files or from memory. Each query's tables come back in memory; with options.output they
 * are also written. A query is of a class (<quern/query.h>). The library's own classes are listed by qn_query_classes;
 * a program adds its own by qn_trajectory_options.user_classes.
 *
 *     qn_trajectory_options options = qn_trajectory_default_options();
 *     const qn_trajectory_query query = {.size = sizeof query, .query_class = "rdf", .select = "name OW"};
 *     qn_trajectory_result *result;
 *     options.topology = "topol.tpr", options.trajectories = (const char *const[]){"traj.xtc"};
 *     options.trajectory_count = 1, options.queries = &query, options.query_count = 1;
 *     if (qn_trajectory_run(context, &options, &result) == QN_OK) print_table(&result->queries[0].tables[0]);
 *     qn_trajectory_result_destroy(&result);
 */
#ifndef QUERN_TRAJECTORY_H
#define QUERN_TRAJECTORY_H

#include <quern/option.h>
#include <quern/query.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- runs ---- */

/* A selection with a name of its own, which queries may use instead of its text. */
typedef struct qn_trajectory_selection {
    const char *name, *text;
} qn_trajectory_selection;

typedef enum qn_trajectory_choice { QN_AS_USUAL, QN_YES, QN_NO } qn_trajectory_choice;
typedef enum qn_trajectory_units { QN_TRAJECTORY_NM, QN_TRAJECTORY_ANGSTROM } qn_trajectory_units;
typedef enum qn_trajectory_format { QN_TRAJECTORY_XVG, QN_TRAJECTORY_CSV, QN_TRAJECTORY_BOTH } qn_trajectory_format;

/* A plan: options from a YAML file, see docs/commands/trajectory.md. Its paths are relative to its folder. */
typedef struct qn_trajectory_plan qn_trajectory_plan;

typedef struct qn_trajectory_query {
    size_t size;                /* sizeof(qn_trajectory_query); that of the first query of an array counts for all */
    const char *query_class;    /* one of qn_query_classes or of user_classes: "rdf" */
    const char *name;           /* of its output files; NULL: the class's */
    const char *select, *with;  /* texts or names of selections; NULL: all atoms; none */
    qn_trajectory_choice whole; /* QN_AS_USUAL: if its class or the run needs it; QN_NO: molecules are whole already */
    const qn_trajectory_parameter *parameters;
    size_t parameter_count;
} qn_trajectory_query;

typedef struct qn_trajectory_options {
    size_t size;          /* of this struct in bytes */
    qn_run_options run;   /* `memory_bytes`: limit of frames in flight; 0: 1/8 of the machine's, at most 1 GiB */
    const char *topology; /* see <quern/topology.h> */
    const qn_topology *topology_in_memory; /* instead of `topology`; read only */

    /* Frames come from one of these four. If none is given, the positions of the topology are the only frame. */
    const char *const *trajectories; /* files, read one after the other; "-" and FIFOs too */
    size_t trajectory_count;
    const qn_frame_array *frames; /* in memory; read only */
    qn_next_frame next_frame;     /* a function that makes frames, called with next_frame_user; NULL: none */
    void *next_frame_user;
    const char *live; /* "host:8888", a running simulation; NULL: none */

    int live_every;         /* ask it to send every n-th step; 0: do not ask */
    double live_step_ps;    /* length of a step if it sends steps without times; 0: not known */
    double live_timeout_s;  /* longest time without a frame; default 600 */
    double live_interval_s; /* time between results that are written while it runs; default 5 */
    const char *index_file; /* GROMACS .ndx: its groups are `group "NAME"` in selections; NULL: none */
    const qn_trajectory_selection *selections;
    size_t selection_count;
    const qn_trajectory_query *queries;
    size_t query_count;
    const qn_query_class *const *user_classes; /* ended by NULL; NULL: none */

    /* Frames that are analysed: those within both ranges, then every `stride`-th of them. */
    double begin_ps, end_ps;          /* inclusive; default -inf, inf. Other ranges leave out frames without a time */
    uint64_t first_frame, last_frame; /* inclusive, from 0 through all files; default 0, UINT64_MAX */
    uint64_t stride;                  /* default 1 */
    bool keep_overlaps; /* false: frames of a later file at or before the last time of the one before are left out */

    bool whole;                     /* molecules are made whole for every query */
    bool periodic;                  /* default true; false: as if frames had no box */
    qn_trajectory_units units;      /* of lengths in selections, parameters and outputs; default nm */
    const char *output;             /* folder, see resume and overwrite; NULL: nothing is written */
    qn_trajectory_format format;    /* of tables in files; default QN_TRAJECTORY_XVG */
    const qn_trajectory_plan *plan; /* whose options these are: errors name the line of what is wrong; NULL: none */
} qn_trajectory_options;

const qn_option_table *qn_trajectory_option_table(void); /* see <quern/option.h> */

static inline qn_trajectory_options qn_trajectory_default_options(void)
{
    qn_trajectory_options options;
    qn_option_defaults(qn_trajectory_option_table(), &options, sizeof options);
    return options;
}

/* ---- results ---- */

/* A table as its file has it: lengths in the run's unit. */
typedef struct qn_trajectory_result_table {
    const char *name;  /* "": the query's main table */
    const char *title; /* "Radius of gyration" */
    const char *note;  /* one sentence; "": none */
    size_t column_count, row_count;
    const qn_query_column *columns; /* the first is x: time, distance, …; units as in the files */
    const double *values;           /* [row_count][column_count] */
} qn_trajectory_result_table;

typedef struct qn_trajectory_result_number {
    const char *label, *unit; /* "dielectric constant", "" */
    double value;
} qn_trajectory_result_number;

typedef struct qn_trajectory_result_query {
    const char *name, *query_class;
    const char *select, *with; /* texts of its selections; NULL: it has none */
    size_t atom_counts[2];     /* of the selections in the first frame */
    bool whole;                /* it saw whole molecules */
    const char *device;        /* identifier of the device that measured; "": the context's threads */
    double seconds;            /* measuring, summed over threads */
    const qn_trajectory_result_table *tables;
    size_t table_count;
    const qn_query_grid *grids; /* values and units as in the files; origin and step in nm */
    size_t grid_count;
    const qn_trajectory_result_number *numbers;
    size_t number_count;
} qn_trajectory_result_query;

/* Results of a run. With MPI, ranks other than 0 have no queries. There are none either where a
 * finished run without journals is resumed: the files in its output folder are the results. */
typedef struct qn_trajectory_result {
    const qn_trajectory_result_query *queries; /* in the order of the options */
    size_t query_count;
    const char *const *warnings; /* sentences */
    size_t warning_count;
    size_t atom_count;
    uint64_t frame_count;       /* analysed */
    uint64_t resumed_count;     /* frames whose measurements came from the journals of an earlier run */
    uint64_t overlapping_count; /* frames left out, as an earlier file had reached their times */
    uint64_t bytes;             /* of files or of positions in memory, as read in this run */
    double first_ps, last_ps;   /* times of the first and the last frame analysed; NaN: not known */
    double seconds;             /* of the whole run */
    double frames_per_s;        /* of frames that were not resumed, over the time that frames were analysed */
    char report[4096];          /* path of report.html; "": none was written by this call */
    const char *page;           /* of the report, HTML, of a run without an output; NULL: no, it is in `report` */
} qn_trajectory_result;

/* Read every frame once and push it through all queries. The early end of a simulation, a file that ends inside a frame
 * and frames that overlap are warnings. *result is released by qn_trajectory_result_destroy; `result` may be NULL. On
 * failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (naming file and frame), QN_UNSUPPORTED (also several ranks without an output),
 * QN_ALREADY_EXISTS (other files in the output folder, a run without resume or overwrite, a journal of
 * other options on resume), QN_INVALID_ARGUMENT (options, selections, parameters; a topology or frames in memory that
 * are not sound; an input that is given neither or both ways), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST,
 * QN_CANCELLED (resumable where there is an output), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_trajectory_run(qn_context *context, const qn_trajectory_options *options,
                                          qn_trajectory_result **result);
void qn_trajectory_result_destroy(qn_trajectory_result **result);

/* ---- conversions ---- */

typedef struct qn_trajectory_convert_options {
    size_t size;                     /* of this struct in bytes */
    qn_run_options run;              /* only its `progress` is used */
    const char *const *trajectories; /* files, read one after the other; "-" and FIFOs too */
    size_t trajectory_count;
    const qn_frame_array *frames; /* instead of files: in memory; read only */
    qn_next_frame next_frame;     /* likewise: a function that makes frames; needs a topology; NULL: none */
    void *next_frame_user;
    const char *topology;                     /* for select and whole; NULL: none */
    const qn_topology *topology_in_memory;    /* instead of `topology`; read only */
    const char *select, *index_file;          /* atoms to write, the same in every frame; NULL: all; none */
    bool whole;                               /* make molecules whole; needs bonds */
    double begin_ps, end_ps;                  /* as in qn_trajectory_options */
    uint64_t first_frame, last_frame, stride; /* likewise */
    const char *output;                       /* .xtc or .dcd; NULL: the frames are returned in memory */
    double precision;                         /* of XTC: positions are multiples of 1/precision nm; default 1000 */
} qn_trajectory_convert_options;

const qn_option_table *qn_trajectory_convert_option_table(void);

static inline qn_trajectory_convert_options qn_trajectory_default_convert_options(void)
{
    qn_trajectory_convert_options options;
    qn_option_defaults(qn_trajectory_convert_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_trajectory_convert_result {
    uint64_t frame_count;
    size_t atom_count;
    const float *positions_nm; /* [frame_count][atom_count][3], not rounded; NULL, as the next two: written to a file */
    const double *boxes_nm;    /* [frame_count][9], rows a, b, c; all 0: not periodic */
    const double *times_ps;    /* [frame_count]; NaN: not known */
} qn_trajectory_convert_result;

/* Write the frames that the options choose, or return them in memory. The file appears when it is complete. *result is
 * released by qn_trajectory_convert_result_destroy; `result` may be NULL, unless there is no output; on failure *result
 * is NULL. Errors as of qn_trajectory_run; QN_UNSUPPORTED for an output with another ending. */
QN_MUST_CHECK qn_status qn_trajectory_convert(qn_context *context, const qn_trajectory_convert_options *options,
                                              qn_trajectory_convert_result **result);
void qn_trajectory_convert_result_destroy(qn_trajectory_convert_result **result);

/* ---- one query as a command asks for it ---- */

enum { QN_QUERY_PARAMETERS_MAX = 24, QN_QUERY_ROWS_MAX = QN_QUERY_PARAMETERS_MAX + 4 };

/* A parameter's value: `flag` for a QN_PARAMETER_FLAG, `text` for all other kinds. */
typedef union qn_query_value_text {
    const char *text; /* NULL: not given */
    bool flag;
} qn_query_value_text;

typedef struct qn_query_request {
    size_t size;               /* of this struct in bytes */
    const char *select, *with; /* as in qn_trajectory_query */
    qn_trajectory_choice whole;
    qn_query_value_text values[QN_QUERY_PARAMETERS_MAX]; /* in the order of the class's parameters */
} qn_query_request;

/* The rows of a class's short form, whose options are a qn_query_request; ended by one without a name. */
void qn_query_option_rows(const qn_query_class *query_class, qn_option rows[QN_QUERY_ROWS_MAX]);

/* Fill in the query that was asked for; `parameters` get its parameters. The caller has set query->size. */
void qn_query_of_request(const qn_query_request *request, const qn_query_class *query_class,
                         qn_trajectory_parameter parameters[QN_QUERY_PARAMETERS_MAX], qn_trajectory_query *query);

/* Errors name file and line, unknown words with the nearest known one: QN_NOT_FOUND, QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_trajectory_plan_read(const char *path, qn_trajectory_plan **plan);
void qn_trajectory_plan_destroy(qn_trajectory_plan **plan);

/* Copy the plan's options, which are the defaults where the plan says nothing, into a struct whose size the caller has
 * set. The texts that they point to live as long as the plan, which errors of the run name with the line. */
void qn_trajectory_plan_options(const qn_trajectory_plan *plan, qn_trajectory_options *options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
