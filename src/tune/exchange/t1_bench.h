/* The tests of a T1 problem's configurations, in this process or in a worker.
 *
 * A kernel of a user may crash, hang or fill the memory. In a worker, a process of its own, it does so without ending
 * the tuning: the configuration failed, and the next one is tested by a new worker. A worker opens the device by
 * itself; it is started by posix_spawn, so it shares no state of a driver with this process.
 *
 * Life cycle: open → test… → close. Thread rule: one thread at a time. */
#ifndef QN_TUNE_EXCHANGE_T1_BENCH_H
#define QN_TUNE_EXCHANGE_T1_BENCH_H

#include "tune/exchange/t1.h"
#include "tune/measure.h"

typedef struct qn_t1_bench qn_t1_bench;

/* Open, and compute the reference by the default configuration or, if that one does not run, by the first of fifty
 * others that does, with a warning. Errors: QN_BAD_FORMAT if its result cannot be a reference; QN_NOT_FOUND for a
 * kernel that the source does not have, or that takes other arguments. */
QN_MUST_CHECK qn_status qn_t1_bench_open(const qn_t1 *t1, qn_device *device, const qn_tune_options *options,
                                         qn_t1_bench **bench);
void qn_t1_bench_close(qn_t1_bench **bench);

/* Build, check and time a configuration. Its failures go into *test and `reason`; a returned failure ends the tuning.
 * limits->meter is not used: the objective says whether energy is measured. */
QN_MUST_CHECK qn_status qn_t1_bench_test(qn_t1_bench *bench, qn_point point, const qn_measure_limits *limits,
                                         qn_test *test, char reason[QN_MEASURE_REASON_BYTES]);

#endif
