/* What a tuning makes small: seconds, joules, or expressions over what was measured of a run; of several the first is
 * searched for and all make up the Pareto front.
 *
 * Life cycle: open → (apply → note)… → report → close. Thread rule: one thread at a time. */
#ifndef QN_TUNE_GOAL_H
#define QN_TUNE_GOAL_H

#include "expression/expression.h"
#include "tune/measure.h"

enum { QN_GOAL_OBJECTIVES = 4 };

typedef struct qn_goal_point {
    qn_tune_front front;
    double values[QN_GOAL_OBJECTIVES];
} qn_goal_point;

typedef struct qn_goal {
    qn_expression *objectives[QN_GOAL_OBJECTIVES];
    int count;
    bool is_time, uses_energy, uses_limit; /* is_time: nothing but seconds */
    double limit_seconds;                  /* 0: not known */
    const qn_tune_meter *meter;            /* NULL: energy is not wanted */
    qn_tune_meter own;
    qn_goal_point *points; /* none of them better than another in everything */
    size_t point_count, point_capacity;
} qn_goal;

/* objective NULL: seconds. planted: a test's meter in place of the device's; NULL. Errors: QN_INVALID_ARGUMENT for what
 * cannot be read; QN_UNSUPPORTED when the device does not count energy, or its limit is wanted and not known. */
QN_MUST_CHECK qn_status qn_goal_open(const char *objective, qn_device *device, double limit_seconds,
                                     const qn_tune_meter *planted, qn_goal *goal);
void qn_goal_close(qn_goal *goal);

/* From a test whose objective is seconds to one whose objective is the goal's; failed ones stay as they are. Errors:
 * QN_INVALID_ARGUMENT when the value is not a positive number. */
QN_MUST_CHECK qn_status qn_goal_apply(const qn_goal *goal, qn_test *test);

/* A test that apply has seen, for the front. */
QN_MUST_CHECK qn_status qn_goal_note(qn_goal *goal, const char *text, const qn_test *test);

/* The front, of more than one objective, sorted by the first; of more points than there is room for, evenly many. */
void qn_goal_report(qn_goal *goal, qn_tune_result *result);

#endif
