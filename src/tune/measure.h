/* Trying one configuration on a workload: check it, then time it until it is known well enough. */
#ifndef QN_TUNE_MEASURE_H
#define QN_TUNE_MEASURE_H

#include <quern/tune.h>

enum { QN_MEASURE_REPEATS = 1000 };

/* Middle of `count` times and half the width of its 95 % interval, by order statistics: robust against the outliers of
 * a shared machine. Sorts. With fewer than six times the interval is their whole range; with one it is infinite. */
void qn_measure_summarise(double *seconds, int count, double *middle, double *spread);

/* A counter of energy: differences of what it reads are joules. */
typedef struct qn_tune_meter {
    qn_status (*read)(void *user, double *joules);
    void *user;
} qn_tune_meter;

typedef struct qn_measure_limits {
    double timeout_s; /* of one run; 0: none */
    double precision; /* wanted spread over middle */
    int most_repeats;
    const qn_test *best;        /* to stop early when this one is clearly worse; NULL */
    const qn_tune_meter *meter; /* then also runs for 0.3 s, or a few ticks of the counter, and joules are told; NULL */
} qn_measure_limits;

/* clear → run → check, then run again as often as it takes. What is wrong with the configuration goes into *test and
 * `reason`; the status tells only of what ends the tuning, such as a lost device. build_seconds of *test is kept. */
QN_MUST_CHECK qn_status qn_measure_configuration(const qn_workload *workload, void *state, qn_queue *queue,
                                                 const qn_configuration *configuration, const qn_measure_limits *limits,
                                                 qn_test *test, char reason[256]);

#endif
