/* Trajectories: every frame is read once and pushed through all queries.
 *
 * A query class says how one frame is measured and how the frames' numbers become tables. The library's own are listed
 * by qn_query_classes; a program adds its own by qn_trajectory_options.user_classes, written as a C function or around
 * a kernel family.
 */
#ifndef QUERN_TRAJECTORY_H
#define QUERN_TRAJECTORY_H

#include <quern/device.h>
#include <quern/frame.h>
#include <quern/option.h>
#include <quern/queue.h>
#include <quern/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables: what queries give ---- */

typedef struct qn_query_column {
    const char *label; /* "radius of gyration", without unit */
    const char *unit;  /* with nm where lengths are meant: "nm", "amu nm²", "1/nm³"; "" */
    int length_power;  /* of nm in the unit: 1, 2, -3: values in Å are multiplied by 10 to this power */
} qn_query_column;

typedef struct qn_query_table {
    const char *name;               /* joined to the query's name for the file; "" for its main table */
    const char *title;              /* "Radius of gyration" */
    const qn_query_column *columns; /* the first is x: time, distance … */
    size_t column_count;
    size_t plotted;   /* columns after x that a plot shows; 0: all */
    const char *note; /* one sentence beside the plot; NULL */
} qn_query_table;

typedef struct qn_query_tables qn_query_tables;

/* Begin a table (what it points to is copied), then its rows. */
QN_MUST_CHECK qn_status qn_query_tables_begin(qn_query_tables *tables, const qn_query_table *table);
QN_MUST_CHECK qn_status qn_query_tables_row(qn_query_tables *tables, const double *values);

/* A value on a regular grid (written as OpenDX): values[(x · counts[1] + y) · counts[2] + z] at
 * origin_nm + (x + ½) step_nm[0] … */
typedef struct qn_query_grid {
    const char *name, *title, *unit;
    int length_power;
    int counts[3];
    double origin_nm[3], step_nm[3];
    const double *values;
} qn_query_grid;
QN_MUST_CHECK qn_status qn_query_tables_grid(qn_query_tables *tables, const qn_query_grid *grid);

/* A single number for run.json and the report: "dielectric constant", 71.2, "". */
QN_MUST_CHECK qn_status qn_query_tables_number(qn_query_tables *tables, const char *label, double value,
                                               const char *unit, int length_power);

/* ---- query classes ---- */

typedef enum qn_parameter_kind {
    QN_PARAMETER_NUMBER,
    QN_PARAMETER_LENGTH, /* given in the run's unit, handed to queries in nm */
    QN_PARAMETER_INTEGER,
    QN_PARAMETER_FLAG,
    QN_PARAMETER_CHOICE, /* of `choices` */
    QN_PARAMETER_TEXT
} qn_parameter_kind;

typedef struct qn_query_parameter {
    const char *name; /* "max", as in plans and, with dashes in front, on the command line */
    qn_parameter_kind kind;
    const char *fallback; /* as a user would write it (lengths in nm); NULL: must be given; "": may be left out */
    double least, most;   /* of numbers, lengths (nm) and integers; both 0: any */
    const char *choices;  /* words apart by one space */
    const char *meaning;  /* one sentence with units, no final full stop */
} qn_query_parameter;

/* The values of a query's parameters; each function is asked only for a parameter of its kind that the class lists. */
typedef struct qn_query_setup qn_query_setup;
const qn_topology *qn_query_setup_topology(const qn_query_setup *setup);
/* Numbers; lengths in nm; NaN when left out. */
double qn_query_setup_number(const qn_query_setup *setup, const char *name);
int64_t qn_query_setup_integer(const qn_query_setup *setup, const char *name);
bool qn_query_setup_flag(const qn_query_setup *setup, const char *name);
/* Choices and texts; "" when left out. */
const char *qn_query_setup_text(const qn_query_setup *setup, const char *name);
/* Atoms of selection 0 or 1 when they are the same in every frame (then *fixed is true); else none yet. */
void qn_query_setup_atoms(const qn_query_setup *setup, int selection, bool *fixed, const uint32_t **atoms,
                          size_t *count);
/* The first frame that is analysed, for references and box sizes; its positions are whole where the query's are. */
const qn_trajectory_frame *qn_query_setup_first_frame(const qn_query_setup *setup);
/* The device whose queues `measure` of an on_device class gets, NULL for others. */
qn_device *qn_query_setup_device(const qn_query_setup *setup);

/* One frame as a query sees it. */
typedef struct qn_query_frame {
    const qn_trajectory_frame *frame; /* all atoms; molecules whole where the query asks for it */
    const qn_topology *topology;
    const uint32_t *atoms[2]; /* of the selections, ascending; the second NULL where none was given */
    size_t atom_count[2];
    qn_queue *queue; /* of an on_device class: this worker's own */
    void **scratch;  /* this worker's own for this query, NULL at first */
} qn_query_frame;

enum {
    QN_QUERY_MASSES = 1,
    QN_QUERY_CHARGES = 2,
    QN_QUERY_BOX = 4,
    QN_QUERY_FIXED_ATOMS = 8,
    QN_QUERY_WHOLE = 16,
    QN_QUERY_BONDS = 32
};

/* Frames are measured in any order and many at once; what they give, `partial`, is collected in frame order on one
 * thread. So results depend on neither threads nor ranks, a journal holds partials, and a killed run loses nothing. */
typedef struct qn_query_class {
    const char *name;                     /* "gyration": in plans, as short form, and as the output's file name */
    const char *meaning;                  /* one line, no final full stop */
    const qn_query_parameter *parameters; /* ended by one without a name; NULL: none */
    const char *tables;                   /* names of its tables and grids but the main one, apart by one space; NULL:
                                             none. Queries of a run may not be named so that their files are these */
    int selections;                       /* 0, 1 or 2, the second of which may be left out: the first with itself */
    unsigned needs; /* QN_QUERY_… : refused with a sentence where topology or frames lack them */
    bool on_device; /* measure launches kernels on the frame's queue and waits for them */

    /* `state` is the query's own. Errors name the parameter, its value and what was expected. */
    qn_status (*create)(const qn_query_setup *setup, void **state);
    size_t (*partial_count)(const void *state); /* doubles of a frame */
    qn_status (*measure)(const void *state, const qn_query_frame *frame, double *partial);
    void (*scratch_destroy)(void *scratch); /* NULL where `scratch` is not used */
    /* `frame` has no positions here. */
    qn_status (*collect)(void *state, const qn_trajectory_frame *frame, const double *partial);
    /* The tables of all frames collected so far; may be called again after more of them. */
    qn_status (*finish)(const void *state, qn_query_tables *tables);
    void (*destroy)(void *state);
    /* What is needed besides with these parameters; only they can be asked for yet. NULL: nothing. */
    unsigned (*needs_with)(const qn_query_setup *setup);
} qn_query_class;

/* The library's own classes, ended by NULL. */
const qn_query_class *const *qn_query_classes(void);

/* ---- runs ---- */

/* As in a plan: "max", "1.2". */
typedef struct qn_trajectory_parameter {
    const char *name, *value;
} qn_trajectory_parameter;

/* A selection with a name of its own, which queries may use instead of its text. */
typedef struct qn_trajectory_selection {
    const char *name, *text;
} qn_trajectory_selection;

typedef enum qn_trajectory_choice { QN_AS_USUAL, QN_YES, QN_NO } qn_trajectory_choice;

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
    double live_timeout_s;           /* without a frame; 0: 600 */
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

    bool whole;         /* molecules are made whole for every query */
    bool periodic;      /* default true; false: as if frames had no box */
    bool angstrom;      /* lengths of selections, parameters and outputs */
    const char *output; /* folder; must be empty or absent unless resume */
    const char *format; /* of tables: "xvg" (default), "csv" or "both" */
    qn_run_options run; /* its memory is of frames under way; 0: an eighth of the machine's, up to 1 GiB */
} qn_trajectory_options;

qn_trajectory_options qn_trajectory_default_options(void);

typedef struct qn_trajectory_summary {
    uint64_t frames, resumed; /* analysed; of them taken from the journal */
    uint64_t bytes;           /* of files, as read in this run */
    size_t atoms, queries, warnings;
    double seconds, frames_per_s; /* of frames that were not resumed, over the time that frames were analysed */
    char report[512];
} qn_trajectory_summary;

/* Read every frame once, push it through all queries and write their results into the output folder. A simulation that
 * ends, a file that ends inside a frame and frames that overlap are told as warnings. Errors: QN_NOT_FOUND,
 * QN_BAD_FORMAT (naming file and frame), QN_UNSUPPORTED, QN_ALREADY_EXISTS (output folder not empty without resume),
 * QN_INVALID_ARGUMENT (options, selections, parameters; a journal of other options on resume), QN_OUT_OF_MEMORY,
 * QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. `summary` may be NULL. */
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
    double precision;                         /* of XTC: positions are multiples of 1/precision nm; 0: 1000 */
    qn_run_options run;                       /* its progress alone */
} qn_trajectory_convert_options;

qn_trajectory_convert_options qn_trajectory_default_convert_options(void);

/* Write the frames that the options choose; *frames, *atoms: how many. The file appears when it is complete. Errors as
 * of qn_trajectory_run; QN_UNSUPPORTED for an output of another ending. */
QN_MUST_CHECK qn_status qn_trajectory_convert(const qn_trajectory_convert_options *options, uint64_t *frames,
                                              size_t *atoms);

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
