/* Hardware counters while a workload is tuned. For the searcher `profile` the best configuration is run again and its
 * counters are read. They replace the columns that a model predicts; columns that the device does not count (launch
 * sizes, counters that this chip lacks) keep the prediction.
 *
 * Life cycle: open → read → close, before the tuner that owns the model is destroyed. Thread rule: one thread at a
 * time. */
#ifndef QN_TUNE_LIVE_COUNTERS_H
#define QN_TUNE_LIVE_COUNTERS_H

#include <quern/tune.h>

#include "tune/model/model.h"

typedef struct qn_live_counters qn_live_counters;

/* *live is NULL if there is no model, or if the device cannot count; a note gives the reason of the latter. */
QN_MUST_CHECK qn_status qn_live_counters_open(qn_device *device, const qn_workload *workload,
                                              const qn_tuning_model *model, const qn_space *space,
                                              qn_live_counters **live);
void qn_live_counters_close(qn_live_counters **live);

/* Run a configuration that is built and correct as often as counting needs, and point test->counters to memory that
 * lasts until the next call. test->counters is not changed if `live` is NULL, if counting would take more than 5 s, or
 * if counting fails; a failure is logged as a warning, and later calls count nothing. Only a failure that ends the
 * tuning is returned: QN_DEVICE_LOST or QN_CANCELLED. */
QN_MUST_CHECK qn_status qn_live_counters_read(qn_live_counters *live, void *state, qn_queue *queue, qn_point point,
                                              qn_test *test);

/* Copy counted values, in the order of qn_counters_names, to the model's columns of the same names. NaN is not
 * copied. */
void qn_live_counters_place(const qn_tuning_model *model, const double *values, double *columns);

#endif
