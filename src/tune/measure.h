/* Trying one configuration on a workload: check it, then time it until it is known well enough. */
#ifndef QN_TUNE_MEASURE_H
#define QN_TUNE_MEASURE_H

#include <quern/tune.h>

enum { QN_MEASURE_REPEATS = 1000 };

/* Middle of `count` times and half the width of its 95 % interval, by order statistics: robust against the outliers of
 * a shared machine. Sorts. With fewer than six times the interval is their whole range; with one it is infinite. */
void qn_measure_summarise(double *seconds, int count, double *middle, double *spread);

typedef struct qn_measure_limits {
    double timeout_s; /* of one run; 0: none */
    double precision; /* wanted spread over middle */
    int most_repeats;
    const qn_test *best; /* to stop early when this one is clearly worse; NULL */
} qn_measure_limits;

/* clear → run → check, then run again as often as it takes. What is wrong with the configuration goes into *test and
 * `reason`; the status tells only of what ends the tuning, such as a lost device. build_seconds of *test is kept. */
QN_MUST_CHECK qn_status qn_measure_configuration(const qn_workload *workload, void *state, qn_queue *queue,
                                                 const qn_configuration *configuration, const qn_measure_limits *limits,
                                                 qn_test *test, char reason[256]);

#endif
