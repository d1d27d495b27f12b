/* A test stand in this process: the kernel of a T1 problem on a device, tested configuration by configuration.
 *
 * Life cycle: open → reference → test… → close. Thread rule: one thread at a time. */
#ifndef QN_TUNE_EXCHANGE_T1_STAND_H
#define QN_TUNE_EXCHANGE_T1_STAND_H

#include "tune/exchange/t1.h"
#include "tune/goal.h"

typedef struct qn_t1_stand {
    qn_queue *queue;
    qn_t1_target *target;
    qn_goal goal; /* for its energy meter */
} qn_t1_stand;

QN_MUST_CHECK qn_status qn_t1_stand_open(const qn_t1 *t1, qn_device *device, uint64_t seed, const char *objective,
                                         qn_t1_stand *stand);
void qn_t1_stand_close(qn_t1_stand *stand);

/* Compute the reference with a configuration. */
QN_MUST_CHECK qn_status qn_t1_stand_reference(qn_t1_stand *stand, qn_point point);

/* Build, check and time a configuration; limits->meter is that of the stand. Its failures go into *test and `reason`; a
 * returned failure ends the tuning. */
QN_MUST_CHECK qn_status qn_t1_stand_test(qn_t1_stand *stand, qn_point point, const qn_measure_limits *limits,
                                         qn_test *test, char reason[QN_MEASURE_REASON_BYTES]);

#endif
