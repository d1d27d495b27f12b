/* Offline tuning with a given energy meter, for tests on machines whose devices do not count energy. */
#ifndef QN_TUNE_OFFLINE_RUN_H
#define QN_TUNE_OFFLINE_RUN_H

#include "tune/measure.h"

QN_MUST_CHECK qn_status qn_tune_run_metered(qn_device *device, const qn_workload *workload,
                                            const qn_tune_options *options, const qn_tune_meter *meter,
                                            qn_tune_result *result);

#endif
