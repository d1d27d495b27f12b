/* The state of a run of quern deform space, shared by its stages.
 *
 * A piece of work is a state of the grid, numbered as qn_grid_number does; then, after all states, a pair of neighbours
 * whose forces disagree: state_count + 3 · number + axis. States are solved in waves: those of one depth have their
 * parents in the wave before. Every rank keeps all states; after each wave the ranks exchange theirs. Devices of the
 * only rank go without waves: a state may begin when its parent is there. */
#ifndef QN_DEFORM_SPACE_RUN_H
#define QN_DEFORM_SPACE_RUN_H

#include "deform/space/space_file.h"
#include "deform/workers.h"

/* A comparison of the interpolated force with a solved one. */
typedef struct qn_space_check {
    double place[3], force[3];                /* solved */
    double gradient[3], energy[3], linear[3]; /* interpolated forces */
    double shape_error;                       /* largest distance of a node over the largest displacement */
    bool is_valid;                            /* the cell is whole, and a balance was found */
} qn_space_check;

/* A batch in flight on a device (space_devices.c). */
typedef struct qn_space_lane qn_space_lane;

typedef struct qn_deform_space_run {
    const qn_deform_options *options;
    qn_job *job;
    qn_deform_setup setup;
    qn_grid grid;
    double chosen_error; /* of the trial cells of a chosen step; NaN: the step was given */
    char *stem;
    char mesh_digest[65];
    qn_deform_workers workers; /* of the pool */
    qn_space_lane *lanes;      /* of this rank's devices; NULL: states are solved by the workers */
    int lane_count;
    qn_space_writer *writer; /* of the .qcs; NULL: this rank writes none */
    qn_grid_state *states;   /* by number */
    float *arrays;           /* [number][4][freedom_count]: x and its change */
    size_t state_count;
    uint64_t *order;         /* numbers by depth, then by number */
    bool *is_done;           /* by number */
    uint64_t *pairs;         /* 3 · number + axis of neighbours to be compared */
    unsigned char *has_fold; /* of each possible pair, by that number: whether it has two answers */
    size_t pair_count;
    qn_space_check *checks;
    size_t check_count;
    double started_s;
    double prepare_s, solve_s, check_s, write_s; /* seconds of the parts, for run.json */
} qn_deform_space_run;

/* Solve all states and compare neighbours, on all ranks. */
QN_MUST_CHECK qn_status qn_space_states_solve(qn_deform_space_run *run);

/* Take a record of a journal. */
qn_status qn_space_record_take(uint64_t piece, const void *data, size_t size, void *user);

/* The nearest solved state on the way to rest; rest itself is always solved. */
const qn_grid_state *qn_space_ancestor(const qn_deform_space_run *run, const int32_t index[3]);

/* Find a state from one of its ancestors by a worker; then record it: write it, with its facts, to the space and the
 * journal of a run that is not in memory. qn_space_state_write takes facts that are made already. */
QN_MUST_CHECK qn_status qn_space_state_find(qn_deform_space_run *run, uint64_t number, const qn_grid_state *from,
                                            int worker);
QN_MUST_CHECK qn_status qn_space_state_record(qn_deform_space_run *run, uint64_t number);
QN_MUST_CHECK qn_status qn_space_state_write(qn_deform_space_run *run, uint64_t number, const qn_space_facts *facts);

/* Open the devices that the options name, unless that is the host; close them. */
QN_MUST_CHECK qn_status qn_space_devices_open(qn_deform_space_run *run);
void qn_space_devices_close(qn_deform_space_run *run);

/* States to solve and record on all devices of this rank; their ancestors are solved. */
typedef struct qn_space_wanted {
    const uint64_t *numbers;
    size_t count;
    bool follows;                               /* also solve all states that have one of these among their ancestors */
    qn_status (*tell)(void *user, size_t done); /* of the progress, by the calling thread; a failure ends the work */
    void *user;
} qn_space_wanted;
QN_MUST_CHECK qn_status qn_space_devices_solve(qn_deform_space_run *run, const qn_space_wanted *wanted);

/* Compare interpolated forces at random places, on the first rank. */
QN_MUST_CHECK qn_status qn_space_checks_make(qn_deform_space_run *run);

/* Error of a checked force by one way of interpolation, relative to the force; NaN: not checked. */
double qn_space_check_error(const qn_space_check *check, qn_deform_interpolation way);

/* Largest error of checked forces by one way of interpolation, relative to the force; NaN: nothing was checked. */
double qn_space_checks_largest(const qn_deform_space_run *run, qn_deform_interpolation way);

/* Open the file of the states, into which arrays go as they are found. */
QN_MUST_CHECK qn_status qn_space_write_begin(qn_deform_space_run *run);

/* Write the states, tables and the report. */
QN_MUST_CHECK qn_status qn_space_write(qn_deform_space_run *run);

#endif
