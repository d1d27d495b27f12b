/* Test one configuration on a workload: check its result, then time it until the time is precise enough. */
#ifndef QN_TUNE_MEASURE_H
#define QN_TUNE_MEASURE_H

#include <quern/tune.h>

enum { QN_MEASURE_REPEATS = 1000, QN_MEASURE_REASON_BYTES = 1024 };

/* Compute the median of `count` times and half the width of its 95 % interval, by order statistics, which are robust
 * against the outliers of a shared machine. Sorts the times. With fewer than eight times the interval is their whole
 * range; with one it is infinite. */
void qn_measure_summarise(double *seconds, int count, double *middle, double *spread);

/* An energy counter: the difference of two readings is in joules. */
typedef struct qn_tune_meter {
    qn_status (*read)(void *user, double *joules);
    void *user;
} qn_tune_meter;

typedef struct qn_measure_limits {
    double timeout_s; /* of one run; 0: none */
    double precision; /* wanted spread divided by the median */
    int most_repeats;
    const qn_test *best;        /* stop early if the configuration is clearly slower than this; NULL: never */
    const qn_tune_meter *meter; /* measure joules too, by runs for at least 0.3 s; NULL: do not */
} qn_measure_limits;

/* Call clear, run and check, then repeat the run until the time is precise enough. A failure of the configuration goes
 * into *test and `reason`. Only a failure that ends the tuning is returned, such as QN_DEVICE_LOST. build_seconds of
 * *test is kept. */
QN_MUST_CHECK qn_status qn_measure_configuration(const qn_workload *workload, void *state, qn_queue *queue,
                                                 const qn_configuration *configuration, const qn_measure_limits *limits,
                                                 qn_test *test, char reason[QN_MEASURE_REASON_BYTES]);

#endif
