/* Hardware counters while a workload is tuned: what the searcher `profile` reads of the best configuration, by running
 * it again. Of models the columns that the device counts are replaced by what it counted; the rest - launch sizes, and
 * what this chip does not count - stays as predicted.
 *
 * Life cycle: open → read → close, before the model's tuner. Thread rule: one thread at a time. */
#ifndef QN_TUNE_LIVE_COUNTERS_H
#define QN_TUNE_LIVE_COUNTERS_H

#include <quern/tune.h>

#include "tune/model/model.h"

typedef struct qn_live_counters qn_live_counters;

/* *live is NULL, and a note says why, where there is no model or the device does not count. */
QN_MUST_CHECK qn_status qn_live_counters_open(qn_device *device, const qn_workload *workload,
                                              const qn_tuning_model *model, const qn_space *space,
                                              qn_live_counters **live);
void qn_live_counters_close(qn_live_counters **live);

/* Run a configuration that is built and correct as often as counting needs, and point test->counters to memory that
 * lasts until the next call. Left as it is where `live` is NULL, where that would take more than 5 s, or where counting
 * fails, which ends it with a warning. The status tells only of what ends the tuning, such as a lost device. */
QN_MUST_CHECK qn_status qn_live_counters_read(qn_live_counters *live, void *state, qn_queue *queue, qn_point point,
                                              qn_test *test);

/* Put counted values[qn_counters_names] into a model's columns by name; what is NaN is left out. */
void qn_live_counters_place(const qn_tuning_model *model, const double *values, double *columns);

#endif
