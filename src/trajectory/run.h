/* A run while it is under way: what its stages hand on to each other. */
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

enum { QN_TRAJECTORY_PIECE = 8 }; /* consecutive frames that are dealt and recorded together */

/* A query of the run. */
typedef struct qn_trajectory_client {
    const qn_trajectory_query *query;
    const qn_query_class *query_class;
    unsigned needs; /* QN_QUERY_… of the class with these parameters */
    const char *name;
    const char *texts[2]; /* of the selections; NULL: none */
    int nodes[2];
    qn_query_atoms atoms[2]; /* of selections that are the same in every frame */
    bool whole;
    void *states[QN_MOST_DEVICES]; /* of an on_device class one for each device; the first collects */
    size_t partial_place, partial_count;
    size_t first_counts[2];
} qn_trajectory_client;

/* What results are handed to. */
typedef qn_status (*qn_trajectory_output)(const qn_trajectory_results *results, void *user);

typedef struct qn_trajectory_timings {
    double prepare_s, analyse_s, total_s;
} qn_trajectory_timings;

typedef struct qn_trajectory_state {
    const qn_trajectory_options *options;
    qn_job *job; /* its devices: none where no query wants one */
    qn_trajectory_output output;
    void *output_user;
    qn_topology *topology;
    qn_selections *selections;
    qn_whole_plan *whole_plan; /* NULL: no query wants whole molecules */
    qn_trajectory_client *clients;
    size_t client_count;
    size_t partial_count; /* doubles of a frame, of all clients */
    qn_shared_weights shared_weights;
    bool any_whole, any_broken, any_geometric, any_on_device, any_on_host;
    qn_source *source;
    qn_source_item first_item; /* the first frame as it was read, until the pipeline takes it */
    qn_trajectory_frame first, first_whole;

    qn_error_trail damage; /* why a file could be read no further; its status is QN_OK otherwise */
    bool interrupted;      /* a live run was asked to stop: what came is analysed */
    bool collects;         /* frames are collected as they come, not from journals at the end */
    qn_text tail;          /* frames before a damage whose piece is not complete, as records have them */
    uint32_t tail_frames;
    bool records;             /* frames can be read again: what was measured goes into the journal */
    uint64_t frames, resumed; /* analysed, of them taken from journals; on the first rank only */
    uint64_t analysed_here;   /* by this process in this run */
    uint64_t expected;        /* frames to analyse in all, as this process knows once it has read to the end */
    uint64_t bytes;
    double first_ps, last_ps;
    double *client_seconds; /* measuring, of each client */
    qn_trajectory_timings timings;
} qn_trajectory_state;

/* options.c: one of the run's units of length in nm. */
double qn_trajectory_unit_nm(const qn_trajectory_options *options);

/* clients.c: the class of that name, of the library's and the user's. QN_INVALID_ARGUMENT, naming a similar one. */
QN_MUST_CHECK qn_status qn_trajectory_find_class(const qn_trajectory_options *options, const char *name,
                                                 const qn_query_class **found);

/* clients.c: options->queries as clients: classes, parameters, selections. Before the first frame is known. */
QN_MUST_CHECK qn_status qn_trajectory_clients_prepare(qn_trajectory_state *run);
/* With the first frame: create the queries. */
QN_MUST_CHECK qn_status qn_trajectory_clients_create(qn_trajectory_state *run);
void qn_trajectory_clients_clear(qn_trajectory_state *run);

/* key.c: name inputs, and add everything that journals depend on to the job's key. */
QN_MUST_CHECK qn_status qn_trajectory_make_key(qn_trajectory_state *run);

/* Refuse a frame without what queries need. */
QN_MUST_CHECK qn_status qn_trajectory_check_frame(const qn_trajectory_state *run, const qn_trajectory_frame *frame);

/* Hand a frame's partials to every query. */
QN_MUST_CHECK qn_status qn_trajectory_collect(qn_trajectory_state *run, const qn_trajectory_frame *frame,
                                              const double *partials);

/* engine_results.c: every query's tables of what it has collected, handed to the output. */
QN_MUST_CHECK qn_status qn_trajectory_write_results(qn_trajectory_state *run, bool complete);

/* qn_trajectory_run with another output. */
QN_MUST_CHECK qn_status qn_trajectory_run_to(qn_context *context, const qn_trajectory_options *options,
                                             qn_trajectory_output output, void *user, qn_trajectory_summary *summary);

/* "frame 12 (24 ps)" for messages. */
typedef struct qn_frame_name {
    char text[64];
} qn_frame_name;
qn_frame_name qn_frame_name_of(const qn_trajectory_frame *frame);

#endif
