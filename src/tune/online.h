/* Online tuning of one family on one device for one problem class, while an application works.
 *
 * The runtime asks for a configuration before each launch and reports the launch afterwards (online.c). All launches of
 * a family in a queue, from one of its kernel 0 to the next, are a *round* and have one configuration, so that kernels
 * which share intermediate results agree. Most rounds run with the *best* configuration known; a few run with another
 * one, which is a *trial*. The times of all rounds are used, and trials may cost only a small share of the time.
 *
 * The path of a configuration, from the searcher to the store:
 *
 *     IDLE     the searcher is asked for points; threads build them ahead, at most `line_max` at a time
 *     READY    the first of the line is built, and waits until the account can afford a trial
 *     TRYING   1, then 3, then 5 rounds run with it, as long as it looks promising; its time is the median
 *              then: the result goes to the searcher and to the store; a faster one becomes the best; IDLE again
 *     OVER     the expected gain of more trials is too small, or tuning is off: nothing more is tried
 *
 * Files: online_family.c creates and destroys a family, with the results of earlier runs; online_start.c chooses the
 * configuration that the run begins with; online_trial.c runs trials and judges them; online_account.c limits their
 * cost. docs/design/tuning.md has the equations.
 *
 * Thread rule: all functions are called while the mutex of online.c is held. None waits for the device.
 */
#ifndef QN_TUNE_ONLINE_H
#define QN_TUNE_ONLINE_H

#include "tune/ahead.h"
#include "tune/recent.h"
#include "tune/session.h"

enum { QN_ONLINE_EVENTS_MAX = 32, QN_ONLINE_AHEAD_MAX = 8, QN_ONLINE_STARTS_MAX = 8, QN_ONLINE_STAGE_BYTES = 32 };

/* ---- Remaining time of the run ---- */

/* Remaining time of the run, by the progress that it reports (qn_tune_report_progress). */
typedef struct qn_online_length {
    double started_s;  /* by qn_clock_s, as all times here */
    double expected_s; /* length of the run as the program estimated it; 0: not known */
    char stage[QN_ONLINE_STAGE_BYTES];
    double first_s, first_share; /* when the stage was reported first, and the share of it that was done by then */
    bool is_measured;
    double left_s, measured_s; /* remaining time, and when that was measured */
} qn_online_length;

void qn_online_length_report(qn_online_length *length, const char *stage, double share, double now_s);

/* Estimate the seconds that the run still takes. Until the run reports progress, the estimate is the time that has
 * passed, but no more than is left of the length that the program estimated. */
double qn_online_length_left(const qn_online_length *length, double now_s);

/* ---- Cost of tuning ---- */

/* Account of the time that trials may cost, in seconds. The balance is credit + earned - spent. Each round earns
 * `share` of its device time. Costs are: the time that a trial takes beyond the time of the best configuration; builds
 * on CPU devices (divided by the number of the device's units, because a build takes one unit); and the time that the
 * end of the run waits for builds. */
typedef struct qn_online_account {
    double share;
    double credit_s;          /* balance in the store when it was last read; negative: debt */
    double earned_s, spent_s; /* since then */
    double run_spent_s;       /* in this run */
} qn_online_account;

/* ---- Rounds and configurations ---- */

struct qn_online_family;

typedef struct qn_online_round {
    struct qn_online_round *next;
    struct qn_online_family *family;
    qn_queue *queue;
    qn_configuration configuration;
    bool trial, timed;
    double scale; /* nominal seconds of its launches; 0: their work is not known */
    qn_event *events[QN_ONLINE_EVENTS_MAX];
    int event_count;
} qn_online_round;

/* A point that the searcher proposed and that is being built. */
typedef struct qn_online_ahead {
    qn_ahead_job job;
    qn_point point;
} qn_online_ahead;

typedef enum qn_online_stage { QN_ONLINE_IDLE, QN_ONLINE_READY, QN_ONLINE_TRYING, QN_ONLINE_OVER } qn_online_stage;

/* A configuration that the run may begin with. */
typedef struct qn_online_start {
    qn_configuration configuration;
    qn_tune_origin origin;
    qn_tune_nearness nearness;
    char found_on[QN_HARDWARE_NAME]; /* device */
    char text[256];                  /* its origin as --explain shows it */
} qn_online_start;

/* ---- The family ---- */

typedef struct qn_online_family {
    struct qn_online_family *next;
    const qn_family *family;
    qn_device *device;
    qn_tune_key key;
    char definitions[QN_AHEAD_DEFINITIONS];
    qn_tune_store *store;
    int64_t problem; /* in the store; 0: nothing is kept */
    qn_space *space;
    qn_tuner *tuner; /* NULL: nothing is tried */
    const qn_online_length *length;
    qn_online_account account;
    bool keeps_account; /* the account is kept in the store */
    qn_online_stage stage;

    qn_online_start starts[QN_ONLINE_STARTS_MAX]; /* known configurations, the likeliest first; the fallback is last */
    int start, start_count;                       /* the run began with starts[start] */
    qn_configuration best;
    bool found;             /* `best` was found in this run; otherwise it is starts[start] */
    qn_recent best_times;   /* of rounds of `best`; all times are divided by the round's nominal seconds, if known */
    double speedup;         /* of `best` over starts[start]; 0: the start was not timed */
    bool start_is_told;     /* the searcher knows the test of the start from an earlier run */
    bool start_is_measured; /* the start was measured in this run and written to the store */
    qn_online_ahead line[QN_ONLINE_AHEAD_MAX]; /* a ring of points that are being built */
    int line_first, line_count, line_max;
    double build_max_s; /* longest build of this problem that is known */

    /* the trial */
    qn_ahead_job job;
    qn_point point;
    qn_queue *trial_queue;
    int trial_rounds, trial_wanted, trial_waiting; /* rounds launched, to be launched, launched and not collected */
    qn_recent trial_times;
    double trial_run_s;

    /* totals of this run */
    uint64_t rounds, tests, failed;
    double device_s, lost_s, build_s;
    double known_round_s, known_scale; /* seconds and nominal seconds of the latest round of `best` */
    qn_online_round *open, *pending, **last_pending;
    int pending_count;
} qn_online_family;

/* Create the state, with the known results of the store and the shipped files. `length` outlives the family. */
QN_MUST_CHECK qn_status qn_online_family_create(const qn_family_launch *launch, const qn_tune_attach_options *options,
                                                const qn_online_length *length, qn_online_family **family);

/* Write the best's time and the account to the store. The threads that build have ended; `waited_s` is this family's
 * share of the time that their end took. */
void qn_online_family_destroy(qn_online_family **family, double waited_s);

/* A round of a queue begins: choose its configuration. */
void qn_online_begin(qn_online_family *family, qn_ahead *ahead, const qn_family_launch *launch, qn_online_round *round);

/* Take a round whose launches are all queued. The times of its events are collected when the events are complete. */
void qn_online_close(qn_online_family *family, qn_online_round *round);

/* A launch of the round failed: end the trial, or replace the best. */
void qn_online_failed(qn_online_family *family, const qn_family_launch *launch, const qn_online_round *round,
                      qn_status status);

void qn_online_round_destroy(qn_online_round **round);

/* ---- Shared by the files above ---- */

/* Rounds of the configuration that the run begins with, before anything is tried. */
enum { QN_ONLINE_START_ROUNDS = 5 };

bool qn_online_is_cpu(const qn_online_family *family);

/* If `status` is a failure, log a warning and do not use the store any more. QN_OK: do nothing. */
void qn_online_check_store(qn_online_family *family, qn_status status);

/* Write a test of a configuration to the store. */
void qn_online_write_row(qn_online_family *family, const qn_configuration *configuration, const qn_test *test);

/* Make a test with the outcome "correct" from measured times. */
qn_test qn_online_test_of(const qn_recent *times);

/* Find the configurations that the run may begin with, and take the first that fits the launch. */
QN_MUST_CHECK qn_status qn_online_find_starts(qn_online_family *family, const qn_family_launch *launch);

/* Take the first of starts[first], starts[first + 1], … that fits the launch. */
void qn_online_take_start(qn_online_family *family, const qn_family_launch *launch, int first);

/* Add the device time of a round, and the credit that the round earns. */
void qn_online_earn(qn_online_family *family, double device_s);
void qn_online_spend(qn_online_family *family, double cost_s);
/* Cost of a build of `build_s` seconds: on a CPU device the build takes one unit from the kernels; on a GPU it is 0. */
double qn_online_build_cost(const qn_online_family *family, double build_s);
bool qn_online_can_try(const qn_online_family *family);
/* Check that the account can pay for a build, and that the build ends well before the run, which then need not wait. */
bool qn_online_can_build(const qn_online_family *family);
/* Add the balance to the account in the store, and read the account, which other processes change too. */
void qn_online_settle(qn_online_family *family);

#endif
