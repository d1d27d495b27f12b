/* The common part of simulate and serve: the grid, its solvers, the loop. */
#ifndef QN_DEFORM_LIVE_RUN_H
#define QN_DEFORM_LIVE_RUN_H

#include "deform/batch/batch.h"
#include "deform/live/hand.h"
#include "deform/live/loop.h"
#include "deform/live/server.h"
#include "deform/space/space_file.h"
#include "deform/workers.h"

/* A place of the path at which the felt force is compared with a solved one. */
typedef struct qn_live_check {
    size_t tick;
    double force[3]; /* solved: of the body on the tool */
    bool is_valid;
} qn_live_check;

typedef struct qn_live_run {
    const qn_deform_options *options;
    qn_job *job;
    qn_deform_setup setup;
    qn_deform_workers workers;
    qn_queue *queue; /* of the device */
    qn_batch *batch; /* NULL: the workers alone solve */
    qn_batch_state *batch_states;
    qn_grid grid;
    double chosen_error;  /* of a step that was chosen; NaN: it was given */
    qn_space_file *space; /* NULL: none */
    qn_hand *hand;        /* simulate */
    qn_server *server;    /* serve */
    double duration_s;    /* infinite: serve */
    qn_loop *loop;
    qn_loop_facts facts;
    uint64_t late_at_first;
    double work_us[3], lateness_us[3], machine_us[3]; /* median, 99 %, 99.9 % */
    double largest_force;
    qn_live_check *checks;
    size_t check_count;
    double error; /* largest relative error at the checked ticks; NaN: none */
} qn_live_run;

/* Setup, grid and solvers; then the loop, with `input` and `output`. */
QN_MUST_CHECK qn_status qn_live_prepare(qn_live_run *run);
QN_MUST_CHECK qn_status qn_live_open_loop(qn_live_run *run, const qn_loop_options *hands);

/* Run the loop, with the job's progress beside it. */
QN_MUST_CHECK qn_status qn_live_go(qn_live_run *run);

/* Facts of the ticks that were recorded. */
QN_MUST_CHECK qn_status qn_live_measure(qn_live_run *run);

void qn_live_clear(qn_live_run *run);

/* The result of a call, filled from the run. */
QN_MUST_CHECK qn_status qn_live_make_result(const qn_live_run *run, qn_deform_live_result **result);

/* Write ticks.csv.gz, states.csv, report.html. */
QN_MUST_CHECK qn_status qn_live_write(qn_live_run *run);

#endif
