/* An imagined device of fixed rates, with which the work of different problems is compared. */
#ifndef QN_TUNE_MODEL_NOMINAL_H
#define QN_TUNE_MODEL_NOMINAL_H

#include <quern/workload.h>

/* Compute the nominal seconds of work: the limit of the work on the imagined device. Objectives of different problem
 * sizes are compared per nominal second. 0 for no work. */
double qn_tune_nominal_seconds(const qn_work *work);
extern const qn_device_rates qn_tune_nominal_rates;

#endif
