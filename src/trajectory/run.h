/* The state of a run in progress, which its stages share. */
#ifndef QN_TRAJECTORY_RUN_H
#define QN_TRAJECTORY_RUN_H

#include <quern/trajectory.h>

#include "base/error.h"
#include "base/text.h"
#include "frames/source.h"
#include "frames/whole.h"
#include "job/job.h"
#include "selection/selection.h"
#include "trajectory/query/atom_weights.h"
#include "trajectory/query/setup.h"
#include "trajectory/results.h"

enum { QN_TRAJECTORY_PIECE = 8 }; /* number of consecutive frames that are dealt and recorded together */

/* A query of the run. */
typedef struct qn_trajectory_client {
    qn_trajectory_query own_query; /* copies of the caller's structs, which may be of an older or newer version */
    qn_query_class own_class;
    const qn_trajectory_query *query; /* own_query */
    const qn_query_class *query_class;
    unsigned needs; /* QN_QUERY_… of the class with these parameters */
    const char *name;
    const char *wrong;            /* of a query that is refused: the text at fault; NULL: the query as a whole */
    const char *texts[2];         /* of the selections; NULL: none */
    int nodes[2];                 /* of the selections in the network; -1: no selection */
    qn_query_atoms atoms[2];      /* of selections that are the same in every frame */
    bool whole;                   /* the query gets whole molecules */
    void *states[QN_DEVICES_MAX]; /* one for each device if the class is on_device, else one; the first collects */
    size_t partial_place, partial_count; /* first of the query's doubles in a frame's partial results; their number */
    size_t first_counts[2];              /* atoms of the selections in the first frame */
} qn_trajectory_client;

/* Callback that receives the results. */
typedef qn_status (*qn_trajectory_output)(const qn_trajectory_results *results, void *user);

typedef struct qn_trajectory_timings {
    double prepare_s, analyse_s, total_s;
} qn_trajectory_timings;

typedef struct qn_trajectory_state {
    const qn_trajectory_options *options;
    qn_job *job; /* it has no devices if no query is measured on one */
    qn_trajectory_output output;
    void *output_user;
    qn_topology *own_topology; /* NULL: the topology is the caller's */
    const qn_topology *topology;
    qn_selections *selections;
    qn_whole_plan *whole_plan; /* NULL: no query needs whole molecules */
    qn_trajectory_client *clients;
    size_t client_count;
    size_t partial_count; /* doubles of one frame, for all clients */
    qn_shared_weights shared_weights;
    bool any_whole, any_broken, any_geometric, any_on_device, any_on_host;
    qn_source *source;
    qn_source_item first_item; /* the first frame, as read, until the engine takes it */
    qn_trajectory_frame first, first_whole;

    qn_error_trail damage; /* error at which a file could not be read further; its status is QN_OK if there is none */
    bool interrupted;      /* a live run was asked to stop: the frames received so far are analysed */
    bool collects;         /* frames are collected as they are measured, not from journals at the end */
    qn_text tail;          /* records of the frames of an incomplete piece before the damaged place of a file */
    uint32_t tail_frames;
    bool records;             /* frames can be read again and there is an output: partial results go into the journal */
    uint64_t frames, resumed; /* number of analysed frames; how many come from journals; on the first rank only */
    uint64_t analysed_here;   /* number of frames that this process analysed in this run */
    uint64_t expected;        /* number of frames to analyse; known to a process after it has read to the end */
    uint64_t bytes;           /* read by this process */
    double first_ps, last_ps; /* times of the analysed frames */
    double *client_seconds;   /* time spent in measuring, of each client */
    qn_trajectory_timings timings;
    qn_trajectory_result **result; /* for the caller; NULL: the caller asks for none */
} qn_trajectory_state;

/* The name of the topology in messages. */
static inline const char *qn_trajectory_topology_name(const qn_trajectory_state *run)
{
    return run->topology->name ? run->topology->name : "the topology in memory";
}

/* options.c: the run's unit of length in nm. */
double qn_trajectory_unit_nm(const qn_trajectory_options *options);

/* plan.c: put the plan's file and line in front of the message of a failure, if `text` is a text of the plan: the value
 * at fault, by its address, or the name of an option that the plan gives. NULL: the file alone. Returns `status`. */
qn_status qn_trajectory_blame(const qn_trajectory_options *options, const char *text, qn_status status);

/* clients.c: copy the class of this name, from the library's classes or the user's. QN_INVALID_ARGUMENT if there is
 * none; the message names a similar one. */
QN_MUST_CHECK qn_status qn_trajectory_find_class(const qn_trajectory_options *options, const char *name,
                                                 qn_query_class *found);

/* clients.c: check the lists that a program gives: a count without a list, and names that are empty or given twice.
 * QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_trajectory_check_lists(const qn_trajectory_options *options);

/* clients.c: copy element `place` of options->queries. The `size` of the first element is the stride of the array.
 * QN_INVALID_ARGUMENT for a size that no version has. */
QN_MUST_CHECK qn_status qn_trajectory_take_query(const qn_trajectory_options *options, size_t place,
                                                 qn_trajectory_query *query);

/* clients.c: fill run->clients from options->queries: classes, parameters, selections. Needs no frame. */
QN_MUST_CHECK qn_status qn_trajectory_clients_prepare(qn_trajectory_state *run);
/* Create the states of the queries. Needs the first frame. */
QN_MUST_CHECK qn_status qn_trajectory_clients_create(qn_trajectory_state *run);
void qn_trajectory_clients_clear(qn_trajectory_state *run);

/* key.c: add the inputs to the job, and everything that journals depend on to the job's key. */
QN_MUST_CHECK qn_status qn_trajectory_make_key(qn_trajectory_state *run);

/* Refuse a frame without a box if a query needs one: QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_trajectory_check_frame(const qn_trajectory_state *run, const qn_trajectory_frame *frame);

/* Pass a frame's partial results to every query. */
QN_MUST_CHECK qn_status qn_trajectory_collect(qn_trajectory_state *run, const qn_trajectory_frame *frame,
                                              const double *partials);

/* engine_results.c: make every query's tables from its collected partial results, and pass them to the output. */
QN_MUST_CHECK qn_status qn_trajectory_write_results(qn_trajectory_state *run, bool complete);

/* qn_trajectory_run, with `output` in place of the files. */
QN_MUST_CHECK qn_status qn_trajectory_run_to(qn_context *context, const qn_trajectory_options *options,
                                             qn_trajectory_output output, void *user, qn_trajectory_result **result);

/* result.c: make the caller's result, in the run's units. Takes the tables: their places in `tables` become NULL. */
QN_MUST_CHECK qn_status qn_trajectory_result_create(const qn_trajectory_results *results, qn_query_tables **tables,
                                                    qn_trajectory_result **result);
/* Add the warnings to a result. */
QN_MUST_CHECK qn_status qn_trajectory_result_warn(qn_trajectory_result *result, const qn_job_texts *warnings);

/* "frame 12 (24 ps)" for messages. */
typedef struct qn_frame_name {
    char text[64];
} qn_frame_name;
qn_frame_name qn_frame_name_of(const qn_trajectory_frame *frame);

#endif
