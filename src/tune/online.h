/* Online tuning, inside: the state of one family on one device for one problem class, fed with rounds.
 *
 * online.c is the door to the runtime, online_trial.c decides. Everything here is called with the door's mutex held.
 */
#ifndef QN_TUNE_ONLINE_H
#define QN_TUNE_ONLINE_H

#include "tune/ahead.h"
#include "tune/session.h"

enum { QN_ONLINE_RECENT = 15, QN_ONLINE_EVENTS = 32, QN_ONLINE_MOST_AHEAD = 8 };

/* The latest times of a configuration, per nominal second where the work is known. */
typedef struct qn_recent {
    double values[QN_ONLINE_RECENT];
    int count; /* ever */
} qn_recent;

void qn_recent_add(qn_recent *recent, double value);
double qn_recent_median(const qn_recent *recent); /* infinite when empty */
double qn_recent_spread(const qn_recent *recent); /* half the distance between the quartiles */

struct qn_online_family;

/* From one launch of a family's kernel 0 in a queue to the next: all with one configuration. */
typedef struct qn_online_round {
    struct qn_online_round *next;
    struct qn_online_family *family;
    qn_queue *queue;
    qn_configuration configuration;
    bool trial, timed;
    double scale; /* nominal seconds of its launches */
    qn_event *events[QN_ONLINE_EVENTS];
    int event_count;
} qn_online_round;

/* A point that was asked for and is being built. */
typedef struct qn_online_ahead {
    qn_ahead_job job;
    qn_point point;
} qn_online_ahead;

/* IDLE: the first of the line is waited for; READY: it was built and waits until a trial can be afforded; TRYING:
 * rounds of it run. */
typedef enum qn_online_stage { QN_ONLINE_IDLE, QN_ONLINE_READY, QN_ONLINE_TRYING, QN_ONLINE_OVER } qn_online_stage;

typedef struct qn_online_family {
    struct qn_online_family *next;
    const qn_family *family;
    qn_device *device;
    qn_tune_key key;
    char definitions[QN_AHEAD_DEFINITIONS];
    qn_tune_store *store;
    int64_t problem; /* in the store; 0: none */
    qn_space *space;
    qn_tuner *tuner;
    double budget, expected_s; /* device time of the whole run; 0: not known */
    qn_online_stage stage;
    qn_configuration best;
    const char *origin;
    qn_recent best_times, start_times;
    bool start_written;
    qn_online_ahead line[QN_ONLINE_MOST_AHEAD]; /* a ring of what is being built */
    int line_first, line_count, line_most;
    /* the trial */
    qn_ahead_job job;
    qn_point point;
    qn_queue *trial_queue;
    int trial_rounds, trial_wanted, trial_waiting; /* launched, to be launched, launched and not collected */
    qn_recent trial_times;
    double trial_run_s;
    /* accounts */
    uint64_t rounds, tests, failed;
    double device_s, lost_s, build_s;
    double known_round_s, known_scale; /* seconds and nominal seconds of a round of the best, lately */
    qn_online_round *open, *pending, **last_pending;
    int pending_count;
} qn_online_family;

QN_MUST_CHECK qn_status qn_online_family_create(const qn_family_launch *launch, const qn_tune_attach_options *options,
                                                qn_online_family **family);
/* Writes what is known of the best to the store. The background builder must be gone. */
void qn_online_family_destroy(qn_online_family **family);

/* A round of `queue` begins: what it is to run with. */
void qn_online_begin(qn_online_family *family, qn_ahead *ahead, const qn_family_launch *launch, qn_online_round *round);
/* A round is closed and waits for its events; takes it. */
void qn_online_close(qn_online_family *family, qn_online_round *round);
/* The configuration of a trial or the best one did not launch. */
void qn_online_failed(qn_online_family *family, const qn_online_round *round, qn_status status);

void qn_online_round_destroy(qn_online_round **round);

#endif
