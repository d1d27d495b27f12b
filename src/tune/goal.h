/* The objectives of a tuning: seconds, joules, or expressions over the measurements of a run. Of several objectives the
 * search minimises the first, and all of them define the Pareto front.
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
    bool is_time, uses_energy, uses_limit; /* is_time: seconds is the only objective */
    double limit_seconds;                  /* 0: not known */
    const qn_tune_meter *meter;            /* NULL: energy is not measured */
    qn_tune_meter own;
    qn_goal_point *points; /* the front so far: no point is at least as good as another in all objectives */
    size_t point_count, point_capacity;
} qn_goal;

/* objective NULL: seconds. planted: a meter that a test uses in place of the device's; NULL: none. Errors:
 * QN_INVALID_ARGUMENT for an objective that cannot be read; QN_UNSUPPORTED when the device does not count energy, or
 * when the objective uses a limit that is not known. */
QN_MUST_CHECK qn_status qn_goal_open(const char *objective, qn_device *device, double limit_seconds,
                                     const qn_tune_meter *planted, qn_goal *goal);
void qn_goal_close(qn_goal *goal);

/* Replace the objective of a correct test, which is in seconds, by the goal's first objective; the time goes into
 * `seconds`. A failed test is not changed. Errors: QN_INVALID_ARGUMENT when the value is not a positive number. */
QN_MUST_CHECK qn_status qn_goal_apply(const qn_goal *goal, qn_test *test);

/* Add a test to the front, after qn_goal_apply. */
QN_MUST_CHECK qn_status qn_goal_note(qn_goal *goal, const char *text, const qn_test *test);

/* Copy the front to the result, sorted by the first objective; with one objective there is no front. If there are more
 * than QN_TUNE_FRONT_MAX points, evenly spaced ones are copied. */
void qn_goal_report(qn_goal *goal, qn_tune_result *result);

#endif
