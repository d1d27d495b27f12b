/* Query classes: how one frame of a trajectory is measured and how the frames' numbers become tables.
 *
 * A program writes a class of its own as C functions or around a kernel family, and hands it to a run by
 * qn_trajectory_options.user_classes (<quern/trajectory.h>); examples/my_trajectory_query is one.
 *
 *     for (const qn_query_class *const *one = qn_query_classes(); *one; one++)
 *         printf("%s: %s\n", (*one)->name, (*one)->meaning);
 */
#ifndef QUERN_QUERY_H
#define QUERN_QUERY_H

#include <quern/frame.h>
#include <quern/queue.h>
#include <quern/topology.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- tables: results of queries ---- */

typedef struct qn_query_column {
    const char *label; /* "radius of gyration", without unit */
    const char *unit;  /* with nm where lengths are meant: "nm", "amu nm²", "1/nm³"; "": none */
    int length_power;  /* of nm in the unit: 1, 2, -3: values in Å are multiplied by 10 to this power */
} qn_query_column;

typedef struct qn_query_table {
    const char *name;               /* joined to the query's name for the file; "" for its main table */
    const char *title;              /* "Radius of gyration" */
    const qn_query_column *columns; /* the first is x: time, distance … */
    size_t column_count;
    size_t plotted;   /* columns after x that a plot shows; 0: all. If a later column is labelled "error of LABEL", with
                         the label of a plotted one, the plot shows its values as errors */
    const char *note; /* one sentence beside the plot; NULL: none */
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
    QN_PARAMETER_TEXT,
    QN_PARAMETER_FILE /* a path; plans give it relative to their folder, and journals belong to the file's content */
} qn_parameter_kind;

typedef struct qn_query_parameter {
    const char *name; /* "max", as in plans and, with dashes in front, on the command line */
    qn_parameter_kind kind;
    const char *fallback; /* as a user would write it (lengths in nm); NULL: must be given; "": may be left out */
    double least, most;   /* of numbers, lengths (nm) and integers; both 0: any */
    const char *choices;  /* words separated by one space */
    const char *meaning;  /* one sentence with units, no final full stop */
} qn_query_parameter;

/* As in a plan: "max", "1.2". */
typedef struct qn_trajectory_parameter {
    const char *name, *value;
} qn_trajectory_parameter;

/* The values of a query's parameters; each function is asked only for a parameter of its kind that the class lists. */
typedef struct qn_query_setup qn_query_setup;
const qn_topology *qn_query_setup_topology(const qn_query_setup *setup);
/* Numbers; lengths in nm; NaN when left out. */
double qn_query_setup_number(const qn_query_setup *setup, const char *name);
int64_t qn_query_setup_integer(const qn_query_setup *setup, const char *name);
bool qn_query_setup_flag(const qn_query_setup *setup, const char *name);
/* Choices, texts and files; "" when left out. */
const char *qn_query_setup_text(const qn_query_setup *setup, const char *name);
/* Atoms of selection 0 or 1 when they are the same in every frame (then *fixed is true); else no atoms. */
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

/* Frames are measured in any order and many at once; their measurements (`partial`) are collected in frame order on one
 * thread. So results depend on neither threads nor ranks. Journals hold the measurements, so that a killed run can be
 * resumed. */
typedef struct qn_query_class {
    size_t size;                          /* sizeof(qn_query_class) */
    const char *name;                     /* "gyration": in plans, as short form, and as the output's file name */
    const char *meaning;                  /* one line, no final full stop */
    const qn_query_parameter *parameters; /* ended by one without a name; NULL: none */
    const char *tables; /* names of its tables and grids, except the main one, separated by one space; NULL:
                           none. No other query of a run may have a name that gives the same files */
    int selections;     /* 0, 1 or 2, the second of which may be left out: the first with itself */
    unsigned needs;     /* QN_QUERY_… : a run whose topology or frames lack them is refused */
    bool on_device;     /* measure launches kernels on the frame's queue and waits for them */

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
    /* Further QN_QUERY_… that these parameters ask for; only parameters can be read from `setup` yet. NULL: none. */
    unsigned (*needs_with)(const qn_query_setup *setup);
} qn_query_class;

/* The library's own classes, ended by NULL. */
const qn_query_class *const *qn_query_classes(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
