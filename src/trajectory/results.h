/* What a run hands to its output: the queries' tables and the facts of the run. */
#ifndef QN_TRAJECTORY_RESULTS_H
#define QN_TRAJECTORY_RESULTS_H

#include <quern/trajectory.h>

#include "frames/source.h"
#include "job/job.h"
#include "trajectory/query/tables.h"

typedef struct qn_query_result {
    const qn_query_class *query_class;
    const qn_trajectory_query *query; /* as it was asked for */
    const char *name;                 /* of its files; unlike that of any other query of the run */
    const char *select, *with;        /* texts of its selections; NULL: it has none */
    size_t atom_counts[2];            /* of the selections in the first frame */
    bool fixed[2];                    /* these hold for every frame */
    bool whole;                       /* it saw whole molecules */
    const char *device;               /* identifier; "" when it was measured by the pool's threads */
    double seconds;                   /* measuring, summed over the workers of this process */
    const qn_query_tables *tables;
} qn_query_result;

typedef struct qn_trajectory_results {
    const qn_trajectory_options *options;
    qn_job *job; /* whose output the files belong to */
    const qn_topology *topology;
    const qn_query_result *queries;
    size_t query_count;
    const qn_frame_file_facts *files;
    size_t file_count;
    const qn_live_facts *live; /* NULL: files were read */
    uint64_t frames;           /* analysed */
    uint64_t resumed;          /* of them taken from journals */
    uint64_t overlapping;      /* left out, as their time had been reached before */
    uint64_t bytes;            /* read by this process */
    double first_ps, last_ps;  /* of the frames analysed; NaN where they have no time */
    double prepare_s, analyse_s, total_s;
    size_t selection_nodes; /* of the network of selections */
    bool complete;          /* false: partial results of a simulation that is still running */
} qn_trajectory_results;

/* Each query's tables, grids and numbers, run.json and report.html into the output folder, which exists: every file
 * complete or absent, an older one of the same name replaced. */
QN_MUST_CHECK qn_status qn_trajectory_output_write(const qn_trajectory_results *results);

#endif
