/* Results that a run passes to its output: the queries' tables and the facts of the run. */
#ifndef QN_TRAJECTORY_RESULTS_H
#define QN_TRAJECTORY_RESULTS_H

#include <quern/trajectory.h>

#include "frames/source.h"
#include "job/job.h"
#include "trajectory/query/tables.h"

typedef struct qn_query_result {
    const qn_query_class *query_class;
    const qn_trajectory_query *query; /* the caller's query */
    const char *name;                 /* names its files; unique in the run */
    const char *select, *with;        /* texts of its selections; NULL: it has none */
    size_t atom_counts[2];            /* of the selections in the first frame */
    bool fixed[2];                    /* the selections have the same atoms in every frame */
    bool whole;                       /* molecules were made whole for it */
    const char *device;               /* identifier; "" if the pool's threads measured it */
    double seconds;                   /* time spent in measuring, summed over the workers of this process */
    const qn_query_tables *tables;
} qn_query_result;

typedef struct qn_trajectory_results {
    const qn_trajectory_options *options;
    qn_job *job; /* its output gets the files */
    const qn_topology *topology;
    const qn_query_result *queries;
    size_t query_count;
    const qn_frame_file_facts *files;
    size_t file_count;
    const qn_live_facts *live; /* NULL: not a live run */
    uint64_t frames;           /* number of analysed frames */
    uint64_t resumed;          /* number of them that come from journals */
    uint64_t overlapping;      /* number of frames left out because an earlier file had reached their time */
    uint64_t bytes;            /* read by this process */
    double first_ps, last_ps;  /* times of the first and last analysed frame; NaN if it has no time */
    double prepare_s, analyse_s, total_s;
    size_t selection_nodes; /* number of nodes of the network of selections */
    bool complete;          /* false: intermediate results of a live run */
    const char *page;       /* of the report of a run without an output, for its caller; NULL: none */
} qn_trajectory_results;

/* Append the page of the report to a text. */
QN_MUST_CHECK qn_status qn_trajectory_report_page(const qn_trajectory_results *results, qn_text *page);

/* Write each query's tables and grids, report.html and run.json into the output folder, which exists. Every file is
 * complete or absent, and replaces an older one of the same name. */
QN_MUST_CHECK qn_status qn_trajectory_output_write(const qn_trajectory_results *results);

#endif
